"""Traces of searches for tags and chunk labels: they replay to what is predicted, agree with Figure 2 over dictionaries,
and change nothing.
"""

import pytest

import riata
from chain_problems import options
from checks import refused
from inference.test_trace import QUEUES, SINGLE, WHAT, WHEN, check_scores, replayed, round_trip
from joint_problems import TEMPLATES, noise
from oracle.joint import JointLaso, features, path_of, regret
from oracle.laso import TooClose, add
from riata.data.memory import as_corpus
from riata.data.pairs import joined_text
from riata.errors import DataError, LabelError
from riata.explaining.tracing import traced
from riata.features.attributes import builtin
from riata.inference.decoder import Decoder
from riata.models.model import Model
from riata.models.weights_by_name import by_name
from samples import embedded, for_each

AHEAD = pytest.mark.parametrize("ahead", [False, True])


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


def trace_of(problem, weights, s, *, truth=True, follows=True, **chosen):
    model = Model(problem.features, weights, problem.parts)
    asked = options(**chosen)
    decoder = Decoder(asked["queue"], min(asked["beam"], 2**62), asked["beam_by"], asked["merge"])
    learner = {**asked, "recipe": "test", "training": True} if truth and follows else None
    gold = [joined_text(*pair) for pair in problem.gold[s]] if truth else None
    return traced(model, as_corpus([problem.sentences[s]]), gold, decoder, learner, features=True)


def key_of(trace, problem):
    """What states that go on alike agree in."""
    twin = JointLaso(problem, options())

    def key(node):
        class Reached:
            labels = path_to(trace, node, problem.ahead)

        return twin.key(None, Reached)

    return key


@AHEAD
@pytest.mark.parametrize("queue", QUEUES)
def test_a_trace_replays_to_what_is_found(queue, ahead):
    for seed in range(3):
        problem = noise(seed, TEMPLATES[(seed + 3) % len(TEMPLATES)], ahead, sentences=3)
        weights = problem.random_weights(seed)
        found = problem.decode(weights, **QUEUES[queue])
        for s, output in enumerate(found):
            trace = trace_of(problem, weights, s, truth=False, **QUEUES[queue])
            expected = operators(path_of(output, ahead))
            assert trace.output == output
            assert trace.path(trace.goal) == expected
            if queue != "beam by prefix":  # there a level is not all that waits
                assert replayed(trace, key_of(trace, problem)) == expected
            check_scores(trace)
            assert all(node.good is None and node.regret is None for node in trace.nodes)
        round_trip(trace)
        assert problem.decode(weights, **QUEUES[queue]) == found


class Unchanging(JointLaso):
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


@AHEAD
@for_each(when=WHEN, queue=QUEUES)
def test_updates_are_those_of_figure_2(queue, when, ahead):
    made = 0
    for seed, what in enumerate(WHAT):
        problem = noise(seed, TEMPLATES[(seed + 1) % len(TEMPLATES)], ahead, sentences=3)
        weights = problem.random_weights(seed)
        chosen = {**QUEUES[queue], "when": when, "update": what, "step": "alma", "alpha": 0.5}
        named = problem.by_name(weights)
        for s, x in enumerate(problem.sentences):
            twin = Unchanging(problem, options(**chosen), named)
            try:
                twin.sentence(x, path_of(problem.gold[s], ahead))
            except TooClose:
                continue
            trace = trace_of(problem, weights, s, **chosen)
            for ours, theirs in zip(updates_of(trace), twin.made, strict=True):
                assert ours[0] == theirs[0]
                assert [path for path, _ in ours[1]] == [path for path, _ in theirs[1]]
                assert [weight for _, weight in ours[1]] == pytest.approx([weight for _, weight in theirs[1]])
                for ours_one, theirs_one in zip(ours[2], theirs[2], strict=True):
                    assert ours_one == pytest.approx(theirs_one, abs=1e-6)
            check_truth(problem, trace, s)
            made += len(twin.made)
        round_trip(trace)
    assert made >= 5


def check_truth(problem, trace, s):
    """y-good and regret, from the paths alone."""
    gold = path_of(problem.gold[s], problem.ahead)
    assert trace.truth == problem.gold[s]
    for number, node in enumerate(trace.nodes):
        path = path_to(trace, number, problem.ahead)
        assert node.good == (path == gold[: len(path)])
        assert node.regret == regret(path, gold, len(problem.sentences[s]), problem.chunks, problem.legal)


@AHEAD
@pytest.mark.parametrize("template", TEMPLATES)
def test_features_are_named_also_those_that_come_with_the_trace(template, ahead):
    problem = noise(0, template, ahead, sentences=3)
    known = problem.random_weights(0)
    named, templates = problem.by_name(known), problem.features.templates
    for weights, weight_of in ((known, named.get), (empty(problem), lambda name: 0.0)):
        rows = len(weights.rows()[0])
        for s, x in enumerate(problem.sentences):
            trace = trace_of(problem, weights, s, beam=2)
            for number, node in list(enumerate(trace.nodes))[1:]:
                path = path_to(trace, number, ahead)
                of = features(x, templates, builtin(), path, len(path) - 1, ahead)
                expected = sorted((shown(name), label, weight_of((name, label))) for name, label in of)
                assert sorted((f.name, f.label, f.weight) for f in node.features) == expected
        assert len(weights.rows()[0]) == rows  # the model has not grown


def empty(problem):
    """Weights that know the features of the input alone."""
    weights = problem.weights()
    weights.grow(problem.features.index, problem.instances)
    return weights


def shown(name):
    """A feature of the oracle, as people see it."""
    template, tags, chunks, values = name
    output, *reads = template.split(" ")
    labels = [label or "_B-1" for label in (*tags, *chunks)]
    return " ".join([output, *(f"{r}={v}" for r, v in zip(reads, [*labels, *values], strict=True))])


@AHEAD
def test_an_estimator_traces_what_it_predicts_and_stays_the_same(ahead):
    settings = {"lookahead": ahead}
    train = embedded()[:40]
    made = riata.JointTagger("laso-alma", beam=3, epochs=2, settings=settings).fit(train)
    data = train[10:12]
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
        words, pairs = [token[0] for token in one[0]], [tuple(token[1:]) for token in one[0]]
        assert list(trace.truth) == pairs
        assert made.trace(words, pairs, features=True) == trace
        lines = str(trace).splitlines()
        assert any(line.split()[1:2] == [words[0]] for line in lines)
        output = "output" if trace.predicted is None else "with restarts"
        assert lines[-1] == f"{output}: " + "  ".join(map(" ".join, trace.output))
        assert trace.predicted is None or list(trace.predicted) == expected
    assert made.predict(data) == before
    assert made.model_.weights.flat().tobytes() == weights


def test_a_trace_is_in_the_encoding_that_was_learnt():
    data = embedded()[:30]
    made = riata.JointTagger("laso-perceptron", beam=2, epochs=1, learn_as="bioes").fit(data)
    trace = made.trace(data[3:4], True)
    chunks = {chunk for _, chunk in (*trace.truth, *trace.output)}
    assert trace.learnt_as == "bioes"
    assert any(chunk.startswith(("E-", "S-")) for chunk in chunks)
    assert [tag for tag, _ in trace.truth] == [token[1] for token in data[3]]
    assert "chunk labels as learnt, in BIOES" in str(trace)
    round_trip(trace)


def test_what_is_no_truth_is_refused():
    data = embedded()[:30]
    made = riata.JointTagger("laso-perceptron", beam=2, epochs=1).fit(data)
    refused(LabelError, "'NEW' is unknown", made.trace, ["a"], [("NEW", "O")])
    refused(LabelError, "'B-NEW' is unknown", made.trace, ["a"], [(made.classes_[0][0], "B-NEW")])
    refused(DataError, "expected a pair", made.trace, ["a"], ["O"])
    refused(DataError, "one sentence", made.trace, data[:2])


def test_random_gold_is_lost_by_narrow_beams_and_by_merging():
    found = set()
    for seed in range(6):
        problem = noise(seed, TEMPLATES[seed % len(TEMPLATES)], bool(seed % 2), sentences=3)
        weights = problem.random_weights(seed)
        for queue in ("greedy", "beam 2", "unbounded beam"):
            for s in range(len(problem.sentences)):
                trace = trace_of(problem, weights, s, **QUEUES[queue])
                found |= {(queue, trace.steps[i].lost_by) for i in trace.losses}
    assert {("greedy", "pruned"), ("beam 2", "pruned"), ("unbounded beam", "merged")} <= found
    assert ("unbounded beam", "pruned") not in found
    assert not any(how == "dead end" for _, how in found)
