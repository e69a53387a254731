"""Explanations in the terminal: everything is told, and nothing that users write reaches the terminal's controls."""

import io
import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from explanations import ODD, explained, garden_path, long_trace, odd_explanation
from riata.explaining.explanation import Decision, Explanation, Side
from riata.explaining.text import in_plain_words, render
from riata.explaining.trace import Feature
from riata.showing.table import visible

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
