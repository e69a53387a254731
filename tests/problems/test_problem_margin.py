"""svm-subgradient on problems written in Python: against exact inference on the same chains, and against a slow twin."""

import random

import pytest

import riata
from checks import refused, same_weights
from oracle.searched_margin import of_problem
from python_problems import KeyedSet, LeftToRight
from riata import Predictor, Problem, Tagger, _core
from riata.errors import DataError, RiataError, SettingError, UnsupportedError
from samples import for_each

EPOCHS, C = 4, 0.3


class Chain(LeftToRight):
    """Labels from left to right. A token is two numbers; a pair of labels is a feature."""

    def __init__(self, labels=("A", "B"), costs=None):
        self.labels, self.costs = labels, costs or {}

    def actions(self, x, s):
        return self.labels

    def features(self, x, s, a):
        u, v = x[len(s)]
        return [(f"u|{a}", u), (f"v|{a}", v), *([(f"{s[-1]}{a}", 1.0)] if s else [])]

    def regret(self, x, s, y):
        return sum(self.cost(a, b) for a, b in zip(s, y, strict=False))

    def loss_increment(self, x, s, a, y):
        return self.cost(a, y[len(s)])

    def cost(self, found, truth):
        return 0.0 if found == truth else self.costs.get((truth, found), 1.0)


class Merging(Chain):
    def key(self, x, s):
        return len(s), s[-1:]


def corpus(seed, labels=("A", "B"), sentences=10, longest=4):
    draw = random.Random(seed)
    X = [[(draw.gauss(0, 1), draw.gauss(0, 1)) for _ in range(draw.randint(1, longest))] for _ in range(sentences)]
    return X, [[draw.choice(labels) for _ in x] for x in X]


def trained(problem, X, Y, beam, **params):
    settings = {"C": C, **params.pop("settings", {})}
    return Predictor(problem, "svm-subgradient", beam, EPOCHS, settings=settings, **params).fit(X, Y)


def of_chain(X, Y, settings, sample_weight=None):
    """The weights of the recipe with exact inference on chains, by the names of the problem."""
    dictionaries = [[{"u": u, "v": v} for u, v in x] for x in X]
    settings = {"C": C, "precision": "double", **settings}
    tagger = Tagger("svm-subgradient", structure="chain", epochs=EPOCHS, settings=settings)
    tagger.fit(dictionaries, Y, sample_weight=sample_weight)
    tokens = {f"{name}|{label}": weight for (name, label), weight in tagger.state_features_.items()}
    return tokens | {f"{a}{b}": weight for (a, b), weight in tagger.transition_features_.items()}


@for_each(average=[True, False], problem=[Chain, Merging])
def test_a_beam_without_a_limit_learns_what_exact_inference_learns(problem, average):
    for seed in range(3):
        X, Y = corpus(seed)
        found = trained(problem(), X, Y, None, settings={"average": average})
        # The Tagger's model has single precision.
        same_weights(found.weights(), of_chain(X, Y, {"average": average}), abs=1e-6)


def test_losses_other_than_the_number_of_wrong_labels():
    labels = ("A", "B", "C")
    costs = {(a, b): 1 + 0.13 * i + 0.37 * j for i, a in enumerate(labels) for j, b in enumerate(labels) if a != b}
    X, Y = corpus(7, labels)
    matrix = {truth: {found: cost for (t, found), cost in costs.items() if t == truth} for truth in labels}
    expected = of_chain(X, Y, {"loss": "cost-matrix", "costs": matrix})
    same_weights(trained(Merging(labels, costs), X, Y, None).weights(), expected, abs=1e-6)


def test_weights_of_examples_multiply_their_price():
    X, Y = corpus(3)
    weights = [0.5, 2.0, *([1.0] * (len(X) - 2))]
    found = Predictor(Merging(), "svm-subgradient", None, EPOCHS, settings={"C": C}).fit(X, Y, sample_weight=weights)
    same_weights(found.weights(), of_chain(X, Y, {}, weights), abs=1e-6)


@pytest.mark.parametrize("beam", [1, 2, 3, 100])
def test_weights_equal_those_of_the_twin(beam):
    for seed in range(4):
        X, Y = corpus(seed)
        orders = [_core.shuffled(len(X), 0, epoch).tolist() for epoch in range(1, EPOCHS + 1)]
        last, mean = of_problem(Chain(), X, Y, C, beam, orders)
        same_weights(trained(Chain(), X, Y, beam).weights(), mean, abs=1e-9)
        same_weights(trained(Chain(), X, Y, beam, settings={"average": False}).weights(), last, abs=1e-9)


def test_the_objective_falls():
    """1/2 |w|^2 + C times the hinge losses, by enumeration."""
    X, Y = corpus(11, sentences=20)

    def objective(predictor):
        loss = sum(predictor_hinge(predictor, x, y) for x, y in zip(X, Y, strict=True))
        return sum(w * w for w in predictor.weights().values()) / 2 + C * loss

    values = [
        objective(Predictor(Chain(), "svm-subgradient", 3, epochs, settings={"C": C}).fit(X, Y))
        for epochs in (1, 10, 100)
    ]
    assert values == sorted(values, reverse=True)


def predictor_hinge(predictor, x, y):
    problem, weights = predictor.problem, predictor.weights()
    paths = [()]
    for _ in x:
        paths = [(*path, a) for path in paths for a in problem.labels]

    def score(path):
        return sum(
            weights.get(name, 0.0) * value
            for t, a in enumerate(path)
            for name, value in problem.features(x, path[:t], a)
        )

    return max(score(path) + problem.regret(x, path, y) for path in paths) - score(tuple(y))


def test_it_says_that_it_is_approximate(tmp_path):
    told = []
    X, Y = corpus(0)
    model = Predictor(Chain(), "svm-subgradient").fit(X, Y, listener=told.append)
    assert any("approximate" in getattr(event, "text", "") for event in told)
    assert model.facts_["approximate"] == 1
    model.save(tmp_path / "model.riata")
    again = riata.load_model(tmp_path / "model.riata", using=[Chain()])
    assert again.facts_ == model.facts_ and again.predict(X) == model.predict(X)
    assert "approximate" not in Predictor(Chain(), "standard").fit(X, Y).facts_


def test_a_trace_of_training_shows_scores_with_losses():
    X, Y = corpus(0)
    model = trained(Chain(), X, Y, 3, settings={"C": 1e-6})
    plain, of_training = (model.trace(X[0], Y[0], training=training) for training in (False, True))
    best = [max(node.score for node in trace.nodes if node.goal) for trace in (plain, of_training)]
    assert best == pytest.approx([0, len(X[0])], abs=0.01)


def test_several_right_outputs():
    """Of a set in any order; the regret counts what is wrong and what is missing."""

    class SetWithLosses(KeyedSet):
        def loss_increment(self, x, s, a, y):
            return len(y - s[0]) if a == "." else float(a not in y)

    X = [["apple", "anvil", "bread"], ["drum", "bread"], ["anvil", "drum"], ["apple", "bread"]]
    Y = [{"apple", "bread"}, {"bread"}, set(), {"apple", "bread"}]
    riata.check_problem(SetWithLosses(), X, Y)
    assert Predictor(SetWithLosses(), "svm-subgradient", epochs=30, settings={"C": 10.0}).fit(X, Y).score(X, Y) == 1


# --- refusals --------------------------------------------------------------------------------------------------------------
def test_a_problem_without_losses_of_steps_is_refused():
    class Without(Chain):
        loss_increment = Problem.loss_increment

    X, Y = corpus(0)
    refused(UnsupportedError, r"needs loss_increment\(x, s, a, y\)", Predictor(Without(), "svm-subgradient").fit, X, Y)


def test_no_training_goes_on():
    X, Y = corpus(0)
    model = Predictor(Chain(), "svm-subgradient", warm_start=True).fit(X, Y)
    refused(UnsupportedError, "does not go on", model.fit, X, Y)
    refused(UnsupportedError, "one objective over all data", Predictor(Chain(), "svm-subgradient").partial_fit, X, Y)


@pytest.mark.parametrize("bad", [{"C": 0}, {"C": -1}, {"C": float("nan")}, {"step": "alma"}, {"method": "batch"}])
def test_bad_settings(bad):
    X, Y = corpus(0)
    refused(RiataError, "", Predictor(Chain(), "svm-subgradient", settings=bad).fit, X, Y)


@pytest.mark.parametrize("answer", [float("nan"), float("inf"), "much", None])
def test_a_loss_that_is_no_number(answer):
    class Odd(Chain):
        def loss_increment(self, x, s, a, y):
            return answer

    X, Y = corpus(0)
    refused((DataError, SettingError), "loss_increment", Predictor(Odd(), "svm-subgradient").fit, X, Y)
