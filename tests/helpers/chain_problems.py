"""Small chain problems for the native search: corpora with everything the private core asks for, and random weights."""

import itertools
import random
from dataclasses import dataclass
from typing import Any

import numpy as np

from oracle import features as oracle_features
from packed_weights import weights_of
from riata import _core, registry
from riata.data.memory import as_corpus
from riata.explaining.tracing import traced
from riata.features.attributes import builtin
from riata.features.compile import Features
from riata.features.templates import parse
from riata.inference.rules.legality import Legality
from riata.inference.structure import Decoder

UNBOUNDED = 2**40
WORDS = "abcd"


def options(**chosen):
    """The settings of the native core: a beam of 5, LaSO with the perceptron, unless chosen otherwise."""
    settings = {"queue": "beam", "beam": 5, "beam_by": "operations", "when": "laso", "update": "mean"}
    settings |= {"step": "perceptron", "alpha": 0.9, "B": 0.0, "C": 0.0, "p": 2.0, "truncate": 0.0, "record": False}
    settings |= {"threshold": "plain"}
    settings |= {"max_nodes": 1_000_000, "seconds": 0.0, "siblings": 0, "merge": True}
    assert chosen.keys() <= settings.keys()
    return settings | chosen


def decoder_of(chosen):
    asked = options(**chosen)
    return Decoder(asked["queue"], min(asked["beam"], 2**62), asked["beam_by"], asked["merge"])


def followed(model, sentence, truth=None, *, follows=True, training=True, **chosen):
    """The trace of a search in one sentence. follows: whether its updates are followed, where there is a truth."""
    learner = {**options(**chosen), "recipe": "test", "training": training} if truth is not None and follows else None
    return traced(model, as_corpus([sentence]), truth, decoder_of(chosen), learner, features=True)


def trainer_of(weights):
    """The trainer of the core that fits the precision of weights."""
    return _core.OnlineTrainer if isinstance(weights, _core.Weights) else _core.OnlineTrainer64


@dataclass
class Problem:
    labels: tuple
    encoding: Any  # None: any label may follow any
    sentences: list  # of tuples of columns
    gold: list
    features: Features
    instances: Any
    legality: Legality

    @property
    def index(self):
        return self.features.index

    @property
    def flags(self):
        return self.legality.start, self.legality.end, self.legality.follow

    def legal(self, before, label):
        """None stands for either end of the sentence."""
        return self.encoding is None or self.encoding.may_follow(before or "O", label or "O")

    def is_legal(self, labels):
        return all(self.legal(a, b) for a, b in itertools.pairwise([None, *labels, None]))

    def inputs(self):
        return [oracle_features.inputs(s, self.features.templates, builtin()) for s in self.sentences]

    def examples(self):
        return list(zip(self.inputs(), self.gold, strict=True))

    def by_name(self, weights):
        """Weights of the core as a dictionary, keyed as in tests/oracle."""
        self.weights = weights
        return weights_of(self)

    def sequences(self, ids):
        texts = [self.labels[i] for i in ids]
        ends = np.cumsum([0, *map(len, self.sentences)])
        return [tuple(texts[a:b]) for a, b in itertools.pairwise(ends)]

    def search(self, weights, **chosen):
        return self.sequences(weights.decode(self.index, self.instances, options(**chosen)))

    def exact(self, weights):
        return self.search(weights, queue="exact")

    def blank(self, *, single=False):
        """Weights of nothing."""
        return (_core.ChainWeights if single else _core.ChainWeights64)(len(self.labels), *self.flags)

    def trainer(self, initial=None, *, single=False, learner="search", settings=None, **chosen):
        """settings: of learners other than search."""
        initial = self.blank(single=single) if initial is None else initial
        asked = options(**chosen) if settings is None else settings
        return trainer_of(initial)(learner, initial, asked, asked.get("truncate", 0.0))

    def epoch(self, trainer, order=None, weights=(), classes=()):
        order = np.array(range(len(self.sentences)) if order is None else order, np.int64)
        weights, classes = np.array(weights, np.float64), np.array(classes, np.float64)
        return trainer.epoch(self.index, self.instances, None, order, weights, classes)

    def margins(self, weights, **chosen):
        return weights.margins(self.index, self.instances, self.instances.labels(), options(**chosen))

    def random_weights(self, seed):
        """Of size 1/16 or so, binary fractions that single precision holds: what a perceptron makes of other labels."""
        rng = random.Random(seed)
        instances = self.features.instances(as_corpus(self.sentences))
        searching = self.features.program.order > 0  # those that search learn from labels at any distance
        perceptron = (
            self.trainer(beam=2, update="best") if searching else self.trainer(learner="perceptron", settings={})
        )
        for epoch in range(3):
            other = [self.labels.index(label) for s in self.sentences for label in random_labels(rng, self, len(s))]
            instances.set_labels(np.array(other, np.int32), len(self.labels))
            sizes = np.array([rng.randint(1, 255) / 2**12 for _ in self.sentences])
            order = _core.shuffled(len(self.sentences), seed, epoch)
            perceptron.epoch(self.index, instances, None, order, sizes, np.empty(0))
        return perceptron.last()


def legality_of(labels, encoding):
    return Legality.free(len(labels)) if encoding is None else Legality(*encoding.allowed(labels))


def tags(encoding):
    """Every label of an encoding; plain ones for None."""
    if encoding is None:
        return ("X", "Y", "Z")
    return ("O", *(f"{prefix}-X" for prefix in registry.get("encoding", encoding).prefixes))


def problem(template, sentences, gold, labels, encoding=None):
    encoding = None if encoding is None else registry.get("encoding", encoding)
    features = Features(parse(template), builtin())
    corpus = as_corpus(sentences)
    features.extend(corpus)
    instances = features.instances(corpus)
    legality = legality_of(labels, encoding)
    made = Problem(tuple(labels), encoding, sentences, gold, features, instances, legality)
    ids = np.array([labels.index(label) for s in gold for label in s], np.int32)
    instances.set_labels(ids, len(labels))
    return made


def noise(seed, template, encoding=None, sentences=8, longest=5):
    """Words, numbers and labels at random (legal ones), so that there is always something left to learn."""
    rng = random.Random(seed)
    labels = tags(encoding)
    made = problem(template, [[("a", "1")]], [[labels[0]]], labels, encoding)
    lengths = [0, *(rng.randint(1, longest) for _ in range(sentences - 1))]
    rng.shuffle(lengths)
    inputs = [[(rng.choice("abc"), str(rng.randint(-32, 32) / 32)) for _ in range(n)] for n in lengths]
    return problem(template, inputs, [random_labels(rng, made, n) for n in lengths], labels, encoding)


def random_labels(rng, problem, length):
    while True:
        labels = [rng.choice(problem.labels) for _ in range(length)]
        if problem.is_legal(labels):
            return labels


def random_model(seed, encoding=None, *, edges=True, edges_by_word=False, most=64, shift=0, longest=5, labels=None):
    """A problem with weights between (shift - most) / 32 and (shift + most) / 32, all of them binary fractions:
    (problem, weights). A shift adds the same to every labelling of a sentence.
    """
    rng = np.random.default_rng(seed)
    labels, V = labels or tags(encoding), len(WORDS)
    L = len(labels)
    template = "word[0]" + "\nedge" * edges + "\nedge word[0]" * edges_by_word
    sentences = [[(WORDS[w],) for w in rng.integers(0, V, n)] for n in (*rng.integers(1, longest, 6), 0, longest)]
    nobody = [[labels[0]] * len(s) for s in sentences]
    made = problem(template, sentences, nobody, labels, encoding)

    def rows(height, width):
        values = (rng.integers(-most, most, height * width, endpoint=True) + shift) / 32
        return (
            np.full(height, width, np.uint32),
            np.tile(np.arange(width, dtype=np.uint32), height),
            values.astype(np.float32),
        )

    features = Features(parse(template), builtin())
    features.alphabets[0].add_many(list(WORDS))
    words = {"parents": np.full(V, -1, np.int32), "values": np.arange(V, dtype=np.int32) + _core.boundary_values}
    words |= {"node": rows(V, L), "edge": rows(V * edges_by_word, L * L)}
    sparse = {"families": [words], "given": rows(0, L), "transition": rows(1, L * L if edges else 0)}
    nothing = np.empty(0, np.int32)
    sparse["kept_given"] = nothing
    sparse["history"] = {"slots": nothing, "ngrams": nothing, "labels": nothing, "rows": rows(0, L)}
    weights = _core.unpack_chain(features.index, sparse, made.blank(single=True), [V], 0)
    made.features, made.instances = features, features.instances(as_corpus(sentences))
    return made, weights
