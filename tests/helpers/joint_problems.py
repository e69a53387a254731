"""Small problems of tags and chunk labels for the native core: corpora with everything it asks for, and random weights."""

import itertools
import random
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from chain_problems import followed, options, trainer_of
from oracle import joint as oracle
from riata import _core, registry
from riata.data.memory import as_corpus
from riata.data.pairs import joined_text
from riata.features.attributes import builtin
from riata.features.dictionary import TagDictionary
from riata.models.model import Model
from riata.structures.joint.model import JointOutputs
from riata.structures.joint.templates import JointFeatures, misfit, parse

TAGS = ("N", "V")
CHUNKS = ("O", "B-A", "I-A")
WORDS = "abc"
TEMPLATES = [
    "tag word[0]\nchunk word[0]\nchunk tag[0]",
    "tag word[0]\ntag tag[-1]\nchunk tag[0]\nchunk chunk[-1]\nchunk tag[0] tag[1]",
    "tag word[0]\ntag tag[-1] word[0]\ntag tag[-2] tag[-1]\nchunk chunk[-1] tag[0]\nchunk chunk[-1] word[0]\nchunk tag[-1] tag[0] word[1]",
    "tag lower[0]\ntag chunk[-1]\ntag chunk[-2] tag[-1]\nchunk chunk[-2] chunk[-1]\nchunk tag[0] word[-1] word[0]\nchunk tag[1] word[0]",
    "tag word[-1]\ntag word[1]\nchunk chunk[-1] tag[-1] tag[0] tag[1]\nchunk chunk[-3]\nchunk bias[0]\n"
    "chunk tag[1] word[1]\nchunk tag[1] suffix1[0]",
    "tag bias[0]\ntag word[0] word[1]\nchunk word[-1] word[0]\nchunk word[0]",  # no tag is ever read
]


@dataclass
class JointProblem:
    sentences: list
    gold: list  # tuples of (tag, chunk label)
    ahead: bool
    features: JointFeatures
    instances: Any
    parts: JointOutputs
    sets: list = field(default_factory=list)  # of tags, one per token; empty: all

    @property
    def tags(self):
        return self.parts.tags

    @property
    def chunks(self):
        return self.parts.chunks

    @property
    def functions(self):
        return builtin()

    @cached_property
    def _legal(self):
        legal, chunks = self.parts.legality(), self.chunks
        pairs = {(None, None): True}
        pairs |= {(None, c): bool(legal.start[i]) for i, c in enumerate(chunks)}
        pairs |= {(c, None): bool(legal.end[i]) for i, c in enumerate(chunks)}
        follow = itertools.product(chunks, repeat=2)
        return pairs | {pair: bool(flag) for pair, flag in zip(follow, legal.follow, strict=True)}

    def legal(self, before, label):
        return self._legal[before, label]

    def allowed(self, sentence, t, gold):
        """The tags of a token; while learning, the true one is among them."""
        if not self.sets:
            return self.tags
        s = next(i for i, one in enumerate(self.sentences) if one is sentence)
        start = sum(map(len, self.sentences[:s]))
        return [tag for tag in self.tags if tag in self.sets[start + t] or tag == gold]

    def codes(self, outputs):
        numbers = [(self.tags.index(t), self.chunks.index(c)) for output in outputs for t, c in output]
        return np.array([t * len(self.chunks) + c for t, c in numbers], np.int32)

    def outputs(self, codes):
        labels = [(self.tags[c // len(self.chunks)], self.chunks[c % len(self.chunks)]) for c in codes.tolist()]
        ends = np.cumsum([0, *map(len, self.sentences)])
        return [tuple(labels[a:b]) for a, b in itertools.pairwise(ends)]

    def every(self, s):
        """All legal outputs of a sentence."""
        found = oracle.outputs(len(self.sentences[s]), self.tags, self.chunks, self.legal)
        if not self.sets:
            return found
        x = self.sentences[s]
        return [one for one in found if all(tag in self.allowed(x, t, None) for t, (tag, _) in enumerate(one))]

    def weights(self, kind=_core.JointWeights64):
        legal = self.parts.legality()
        flags = (legal.start, legal.end, legal.follow)
        return kind(self.features.native, len(self.tags), *flags, self.ahead)

    def trainer(self, initial, **chosen):
        asked = options(**chosen)
        return trainer_of(initial)("search", initial, asked, asked["truncate"])

    def epoch(self, trainer, order=None, weights=()):
        order = np.arange(len(self.sentences)) if order is None else np.array(order)
        given = (order.astype(np.int64), np.array(weights, np.float64), np.empty(0))
        return trainer.epoch(self.features.index, self.instances, self.codes(self.gold), *given)

    def decode(self, weights, **chosen):
        return self.outputs(weights.decode(self.features.index, self.instances, options(**chosen)))

    def margins(self, weights, **chosen):
        return weights.margins(self.features.index, self.instances, self.codes(self.gold), options(**chosen))

    def scores(self, weights, outputs):
        """Of one output of each sentence."""
        return weights.scores_of(self.features.index, self.instances, self.codes(outputs))

    def regrets(self, outputs):
        """Of the states along one output of each sentence, from the initial one on."""
        gold, codes = self.codes(self.gold), self.codes(outputs)
        found = self.grown().regrets_of(self.features.index, self.instances, gold, codes).tolist()
        sizes = [len(x) + self.ahead + 1 for x in self.sentences]
        return [found[end - size : end] for size, end in zip(sizes, np.cumsum(sizes).tolist(), strict=True)]

    def grown(self):
        """Weights of zero that know the features of the truth."""
        weights = self.weights()
        weights.features_of(self.features.index, self.instances, self.codes(self.gold))
        return weights

    def zeros(self, kind=_core.JointWeights64):
        """Weights of zero that know every feature of these sentences, so that its place is always the same."""
        weights = self.weights(kind)
        free = replace(self, sets=[])
        every = [free.every(s) for s in range(len(self.sentences))]
        self.names = {}
        templates = self.features.templates
        for turn in range(max(map(len, every))):
            some = [one[turn % len(one)] for one in every]
            counts, found, _ = weights.features_of(self.features.index, self.instances, self.codes(some))
            for x, one, its in zip(self.sentences, some, np.split(found, np.cumsum(counts)[:-1]), strict=True):
                path = oracle.path_of(one, self.ahead)
                steps = [oracle.features(x, templates, builtin(), path, step, self.ahead) for step in range(len(path))]
                for name, place in zip(itertools.chain(*steps), its.tolist(), strict=True):
                    assert self.names.setdefault(place, name) == name
        assert len(set(self.names.values())) == len(self.names)
        return weights

    def random_weights(self, seed, kind=_core.JointWeights64):
        """Every feature with a weight that is a multiple of 1/32."""
        weights = self.zeros(kind)
        flat = weights.flat()
        places = sorted(self.names)
        flat[places] = np.random.default_rng(seed).integers(-64, 64, len(places), endpoint=True) / 32
        weights.set_flat(flat)
        return weights

    def by_name(self, weights):
        """Weights that began as zeros or random ones as a dictionary, keyed as in tests/oracle."""
        flat = weights.flat()
        named = {name: float(flat[place]) for place, name in self.names.items()}
        assert np.count_nonzero(flat) == np.count_nonzero(list(named.values()))
        return named


def joint_problem(template, sentences, gold, ahead, tags=TAGS, chunks=CHUNKS, encoding="iob2", sets=()):
    templates = [t for t in parse(template) if misfit(t, ahead) is None]
    features = JointFeatures(templates, builtin(), {}, ahead, TagDictionary(tags, 0, {}))
    instances = features.extend(as_corpus(sentences))
    if sets:
        starts = np.cumsum([0, *map(len, sets)]).astype(np.int32)
        flat = np.array([tags.index(tag) for one in sets for tag in one], np.int32)
        instances.set_choices(starts, flat, np.arange(len(sets), dtype=np.int32), len(tags))
    parts = JointOutputs(tags, chunks, registry.get("encoding", encoding))
    return JointProblem(sentences, gold, ahead, features, instances, parts, list(sets))


def noise(seed, template, ahead, longest=3, sentences=4, tags=TAGS, chunks=CHUNKS, encoding="iob2", limited=False):
    draw = random.Random(seed)
    words = [[draw.choice(WORDS) for _ in range(draw.randint(1, longest))] for _ in range(sentences)]
    sets = []
    if limited:
        every = [one for n in range(1, len(tags) + 1) for one in itertools.combinations(tags, n)]
        sets = [draw.choice(every) for sentence in words for _ in sentence]
    problem = joint_problem(template, words, [], ahead, tags, chunks, encoding, sets)
    # the truth may have tags that decoding would not allow
    for x in words:
        labels = draw.choice(oracle.completions((), len(x), chunks, problem.legal))
        problem.gold.append(tuple((draw.choice(tags), chunk) for chunk in labels))
    return problem


# --- traces ----------------------------------------------------------------------------------------------------------
def operators(path):
    """As a trace names them."""
    return tuple(" ".join(label for label in pair if label is not None) for pair in path)


def path_to(trace, node, ahead):
    """What the operators to a node give, from their names."""
    found = []
    for number, operator in enumerate(trace.path(node)):
        labels = operator.split(" ")
        if ahead and number in (0, len(trace.input)):
            assert len(labels) == 1
            labels = [labels[0], None] if number == 0 else [None, labels[0]]
        tag, chunk = labels
        found.append((tag, chunk))
    return tuple(found)


def trace_of(problem, weights, s, *, truth=True, **chosen):
    gold = [joined_text(*pair) for pair in problem.gold[s]] if truth else None
    return followed(Model(problem.features, weights, problem.parts), problem.sentences[s], gold, **chosen)


def key_of(trace, problem):
    """What states that go on alike agree in."""
    twin = oracle.JointLaso(problem, options())

    def key(node):
        class Reached:
            labels = path_to(trace, node, problem.ahead)

        return twin.key(None, Reached)

    return key
