"""Pages: they hold what was recorded, need nothing else, stay small, and nothing that users write gets out of its place."""

import html
import json
import math
import re
from dataclasses import replace
from html.parser import HTMLParser
from importlib.resources import files

import pytest
from hypothesis import strategies as st

from checks import refused
from explanations import ODD, explained, garden_path, long_trace, odd_explanation, own_trace
from packed_pages import data_of, features_of, trace_of
from riata.errors import DataError
from riata.explaining.explanation import FAULTS
from riata.explaining.packing import DIGITS
from riata.explaining.page import framed, page
from riata.explaining.trace import Cut, Feature, Node, Step, Trace, Update
from riata.explaining.verdict import BADGES, losses_of, verdict_of_trace
from samples import tried

MOST_BYTES = 1_500_000


def about(found, expected):
    """Equal up to the rounding that the page says."""
    if isinstance(expected, float) and not isinstance(found, (bool, str)) and found is not None:
        return math.isclose(found, expected, rel_tol=0.5000001 * 10 ** (1 - DIGITS))
    if isinstance(expected, dict):
        return found.keys() == expected.keys() and all(about(found[key], expected[key]) for key in expected)
    if isinstance(expected, list):
        return len(found) == len(expected) and all(map(about, found, expected))
    return type(found) is type(expected) and found == expected


# --- what is in it ---------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", ["chain", "segments", "joint"])
def test_a_page_holds_the_whole_trace_and_is_small(name):
    trace = long_trace(name)
    text = page(explained(trace, "model"))
    assert len(text.encode()) <= MOST_BYTES
    assert about(trace_of(data_of(text)), trace.to_dict())


@pytest.mark.parametrize(
    "make",
    [garden_path, lambda: garden_path(2, truth=False), lambda: garden_path(3, features=False), own_trace],
    ids=["restart", "no truth", "no features", "a problem in Python"],
)
def test_a_page_of_a_trace_holds_all_of_it(make):
    trace = make()
    assert about(trace_of(data_of(page(trace))), json.loads(json.dumps(trace.to_dict())))


def test_a_page_holds_the_decision():
    for beam in (1, 2):  # without another output, and with one
        explanation = explained(garden_path(beam), "search", "a note")
        data, said = data_of(page(explanation)), explanation.to_dict()
        found = data["decision"]
        assert about(features_of(found["contributions"], data), said["decision"]["contributions"])
        assert about(found["difference"], said["decision"]["difference"])
        sides = [{**side, "actions": [data["values"][i] for i in side["actions"]]} for side in found["sides"]]
        expected = [side for side in (said["decision"]["chosen"], said["decision"]["other"]) if side]
        assert about(sides, expected)
        assert found["other"] == (expected[1]["name"] if len(expected) > 1 else None)
        assert (data["note"], data["verdict"]["kind"], data["verdict"]["badge"]) == ("a note", "search", "search error")


def test_exact_decoding_has_no_trace_to_show():
    data = data_of(page(explained(garden_path(2), "right", search=False)))
    assert data["trace"] is None
    assert data["decision"]["contributions"][0]


plains = st.one_of(st.sampled_from(ODD), st.text(), st.integers(-5, 5), st.floats(), st.booleans(), st.none())
numbers = st.floats(-1e6, 1e6)


@st.composite
def traces(draw):
    """Traces of any shape, with any text: the page does not ask whether a search would make them."""

    def features():
        return tuple(
            Feature(draw(st.text()), draw(plains), draw(numbers), draw(numbers)) for _ in range(draw(st.integers(0, 2)))
        )

    count = draw(st.integers(1, 5))
    goods = st.sampled_from([None, True, False])
    nodes = [Node(None, None, 0, 0.0, 0.0, None, draw(goods), False)]
    for i in range(1, count):
        parent = draw(st.integers(0, i - 1))
        said = draw(st.sampled_from([None, features()]))
        depth = nodes[parent].depth + 1
        nodes.append(
            Node(
                parent,
                draw(plains),
                depth,
                draw(numbers),
                draw(numbers),
                draw(st.none() | numbers),
                draw(goods),
                draw(st.booleans()),
                said,
            )
        )
    some = st.lists(st.integers(0, count - 1), max_size=3).map(tuple)
    weighted = st.lists(st.tuples(st.integers(0, count - 1), numbers), max_size=2).map(tuple)
    steps = []
    for i in range(draw(st.integers(0, 3))):
        cut = Cut(
            draw(st.integers(0, count - 1)), draw(plains), draw(numbers), 0.0, 1.0, draw(goods), draw(st.booleans())
        )
        lost = draw(st.sampled_from([None, "pruned", "merged", "dead end"])) if i else None
        update = draw(st.sampled_from([None, Update(draw(some), draw(weighted), features())]))
        front = draw(st.lists(st.integers(0, count - 1), min_size=1, max_size=3).map(tuple))
        steps.append(
            Step(
                front,
                0.5,
                bool(lost),
                lost,
                False,
                update,
                draw(weighted),
                draw(some),
                (cut,) * draw(st.integers(0, 2)),
                draw(some),
            )
        )
    row = tuple(draw(st.lists(plains, min_size=1, max_size=3)))
    return Trace(
        row,
        draw(st.sampled_from([None, row])),
        "beam",
        3,
        "operations",
        None,
        tuple(nodes),
        tuple(steps),
        draw(st.none() | st.integers(0, count - 1)),
        draw(st.sampled_from([None, row])),
    )


@tried(60, traces())
def test_any_trace_comes_back_from_its_page(trace):
    found = trace_of(data_of(page(trace)))
    assert about(found, json.loads(json.dumps(trace.to_dict())))


# --- what gets out ---------------------------------------------------------------------------------------------------
class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, tuple(name for name, _ in attrs)))


def tags_of(text):
    parser = Tags()
    parser.feed(text)
    return parser.found


@pytest.mark.parametrize("text", ODD, ids=lambda text: ascii(text[:20]))
def test_text_of_users_stays_text(text):
    made = page(odd_explanation(text))
    assert tags_of(made) == tags_of(page(odd_explanation("harmless")))
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f\u2028\u2029\u202e]", made)
    made.encode()  # no half of a pair is left
    assert data_of(made)["input"] == [text] * 5


def test_a_page_loads_nothing():
    made = page(explained(garden_path(), "search"))
    assert "default-src 'none'" in made
    addresses = set(re.findall(r"https?://[^\"' )]+", made))
    assert addresses <= {"http://www.w3.org/2000/svg"}  # the name of SVG, not an address that is asked
    assert not re.search(r"<link|<img|@import|url\(|fetch\(|XMLHttpRequest|innerHTML|\bsrc=", made)


def test_a_notebook_frames_the_page():
    explanation = explained(garden_path(), "search")
    for shown in (explanation, explanation.trace):
        frame = shown._repr_html_()
        assert frame == framed(shown.to_html())
        (srcdoc,) = re.findall(r'srcdoc="([^"]*)"', frame)
        assert html.unescape(srcdoc) == shown.to_html()
        assert 'sandbox="allow-scripts allow-downloads"' in frame  # the tree can be saved as a picture


# --- saving ----------------------------------------------------------------------------------------------------------
def test_pages_are_saved_whole(tmp_path):
    explanation, path = explained(garden_path(), "search"), tmp_path / "page.html"
    path.write_text("old")
    explanation.save_html(path)
    assert path.read_text(encoding="utf-8") == explanation.to_html()
    explanation.trace.save_html(str(path))
    assert path.read_text(encoding="utf-8") == explanation.trace.to_html()
    assert list(tmp_path.iterdir()) == [path]


def test_where_no_page_can_be_saved_the_error_says_why(tmp_path):
    trace = garden_path()
    refused(DataError, "folder does not exist", trace.save_html, tmp_path / "missing" / "page.html")
    assert "another file" in refused(DataError, "this is a directory", trace.save_html, tmp_path).remedy
    (tmp_path / "file").write_text("")
    refused(DataError, "folder does not exist", trace.save_html, tmp_path / "file" / "page.html")
    for name in ("x" * 300 + ".html", "nul\0.html"):
        refused(DataError, "cannot be written", trace.save_html, f"{tmp_path}/{name}")


# --- the verdict -----------------------------------------------------------------------------------------------------
def test_every_fault_has_a_badge():
    assert {*FAULTS} < {*BADGES}


def test_the_loss_is_told_with_step_token_and_how():
    (loss,) = losses_of(garden_path(1))
    assert (loss.step, loss.token, loss.how) == (2, 1, "pruned")
    assert loss.text == "The truth is lost at step 2, token 2 “old”: N was pruned."


@pytest.mark.parametrize("name", ["chain", "segments", "joint"])
def test_the_token_of_a_loss_is_the_first_that_the_front_has_no_right_label_for(name):
    trace = long_trace(name)
    assert trace.losses
    for loss in (loss for loss in losses_of(trace) if loss.how != "wrong goal"):
        step = trace.steps[loss.step]
        assert not any(trace.nodes[i].good for i in step.front)
        start = min(trace.nodes[sibling].depth for sibling in step.update.siblings) - 1
        if name == "chain":
            assert loss.token == start
        elif name == "joint":
            assert loss.token == min(start, 29)
        else:
            lost = trace.nodes[step.update.siblings[0]].action
            assert lost.endswith(f"[{loss.token}:{lost.split(':')[1]}")


def test_a_wrong_goal_that_comes_before_the_truth_is_told():
    trace = garden_path(2)
    last = replace(trace.steps[-1], wrong=True)
    (loss,) = losses_of(replace(trace, steps=(*trace.steps[:-1], last)))
    assert (loss.step, loss.how) == (5, "wrong goal")
    assert losses_of(replace(trace, steps=(*trace.steps[:-1], replace(last, lost=True)))) == ()  # lost before


def test_a_trace_alone_says_whether_its_output_is_right():
    assert verdict_of_trace(garden_path(2)).text == "The output is right."
    restarted = garden_path(1)
    assert (
        verdict_of_trace(replace(restarted, predicted=None)).text
        == "The output is right, after restarts from the truth."
    )
    assert verdict_of_trace(restarted).text == "The output is wrong."  # which is that of predict
    assert str(restarted).endswith("output: D A N V N\nwith restarts: D N V D N")
    assert verdict_of_trace(garden_path(1, truth=False)).kind == "unknown"
    stopped = replace(garden_path(1), goal=None, output=None)
    assert verdict_of_trace(stopped).kind == "wrong"


# --- the look --------------------------------------------------------------------------------------------------------
PAIRS = [  # text on its ground
    *((ink, ground) for ink in ("ink", "quiet") for ground in ("ground", "panel", "band")),
    *((ink, ground) for ink in ("good", "output", "wrong") for ground in ("ground", "panel", "band")),
    ("good", "good-ground"),
    ("output", "output-ground"),
    ("wrong", "wrong-ground"),
    ("quiet", "good-ground"),
    ("ink", "wrong-ground"),
    ("good", "wrong-ground"),
    *(("chosen", ground) for ground in ("panel", "ground", "wrong-ground")),
]


def luminance(colour):
    def linear(part):
        value = int(part, 16) / 255
        return value / 12.92 if value <= 0.03928 else ((value + 0.055) / 1.055) ** 2.4

    red, green, blue = (linear(colour[i : i + 2]) for i in (1, 3, 5))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_colours_have_the_contrast_that_wcag_asks_for(scheme):
    css = files("riata.explaining").joinpath("viewer", "viewer.css").read_text(encoding="utf-8")
    colours = {name: both for name, *both in re.findall(r"--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)", css)}
    for ink, ground in PAIRS:
        low, high = sorted(luminance(colours[name][scheme]) for name in (ink, ground))
        assert (high + 0.05) / (low + 0.05) >= 4.5, (ink, ground)
