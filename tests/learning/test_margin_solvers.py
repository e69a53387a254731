"""Max-margin solvers against a generic solver on all outputs, and against the papers' pseudo-code (oracle.margin)."""

import itertools
import random

import numpy as np
import pytest
from scipy.optimize import minimize

from checks import refused, same_weights
from enumerated_margins import TEMPLATES, Chain, Learner, Segments, enumerated, least
from oracle import margin
from oracle.margin import combined
from riata import JointTagger, _core
from riata.errors import RiataError, UnsupportedError
from riata.structures.joint import templates as joint_templates
from samples import for_each, for_rows

SOLVERS = ("frank-wolfe", "pairwise", "one-slack", "n-slack", "exponentiated-gradient", "extragradient")
BY_SUMS = ("exponentiated-gradient", "extragradient")
FINISH = ("one-slack", "n-slack")
CLOSE = 1e-4  # of the least objective


def learnt(case, solver, **settings):
    learner = Learner(case, solver, **settings)
    learner.learn(3000 if solver in FINISH else 30_000, gap=None if solver in FINISH else 4e-5)
    return learner


def check_optimal(learner, planes, close=CLOSE):
    """The weights are as good as those of the generic solver, and the certificate says so."""
    _, expected = least(planes, learner.caps)
    found = margin.objective(learner.last(), planes, learner.caps)
    assert found == pytest.approx(expected, rel=close)
    primal, dual = learner.certify()
    assert primal == pytest.approx(found, rel=1e-6)
    assert dual <= expected * (1 + 1e-9) and primal - dual <= close * primal


# --- the optimum -----------------------------------------------------------------------------------------------------------
@for_each(seed=range(3), kind=TEMPLATES, solver=SOLVERS)
def test_the_objective_is_that_of_a_generic_solver(solver, kind, seed):
    case = enumerated(kind, seed)
    check_optimal(learnt(case, solver), case.planes)


@for_each(solver=SOLVERS, C=[0.01, 1.0, 10.0])
def test_at_every_price_of_violations(solver, C):
    case = enumerated("chain", 7)
    slow = C > 1 and {"frank-wolfe": 1e-3, "exponentiated-gradient": 1e-3, "extragradient": 1e-3}.get(solver)
    check_optimal(learnt(case, solver, C=C), case.planes, slow or CLOSE)  # gaps of these shrink as 1 / passes, at best


@pytest.mark.parametrize("solver", SOLVERS)
def test_weights_of_sentences_multiply_their_price(solver):
    case = enumerated("chain", 8)
    check_optimal(learnt(case, solver, weights=[0.0, 0.5, 1.0, 2.0, 3.0]), case.planes)


@for_each(solver=SOLVERS, loss=["zero-one", "cost-matrix", "hamming on segments"])
def test_with_other_losses(solver, loss):
    labels = ("X", "Y", "Z")
    costs = {(a, b): 0.0 if a == b else 0.5 + labels.index(a) + 2 * labels.index(b) for a in labels for b in labels}
    asked = {"loss": loss.split()[0]}
    if loss == "zero-one":
        case = Chain(3, TEMPLATES["chain"], loss=lambda gold, found: float(gold != found))
    elif loss == "cost-matrix":
        case = Chain(3, TEMPLATES["chain"], loss=lambda gold, y: sum(costs[p] for p in zip(gold, y, strict=True)))
        asked["costs"] = [costs[a, b] for a in labels for b in labels]
    else:
        case = Segments(3, TEMPLATES["segments"], loss=wrong_tokens)
    if loss == "zero-one" and solver in BY_SUMS:
        refused(RiataError, "a loss that adds up over parts", learnt, case, solver, **asked)
        return
    check_optimal(learnt(case, solver, **asked), case.planes)


def wrong_tokens(found, gold):
    def tags(segments):
        return [(label, i == 0) for size, label in segments for i in range(size)]

    return sum(a != b for a, b in zip(tags(found), tags(gold), strict=True))


@for_each(seed=range(3), solver=[solver for solver in SOLVERS if solver not in BY_SUMS])
def test_slacks_that_are_scaled_by_the_loss(solver, seed):
    case = enumerated("chain", seed)
    learner = learnt(case, solver, scales_slack=True)
    check_optimal(learner, margin.rescaled(case.planes))


def test_scaled_slacks_are_refused_where_their_search_is_not_exact():
    for kind in ("order 2", "segments"):
        refused(RiataError, "", Learner(enumerated(kind, 0), "one-slack", scales_slack=True).epoch)


@pytest.mark.parametrize("kind", TEMPLATES)
def test_the_average_of_frank_wolfe_has_a_certificate_of_its_own(kind):
    case = enumerated(kind, 4)
    learner = Learner(case, "frank-wolfe")
    learner.learn(30)
    primal, dual = learner.certify(average=True)
    assert primal == pytest.approx(margin.objective(learner.averaged(), case.planes, learner.caps), rel=1e-6)
    assert dual <= least(case.planes, learner.caps)[1] * (1 + 1e-9)


def test_frank_wolfe_goes_on_with_another_price():
    case = enumerated("chain", 5)
    learner = Learner(case, "frank-wolfe", C=0.1)
    learner.learn(20)
    learner.native.set_c(0.5)
    learner.caps = [0.5] * learner.count
    before = learner.certify()
    assert before[1] <= least(case.planes, learner.caps)[1]
    learner.learn(30_000, gap=4e-5)
    check_optimal(learner, case.planes)


def test_memory_of_frank_wolfe_is_bounded_by_the_features_of_the_sentences():
    case = enumerated("chain", 6)
    learner = Learner(case, "frank-wolfe", C=1.0)
    most = sum(len({key for delta, _ in planes for key in delta}) for planes in case.planes)
    learner.learn(300)
    assert 0 < learner.native.stored <= most


# --- the papers' pseudo-code -----------------------------------------------------------------------------------------------
def two_labels(seed, **how):
    """With two labels, the output that violates its margin most is unique at weights of 0."""
    return Chain(seed, TEMPLATES["chain"], labels=("X", "Y"), sentences=6, longest=4, **how)


@pytest.mark.parametrize("seed", range(5))
def test_frank_wolfe_is_its_twin(seed):
    case = two_labels(seed)
    orders = [_core.shuffled(len(case.planes), seed, epoch).tolist() for epoch in (1, 2, 3)]
    learner = Learner(case, "frank-wolfe", C=0.2)
    for order in orders:
        learner.epoch(order)
    w, mean, offset, mean_offset = margin.frank_wolfe(case.planes, learner.caps, orders)
    same_weights(learner.last(), w)
    same_weights(learner.averaged(), mean)
    for average, weights, of in ((False, w, offset), (True, mean, mean_offset)):
        primal, dual = learner.certify(average)
        assert primal == pytest.approx(margin.objective(weights, case.planes, learner.caps))
        assert dual == pytest.approx(of - sum(value**2 for value in weights.values()) / 2)


@pytest.mark.parametrize("seed", range(5))
def test_exponentiated_gradient_is_its_twin(seed):
    case = two_labels(seed)
    orders = [_core.shuffled(len(case.planes), seed, epoch).tolist() for epoch in (1, 2, 3, 4)]
    learner = Learner(case, "exponentiated-gradient", C=0.2)
    for order in orders:
        learner.epoch(order)
    w, offset = margin.exponentiated_gradient(case.planes, learner.caps, orders)
    same_weights(learner.last(), w)
    assert learner.native.dual() == pytest.approx(offset - sum(value**2 for value in w.values()) / 2)


@pytest.mark.parametrize("C", [0.2, 2.0])  # the steps are shortened in the second case
@pytest.mark.parametrize("seed", range(3))
def test_the_extragradient_method_is_its_twin(seed, C):
    case = two_labels(seed)
    learner = Learner(case, "extragradient", C=C)
    for _ in range(6):
        learner.epoch()
    w, offset = margin.extragradient(case.planes, learner.caps, 6)
    same_weights(learner.last(), w)
    assert learner.native.dual() == pytest.approx(offset - sum(value**2 for value in w.values()) / 2)


@for_each(passes=[20, 200], solver=["pairwise", *BY_SUMS])
def test_other_solvers_go_on_with_another_price(solver, passes):
    case = enumerated("chain", 5)
    learner = Learner(case, solver, C=0.1)
    learner.learn(passes)
    learner.native.set_c(0.5)
    learner.caps = [0.5] * learner.count
    assert learner.certify()[1] <= least(case.planes, learner.caps)[1]
    learner.learn(30_000, gap=4e-5)
    check_optimal(learner, case.planes)


@pytest.mark.parametrize("seed", range(6))
def test_subgradient_steps_are_their_twins(seed):
    case = two_labels(seed)
    orders = [_core.shuffled(len(case.planes), seed, epoch).tolist() for epoch in (1, 2, 3)]
    learner = Learner(case, "subgradient", C=0.2)
    for order in orders:
        learner.epoch(order)
    met = []
    w, mean = margin.stochastic(case.planes, learner.caps, orders, met)
    if any(met):  # either output may be taken, and the steps then differ
        assert seed == 4
        return
    same_weights(learner.last(), w)
    same_weights(learner.averaged(), mean)
    assert learner.native.dual() is None
    learner = Learner(case, "subgradient", C=0.2, method="batch")
    for _ in range(6):
        learner.epoch()
    w, mean = margin.batch(case.planes, learner.caps, 6)
    same_weights(learner.last(), w)
    same_weights(learner.averaged(), mean)
    assert learner.certify(average=True)[1] <= least(case.planes, learner.caps)[1]


@pytest.mark.parametrize("method", ["stochastic", "batch"])
def test_subgradient_steps_come_close_to_the_optimum(method):
    case = enumerated("chain", 2)
    learner = Learner(case, "subgradient", method=method)
    learner.learn(2000)
    assert learner.certify(average=True)[0] == pytest.approx(least(case.planes, learner.caps)[1], rel=0.01)


@pytest.mark.parametrize("seed", range(3))
def test_one_slack_adds_the_constraints_of_its_twin(seed):
    case, C, epsilon = two_labels(seed), 0.2, 0.01

    def solve(planes, price):
        weights, value = least([[*planes, ({}, 0.0)]], [price])
        return weights, (value - sum(v * v for v in weights.values()) / 2) / price

    w, constraints = margin.one_slack(case.planes, C, epsilon, solve)
    learner = Learner(case, "one-slack", C=C, epsilon=epsilon)
    passes = learner.learn(200)
    assert abs(passes - 1 - constraints) <= 1  # the small problems are solved to a tenth of epsilon
    found, expected = (margin.objective(one, case.planes, learner.caps) for one in (learner.last(), w))
    assert found == pytest.approx(expected, abs=C * epsilon * len(case.planes))


# --- the small problem -----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("seed", range(10))
def test_pairwise_ascent_against_a_generic_solver(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 12))
    factor = rng.normal(size=(n, int(rng.integers(1, 8))))
    g, b, cap = factor @ factor.T, rng.normal(size=n) + 0.5, float(rng.choice([0.1, 1.0, 10.0]))

    def value(a):
        return a @ g @ a / 2 - b @ a, g @ a - b

    constraint = {"type": "ineq", "fun": lambda a: cap - a.sum(), "jac": lambda a: -np.ones(n)}
    expected = minimize(
        value, np.full(n, cap / (n + 1)), jac=True, bounds=[(0, None)] * n, constraints=[constraint], method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 1000},
    )  # fmt: skip
    found = _core.ascend_in_simplex(b, g.ravel(), cap, 1e-9)
    assert (found >= 0).all() and found.sum() <= cap * (1 + 1e-12)
    assert value(found)[0] == pytest.approx(expected.fun, abs=1e-6)


# --- max-margin learning of several labels per token, against a generic solver on all outputs ------------------------
TAGS, CHUNKS = ("N", "V"), ("B-A", "O")
TEMPLATE = joint_templates.parse("tag x0[0]\nchunk x0[0]\nchunk tag[0]\ntag tag[-1]\nchunk chunk[-1]")
C = 0.3


def sentences(seed):
    draw = random.Random(seed)
    return [
        [(draw.choice("abc"), draw.choice(TAGS), draw.choice(CHUNKS)) for _ in range(draw.randint(1, 3))]
        for _ in range(5)
    ]


def phi(words, labels):
    found = {}
    for t, (word, (tag, chunk)) in enumerate(zip(words, labels, strict=True)):
        names = [("tag", word, tag), ("chunk", word, chunk), ("both", tag, chunk)]
        if t > 0:
            names += [("tags", labels[t - 1][0], tag), ("chunks", labels[t - 1][1], chunk)]
        for name in names:
            found[name] = found.get(name, 0.0) + 1
    return found


def planes(sentence):
    words, gold = [row[0] for row in sentence], [row[1:] for row in sentence]
    outputs = itertools.product(itertools.product(TAGS, CHUNKS), repeat=len(words))
    return [
        (
            combined((1, phi(words, gold)), (-1, phi(words, output))),
            float(
                sum(a != b for one, other in zip(gold, output, strict=True) for a, b in zip(one, other, strict=True))
            ),
        )
        for output in outputs
    ]


@pytest.mark.parametrize("seed", range(3))
@for_rows(
    "recipe, settings, close",
    *(
        ("m3n", {"solver": solver, "gap": 4e-5, "average": False}, 1e-4)
        for solver in ("frank-wolfe", "pairwise", "exponentiated-gradient", "extragradient")
    ),
    ("svmstruct-margin", {"epsilon": 1e-5, "slacks": "one"}, 1e-4),
    ("svmstruct-margin", {"epsilon": 1e-5, "slacks": "each"}, 1e-4),
    ("svm-subgradient", {}, 0.02),
)
def test_the_objective_of_several_labels_per_token_is_that_of_a_generic_solver(recipe, settings, close, seed):
    data = sentences(seed)
    asked = {"C": C, "precision": "double", **settings}
    epochs = 1000 if recipe == "svm-subgradient" else 20_000
    made = JointTagger(recipe, structure="factorial", template=TEMPLATE, epochs=epochs, settings=asked)
    last = made.fit(data).history_[-1]
    _, expected = least([planes(sentence) for sentence in data], [C] * len(data))
    assert last["objective"] == pytest.approx(expected, rel=close)
    if last["dual"] is not None:
        assert last["dual"] <= expected * (1 + 1e-9)


def test_slacks_that_are_scaled_need_a_search_of_their_own():
    with pytest.raises(UnsupportedError, match="needs slack-rescaled argmax"):
        JointTagger("svmstruct-slack", structure="factorial").fit(sentences(0))
