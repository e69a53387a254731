"""Traces of searches over segments: they replay to what is predicted, agree with Figure 2 over dictionaries, and change nothing."""

import re

import pytest

from chain_problems import options
from inference.test_trace import QUEUES, SINGLE, WHAT, WHEN, check_scores, replayed, round_trip
from oracle.laso import TooClose, add
from oracle.segments import SegmentLaso, covered, regret
from riata.data.encodings.base import OUTSIDE
from riata.data.memory import as_corpus
from riata.data.segmentation import Segmentation
from riata.explaining.tracing import traced
from riata.features.attributes import builtin
from riata.inference.decoder import Decoder
from riata.models.model import Model
from riata.models.structures.segments import SegmentOutputs
from riata.models.weights_by_name import by_name
from riata.registry import get
from samples import embedded, for_each, segment_chunker
from segment_problems import TEMPLATES, noise


def operators(segments):
    """As a trace names them."""
    found, at = [], 0
    for size, label in segments:
        found.append(f"{label}[{at}:{at + size}]")
        at += size
    return tuple(found)


def tags_of(segments):
    return tuple(OUTSIDE if y == OUTSIDE else f"{'I' if i else 'B'}-{y}" for size, y in segments for i in range(size))


def trace_of(problem, weights, s, *, truth=True, follows=True, **chosen):
    outputs = SegmentOutputs(Segmentation(problem.labels, get("encoding", "iob2")))
    model = Model(problem.features, weights, outputs)
    asked = options(**chosen)
    decoder = Decoder(asked["queue"], min(asked["beam"], 2**62), asked["beam_by"], asked["merge"])
    learner = {**asked, "recipe": "test", "training": True} if truth and follows else None
    gold = tags_of(problem.gold[s]) if truth else None
    return traced(model, as_corpus([problem.sentences[s]]), gold, decoder, learner, features=True)


def key_of(trace, templates):
    """What states that go on alike agree in."""
    order = max([0, *(-t.labels[0] for t in templates if t.labels)])
    reads_start = any(t.length_before or t.role == "previous" for t in templates)

    def key(node):
        path = trace.path(node)
        end = int(path[-1].split(":")[1][:-1]) if path else 0
        labels = tuple(operator.split("[")[0] for operator in path[-order:]) if order else ()
        return end, labels, path[-1].split("[")[1] if path and reads_start else ""

    return key


@pytest.mark.parametrize("queue", QUEUES)
def test_a_trace_replays_to_what_is_found(queue):
    for seed in range(4):
        problem = noise(seed, TEMPLATES[(seed + 3) % len(TEMPLATES)], longest=4, sentences=3)
        weights = problem.random_weights(seed)
        found = problem.decode(weights, **QUEUES[queue])
        for s, segments in enumerate(found):
            trace = trace_of(problem, weights, s, truth=False, **QUEUES[queue])
            assert trace.path(trace.goal) == operators(segments)
            if queue != "beam by prefix":  # there a level is not all that waits
                assert replayed(trace, key_of(trace, problem.features.templates)) == operators(segments)
            assert trace.output == tags_of(segments)
            check_scores(trace)
            assert all(node.good is None and node.regret is None for node in trace.nodes)
        round_trip(trace)
        assert problem.decode(weights, **QUEUES[queue]) == found


class Unchanging(SegmentLaso):
    """The twin, with updates that are only written down."""

    def learn(self, x, y):
        self.made = []
        super().learn(x, y)

    def update(self, x, y, sibs, competitors):
        delta = {}
        add(delta, [(self.phi(x, n.labels), 1 / len(sibs)) for n in sibs if competitors])
        add(delta, [(self.phi(x, n.labels), -weight) for n, weight in competitors])
        weighed = sorted((round(value, 6), self.w.get(key, 0.0)) for key, value in delta.items() if abs(value) > 1e-12)
        away = sorted((operators(n.labels), weight) for n, weight in competitors)
        self.made.append(([operators(n.labels) for n in sibs], away, weighed))


def updates_of(trace):
    for step in trace.steps:
        if step.update is not None:
            away = sorted((trace.path(node), weight) for node, weight in step.update.competitors)
            weighed = sorted((round(f.value, 6), f.weight) for f in step.update.difference)
            yield [trace.path(node) for node in step.update.siblings], away, weighed


@for_each(when=WHEN, queue=QUEUES)
def test_updates_are_those_of_figure_2(queue, when):
    made = 0
    for seed, what in enumerate(WHAT):
        problem = noise(seed, TEMPLATES[(seed + 2) % len(TEMPLATES)], longest=4, sentences=3)
        weights = problem.random_weights(seed)
        chosen = {**QUEUES[queue], "when": when, "update": what, "step": "alma", "alpha": 0.5}
        parts = (problem.features.templates, builtin(), options(**chosen), problem.by_name(weights))
        for s, x in enumerate(problem.sentences):
            twin = Unchanging(problem.labels, problem.most, *parts)
            try:
                twin.sentence(x, problem.gold[s])
            except TooClose:
                continue
            trace = trace_of(problem, weights, s, **chosen)
            for ours, theirs in zip(updates_of(trace), twin.made, strict=True):
                assert ours[0] == theirs[0]
                assert [path for path, _ in ours[1]] == [path for path, _ in theirs[1]]
                assert [weight for _, weight in ours[1]] == pytest.approx([weight for _, weight in theirs[1]])
                for ours_one, theirs_one in zip(ours[2], theirs[2], strict=True):
                    assert ours_one == pytest.approx(theirs_one, abs=1e-6)
            check_truth(problem, trace, problem.gold[s])
            made += len(twin.made)
    assert made >= 5


def check_truth(problem, trace, gold):
    """y-good and regret, from the paths alone."""
    right = operators(gold)
    for number, node in enumerate(trace.nodes):
        path = trace.path(number)
        assert node.good == (path == right[: len(path)])
        segments = tuple(segment_of(operator) for operator in path)
        assert node.regret == regret(segments, gold, covered(gold), problem.labels, problem.most)


def segment_of(operator):
    label, place = operator[:-1].split("[")
    start, end = map(int, place.split(":"))
    return end - start, label


def test_an_estimator_traces_what_it_predicts_and_stays_the_same():
    made = segment_chunker().fit(embedded()[:40])
    data = embedded(split="test")[:6]
    before, weights = made.predict(data), made.model_.weights.flat().tobytes()
    names = {(w.feature, w.label): w.weight for all_of in by_name(made.model_).heaviest(10**6).values() for w in all_of}
    for s, expected in enumerate(before):
        assert list(made.trace(data[s : s + 1]).output) == expected
        trace = made.trace(data[s : s + 1], True, features=True)
        check_scores(trace, SINGLE)
        round_trip(trace)
        for feature in (f for node in trace.nodes for f in node.features):
            assert names.get((feature.name, feature.label), 0.0) == feature.weight
        assert "[" in str(trace)
        assert trace.followed["recipe"] == "laso-alma"
    assert made.predict(data) == before
    assert made.model_.weights.flat().tobytes() == weights


def test_sums_over_all_outputs_are_no_search_to_follow():
    from riata import Chunker

    data = embedded()[:30]
    made = Chunker("laso-alma", structure="segments", queue="exact", epochs=1, settings={"update": "lattice"}).fit(data)
    made.set_params(queue="beam", beam=2)
    assert made.trace(data[:1], True).followed is None


def test_random_gold_is_lost_by_narrow_beams_and_by_merging():
    found = set()
    for seed in range(6):
        problem = noise(seed, TEMPLATES[seed % len(TEMPLATES)], longest=5, sentences=3)
        weights = problem.random_weights(seed)
        for queue in ("greedy", "beam 2", "unbounded beam"):
            for s in range(len(problem.sentences)):
                trace = trace_of(problem, weights, s, **QUEUES[queue])
                found |= {(queue, trace.steps[i].lost_by) for i in trace.losses}
    assert {("greedy", "pruned"), ("beam 2", "pruned"), ("unbounded beam", "merged")} <= found
    assert ("unbounded beam", "pruned") not in found


def test_words_stand_beside_no_operator_though_the_search_ends_early():
    """Operators say which words they are of; their number does not."""
    problem = noise(3, TEMPLATES[4], longest=5, sentences=6)
    weights = problem.random_weights(3)
    texts = [str(trace_of(problem, weights, s, when="early", queue="beam", beam=1)) for s in range(6)]
    assert not any(re.match(r" +\d+  [abc] ", line) for text in texts for line in text.splitlines())
