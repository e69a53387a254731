"""Small corpora and models that several tests use."""

import random
from functools import cache

import pytest
from hypothesis import given, settings

import riata
import riata.data.memory
from riata import Chunker, Tagger, registry
from riata.features.templates import parse
from riata.structures.segments.templates import parse as parse_segments

CHUNKS = [
    [("The", "DT", "B-NP"), ("dog", "NN", "I-NP"), ("barks", "VBZ", "B-VP"), (".", ".", "O")],
    [("A", "DT", "B-NP"), ("cat", "NN", "I-NP"), ("sat", "VBD", "B-VP"), ("on", "IN", "B-PP"), ("it", "PRP", "B-NP")],
    [("Größe", "NN", "B-NP"), ("zählt", "VBZ", "B-VP"), ("!", ".", "O")],
    [("Cats", "NNS", "B-NP"), ("like", "VBP", "B-VP"), ("the", "DT", "B-NP"), ("dog", "NN", "I-NP")],
]
WORDS = [[word for word, _, _ in sentence] for sentence in CHUNKS]
TAGS = [[tag for _, tag, _ in sentence] for sentence in CHUNKS]
INPUTS = [[(word, tag) for word, tag, _ in sentence] for sentence in CHUNKS]
FEATURES = [[{"word": word, "length": len(word) / 10, "title": word.istitle()} for word in s] for s in WORDS]
# Structures that tasks learn; the others are made of parts that users write (riata.Structure).
OF_TASKS = [name for name, structure in registry.all_of("structure").items() if structure.columns]
# Tasks that label sentences or build trees; the others have files and methods of their own.
LABELLERS = {name: task for name, task in registry.all_of("task").items() if not hasattr(task.estimator, "own_files")}
UNSEEN = [["An", "unseen", "dog", "sat"], ["Cats"], ["zählt", "漢字", "?"]]


def draws(most):
    """How many examples of a property are tried: so many by `make test-all`, a share of them by `make test` (conftest.py)."""
    return max(min(most, 10), most * settings.default.max_examples // settings.get_profile("default").max_examples)


def tried(most, *strategies, **named):
    """A property that is tried on so many examples, or on the share of them (`draws`)."""
    return lambda test: settings(max_examples=draws(most), deadline=None)(given(*strategies, **named)(test))


def for_each(**values):
    """Parametrizes a test by these values; by every combination of them, where there are several names."""

    def parametrized(test):
        for name, of in reversed(values.items()):
            test = pytest.mark.parametrize(name, of)(test)
        return test

    return parametrized


def for_rows(names, *rows, **options):
    """Parametrizes a test by a table: the names of its columns, and its rows."""
    return pytest.mark.parametrize(names, rows, **options)


def some_slow(values, slow):
    """Values for pytest.mark.parametrize, of which some make their test a slow one."""
    return [pytest.param(value, marks=[pytest.mark.slow] * (value in slow)) for value in values]


def as_text(sentences=CHUNKS, separator=" "):
    """A column file."""
    return "".join("".join(separator.join(token) + "\n" for token in sentence) + "\n" for sentence in sentences)


@cache
def treebank(sentences=30, seed=1):
    """Projective trees of a small grammar, with the columns form, upos, head and deprel."""
    draw = random.Random(seed)
    return riata.data.memory.as_corpus([_tree(draw) for _ in range(sentences)])


def write_treebank(folder, number=24):
    """train.conllu: sentences of the treebank, whose xpos is upos with an x. Gives the arguments to train a parser from it."""
    line = "{0}\t{1}\t_\t{2}\t{2}x\t_\t{3}\t{4}\t_\t_"
    trees = ["\n".join(line.format(i, *token) for i, token in enumerate(s, 1)) + "\n\n" for s in treebank()]
    (folder / "train.conllu").write_text("".join(trees[:number]))
    return ("--train", "train.conllu", "--inputs", "form,upos,xpos", "--epochs", "3", "--model", "p.riata")


BARE = "1\t{}\t_\t_\t_\t_\t_\t_\t_\t_\n2\t{}\t_\t_\t_\t_\t_\t_\t_\t_\n\n"  # two words of CoNLL-U without anything else


def other_tags(sentences):
    """The same sentences with a tag that says nothing."""
    return [[(word, "X", *rest) for word, _, *rest in sentence] for sentence in sentences]


def check_words_are_enough(parser):
    """A parser with tags of its own gives the same trees to words alone, to words with tags, and to words with other tags."""
    words = [[token[0] for token in sentence] for sentence in treebank()]
    found = parser.predict(words)
    assert found == parser.predict(treebank()) == parser.predict(other_tags(treebank()))
    assert parser.predict([" ".join(one) for one in words], text=True) == found
    y = [[(int(head), relation) for *_, head, relation in sentence] for sentence in treebank()]
    assert parser.score(words, y) == parser.score(treebank())


def _tree(draw):
    """A verb with a subject, perhaps an object and a prepositional phrase, and a full stop."""
    rows = []  # form, upos, place of the head or None, relation

    def phrase(relation):
        first = len(rows)
        chosen = [("the", "DET", "det")] * (draw.random() < 0.7)
        chosen += [(draw.choice(["old", "red", "big"]), "ADJ", "amod")] * (draw.random() < 0.4)
        rows.extend([form, tag, first + len(chosen), name] for form, tag, name in chosen)
        rows.append([draw.choice(["dog", "cat", "bus", "saw"]), "NOUN", None, relation])
        return len(rows) - 1

    subject = phrase("nsubj")
    verb = len(rows)
    rows.append([draw.choice(["saw", "likes", "left"]), "VERB", "root", "root"])
    rows[subject][2] = verb
    if draw.random() < 0.6:
        rows[phrase("obj")][2] = verb
    if draw.random() < 0.5:
        head = draw.choice([verb, len(rows) - 1])
        case = len(rows)
        rows.append([draw.choice(["in", "with"]), "ADP", None, "case"])
        noun = phrase("obl" if head == verb else "nmod")
        rows[case][2], rows[noun][2] = noun, head
    rows.append([".", "PUNCT", verb, "punct"])
    return [(form, tag, "0" if head == "root" else str(head + 1), relation) for form, tag, head, relation in rows]


@cache
def chunker():
    """Node and edge templates, conjunctions, two columns, BIO legality."""
    template = "word[-1]\nword[0]\nword[0] word[1]\ntag[-2] tag[-1] tag[0]\nsuffix2[0]\nedge\nedge tag[0]"
    return Chunker("perceptron", epochs=3, template=parse(template)).fit(CHUNKS)


@cache
def history_chunker():
    """Templates that read earlier labels, with and without n-grams."""
    template = "word[0]\nedge\nlabel[-2] label[-1]\nlabel[-1] word[0]\nlabel[-3] label[-1] tag[-1] tag[0]"
    return Chunker("early", beam=3, epochs=4, template=parse(template)).fit(CHUNKS)


@cache
def hashed_chunker():
    """Every kind of row in one table: of tokens, edges, numbers and earlier labels."""
    template = "word[0]\nword[0] word[1]\nnumber(1)[0]\nedge\nedge word[0]\nlabel[-2] word[-1]"
    data = [[(word, f"{len(word) / 10}", chunk) for word, _, chunk in sentence] for sentence in CHUNKS]
    return Chunker("early", beam=3, epochs=4, bits=10, template=parse(template)).fit(data)


@cache
def recoded_chunker():
    """Tags of IOB1, learnt as BIOES: what a label becomes depends on its neighbours."""
    iob1 = [[(word, tag, chunk.replace("B-", "I-")) for word, tag, chunk in sentence] for sentence in CHUNKS]
    template = parse("word[0]\ntag[0] tag[1]\nedge")
    return Chunker("mira", epochs=3, learn_as="bioes", template=template).fit(iob1)


@cache
def segment_chunker():
    """Templates of segments of every kind, labels before included."""
    template = (
        "inside word[0]\ninside tag[0] tag[1]\nfirst word[-1] word[0]\nlast tag[1]\nsequence tag[0]\nlength\n"
        "label[-1]\nlabel[-2] label[-1] first tag[0]\naround tag[0]\nlabel[-1] length[-1] previous word[0]"
    )
    return Chunker("laso-alma", structure="segments", beam=3, epochs=4, template=parse_segments(template)).fit(CHUNKS)


@cache
def tagger():
    return Tagger("perceptron", epochs=3).fit(WORDS, TAGS)


@cache
def feature_tagger():
    """Features named by the user, with real values."""
    return Tagger("perceptron", epochs=3).fit(FEATURES, TAGS)


@cache
def number_tagger():
    """A column of numbers as a feature's value."""
    data = [[(word, f"{len(word) / 10}", tag) for word, tag, _ in sentence] for sentence in CHUNKS]
    return Tagger("perceptron", epochs=3, template=parse("word[0]\nnumber(1)[0]\nnumber(1)[-1]\nedge")).fit(data)


@cache
def embedded(columns=("word", "tag", "chunk"), split="train"):
    return riata.load("embedded", split, columns)
