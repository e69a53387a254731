"""Structures of the user's own: everything that follows from a recursion, against all outputs in a list; and what is refused."""

import itertools
import math
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

import riata
from checks import refused
from riata import registry
from riata.errors import DataError, ModelFileError, NotFittedError, SettingError, UnsupportedError

BASES = "ACGU"
PAIRS = {"AU", "UA", "CG", "GC"}


class Folding(riata.Structure):
    """Pairs of bases that are nested, as in RNA; the two of a pair are at least two apart."""

    def parts(self, x):
        return [(i, j) for j in range(len(x)) for i in range(j - 1)]

    def features(self, x, part):
        i, j = part
        return [x[i] + x[j], ("distance", (j - i) / 4)]

    def recursion(self, x, tape):
        inside = {(i, i): tape.one for i in range(len(x) + 1)}
        for width in range(1, len(x) + 1):
            for i in range(len(x) - width + 1):
                j = i + width
                ways = [(inside[i, k], tape[k, j - 1], inside[k + 1, j - 1]) for k in range(i, j - 2)]
                inside[i, j] = tape.sum([(inside[i, j - 1],), *ways])
        return inside[0, len(x)]


class FoldingByShape(Folding):
    def shape(self, x):
        return len(x)


class Matching(riata.Structure):
    """Links between two words' letters, each letter in at most one: solved by SciPy."""

    def parts(self, x):
        return itertools.product(range(len(x[0])), range(len(x[1])))

    def features(self, x, part):
        a, b = x[0][part[0]], x[1][part[1]]
        return [a + b, "same" if a == b else "other"]

    def best(self, x, scores):
        table = np.array([[scores[i, j] for j in range(len(x[1]))] for i in range(len(x[0]))]).reshape(
            len(x[0]), len(x[1])
        )
        rows, columns = linear_sum_assignment(np.maximum(table, 0), maximize=True)
        return [(i, j) for i, j in zip(rows, columns, strict=True) if table[i, j] > 0]


class Longest(riata.Structure):
    """The word of a list that is meant."""

    solver = "list"

    def parts(self, x):
        return x

    def features(self, x, word):
        return {"length": len(word), word[:1]: 1}


def foldings(x):
    """All outputs of Folding."""
    pairs = Folding().parts(x)
    for size in range(len(x) // 2 + 1):
        for chosen in itertools.combinations(pairs, size):
            ends = [end for pair in chosen for end in pair]
            crossed = any(a < c < b < d for (a, b) in chosen for (c, d) in chosen)
            if len(set(ends)) == len(ends) and not crossed:
                yield chosen


def folded(x):
    """The output to learn: pairs that fit are good, others are bad, and so are those that are far apart."""
    return sorted(
        max(foldings(x), key=lambda chosen: sum((3 if x[i] + x[j] in PAIRS else -3) - (j - i) / 4 for i, j in chosen))
    )


DRAW = np.random.default_rng(0)
STRANDS = ["".join(DRAW.choice(list(BASES), DRAW.integers(3, 9))) for _ in range(60)]
FOLDED = [folded(x) for x in STRANDS]
WORDS = [("ab", "ba"), ("abc", "ab"), ("b", "cb"), ("ca", "ab")]
LINKS = [[(0, 1), (1, 0)], [(0, 0), (1, 1)], [(0, 1)], [(1, 0)]]


def scored(model, x):
    """All outputs with their scores, best first."""
    weights = model.weights()
    features = model.structure.features

    def score(chosen):
        named = [one if isinstance(one, tuple) else (one, 1) for part in chosen for one in features(x, part)]
        return sum(weights.get(name, 0.0) * value for name, value in named)

    return sorted(((score(chosen), chosen) for chosen in foldings(x)), reverse=True)


@pytest.fixture(scope="module")
def model():
    return riata.Predictor(Folding(), "crf", c2=0.3).fit(STRANDS, FOLDED)


@given(st.text(BASES, min_size=1, max_size=7))
@settings(deadline=None)
def test_best_lists_and_probabilities_are_those_of_all_outputs(model, x):
    every = scored(model, x)
    z = sum(math.exp(score) for score, _ in every)
    [best] = model.predict([x])
    assert tuple(best) in {chosen for score, chosen in every if score >= every[0][0] - 1e-5}
    [listed] = model.predict_nbest([x], len(every) + 1)
    assert [score for _, score in listed] == pytest.approx([score for score, _ in every], abs=1e-4)
    assert {tuple(output) for output, _ in listed} == {chosen for _, chosen in every}
    [shares] = model.predict_nbest([x], 3, probabilities=True)
    assert [share for _, share in shares] == pytest.approx([math.exp(score) / z for score, _ in every[:3]], abs=1e-5)
    [of_parts] = model.predict_proba([x])
    for part, share in of_parts.items():
        expected = sum(math.exp(score) for score, chosen in every if part in chosen) / z
        assert share == pytest.approx(expected, abs=1e-5)
    score, chosen = every[-1]
    assert model.log_likelihood([x], [chosen]) == pytest.approx([score - math.log(z)], abs=1e-4)


def test_samples_are_drawn_by_their_probability(model):
    x = "GACUC"
    every = scored(model, x)
    z = sum(math.exp(score) for score, _ in every)
    [drawn] = model.sample([x], 4000, seed=1)
    assert drawn == model.sample([x], 4000, seed=1)[0]
    for score, chosen in every:
        assert drawn.count(list(chosen)) / 4000 == pytest.approx(math.exp(score) / z, abs=0.035)


def test_the_likelihood_has_no_slope_where_training_ends():
    c2 = 0.5
    model = riata.Predictor(
        Folding(), "crf", c2=c2, precision="double", gradient_tolerance=1e-7, gain_tolerance=0.0, epochs=500
    ).fit(STRANDS, FOLDED)
    weights = model.weights()
    slope = {name: 2 * c2 * weight for name, weight in weights.items()}
    for x, y, shares in zip(STRANDS, FOLDED, model.predict_proba(STRANDS), strict=True):
        for part in Folding().parts(x):
            for one in Folding().features(x, part):
                name, value = one if isinstance(one, tuple) else (one, 1)
                slope[name] += value * (shares[part] - (part in y))
    assert max(map(abs, slope.values())) < 1e-3


def test_boosting_lowers_the_loss_that_it_tells_below_its_bound_in_every_round():
    told = []
    model = riata.Predictor(Folding(), "boost", rounds=30, epochs=1).fit(STRANDS, FOLDED, listener=told.append)
    [rounds] = [event.rounds for event in told if getattr(event, "rounds", None)]
    loss = [math.log(sum(1 / p - 1 for p in np.exp(model.log_likelihood(STRANDS, FOLDED))))]
    assert rounds[-1].objective == pytest.approx(loss[0], abs=1e-6)
    before = math.log(sum(len(list(foldings(x))) - 1 for x in STRANDS))  # all outputs are equally probable
    for each in rounds:
        assert each.objective <= each.bound + 1e-9 and each.bound < before
        before = each.objective


def test_the_perceptron_is_the_one_of_the_textbook():
    model = riata.Predictor(Folding(), "perceptron", epochs=3, shuffle=False, average=False)
    twin = riata.Predictor(Folding(), "perceptron")  # only for its structure
    twin.weights = lambda: weights
    weights = {}
    for _ in range(3):
        for x, y in zip(STRANDS, FOLDED, strict=True):
            every = scored(twin, x)
            best = [chosen for score, chosen in every if score > every[0][0] - 1e-9]
            if tuple(y) in best and len(best) == 1:
                continue
            found = best[0] if len(best) == 1 else None
            if found is None:  # a tie, where any of them may be found: leave the comparison to sentences without
                return
            for part in {*found} ^ {*y}:
                for one in Folding().features(x, part):
                    name, value = one if isinstance(one, tuple) else (one, 1)
                    weights[name] = weights.get(name, 0.0) + (value if part in y else -value)
    found = model.fit(STRANDS, FOLDED).weights()
    assert found == pytest.approx({name: value for name, value in weights.items() if value}, abs=1e-4)


@pytest.mark.parametrize(
    "recipe", ["perceptron", "mira", "crf", "crf-exp", "m3n", "svmstruct-margin", "svm-subgradient", "boost"]
)
def test_every_recipe_learns_it(recipe):
    strong = {"C": 10} if "C" in {setting.name for setting in registry.get("recipe", recipe).settings} else {}
    model = riata.Predictor(Folding(), recipe, settings=strong).fit(STRANDS[:40], FOLDED[:40])
    untrained = riata.Predictor(Folding(), "perceptron", epochs=1).fit(STRANDS[:1], [[]])
    assert model.score(STRANDS[40:], FOLDED[40:]) > max(0.8, untrained.score(STRANDS[40:], FOLDED[40:]))


def test_the_confidence_is_the_probability_of_what_is_predicted(model):
    [[(best, share)]] = model.predict_nbest(["GACUC"], 1, probabilities=True)
    assert model.predict_confidence(["GACUC"]) == pytest.approx([share])
    [of_parts] = model.predict_proba(["GACUC"])
    assert model.predict_confidence(["GACUC"], parts=True) == [{part: of_parts[part] for part in best}]


def test_the_context_takes_the_place_of_the_input(model):
    class OfDictionaries(Folding):
        def context(self, x):
            return x["bases"]

    other = riata.Predictor(OfDictionaries(), "crf", c2=0.3).fit([{"bases": x} for x in STRANDS], FOLDED)
    assert other.weights() == model.weights()
    assert other.predict([{"bases": "GACUC"}]) == model.predict(["GACUC"])
    assert other.explain({"bases": "GACUC"}).output == model.predict(["GACUC"])[0]


def test_a_predictor_of_a_structure_solves_it():
    assert type(riata.Predictor(Folding())) is riata.StructurePredictor
    refused(riata.RiataError, "beam", riata.Predictor, Folding(), beam=3)


def test_a_shape_changes_nothing(model):
    other = riata.Predictor(FoldingByShape(), "crf", c2=0.3).fit(STRANDS, FOLDED)
    assert other.weights() == model.weights()


def test_the_loss_counts_what_parts_cost():
    class Costly(Folding):
        def loss(self, x, y, part):
            return part[1] - part[0]

    model = riata.Predictor(Costly(), "mira", epochs=2).fit(STRANDS, FOLDED)
    corpus, (parts,) = model._parts.corpus(["GACUGC"], [[(0, 3)]])
    native, instances = model.model_.weights, model.model_.instances(corpus)
    none = np.empty(0)
    _, codes, scores = native.loss_augmented(
        model.model_.features.index, instances, corpus.columns[-1].ids, 0.7, 1, none
    )
    every = [
        (score + 0.7 * sum(j - i for i, j in {*chosen} ^ {(0, 3)}), chosen) for score, chosen in scored(model, "GACUGC")
    ]
    assert scores[0] == pytest.approx(max(every)[0], abs=1e-4)
    assert [parts[n] for n in np.flatnonzero(codes)] == list(max(every)[1])


def test_truths_that_are_no_outputs_are_replaced_by_the_closest_and_said():
    with pytest.warns(riata.RiataWarning, match="1 of 2 true outputs .*are no outputs"):
        model = riata.Predictor(Folding(), "perceptron").fit(["GAUC", "GACUC"], [[(0, 3)], [(0, 2), (1, 3), (0, 4)]])
    assert model.predict(["GAUC"]) == [[(0, 3)]]


# --- a function of the user's that finds the best output -------------------------------------------------------------


@pytest.mark.parametrize("recipe", [None, "perceptron", "m3n", "svmstruct-margin", "svm-subgradient"])
def test_an_own_solver_is_learnt_with(recipe):
    model = riata.Predictor(Matching(), recipe).fit(WORDS, LINKS)
    assert model.predict(WORDS) == LINKS
    assert model.score(WORDS, LINKS) == 1
    assert model.predict([("", "ab")]) == [[]]


def test_what_an_own_solver_cannot_do_is_refused():
    model = riata.Predictor(Matching()).fit(WORDS, LINKS)
    refused(UnsupportedError, "the k best.*only has best", model.predict_nbest, WORDS, 2)
    refused(UnsupportedError, "probabilities are sums", model.predict_proba, WORDS)
    for recipe in ("mira", "crf"):
        refused(UnsupportedError, "needs", riata.Predictor(Matching(), recipe).fit, WORDS, LINKS)


def test_mistakes_of_an_own_solver_are_named():
    class Odd(Matching):
        given = ((9, 9),)

        def best(self, x, scores):
            return self.given

    refused(DataError, r"returned the part \(9, 9\)", riata.Predictor(Odd()).fit, WORDS, LINKS)
    Odd.given = ((0, 0), (0, 0))
    refused(DataError, "twice", riata.Predictor(Odd()).fit, WORDS, LINKS)


@pytest.mark.parametrize(
    ("method", "place"),
    [("best", r"best\(x, scores\)"), ("features", r"features of the part \(0, 0\)"), ("parts", r"parts\(x\)")],
)
def test_an_error_of_a_method_is_named(method, place):
    def failing(*_):
        raise KeyError("lost")

    for does, says in ((failing, "raised KeyError: 'lost'"), (lambda *_: None, "returned None; expected")):
        made = type("Failing", (Matching,), {method: staticmethod(does)})()
        found = refused(DataError, f"input 0: {place}: {says}", riata.Predictor(made).fit, WORDS, LINKS)
        assert isinstance(found.__cause__, KeyError) or does is not failing


def test_truths_that_are_none_are_named():
    refused(DataError, "output 1 has None; expected", riata.Predictor(Matching()).fit, WORDS[:2], [LINKS[0], None])


# --- one of several candidates ---------------------------------------------------------------------------------------


def test_a_candidate_is_chosen():
    X = [["a", "bbb", "cc"], ["dd", "e"], ["f", "gggg", "hhh"]]
    model = riata.Predictor(Longest(), "crf", c2=0.1).fit(X, ["bbb", "dd", "gggg"])
    assert model.predict([["x", "yyyyy", "zz"]]) == ["yyyyy"]
    [shares] = model.predict_proba([["x", "yy"]])
    assert sum(shares.values()) == pytest.approx(1)
    assert [word for word, _ in model.predict_nbest([["x", "yy"]], 5)[0]] == ["yy", "x"]
    assert model.score(X, ["bbb", "dd", "gggg"]) == 1
    refused(DataError, "there are no parts", model.predict, [[]])


# --- calibration, explanations, files --------------------------------------------------------------------------------


def test_probabilities_of_margins_warn_until_they_are_calibrated():
    model = riata.Predictor(Folding(), "mira").fit(STRANDS[:40], FOLDED[:40])
    with pytest.warns(riata.RiataWarning, match="calibrate"):
        before = model.log_likelihood(STRANDS[40:], FOLDED[40:]).sum()
    model.calibrate(STRANDS[40:], FOLDED[40:])
    assert model.log_likelihood(STRANDS[40:], FOLDED[40:]).sum() > before


def test_an_explanation_adds_up(model):
    x = next(x for x in STRANDS if len(x) > 6)
    found = model.explain(x, [])
    assert found.output == model.predict([x])[0]
    assert found.compared_with == "truth" or found.output == []
    difference = sum(one.score if one.in_output else -one.score for one in found.parts)
    assert found.score - found.other_score == pytest.approx(difference, abs=1e-4)
    for one in found.parts:
        assert sum(value for _, value in one.features) == pytest.approx(one.score, abs=1e-4)
    assert "against the" in str(found)
    assert "<table" in found._repr_html_()


@pytest.mark.parametrize("make", [Folding, Longest, Matching])
def test_a_model_comes_back_from_its_file(make, tmp_path):
    X, Y = {"Folding": (STRANDS, FOLDED), "Longest": ([["a", "bb"]], ["bb"]), "Matching": (WORDS, LINKS)}[make.__name__]
    made = riata.Predictor(make()).fit(X, Y)
    made.save(tmp_path / "m.riata")
    for copy in (
        riata.load_model(tmp_path / "m.riata", using=make),
        riata.load_model(tmp_path / "m.riata", using=[make()]),
    ):
        assert copy.predict(X) == made.predict(X)
        assert copy.weights() == made.weights()
        assert copy.get_params()["recipe"] == made.recipe
    copy = pickle.loads(pickle.dumps(made))
    assert copy.predict(X) == made.predict(X)
    refused(ModelFileError, "", riata.load_model, tmp_path / "m.riata")
    other = next(kind for kind in (Folding, Matching) if kind is not make)
    other = type(make.__name__, (other,), {"__module__": make.__module__, "__qualname__": make.__qualname__})
    refused(ModelFileError, "kind", riata.load_model, tmp_path / "m.riata", using=other)


# --- what is refused -------------------------------------------------------------------------------------------------


WRITTEN = {"parts": Folding.parts, "features": Folding.features}


@pytest.mark.parametrize(
    ("methods", "says"),
    [
        ({}, "does not define parts, nor"),
        ({"parts": Folding.parts}, "does not define features, nor recursion or"),
        ({**WRITTEN, "recursion": Folding.recursion, "best": Matching.best}, "says twice"),
        ({**WRITTEN, "solver": "some"}, "solver = 'some'; expected 'list'"),
    ],
)
def test_an_incomplete_structure_is_refused(methods, says):
    made = type("Mine", (riata.Structure,), methods)()
    refused(SettingError, says, riata.Predictor(made).fit, STRANDS, FOLDED)


def with_method(**methods):
    return riata.Predictor(type("Mine", (Folding,), {name: staticmethod(value) for name, value in methods.items()})())


@pytest.mark.parametrize(
    ("methods", "says"),
    [
        ({"parts": lambda x: [[0]]}, "cannot be hashed"),
        ({"parts": lambda x: [(0, 2), (0, 2)]}, r"gave the part \(0, 2\) twice"),
        ({"features": lambda x, part: {"f": math.nan}}, "feature 'f'"),
        ({"recursion": lambda x, tape: None}, "returned None"),
        ({"recursion": lambda x, tape: tape[99, 99]}, r"asks for the part \(99, 99\)"),
        ({"recursion": lambda x, tape: tape[[0]]}, r"asks for the part \[0\]"),
        ({"recursion": lambda x, tape: 10_000_000}, "has not been recorded"),
        ({"recursion": lambda x, tape: tape.sum([(tape.one, 12_345_678)])}, "has not been recorded"),
        ({"recursion": lambda x, tape: tape.sum([])}, "no output"),
        ({"recursion": lambda x, tape: tape.sum([(tape[0, 2], tape[0, 2])])}, "at most once"),
        ({"loss": lambda x, y, part: -1.0}, "returned -1.0"),
        ({"parts_of": lambda x, y: [(7, 7)]}, r"output 0 has the part \(7, 7\)"),
        ({"shape": lambda x: 0}, "of the same shape 0 has"),
    ],
)
def test_mistakes_of_a_structure_are_named(methods, says):
    refused((DataError, SettingError), says, with_method(**methods).fit, ["GAC", "GACU"], [[(0, 2)], [(0, 2)]])


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"recipe": "laso-perceptron"}, "solved as a whole"),
        ({"recipe": "hmm"}, "templates of its own"),
        ({"recipe": "nonsense"}, "nonsense"),
        ({"epochs": 0}, "epochs"),
        ({"patience": 2}, "no development data"),
        ({"dev": 1.5}, "dev is 1.5"),
        ({"decode": "marginals"}, "decode"),
        ({"recipe": "crf", "c2": -1}, "c2"),
    ],
)
def test_parameters_are_checked(options, says):
    refused(riata.RiataError, says, riata.Predictor(Folding(), **options).fit, STRANDS, FOLDED)


def test_what_is_no_structure_is_refused():
    refused(SettingError, "the class itself", riata.Predictor(Folding).fit, STRANDS, FOLDED)
    refused(DataError, "one output per input", riata.Predictor(Folding()).fit, STRANDS, FOLDED[:3])
    refused(NotFittedError, "not been trained", riata.Predictor(Folding()).predict, STRANDS)
    refused(DataError, "no input has a part", riata.Predictor(Folding()).fit, ["A"], [[]])


def test_development_data_choose_the_epoch():
    model = riata.Predictor(Folding(), "perceptron", epochs=8, patience=3, refit=True)
    model.fit(STRANDS[:40], FOLDED[:40], STRANDS[40:], FOLDED[40:])
    assert model.best_score_ == pytest.approx(max(epoch["dev_score"] for epoch in model.history_ if not epoch["refit"]))
    shared = riata.Predictor(Folding(), "perceptron", dev=0.25, epochs=3).fit(STRANDS, FOLDED)
    assert shared.best_score_ is not None


def test_inputs_without_parts_have_the_empty_output(model):
    assert model.predict(["A", "GAC", ""])[0] == []
    assert model.predict_proba(["A"]) == [{}]
    assert model.sample([""], 2) == [[[], []]]


@pytest.mark.parametrize("method", ["predict", "predict_proba", "predict_confidence", "score_parts", "sample"])
def test_no_inputs_have_no_outputs(model, method):
    assert getattr(model, method)([]) == []
    assert model.predict_nbest([], 2) == []
