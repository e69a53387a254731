"""spaCy: its transition parser with the network of its CPU pipelines, which also reads gold tags and features, 10 epochs."""

import random

import spacy
from spacy.tokens import Doc
from spacy.training import Example
from spacy.training.batchers import minibatch_by_words
from thinc.api import fix_random_seed

from benchmarks.contest import Split, timed
from benchmarks.trees import Trees, run
from riata.data.types import Corpus

EPOCHS = 10
TOKENS = 1000  # of a batch
ROOT = "ROOT"
ATTRIBUTES = {"NORM": 5000, "PREFIX": 1000, "SUFFIX": 2500, "SHAPE": 2500, "POS": 50, "TAG": 100, "MORPH": 500}
EMBED = {
    "@architectures": "spacy.MultiHashEmbed.v2",
    "width": 96,
    "attrs": list(ATTRIBUTES),
    "rows": list(ATTRIBUTES.values()),
    "include_static_vectors": False,
}
ENCODE = {
    "@architectures": "spacy.MaxoutWindowEncoder.v2",
    "width": 96,
    "depth": 4,
    "window_size": 1,
    "maxout_pieces": 3,
}
MODEL = {
    "@architectures": "spacy.TransitionBasedParser.v2",
    "state_type": "parser",
    "extra_state_tokens": False,
    "hidden_width": 64,
    "maxout_pieces": 2,
    "use_upper": True,
    "tok2vec": {"@architectures": "spacy.Tok2Vec.v2", "embed": EMBED, "encode": ENCODE},
}


def documents(vocab: spacy.Vocab, corpus: Corpus, *, trees: bool) -> list[Doc]:
    """A document per sentence, with its tags and, if asked for, its tree. A root is its own head."""
    found = []
    for rows in zip(*(corpus.sentences_of(column) for column in range(6)), strict=True):
        words, upos, xpos, feats, heads, relations = (list(row) for row in rows)
        tree = {
            "heads": [int(head) - 1 if head != "0" else i for i, head in enumerate(heads)],
            "deps": [relation if head != "0" else ROOT for head, relation in zip(heads, relations, strict=True)],
        }
        tags = {"pos": upos, "tags": xpos, "morphs": ["" if feat == "_" else feat for feat in feats]}
        starts = {} if trees else {"sent_starts": [i == 0 for i in range(len(words))]}
        found.append(Doc(vocab, words=words, **tags, **(tree if trees else starts)))
    return found


def learnt(split: Split) -> spacy.Language:
    fix_random_seed(0)
    shuffle = random.Random(0).shuffle
    nlp = spacy.blank("en")
    nlp.add_pipe("parser", config={"model": MODEL})
    pairs = (documents(nlp.vocab, split.train, trees=trees) for trees in (False, True))
    examples = [Example(plain, gold) for plain, gold in zip(*pairs, strict=True)]
    optimiser = nlp.initialize(lambda: examples)
    for _ in range(EPOCHS):
        shuffle(examples)
        for batch in minibatch_by_words(examples, TOKENS):
            nlp.update(batch, sgd=optimiser, drop=0.1)
    return nlp


def contest(split: Split) -> tuple[Trees, dict[str, float]]:
    nlp, seconds = timed(lambda: learnt(split))
    scored = documents(nlp.vocab, split.scored, trees=False)
    parsed, decode = timed(lambda: list(nlp.pipe(scored)))
    trees = [[(0, "root") if t.head == t else (t.head.i + 1, t.dep_) for t in document] for document in parsed]
    return trees, {"seconds_train": seconds, "seconds_decode": decode}


if __name__ == "__main__":
    run(contest)
