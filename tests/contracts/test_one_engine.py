"""One search function is on the stack for every recipe that searches, every queue and every space, native or in Python."""

import pytest

from python_problems import TAGS, WORDS, Keyed, Tagging
from riata import Chunker, Predictor, registry
from riata._core import searches_run
from samples import CHUNKS, for_each

RECIPES = [name for name, recipe in registry.all_of("recipe").items() if recipe.searches]
OTHERS = [name for name in registry.names("recipe") if name not in RECIPES]
QUEUES = [name for name, queue in registry.all_of("queue").items() if queue.searches]
EPOCHS = 3


class Complete(Tagging):
    """Has everything that a queue may ask for, and a complete initial state where hill-climbing needs one."""

    def actions(self, x, s):
        return super().actions(x, s) if len(s) < len(x) else ()

    def is_goal(self, x, s):
        return len(s) in (0, len(x))

    def heuristic(self, x, s):
        return 0.0


class Counted:
    """How many searches the engine ran inside the block."""

    def __enter__(self):
        self.before = searches_run()
        return self

    def __exit__(self, *exception):
        self.searches = searches_run() - self.before


def trains(queue):
    return not registry.get("queue", queue).decode_only


@for_each(queue=QUEUES, recipe=RECIPES)
def test_a_chain_is_searched_by_the_engine_once_per_sentence_and_epoch(recipe, queue):
    if queue not in registry.get("structure", "chain").queues:
        pytest.skip("chains refuse this queue")
    made = Chunker(recipe, epochs=EPOCHS, queue=queue if trains(queue) else None)
    with Counted() as training:
        made.fit(CHUNKS)
    assert training.searches == EPOCHS * len(CHUNKS)
    with Counted() as decoding:
        made.set_params(queue=queue).predict(CHUNKS)
    assert decoding.searches == len(CHUNKS)


@for_each(queue=QUEUES, recipe=RECIPES)
def test_a_problem_in_python_is_searched_by_the_engine_once_per_example_and_epoch(recipe, queue):
    problem = Complete() if queue in ("hill-climb", "a-star") else Tagging()
    made = Predictor(problem, recipe, epochs=EPOCHS, queue=queue if trains(queue) else None)
    with Counted() as training:
        made.fit(WORDS, TAGS)
    assert training.searches == EPOCHS * len(WORDS)
    with Counted() as decoding:
        made.set_params(queue=queue).predict(WORDS)
    assert decoding.searches == len(WORDS)


@pytest.mark.parametrize("beam_by", ["operations", "pending", "prefix"])
def test_every_kind_of_beam_is_searched_by_the_engine(beam_by):
    problem = Keyed(("V", "C"))
    problem.covered = lambda x, s: len(s)
    with Counted() as searched:
        Predictor(problem, epochs=EPOCHS, settings={"beam_by": beam_by}).fit(WORDS, TAGS).predict(WORDS)
        Chunker("early", epochs=EPOCHS, settings={"beam_by": beam_by}).fit(CHUNKS).predict(CHUNKS)
    assert searched.searches == (EPOCHS + 1) * (len(WORDS) + len(CHUNKS))


@pytest.mark.parametrize("recipe", OTHERS)
def test_recipes_that_do_not_search_do_not_count(recipe):
    with Counted() as training:
        Chunker(recipe, epochs=1).fit(CHUNKS)
    assert training.searches == 0
