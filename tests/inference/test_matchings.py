"""Matchings on tables of scores, and as structures that are learnt: against all matchings in a list, and against SciPy."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

import riata
from checks import refused
from riata.errors import DataError, SettingError, UnsupportedError

SCORES = st.one_of(st.integers(-3, 3), st.floats(-5, 5), st.just(-math.inf))
RECIPES = ("mira", "perceptron", "m3n", "svmstruct-margin", "svm-subgradient")


@st.composite
def tables(draw, most=3):
    rows, columns = draw(st.integers(0, most)), draw(st.integers(0, most))
    return np.array([[draw(SCORES) for _ in range(columns)] for _ in range(rows)], float).reshape(rows, columns)


def all_matchings(table, fertility=(1, 1), given=()):
    """Every matching with the sum of its scores, best first."""
    cells = list(itertools.product(*map(range, table.shape)))
    found = []
    for chosen in itertools.product((False, True), repeat=len(cells)):
        links = [cell for cell, one in zip(cells, chosen, strict=True) if one]
        ends = [[link[side] for link in links] for side in (0, 1)]
        fits = all(of.count(end) <= room for of, room in zip(ends, fertility, strict=True) for end in set(of))
        score = sum(table[link] for link in links)
        if fits and score > -math.inf and set(given) <= set(links):
            found.append((links, float(score)))
    return sorted(found, key=lambda one: -one[1])


@given(table=tables(), fertility=st.sampled_from([(1, 1), (1, 2), (2, 1), (2, 2), (3, 3)]), data=st.data())
def test_lists_of_matchings_are_those_of_enumeration(table, fertility, data):
    links = [divmod(k, table.shape[1]) for k in range(table.size)]
    demanded = [data.draw(st.sampled_from(links))] if links and data.draw(st.booleans()) else []
    expected = all_matchings(table, fertility, demanded)
    found = riata.matching_kbest(table, 600, fertility=fertility, given=demanded)
    assert [score for _, score in found] == pytest.approx([score for _, score in expected])
    assert {tuple(map(tuple, sorted(one.tolist()))) for one, _ in found} == {tuple(one) for one, _ in expected}
    if expected:
        best = riata.best_matching(table, fertility=fertility, given=demanded)
        assert sum(table[i, j] for i, j in best) == pytest.approx(expected[0][1])


@given(table=tables(most=3))
def test_sums_over_matchings_are_those_of_enumeration(table):
    every = all_matchings(table)
    log_z, shares = riata.matching_posteriors(table)
    z = sum(math.exp(score) for _, score in every)
    assert log_z == pytest.approx(math.log(z), abs=1e-9)
    for cell in itertools.product(*map(range, table.shape)):
        assert shares[cell] == pytest.approx(sum(math.exp(s) for links, s in every if cell in links) / z, abs=1e-9)


@pytest.mark.parametrize("shape", [(30, 30), (7, 90), (90, 7), (1, 200)])
def test_large_tables_are_solved_as_scipy_solves_them(shape):
    rng = np.random.default_rng(0)
    drawn = [rng.random((5, *shape)), rng.normal(size=(5, *shape)), rng.integers(-3, 4, (5, *shape)).astype(float)]
    for table, links in zip(np.concatenate(drawn), riata.best_matchings(np.concatenate(drawn)), strict=True):
        alone = np.maximum(table, 0)
        assert table[tuple(links.T)].sum() == pytest.approx(alone[linear_sum_assignment(alone, maximize=True)].sum())
        assert len(set(links[:, 0])) == len(set(links[:, 1])) == len(links)
        assert (table[tuple(links.T)] > 0).all()


@given(table=tables(most=6), at=st.integers(1, 3))
def test_rooms_are_copies_of_rows(table, at):
    """A table whose rows are repeated says the same as rows with room for several links."""
    repeated = np.repeat(table, at, axis=0)
    one, other = riata.best_matching(repeated), riata.best_matching(table, fertility=(at, 1))
    assert sum(repeated[i, j] for i, j in one) == pytest.approx(sum(table[i, j] for i, j in other))


def test_bad_tables_are_refused():
    refused(DataError, "expected \\[rows, columns\\]", riata.best_matching, [1, 2])
    refused(DataError, "NaN", riata.best_matching, [[math.nan]])
    refused(DataError, "leads out of a table of 1 rows", riata.best_matching, [[1.0]], given=[(0, 1)])
    refused(DataError, "expected a pair", riata.best_matching, [[1.0]], given=[3])
    refused(DataError, "twice", riata.best_matching, [[1.0]], given=[(0, 0), (0, 0)])
    refused(DataError, "contradict each other: row 0", riata.best_matching, [[1.0, 1.0]], given=[(0, 0), (0, 1)])
    refused(SettingError, "fertility is 0", riata.best_matching, [[1.0]], fertility=0)
    refused(UnsupportedError, "#P-complete", riata.matching_posteriors, np.zeros((13, 13)))
    assert riata.best_matching(np.zeros((0, 4))).shape == (0, 2)
    assert riata.best_matchings([]) == []
    assert riata.matching_kbest([[-math.inf]], 3, given=[(0, 0)]) == []


class Linking(riata.Structure):
    """Links between names, learnt by shared letters."""

    solver = "matching"

    def parts(self, x):
        return itertools.product(range(len(x[0])), range(len(x[1])))

    def features(self, x, part):
        a, b = x[0][part[0]], x[1][part[1]]
        return {"shared": len(set(a) & set(b)), "first": a[0] == b[0], "bias": 1}


NAMES = [(["ada", "bob"], ["robert", "ada l."]), (["eve"], ["al", "eva"]), (["tim", "kim"], ["kimberly"])]
LINKS = [[(0, 1), (1, 0)], [(0, 1)], [(1, 0)]]


@pytest.mark.parametrize("recipe", RECIPES)
def test_recipes_that_need_the_best_output_learn_matchings(recipe):
    model = riata.Predictor(Linking(), recipe).fit(NAMES, LINKS)
    assert model.predict([(["ann", "joe"], ["joey", "anna"])]) == [[(0, 1), (1, 0)]]
    [listed] = model.predict_nbest([(["ann", "joe"], ["joey", "anna"])], 100)
    assert len(listed) == 7 and listed[0][0] == [(0, 1), (1, 0)]


def test_solvers_of_one_objective_agree():
    found = []
    exact = {"m3n": {"gap": 1e-6}, "svmstruct-margin": {"epsilon": 1e-6}}
    for recipe, settings in [*exact.items(), ("svmstruct-margin", {"epsilon": 1e-6, "slacks": "each"})]:
        weights = riata.Predictor(Linking(), recipe, C=0.5, epochs=2000, **settings).fit(NAMES, LINKS).weights()
        found.append([weights.get(name, 0.0) for name in ("shared", "first", "bias")])
    assert found[1] == pytest.approx(found[0], abs=0.01) and found[2] == pytest.approx(found[0], abs=0.01)


def test_given_links_and_several_links_are_kept():
    class Given(Linking):
        fertility = (1, 2)

        def given(self, x):
            return [(0, 0)]

    x = (["ann", "anna"], ["anna", "joe"])
    model = riata.Predictor(Given(), "perceptron").fit([x], [[(0, 0), (1, 0)]])
    assert (0, 0) in model.predict([x])[0]
    assert all((0, 0) in links for links, _ in model.predict_nbest([x], 20)[0])


def test_structures_that_are_no_matchings_are_refused():
    class Single(Linking):
        def parts(self, x):
            return ["a", "b"]

        def features(self, x, part):
            return [part]

    refused(DataError, "expected a pair", riata.Predictor(Single()).fit, [1], [["a"]])
    refused(UnsupportedError, "expectations", riata.Predictor(Linking(), "crf").fit, NAMES, LINKS)
