"""Traces of searches over segments, and for tags and chunk labels: they replay to what is predicted, agree with Figure 2
over dictionaries, and change nothing. What differs between the structures is in `segment_problems` and `joint_problems`.
"""

import re

import pytest

import joint_problems
import segment_problems
from chain_problems import options
from checks import refused
from inference.test_trace import QUEUES, SINGLE, WHAT, WHEN, check_scores, replayed, round_trip
from joint_problems import path_to
from oracle import joint as joint_oracle
from oracle import segments as segment_oracle
from oracle.laso import TooClose, add
from riata import Chunker, JointTagger
from riata.errors import DataError, LabelError
from riata.features.attributes import builtin
from riata.models.weights_by_name import by_name
from samples import embedded, for_each, segment_chunker


def writing_down(twin, operators):
    """The twin, with updates that are only written down."""

    class Unchanging(twin):
        def learn(self, x, y):
            self.made = []
            super().learn(x, y)

        def update(self, x, y, sibs, competitors):
            delta = {}
            add(delta, [(self.phi(x, n.labels), 1 / len(sibs)) for n in sibs if competitors])
            add(delta, [(self.phi(x, n.labels), -weight) for n, weight in competitors])
            kept = {key: value for key, value in delta.items() if abs(value) > 1e-12}
            weighed = sorted((round(value, 6), self.w.get(key, 0.0)) for key, value in kept.items())
            away = sorted((operators(n.labels), weight) for n, weight in competitors)
            self.made.append(([operators(n.labels) for n in sibs], away, weighed))

    return Unchanging


class OnSegments:
    seeds, shift, structure, operators = range(4), 2, segment_problems, staticmethod(segment_problems.operators)
    Twin = writing_down(segment_oracle.SegmentLaso, segment_problems.operators)
    output = staticmethod(segment_problems.tags_of)

    def problem(self, seed, turn, longest=4):
        templates = segment_problems.TEMPLATES
        return segment_problems.noise(seed, templates[turn % len(templates)], longest=longest, sentences=3)

    def twin(self, problem, weights, chosen):
        parts = (problem.features.templates, builtin(), options(**chosen), problem.by_name(weights))
        return self.Twin(problem.labels, problem.most, *parts)

    def path(self, output):
        """As the twin has it."""
        return output

    def check_truth(self, problem, trace, s):
        """y-good and regret, from the paths alone."""
        gold, right = problem.gold[s], segment_problems.operators(problem.gold[s])
        for number, node in enumerate(trace.nodes):
            path = trace.path(number)
            assert node.good == (path == right[: len(path)])
            parts = (gold, segment_oracle.covered(gold), problem.labels, problem.most)
            assert node.regret == segment_oracle.regret(tuple(map(segment_problems.segment_of, path)), *parts)


class OnPairs:
    seeds, shift, structure, operators = range(3), 1, joint_problems, staticmethod(joint_problems.operators)
    Twin = writing_down(joint_oracle.JointLaso, joint_problems.operators)
    output = staticmethod(tuple)

    def __init__(self, ahead):
        self.ahead = ahead

    def problem(self, seed, turn, longest=3):
        templates = joint_problems.TEMPLATES
        return joint_problems.noise(seed, templates[turn % len(templates)], self.ahead, longest=longest, sentences=3)

    def twin(self, problem, weights, chosen):
        return self.Twin(problem, options(**chosen), problem.by_name(weights))

    def path(self, output):
        return joint_oracle.path_of(output, self.ahead)

    def check_truth(self, problem, trace, s):
        gold = self.path(problem.gold[s])
        assert trace.truth == problem.gold[s]
        for number, node in enumerate(trace.nodes):
            path = path_to(trace, number, self.ahead)
            assert node.good == (path == gold[: len(path)])
            parts = (len(problem.sentences[s]), problem.chunks, problem.legal)
            assert node.regret == joint_oracle.regret(path, gold, *parts)


KINDS = {"segments": OnSegments(), "pairs": OnPairs(ahead=False), "pairs with look-ahead": OnPairs(ahead=True)}
EVERY_KIND = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
AHEAD = pytest.mark.parametrize("ahead", [False, True])


@EVERY_KIND
@pytest.mark.parametrize("queue", QUEUES)
def test_a_trace_replays_to_what_is_found(queue, kind):
    for seed in kind.seeds:
        problem = kind.problem(seed, seed + 3)
        weights = problem.random_weights(seed)
        found = problem.decode(weights, **QUEUES[queue])
        for s, output in enumerate(found):
            trace = kind.structure.trace_of(problem, weights, s, truth=False, **QUEUES[queue])
            expected = kind.operators(kind.path(output))
            assert trace.output == kind.output(output)
            assert trace.path(trace.goal) == expected
            if queue != "beam by prefix":  # there a level is not all that waits
                assert replayed(trace, kind.structure.key_of(trace, problem)) == expected
            check_scores(trace)
            assert all(node.good is None and node.regret is None for node in trace.nodes)
        round_trip(trace)
        assert problem.decode(weights, **QUEUES[queue]) == found


def updates_of(trace):
    for step in trace.steps:
        if step.update is not None:
            away = sorted((trace.path(node), weight) for node, weight in step.update.competitors)
            weighed = sorted((round(f.value, 6), f.weight) for f in step.update.difference)
            yield [trace.path(node) for node in step.update.siblings], away, weighed


@EVERY_KIND
@for_each(queue=QUEUES, when=WHEN)
def test_updates_are_those_of_figure_2(queue, when, kind):
    made = 0
    for seed, what in enumerate(WHAT):
        problem = kind.problem(seed, seed + kind.shift)
        weights = problem.random_weights(seed)
        chosen = {**QUEUES[queue], "when": when, "update": what, "step": "alma", "alpha": 0.5}
        for s, x in enumerate(problem.sentences):
            twin = kind.twin(problem, weights, chosen)
            try:
                twin.sentence(x, kind.path(problem.gold[s]))
            except TooClose:
                continue
            trace = kind.structure.trace_of(problem, weights, s, **chosen)
            for ours, theirs in zip(updates_of(trace), twin.made, strict=True):
                assert ours[0] == theirs[0]
                assert [path for path, _ in ours[1]] == [path for path, _ in theirs[1]]
                assert [weight for _, weight in ours[1]] == pytest.approx([weight for _, weight in theirs[1]])
                for ours_one, theirs_one in zip(ours[2], theirs[2], strict=True):
                    assert ours_one == pytest.approx(theirs_one, abs=1e-6)
            kind.check_truth(problem, trace, s)
            made += len(twin.made)
        round_trip(trace)
    assert made >= 5


@pytest.mark.parametrize("kinds", [["segments"] * 6, ["pairs", "pairs with look-ahead"] * 3], ids=["segments", "pairs"])
def test_random_gold_is_lost_by_narrow_beams_and_by_merging(kinds):
    found = set()
    for seed, kind in enumerate(map(KINDS.get, kinds)):
        problem = kind.problem(seed, seed, longest=5 if "segments" in kinds else 3)
        weights = problem.random_weights(seed)
        for queue in ("greedy", "beam 2", "unbounded beam"):
            for s in range(len(problem.sentences)):
                trace = kind.structure.trace_of(problem, weights, s, **QUEUES[queue])
                found |= {(queue, trace.steps[i].lost_by) for i in trace.losses}
    assert {("greedy", "pruned"), ("beam 2", "pruned"), ("unbounded beam", "merged")} <= found
    assert ("unbounded beam", "pruned") not in found
    assert not any(how == "dead end" for _, how in found)


def traced_with_truth(made, data):
    """Of each sentence, (corpus of it, prediction, trace), after what is the same for all estimators."""
    before, weights = made.predict(data), made.model_.weights.flat().tobytes()
    names = {(w.feature, w.label): w.weight for all_of in by_name(made.model_).heaviest(10**6).values() for w in all_of}
    for s, expected in enumerate(before):
        one = data[s : s + 1]
        assert list(made.trace(one).output) == expected
        trace = made.trace(one, True, features=True)
        check_scores(trace, SINGLE)
        round_trip(trace)
        for feature in (f for node in trace.nodes for f in node.features):
            assert names.get((feature.name, feature.label), 0.0) == feature.weight
        assert trace.followed["recipe"] == "laso-alma"
        yield one, expected, trace
    assert made.predict(data) == before
    assert made.model_.weights.flat().tobytes() == weights


def test_a_chunker_of_segments_traces_what_it_predicts_and_stays_the_same():
    made = segment_chunker().fit(embedded()[:40])
    assert all("[" in str(trace) for *_, trace in traced_with_truth(made, embedded(split="test")[:6]))


@AHEAD
def test_a_joint_tagger_traces_what_it_predicts_and_stays_the_same(ahead):
    train = embedded()[:40]
    made = JointTagger("laso-alma", beam=3, epochs=2, settings={"lookahead": ahead}).fit(train)
    for one, expected, trace in traced_with_truth(made, train[10:12]):
        words, pairs = [token[0] for token in one[0]], [tuple(token[1:]) for token in one[0]]
        assert list(trace.truth) == pairs
        assert made.trace(words, pairs, features=True) == trace
        lines = str(trace).splitlines()
        assert any(line.split()[1:2] == [words[0]] for line in lines)
        output = "output" if trace.predicted is None else "with restarts"
        assert lines[-1] == f"{output}: " + "  ".join(map(" ".join, trace.output))
        assert trace.predicted is None or list(trace.predicted) == expected


# --- segments --------------------------------------------------------------------------------------------------------
def test_sums_over_all_outputs_are_no_search_to_follow():
    data, lattice = embedded()[:30], {"update": "lattice"}
    made = Chunker("laso-alma", structure="segments", queue="exact", epochs=1, settings=lattice).fit(data)
    made.set_params(queue="beam", beam=2)
    assert made.trace(data[:1], True).followed is None


def test_words_stand_beside_no_operator_though_the_search_ends_early():
    """Operators say which words they are of; their number does not."""
    problem = segment_problems.noise(3, segment_problems.TEMPLATES[4], longest=5, sentences=6)
    weights = problem.random_weights(3)
    early = {"when": "early", "queue": "beam", "beam": 1}
    texts = [str(segment_problems.trace_of(problem, weights, s, **early)) for s in range(6)]
    assert not any(re.match(r" +\d+  [abc] ", line) for text in texts for line in text.splitlines())


# --- tags and chunk labels -------------------------------------------------------------------------------------------
@AHEAD
@pytest.mark.parametrize("template", joint_problems.TEMPLATES)
def test_features_are_named_also_those_that_come_with_the_trace(template, ahead):
    problem = joint_problems.noise(0, template, ahead, sentences=3)
    known, empty = problem.random_weights(0), problem.weights()
    empty.grow(problem.features.index, problem.instances)  # these know the features of the input alone
    named, templates = problem.by_name(known), problem.features.templates
    for weights, weight_of in ((known, named.get), (empty, lambda name: 0.0)):
        rows = len(weights.rows()[0])
        for s, x in enumerate(problem.sentences):
            trace = joint_problems.trace_of(problem, weights, s, beam=2)
            for number, node in list(enumerate(trace.nodes))[1:]:
                path = path_to(trace, number, ahead)
                of = joint_oracle.features(x, templates, builtin(), path, len(path) - 1, ahead)
                expected = sorted((shown(name), label, weight_of((name, label))) for name, label in of)
                assert sorted((f.name, f.label, f.weight) for f in node.features) == expected
        assert len(weights.rows()[0]) == rows  # the model has not grown


def shown(name):
    """A feature of the oracle, as people see it."""
    template, tags, chunks, values = name
    output, *reads = template.split(" ")
    labels = [label or "_B-1" for label in (*tags, *chunks)]
    return " ".join([output, *(f"{r}={v}" for r, v in zip(reads, [*labels, *values], strict=True))])


def test_a_trace_is_in_the_encoding_that_was_learnt():
    data = embedded()[:30]
    made = JointTagger("laso-perceptron", beam=2, epochs=1, learn_as="bioes").fit(data)
    trace = made.trace(data[3:4], True)
    chunks = {chunk for _, chunk in (*trace.truth, *trace.output)}
    assert trace.learnt_as == "bioes"
    assert any(chunk.startswith(("E-", "S-")) for chunk in chunks)
    assert [tag for tag, _ in trace.truth] == [token[1] for token in data[3]]
    assert "chunk labels as learnt, in BIOES" in str(trace)
    round_trip(trace)


def test_what_is_no_truth_is_refused():
    data = embedded()[:30]
    made = JointTagger("laso-perceptron", beam=2, epochs=1).fit(data)
    refused(LabelError, "'NEW' is unknown", made.trace, ["a"], [("NEW", "O")])
    refused(LabelError, "'B-NEW' is unknown", made.trace, ["a"], [(made.classes_[0][0], "B-NEW")])
    refused(DataError, "expected a pair", made.trace, ["a"], ["O"])
    refused(DataError, "one sentence", made.trace, data[:2])
