"""Explanations in the terminal, and the bounds of what is recorded of a search."""

import io
import random
import re
import tracemalloc
from dataclasses import replace
from functools import cache
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from explanations import ODD, explained, garden_path, long_trace, odd_explanation
from riata import Chunker, JointTagger, Trace
from riata.errors import SearchError
from riata.explaining.bounds import Bounds, GivenUp, bounded
from riata.explaining.explanation import Decision, Explanation, Side
from riata.explaining.text import in_plain_words, render
from riata.explaining.trace import Feature
from riata.serving.batching import Batcher, Job
from riata.serving.measures import Measures
from riata.serving.refusal import Limits
from riata.showing.table import visible
from samples import CHUNKS, WORDS

STYLE = re.compile(r"\x1b\[[\d;]*m")  # what rich writes to colour


def printed(explanation, width=100, **options):
    console = Console(file=io.StringIO(), force_terminal=True, color_system="standard", width=width, highlight=False)
    console.print(render(explanation, **options))
    return console.file.getvalue()


def test_the_sentence_stands_beside_output_and_truth():
    trace = replace(garden_path(1), output=("D", "A", "V", "D", "N"))
    lines = str(explained(trace, "model")).splitlines()
    assert lines[:4] == [
        "token  output  truth",
        "the    D       D",
        "old    A       N      ← differs",
        "man    V       V",
    ]


def test_the_loss_the_update_and_the_restart_are_told():
    text = str(explained(garden_path(1), "search", "A note."))
    for line in (
        "search error: The search missed the best output, which is the truth.",
        "The truth is lost at step 2, token 2 “old”: N was pruned.",
        "A note.",
        "the truth is lost: it was pruned",
        "update: towards N 3.53*, away from A 3.56",
        "restart from N",
    ):
        assert line in text
    assert str(garden_path(1)) in text


def test_the_sum_row_is_the_difference_of_the_scores():
    explanation = explained(garden_path(2), "right")
    chosen, other = explanation.decision.chosen, explanation.decision.other
    (total,) = re.findall(r"│ sum .*?([+-][\d.]+) │", str(explanation))
    assert float(total) == pytest.approx(chosen.score - other.score, abs=0.005)
    assert f"{chosen.score:.3f}" in str(explanation)
    assert f"{other.score:.3f}" in str(explanation)


def test_features_beyond_the_top_are_summed_in_one_row():
    explanation = explained(garden_path(2), "right")
    rows = explanation.decision.contributions
    text = in_plain_words(explanation, top=1)
    assert f"and {len(rows) - 1} more" in text
    rest = sum(row.push for row in rows[1:])
    assert f"{rest:+.2f}" in text


def test_small_pushes_get_more_digits():
    side = Side("output", ("A",), ("A",), 0.001)
    rows = (Feature("f", "A", 1.0, 0.00123), Feature("g", None, 1.0, -0.00023))
    text = str(Explanation(("x",), None, Decision(side, None, rows), None, None))
    assert "+0.00123" in text
    assert "-0.00023" in text


def test_a_margin_that_the_ranking_takes_off_is_told():
    trace = long_trace("chain")
    margin = trace.steps[1].margin
    text = str(trace)
    assert margin > 0
    assert "less, where it is y-good, the margin of training" in text
    for node in trace.steps[1].front[:8]:
        less = f"-{margin:.2f}*" if trace.nodes[node].good else ""
        assert f"{trace.nodes[node].action} {trace.score(1, node):.2f}{less}" in text
    assert "margin" not in str(garden_path(1))


def test_very_long_sentences_and_searches_are_cut_and_say_so():
    trace = garden_path(2)
    trace = replace(trace, input=("w",) * 5000, truth=("D",) * 5000, output=("D",) * 5000, steps=trace.steps * 1000)
    text = str(explained(trace, "right"))
    assert "and 4,800 more tokens" in text
    assert re.search(r"and [\d,]+ more lines", text)
    assert len(text.splitlines()) < 1000


def test_y_good_states_are_green_and_losses_red():
    text = printed(explained(garden_path(1), "search"))
    assert "\x1b[32mD 2.16*\x1b[0m" in text
    assert "\x1b[31m      the truth is lost" in text


def test_outputs_that_are_not_one_per_token_stand_in_rows():
    side = Side("output", ("a b c",), (2, "done"), 1.0)
    text = str(Explanation((1, 2, 3), ("c b a",), Decision(side, None, ()), "model", None))
    assert text.splitlines()[:3] == ["input   1 2 3", "output  a b c", "truth   c b a"]
    assert "2 done" in text


def test_a_console_prints_an_explanation_by_itself():
    explanation = explained(garden_path(1), "search")
    console = Console(file=io.StringIO(), width=100, highlight=False)
    console.print(explanation)
    assert [line.rstrip() for line in console.file.getvalue().splitlines()] == str(explanation).splitlines()


MARKUP = ["[red]x[/red]", "[/]", "\\[", "\x1b[2J", "\x9b31m", "\r\n", ":smile:"]


@pytest.mark.parametrize("text", [*MARKUP, *ODD], ids=lambda text: ascii(text[:20]))
def test_controls_and_markup_are_shown_and_not_obeyed(text):
    explanation = odd_explanation(text)
    for shown in (str(explanation), str(explanation.trace), STYLE.sub("", printed(explanation))):
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\ud800-\udfff]", shown)
        assert visible(text)[:20] in shown
        shown.encode()
    assert visible(text)[:20] in str(explanation).splitlines()[1]  # in one line, whole


@given(st.text())
def test_visible_text_is_printable_and_keeps_what_was(text):
    shown = visible(text)
    assert not re.search(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]", shown)
    if text.isprintable() and not re.search(r"[\u200e\u200f\u061c]", text):
        assert shown == text


# --- what is recorded of a search has bounds: of states, of features and of time -------------------------------------
MEGABYTES = 60  # that one page may take while it is made, beside the model


@cache
def wide():
    """A model that has a thousand pairs of labels to choose from at every token."""
    rng = random.Random(1)
    tags, chunks = [f"T{i}" for i in range(50)], [f"B-C{i}" for i in range(20)]
    rows = [[(f"w{rng.randrange(99)}", rng.choice(tags), rng.choice(chunks)) for _ in range(9)] for _ in range(60)]
    return JointTagger("max-violation", epochs=1, beam=5).fit(rows)


@cache
def small():
    return Chunker("laso-perceptron", beam=5, epochs=2).fit(WORDS, [[row[2] for row in s] for s in CHUNKS])


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
    assert Trace.from_dict(part.to_dict()) == part


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
