"""Likelihoods of chains that look two labels back, on small corpora."""

import numpy as np

from likelihood_problems import UNKNOWN, Likelihood, Problem, random_dictionary
from riata import _core
from riata.data.memory import as_corpus
from riata.features.attributes import builtin
from riata.features.compile import Features
from riata.features.templates import parse
from riata.inference.rules.legality import Legality
from riata.registry import get

TEMPLATES = [
    "word[0]\nedge\nlabel[-2] label[-1]",
    "word[0]\nlabel[-2]",
    "word[0]\nedge\nedge word[0]\nlabel[-1]\nlabel[-1] word[0]\nlabel[-2] word[0]\nlabel[-2] label[-1]\nlabel[-2] label[-1] word[0]",
    "label[-2] label[-1] word[-1] word[0]\nedge word[-1]\nsuffix1[0]",
]
FREE = ("X", "Y", "Z")
CHUNKS = ("B-A", "I-A", "O")
KEPT, AT_ONCE = 1 << 28, 1 << 26  # bytes
NEVER, ALWAYS = 2.0, 0.0  # as `often`: the matrices of label pairs that are part of contexts


class Case(Problem):
    """In double precision, two labels back."""

    def __init__(
        self, seed, template, labels=FREE, *, pairs="seen", weights=(), kind=_core.SecondOrderPotentials64, kept=KEPT, at_once=AT_ONCE,
        often=0.5, named=False, hidden=0.0, lengths=None, dictionary=False,
    ):  # fmt: skip
        rng = np.random.default_rng(seed)
        self.labels, count = labels, len(labels)
        free = labels is not CHUNKS
        self.legality = Legality.free(count) if free else Legality(*get("encoding", "iob2").allowed(labels))
        lengths = rng.integers(1, 5, 4) if lengths is None else lengths
        self.sentences = [["".join(rng.choice(list("abc"), 2)) for _ in range(n)] for n in lengths]
        self.gold = [rng.choice(self.legal(len(s))) for s in self.sentences]
        truth = [labelling.copy() for labelling in self.gold]
        for labelling in self.gold:
            labelling[rng.random(len(labelling)) < hidden] = UNKNOWN
        if named:
            rows = [[{w: 0.5, f"{w[0]}*": 2.0} for w in s] for s in self.sentences]
            self.corpus, template = as_corpus(rows), "edge\nlabel[-2] label[-1]"
        else:
            self.corpus = as_corpus(self.sentences)
        self.features = Features(parse(template), builtin(), {}, 0)
        if dictionary and not named:
            self.features.dictionary = random_dictionary(rng, labels, self.sentences, truth)
        self.instances = self.features.extend(self.corpus, 1, 1)
        self.instances.set_labels(np.concatenate(self.gold).astype(np.int32), count, unknown=True)
        self.weights = np.array(weights, np.float64)
        flags = (self.legality.start, self.legality.end, self.legality.follow)
        size = len(self.features.given)
        parts = (self.features.index, self.instances, count, size, *flags, pairs, kept, at_once, often)
        self.function = Likelihood(kind, *parts, weights=self.weights)
