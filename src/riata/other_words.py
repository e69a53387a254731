"""What other libraries call things that have another name here, for messages about unknown names."""

from __future__ import annotations

TASKS = (
    ("tag", "pos postag postagging postags tagger tagging tags upos xpos"),
    ("chunk", "chunker chunking chunks np nps segment segmentation spans"),
    ("ner", "entities entity entityrecognizer entityrecognition names name"),
    ("joint", "jointtagger tagchunk factorial"),
    ("srl", "role roles rolelabeler rolelabeling semanticroles propbank"),
    ("parse", "parser parsing dep deps depparse dependency dependencies dependencyparser tree trees syntax heads"),
)

# By kind of name: each name here, with words that are used elsewhere. Case, "-" and "_" do not count.
WORDS: dict[str, dict[str, str]] = {
    "public name": {
        'Tagger("crf")': "crf linearchaincrf chaincrf crfmodel conditionalrandomfield crfsuite crftagger",
        'Chunker("semicrf")': "semicrf semimarkovcrf",
        'Tagger("hmm")': "hmm hiddenmarkovmodel",
        'Tagger("memm")': "memm maxent maxentmarkovmodel",
        'Tagger("perceptron")': "perceptron structuredperceptron averagedperceptron perceptrontagger",
        'Tagger("m3n")': "svm ssvm structuredsvm svmstruct m3n",
        'Tagger("laso-alma")': "laso",
        "EntityRecognizer": "ner nertagger entityrecogniser entityrecognition namedentityrecognizer namedentityrecogniser entitytagger",
        "Tagger": "postagger pos sequencetagger sequencelabeler sequencelabeller wordtagger labeler labeller",
        "Chunker": "npchunker chunkparser segmenter spantagger",
        "DependencyParser": "parser depparser dependency dependencyparse biaffineparser arcparser",
        "RoleLabeler": "srl rolelabeller semanticrolelabeler semanticrolelabeller",
        "JointTagger": "factorialcrf jointtagging",
        "Predictor": "searn dagger learner structuredpredictor",
        "load": "loaddata loaddataset dataset datasets",
        "load_model": "loadmodel open frompretrained tagger.open",
        "read_columns": "readconll readconll2003 readcsv readtsv readfile",
        "viterbi": "viterbidecode",
    },
    "task": dict(TASKS),
    "encoding": {"iob2": "bio bio2 iobs", "bioes": "biose iobes", "bilou": "bioul bilu"},
    "command": {
        "train": "learn fit teach",
        "predict": "label apply decode test run infer",
        "evaluate": "eval score",
        "inspect": "dump info show",
        "serve": "server api",
        "pieces": "list recipes",
    },
    "recipe": {
        "crf": "lbfgs l2sgd linearchaincrf rprop bcd sgdl1 owlqn",
        "perceptron": "ap averagedperceptron structuredperceptron",
        "mira": "pa passiveaggressive arow onlinepassiveaggressive",
        "memm": "maxent maxentropy logisticregression",
        "m3n": "svm ssvm maxmargin hinge frankwolfe oneslackssvm nslackssvm",
        "svm-subgradient": "subgradientssvm pegasos",
        "laso-alma": "laso",
        "semicrf": "semimarkov",
    },
    "parameter": {
        "recipe": "algorithm algo learner method model modeltype solver trainer classifier",
        "epochs": "epoch nepochs numepochs nepoch nbepoch maxepoch maxepochs maxiter maxiterations maxiters niter numiter numiterations "
        "iterations iters passesoverdata",
        "threads": "njobs jobs nthread nthreads numthreads numworkers nworkers workers cores nproc",
        "seed": "randomstate randomseed rng rngseed",
        "beam": "beamsize beamwidth width",
        "cutoff": "minfreq minfrequency mincount minfeaturecount feature.minfreq freqthreshold",
        "patience": "earlystopping earlystoppingrounds stopwin stopwindow niternochange",
        "dev": "validationdata validationfraction validationsplit devel devdata devset holdout evalset xdev ydev",
        "template": "templates featuretemplate featuretemplates features pattern patterns featureextractor",
        "attributes": "featurefunctions featurefunction",
        "lists": "gazetteer gazetteers dictionaries lexicon lexicons",
        "encoding": "scheme tagscheme tagformat labelscheme",
        "calibrated": "calibrate calibration",
        "bits": "hashbits hashsize featuredimension",
        "c1": "l1 l1regularization regl1 rho1",
        "c2": "l2 l2regularization regl2 rho2 regularization sigma variance c",
        "C": "l2 regularization c2 c1 rho",
        "pairs": "allpossibletransitions allpossiblestates",
        "memory": "nummemories histsize",
        "gain_tolerance": "delta tol tolerance stopeps",
        "gradient_tolerance": "epsilon",
        "average": "averaging",
        "shuffle": "randomorder",
        "unknown": "unknownlabel partial missinglabel",
        "dictionary": "tagdictionary tagdict",
        "kernel": "kernelfunction",
    },
}
WORDS["setting"] = WORDS["parameter"]

# What has no name here, by kind of name: what there is instead.
INSTEAD: dict[str, dict[str, str]] = {
    "parameter": {
        "verbose verbosity progress quiet silent show disp": "Training tells what it does to the logger 'riata.training' and "
        "to fit(..., listener=...).",
        "modelfilename modelfile modelpath keeptempfiles": "A trained model is written by save(path).",
        "device gpu cuda usegpu": "Riata computes on the CPU.",
        "batchsize minibatch learningrate lr eta0": "Recipes take one sentence at a time, or all of them.",
    },
}
INSTEAD["setting"] = INSTEAD["parameter"]


def meant(kind: str, name: object) -> list[str]:
    """The names here for a word of other libraries. kind: as in messages, such as "parameter of Tagger"."""
    word = _plain(name)
    return [here for here, words in WORDS.get(kind.partition(" of ")[0], {}).items() if word in words.split()]


def instead(kind: str, name: object) -> str:
    """What there is instead of something that has no name here; empty: nothing is known of it."""
    word = _plain(name)
    found = INSTEAD.get(kind.partition(" of ")[0], {}).items()
    return next((text for words, text in found if word in words.split()), "")


def _plain(name: object) -> str:
    return str(name).lower().replace("_", "").replace("-", "").replace(" ", "")
