"""What is recorded of a search has bounds: of states, of features and of time."""

import random
import tracemalloc
from functools import cache
from types import SimpleNamespace

import pytest

import riata
from riata.errors import SearchError
from riata.explaining.bounds import Bounds, GivenUp, bounded
from riata.serving.batching import Batcher, Job
from riata.serving.measures import Measures
from riata.serving.refusal import Limits
from samples import CHUNKS, WORDS, quietly

MEGABYTES = 60  # that one page may take while it is made, beside the model


@cache
def wide():
    """A model that has a thousand pairs of labels to choose from at every token."""
    rng = random.Random(1)
    tags, chunks = [f"T{i}" for i in range(50)], [f"B-C{i}" for i in range(20)]
    rows = [[(f"w{rng.randrange(99)}", rng.choice(tags), rng.choice(chunks)) for _ in range(9)] for _ in range(60)]
    return quietly(riata.JointTagger("max-violation", epochs=1, beam=5), rows)


@cache
def small():
    return quietly(riata.Chunker("laso-perceptron", beam=5, epochs=2), WORDS, [[row[2] for row in s] for s in CHUNKS])


def test_a_page_of_a_wide_beam_takes_little_memory():
    model = wide().twin(queue="beam", beam=100)
    sentence = [f"w{i}" for i in range(9)]
    model.explain(sentence[:2])  # what is made once
    tracemalloc.start()
    try:
        explanation = model.explain(sentence)
        page = explanation.to_html()
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    trace, usual = explanation.trace, Bounds()
    assert len(trace.nodes) <= usual.states
    assert sum(len(step.cut) for step in trace.steps) <= usual.states
    assert sum(len(node.features or ()) for node in trace.nodes) < usual.features * 1.01
    assert peak < MEGABYTES * 1e6
    assert len(page) < 2e6
    assert "dropped steps" in trace.left_out
    assert f"left out, as there are too many: {trace.left_out}" in str(trace)


def test_the_best_steps_that_were_dropped_are_recorded():
    model, sentence = wide(), ["w1", "w2"]
    whole = model.trace(sentence)
    with bounded(Bounds(states=80)):
        part = model.trace(sentence)
    assert whole.left_out is None
    for step, of in zip(part.steps, whole.steps, strict=True):
        ranks = sorted((cut.score for cut in of.cut), reverse=True)
        assert sorted((cut.score for cut in step.cut), reverse=True) == ranks[: len(step.cut)]
        assert (step.front, step.enqueued) == (of.front, of.enqueued)
    left = sum(len(of.cut) - len(step.cut) for step, of in zip(part.steps, whole.steps, strict=True))
    assert part.left_out == f"{left:,} dropped steps"
    assert riata.Trace.from_dict(part.to_dict()) == part


def test_a_search_with_too_many_states_is_refused():
    with bounded(Bounds(states=10)), pytest.raises(SearchError, match="more than 10 states") as refused:
        small().explain(WORDS[1])
    assert "narrower beam" in refused.value.remedy


def test_an_explanation_is_right_without_the_features_of_other_states():
    expected = small().explain(WORDS[1])
    with bounded(Bounds(features=3)):
        found = small().explain(WORDS[1])
    assert found.decision.chosen == expected.decision.chosen
    assert "features of" in found.trace.left_out
    assert "features of" in found.to_html() or found.trace.left_out in str(found)
    assert found.decision.other in (None, expected.decision.other)


def test_a_trace_ends_when_nobody_waits_for_it():
    asked = []

    def wanted():
        asked.append(1)
        return len(asked) < 4

    with bounded(Bounds(wanted=wanted)), pytest.raises(GivenUp):
        small().explain(WORDS[1])
    assert len(asked) == 4


def test_the_server_gives_up_a_page_that_is_too_late():
    late = SimpleNamespace(done=lambda: True)
    job = Job(SimpleNamespace(), SimpleNamespace(), lambda *_: small().explain(WORDS[1]).to_html(), late, None)
    _, answer, error = Batcher(Limits(), Measures())._in_bounds(job)
    assert (answer, type(error)) == (None, GivenUp)
