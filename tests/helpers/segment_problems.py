"""Small problems of labelled segments for the native core: corpora with everything it asks for, and random weights."""

import itertools
import random
from dataclasses import dataclass
from typing import Any

import numpy as np

from chain_problems import followed, options, trainer_of
from oracle import segments as oracle
from riata import _core
from riata.data.encodings.base import OUTSIDE
from riata.data.memory import as_corpus
from riata.data.segmentation import Segmentation
from riata.features.attributes import builtin
from riata.models.model import Model
from riata.registry import get
from riata.structures.segments.model import SegmentOutputs
from riata.structures.segments.templates import SegmentFeatures, parse

LABELS = ("O", "A", "B")
WORDS = "abc"
TAGS = "xy"
TEMPLATES = [
    "inside word[0]",
    "first word[0]\nlast word[0]\nlength",
    "first tag[-1]\nlast tag[1]\ninside word[0] word[1]\nsequence tag[0]",
    "inside word[0]\ninside tag[0] tag[1] tag[2]\nsequence word[0] tag[0]\nsequence lower[0]\nlength",
    "inside word[0]\nlabel[-1]\nsequence tag[0]",
    "inside tag[0]\nlabel[-1] first word[0]\nfirst suffix1[1]\nlength\ninside word[0] tag[1]",
    "inside word[0]\nlabel[-2] label[-1]\nlabel[-1] first tag[-1]",
    "inside word[0]\naround tag[0]\nprevious word[0]\nlabel[-1] length[-1]",
    "last tag[0]\nlength[-1]\nlabel[-2] length[-1] previous tag[1]\nlabel[-1] first word[0]\naround word[0]\nsequence tag[0]",
]
# Those that exact search can tell apart.
EXACT_TEMPLATES = [t for t in TEMPLATES if not any(read in t for read in ("label[-2]", "length[-1]", "previous"))]


@dataclass
class SegmentProblem:
    sentences: list
    gold: list  # tuples of (length, label)
    most: int
    features: SegmentFeatures
    instances: Any
    labels: tuple = LABELS

    @property
    def outside(self):
        return self.labels.index("O") if "O" in self.labels else -1

    def codes(self, segmentations):
        """As the core writes them: at the first token of a segment its code, -1 elsewhere."""
        found = []
        for segments in segmentations:
            for size, label in segments:
                found += [(size - 1) * len(self.labels) + self.labels.index(label), *[-1] * (size - 1)]
        return np.array(found, np.int32)

    def segments(self, codes):
        starts = np.cumsum([0, *map(len, self.sentences)])
        count = len(self.labels)
        return [
            tuple((c // count + 1, self.labels[c % count]) for c in codes[a:b].tolist() if c >= 0)
            for a, b in itertools.pairwise(starts)
        ]

    def weights(self, kind=_core.SegmentWeights64):
        return kind(self.features.native, len(self.labels), self.outside, self.most)

    def trainer(self, initial=None, single=False, *, learner="search", settings=None, **chosen):
        """settings: of learners other than search."""
        if initial is None:
            initial = self.weights(_core.SegmentWeights if single else _core.SegmentWeights64)
        asked = options(**chosen) if settings is None else settings
        return trainer_of(initial)(learner, initial, asked, asked.get("truncate", 0.0))

    def epoch(self, trainer, order=None, weights=(), classes=()):
        order = np.arange(len(self.sentences)) if order is None else np.array(order)
        given = (order.astype(np.int64), np.array(weights, np.float64), np.array(classes, np.float64))
        return trainer.epoch(self.features.index, self.instances, self.codes(self.gold), *given)

    def decode(self, weights, **chosen):
        return self.segments(weights.decode(self.features.index, self.instances, options(**chosen)))

    def margins(self, weights, **chosen):
        return weights.margins(self.features.index, self.instances, self.codes(self.gold), options(**chosen))

    def scores(self, weights, segmentations):
        """Of one segmentation of each sentence."""
        return weights.scores_of(self.features.index, self.instances, self.codes(segmentations))

    def zeros(self, single=False):
        """Weights of zero that know every feature of these sentences, so that its row is always the same."""
        weights = self.weights(_core.SegmentWeights if single else _core.SegmentWeights64)
        self.names = self.named(weights)
        return weights

    def named(self, weights):
        """Every feature of these sentences by its row; the weights get to know them all."""
        every = [oracle.segmentations(len(x), self.labels, self.most) for x in self.sentences]
        templates = in_order(self.features.templates)
        names = {}
        for turn in range(max(map(len, every))):
            some = [one[turn % len(one)] for one in every]
            codes = self.codes(some)
            _, places, _ = weights.features_of(self.features.index, self.instances, codes)
            found = iter(places.tolist())
            for x, one in zip(self.sentences, some, strict=True):
                for i, (_, label) in enumerate(one):
                    for name, _ in oracle.features(x, templates, builtin(), one, i):
                        assert names.setdefault(next(found) - self.labels.index(label), name) == name
            assert next(found, None) is None
        assert len(set(names.values())) == len(names)
        return names

    def random_weights(self, seed, single=False):
        """Every feature with a weight for every label, a multiple of 1/32."""
        weights = self.zeros(single)
        drawn = np.random.default_rng(seed).integers(-64, 64, len(weights.flat()), endpoint=True) / 32
        kept = np.zeros_like(drawn)
        for row in self.names:
            kept[row : row + len(self.labels)] = drawn[row : row + len(self.labels)]
        weights.set_flat(kept.astype(weights.flat().dtype))
        return weights

    def by_name(self, weights):
        """Weights that began as zeros or random ones as a dictionary, keyed as in tests/oracle."""
        flat, labels = weights.flat(), list(enumerate(self.labels))
        named = {(name, label): float(flat[row + i]) for row, name in self.names.items() for i, label in labels}
        assert np.count_nonzero(flat) == np.count_nonzero(list(named.values()))
        return named


def in_order(templates):
    """As the core lists them: by role, then whole sequences, then what looks back."""
    roles = ["first", "last", "inside", "length"]
    return sorted(
        templates, key=lambda t: 9 if t.looks_back else roles.index(t.role) if t.role in roles else len(roles)
    )


def segment_problem(template, sentences, gold, most, labels=LABELS):
    features = SegmentFeatures(parse(template), builtin())
    instances = features.extend(as_corpus(sentences))
    return SegmentProblem(sentences, gold, most, features, instances, labels)


def noise(seed, template, most=3, longest=5, sentences=6, labels=LABELS, beyond=0):
    """beyond: by how many tokens true segments may be longer than those that there are."""
    draw = random.Random(seed)
    lengths = [draw.randint(1, longest) for _ in range(sentences)]
    words = [[(draw.choice(WORDS), draw.choice(TAGS)) for _ in range(n)] for n in lengths]
    gold = [random_segments(draw, n, labels, most + beyond) for n in lengths]
    return segment_problem(template, words, gold, most, labels)


def random_segments(draw, length, labels, most):
    found = []
    while length:
        label = draw.choice(labels)
        size = 1 if label == "O" else draw.randint(1, min(most, length))
        found.append((size, label))
        length -= size
    return tuple(found)


# --- traces ----------------------------------------------------------------------------------------------------------
def operators(segments):
    """As a trace names them."""
    found, at = [], 0
    for size, label in segments:
        found.append(f"{label}[{at}:{at + size}]")
        at += size
    return tuple(found)


def segment_of(operator):
    label, place = operator[:-1].split("[")
    start, end = map(int, place.split(":"))
    return end - start, label


def tags_of(segments):
    return tuple(OUTSIDE if y == OUTSIDE else f"{'I' if i else 'B'}-{y}" for size, y in segments for i in range(size))


def trace_of(problem, weights, s, *, truth=True, **chosen):
    model = Model(problem.features, weights, SegmentOutputs(Segmentation(problem.labels, get("encoding", "iob2"))))
    return followed(model, problem.sentences[s], tags_of(problem.gold[s]) if truth else None, **chosen)


def key_of(trace, problem):
    """What states that go on alike agree in."""
    templates = problem.features.templates
    order = max([0, *(-t.labels[0] for t in templates if t.labels)])
    reads_start = any(t.length_before or t.role == "previous" for t in templates)

    def key(node):
        path = trace.path(node)
        end = int(path[-1].split(":")[1][:-1]) if path else 0
        labels = tuple(operator.split("[")[0] for operator in path[-order:]) if order else ()
        return end, labels, path[-1].split("[")[1] if path and reads_start else ""

    return key
