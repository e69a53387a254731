"""What learning by search refuses, and what it says about it."""

import math

import pytest

import riata
from packed_weights import weights_of
from riata.errors import SearchError, SettingError

pytestmark = pytest.mark.filterwarnings("ignore:Labels seen fewer")
WORDS, TAGS = [["a"], ["a", "b", "a"]], [["X"], ["X", "Y", "X"]]


@pytest.mark.parametrize("name", ["B", "C"])
@pytest.mark.parametrize("step", ["alma", "mira"])
def test_steps_and_margins_that_overflow_are_refused(name, step):
    with pytest.raises(SettingError, match=rf"'{name}' has the value 1e\+308; expected a number from 0 to"):
        riata.Tagger("laso-alma", settings={name: 1e308, "step": step}).fit(WORDS, TAGS)


def test_the_largest_step_and_margin_leave_finite_weights():
    for step in ("alma", "mira"):
        settings = {"C": 1e6, "step": step, **({"B": 1e6} if step == "alma" else {})}
        model = riata.Tagger("laso-alma", epochs=50, settings=settings).fit(WORDS, TAGS, sample_weight=[1e6, 1e6])
        weights = weights_of(model.model_).values()
        assert any(weights) and all(map(math.isfinite, weights))


def test_a_search_that_fails_in_training_names_the_sentence():
    with pytest.raises(SearchError, match=r"^sentence 1: the search made 3 nodes"):
        riata.Tagger("laso-perceptron", beam=1, settings={"max_nodes": 3, "shuffle": False}).fit(WORDS, TAGS)


def test_tokens_that_search_does_not_count_are_not_said_to_be_right():
    model = riata.Tagger("laso-perceptron", epochs=2).fit(WORDS, TAGS)
    assert [epoch["wrong_tokens"] for epoch in model.history_] == [None, None]
