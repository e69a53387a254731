"""Pages in a browser: Debian's Chromium, or another that is installed, driven by Playwright."""

import math
import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

import riata
from browsing import NARROW, WIDE
from explanations import ODD, explained, garden_path, long_trace, odd_explanation, own_trace
from riata import Chunker
from riata.explaining.explanation import Side
from riata.explaining.page import framed
from riata.explaining.trace import Feature, Node, Step, Trace
from riata.explaining.verdict import losses_of
from riata.showing.table import visible
from samples import for_rows


def opened(browser, shown, folder, problems, viewport=WIDE, ready="#main:not([hidden])", **options):
    """A tab with the page of something. problems: gets what goes to the console, or out to the world."""
    path = folder / "page.html"
    path.write_text(shown if isinstance(shown, str) else shown.to_html(), encoding="utf-8")
    tab = browser.new_context(viewport=viewport, **options).new_page()
    tab.on("console", lambda message: problems.append(message.text))
    tab.on("pageerror", lambda error: problems.append(str(error)))
    tab.on("dialog", lambda dialog: problems.append(dialog.message))
    tab.on("request", lambda request: request.url.startswith(("file:", "about:")) or problems.append(request.url))
    tab.goto(path.as_uri())
    tab.wait_for_selector(ready, state="attached")
    return tab


@pytest.fixture
def show(browser, tmp_path):
    """Opens pages; at the end, nothing may have gone to the console."""
    tabs, problems = [], []

    def show(shown, *args, **options):
        tabs.append(opened(browser, shown, tmp_path, problems, *args, **options))
        return tabs[-1]

    yield show
    for tab in tabs:
        tab.context.close()
    assert problems == []


@pytest.fixture(scope="module")
def long_tab(browser, tmp_path_factory):
    """The tab of a long trace, at its first step; it is opened once for all tests."""
    tabs, problems = {}, []

    def long_tab(name):
        if name not in tabs:
            page, folder = explained(long_trace(name), "model"), tmp_path_factory.mktemp(name)
            tabs[name] = opened(browser, page, folder, problems, reduced_motion="reduce")
        tabs[name].keyboard.press("Home")
        return tabs[name]

    yield long_tab
    assert problems == []


def number(text):
    return float(text.replace("−", "-").replace(",", ""))


def text_of(tab, selector):
    return tab.locator(selector).inner_text()


def slider(tab):
    return int(tab.locator("#slider").input_value())


# --- how fast --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", ["chain", "segments", "joint"])
def test_the_first_paint_comes_within_a_second(show, long_tab, name):
    explanation, tab = explained(long_trace(name), "model"), long_tab(name)
    for _ in range(3):  # the machine may be busy
        tab.wait_for_function("performance.getEntriesByType('paint').length > 0")
        paint = tab.evaluate("Math.max(...performance.getEntriesByType('paint').map(entry => entry.startTime))")
        if paint <= 1000:
            break
        tab = show(explanation)
    assert paint <= 1000
    trace = long_trace(name)
    paths = {trace.path(node) for node in range(len(trace.nodes))}
    assert tab.locator(".node").count() >= len(paths)  # all of them, and some that were cut


def test_a_large_tree_is_drawn_in_part_and_says_so(show):
    count = 20_000
    nodes = [Node(None, None, 0, 0.0, 0.0, None, None, False)]
    nodes += [
        Node(0 if i <= 100 else i // 100, f"a{i}", 1 + (i > 100), float(-i), 0.0, None, None, False)
        for i in range(1, count)
    ]
    steps = [Step((0,), 0.0, None, None, None, None, (), tuple(range(1, 101)), (), ())]
    steps += [
        Step((i,), 0.0, None, None, None, None, (), tuple(range(max(101, 100 * i), 100 * i + 100)), (), ())
        for i in range(1, 200)
    ]
    tab = show(Trace(("x",), None, "best-first", None, None, None, tuple(nodes), tuple(steps), None, None))
    assert tab.locator(".node").count() < 1000
    assert re.fullmatch(r"and [\d,]+ more", tab.locator("text.more").last.text_content())
    tab.keyboard.press("Home")
    for _ in range(3):
        tab.keyboard.press("ArrowRight")
    assert text_of(tab, "#node-title") == "State a3"
    assert tab.locator(".node.chosen .label").text_content() == "a3"


def test_a_very_wide_tree_is_drawn_around_the_front(show):
    count = 3000
    nodes = [Node(None, None, 0, 0.0, 0.0, None, None, False)]
    nodes += [Node(i - 1, f"a{i}", i, float(i), 0.0, None, None, i == count) for i in range(1, count + 1)]
    steps = [
        Step((i,), 0.0, None, None, None, None, (), (i + 1,) if i < count else (), (), ()) for i in range(count + 1)
    ]
    labels = tuple(f"a{i}" for i in range(1, count + 1))
    tab = show(Trace(labels, None, "greedy", None, None, None, tuple(nodes), tuple(steps), count, labels))
    for key, last in (("End", count), ("Home", 0)):
        tab.keyboard.press(key)
        assert tab.locator(".node").count() < 300
        assert tab.locator(".node.chosen .label").text_content() == (f"a{last}" if last else "start")
    assert tab.locator(".token").count() < 1100
    tab.locator(".token button", has_text="Show 2,000 more tokens").click()
    assert tab.locator(".token").count() == count + 1


# --- moving about ----------------------------------------------------------------------------------------------------
def test_keys_move_through_steps_states_and_losses(long_tab):
    trace, tab = long_trace("chain"), long_tab("chain")
    losses = [loss.step for loss in losses_of(trace)]
    for key, expected in (
        ("Home", 0),
        ("ArrowLeft", 0),
        ("ArrowRight", 1),
        ("l", losses[0]),
        ("L", losses[1]),
        ("End", len(trace.steps) - 1),
        ("ArrowRight", len(trace.steps) - 1),
        ("l", losses[0]),
    ):
        tab.keyboard.press(key)
        assert slider(tab) == expected
        assert text_of(tab, "#step-text").startswith(f"Step {expected} of {len(trace.steps) - 1}:")
    front = trace.steps[losses[0]].front
    for key, place in (("ArrowDown", 1), ("ArrowDown", 2), ("ArrowUp", 1), ("ArrowUp", 0), ("ArrowUp", 0)):
        tab.keyboard.press(key)
        assert text_of(tab, "#node-title").removesuffix(" ★") == f"State {trace.nodes[front[place]].action}"
        assert tab.locator(".node.chosen").count() == 1
    tab.keyboard.press("?")
    assert tab.locator("#help").is_visible()
    tab.keyboard.press("Escape")
    assert not tab.locator("#help").is_visible()


def test_slider_and_buttons_do_what_keys_do(show):
    trace = garden_path(2)
    tab = show(explained(trace, "right"))
    assert slider(tab) == 5
    tab.locator("#first").click()
    tab.locator("#forward").click()
    tab.locator("#down").click()
    assert text_of(tab, "#node-title") == "State V"
    tab.locator("#slider").focus()
    tab.keyboard.press("ArrowUp")  # chooses a state; the slider stays
    assert (slider(tab), text_of(tab, "#node-title")) == (1, "State D ★")
    tab.locator("#slider").fill("3")
    assert text_of(tab, "#step-text").startswith("Step 3 of 5: 2 states at “man”")
    tab.locator(".token button.word").nth(1).click()
    assert slider(tab) == 2
    assert not tab.locator("#loss").is_visible()


def test_keys_in_the_filter_are_letters(long_tab):
    tab = long_tab("chain")
    at, box = slider(tab), tab.locator("#decision .filter")
    box.fill("word[0]=")
    tab.keyboard.press("Home")
    tab.keyboard.press("l")
    assert slider(tab) == at
    box.fill("no such feature")
    assert tab.locator("#decision .features tbody tr").count() == 0
    tab.keyboard.press("Escape")  # out of the box
    tab.keyboard.press("ArrowRight")
    assert slider(tab) == at + 1


def test_the_current_column_is_in_view(long_tab):
    tab = long_tab("joint")
    for key in ("Home", "End", "l", "l"):
        tab.keyboard.press(key)
        node, box = (
            tab.evaluate(f"document.querySelector('{selector}').getBoundingClientRect().toJSON()")
            for selector in (".node.chosen rect", "#tree-box")
        )
        assert box["left"] <= node["left"] < node["right"] <= box["right"]
        assert box["top"] <= node["top"] < node["bottom"] <= box["bottom"]


# --- what is shown ---------------------------------------------------------------------------------------------------
def test_the_loss_is_shown_at_its_step(show):
    tab = show(explained(garden_path(1), "search"))
    assert text_of(tab, "#badge") == "search error"
    told = "The truth is lost at step 2, token 2 “old”: N was pruned."
    assert told in text_of(tab, "#verdict")
    assert slider(tab) == 2  # the page opens where the truth is first lost
    assert told in text_of(tab, "#step")
    assert "Move towards ★ N (3.53), away from A (3.56)." in text_of(tab, "#step")
    assert "↻ The queue restarts from ★ N (3.53)." in text_of(tab, "#step")
    assert tab.locator(".node.good .label", has_text="×").all_text_contents() == ["↻×★ N"]  # drawn once
    assert "lost here" in tab.locator(".token").nth(2).inner_text()  # the first is the head
    tab.keyboard.press("ArrowRight")
    assert told not in text_of(tab, "#step")
    assert text_of(tab, "#step-text").startswith("Step 3 of 6: 1 state at “old”, best N with score 0.00.")


@pytest.mark.parametrize("name", ["chain", "segments", "joint", "own"])
def test_the_features_of_a_state_sum_to_the_score_of_its_step(show, long_tab, name):
    trace = own_trace() if name == "own" else long_trace(name)
    tab = show(trace) if name == "own" else long_tab(name)
    tab.keyboard.press("Home")
    seen = 0
    for step in trace.steps[1:4]:
        tab.keyboard.press("ArrowRight")
        tab.evaluate("document.querySelector('#node .more-rows').click()")
        node = trace.nodes[step.front[0]]
        *rows, total = map(number, tab.locator("#node .amount").all_inner_texts())
        assert total == pytest.approx(node.score - trace.nodes[node.parent].score, abs=6e-3)
        assert math.fsum(rows) == pytest.approx(total, abs=6e-3 * len(rows) ** 0.5)
        assert rows == sorted(rows, key=abs, reverse=True)
        seen += len(rows)
        if step.restart:
            break
    assert seen


def test_the_decision_is_shown_with_its_sum(show):
    explanation = explained(garden_path(2), "right")
    tab = show(explanation)
    assert text_of(tab, "#decision-title") == "Why the output, not the runner-up"
    assert number(tab.locator("#decision tfoot .amount").inner_text()) == pytest.approx(
        explanation.decision.difference, abs=0.005
    )
    assert tab.locator(".differs").all_inner_texts() == ["N", "A"]


def test_what_the_search_missed_stands_beside_output_and_truth(show):
    explanation = explained(garden_path(2), "right")
    best = Side("best", ("D", "A", "N", "D", "A"), ("D", "A", "N", "D", "A"), explanation.decision.chosen.score + 1)
    tab = show(replace(explanation, fault="both", best=best, truth=("D", "N", "V", "D", "A"), test="exact"))
    assert text_of(tab, "#badge") == "search and model error"
    assert tab.locator(".token .label.best bdi").all_inner_texts() == [*best.labels]
    assert tab.locator(".token .label.best.differs").count() == 3
    rows = tab.locator("#decision .sides tbody tr").all()
    assert [row.locator("th").inner_text() for row in rows] == ["output", "best", "runner-up", "output − runner-up"]
    assert number(rows[1].locator("td").last.inner_text()) == pytest.approx(best.score, abs=1e-3)
    tab = show(replace(explanation, best=best, test="exact"))
    assert text_of(tab, "#badge") == "right by luck"
    decision = replace(explanation.decision, other=replace(best, name="truth"))
    tab = show(replace(explanation, fault="search", decision=decision, best=best, truth=best.labels, test="exact"))
    names = [row.locator("th").inner_text() for row in tab.locator("#decision .sides tbody tr").all()]
    assert names == ["output", "truth, which was missed", "difference"]


def test_states_that_were_never_in_the_queue_are_drawn_apart(show):
    trace = garden_path(1)
    steps = tuple(
        replace(step, restart=(), enqueued=step.enqueued[:0] if step.restart else step.enqueued)
        for step in trace.steps[:3]
    )
    nodes = trace.nodes[: 1 + max(steps[-1].update.siblings)]
    tab = show(replace(trace, nodes=nodes, steps=steps, goal=None, output=None, outputs=()))
    (cut,) = tab.locator(".node.good.dropped").all()  # what training would use is what was cut, and is drawn once
    assert "cut; training would use it" in cut.get_attribute("aria-label")
    assert tab.locator("text.caption").count() == tab.locator(".node.aside").count() == 0
    assert tab.locator(".node.front").count() == 1  # a beam of one shows one state
    cut.locator("rect").click()
    assert "training's update would use it" in text_of(tab, "#node")


def test_the_page_of_an_exact_model_opens_with_the_decision(show):
    chunker = Chunker(epochs=1).fit(riata.load("embedded", "train")[:60])
    data = riata.load("embedded", "test")
    wrong = next(i for i in range(len(data)) if chunker.score(data[[i]]) < 1)
    tab = show(chunker.explain(data[[wrong]], True))
    assert text_of(tab, "#verdict") == "The best output is not the truth."
    assert tab.locator(".first-error").count() == 1 and tab.locator(".fell").count() == 0
    assert tab.locator(".token:has(.first-error)").get_attribute("class") == "token wrong lost"
    assert tab.locator("#decision-panel").is_visible() and not tab.locator("#search").is_visible()
    below = tab.locator(".fold").bounding_box()["y"]
    assert tab.locator("#decision-panel").bounding_box()["y"] < below
    tab.locator(".fold > summary").click()
    tab.wait_for_selector("#tree-box svg")
    assert tab.locator("#node-panel").is_visible()


def test_restarts_are_marked(show):
    tab = show(garden_path(1))
    assert tab.locator("text.caption.restart").all_text_contents() == ["↻ restart after step 2"]
    assert tab.locator(".tree-heads .lost").all_text_contents() == ["✂ truth lost ↻ restart"]
    assert tab.locator(".node .label", has_text="↻").all_text_contents() == ["↻×★ N"]
    assert text_of(tab, "#step-text").endswith("The search restarts from the truth.")
    assert tab.locator(".node.aside").count() == 0
    tab.keyboard.press("Home")
    assert not tab.locator("text.caption.restart").is_visible()


def test_where_the_queue_ranks_by_less_than_the_score_both_are_shown(long_tab):
    trace, tab = long_trace("chain"), long_tab("chain")
    assert trace.steps[1].margin > 0
    tab.keyboard.press("ArrowRight")
    for place, node in enumerate(trace.steps[1].front[:3]):
        if place:
            tab.keyboard.press("ArrowDown")
        shown = [number(part) for part in tab.locator(".node.chosen .score").text_content().split(" → ")]
        expected = [trace.score(1, node), trace.rank(1, node)]
        assert shown == pytest.approx(expected if trace.nodes[node].good else expected[:1], abs=6e-3)
        facts = dict(
            zip(tab.locator("#node dt").all_inner_texts(), tab.locator("#node dd").all_inner_texts(), strict=True)
        )
        assert number(facts["ranking score"].split(" ")[0]) == pytest.approx(expected[1], abs=6e-4)
    assert "g less the margin" in text_of(tab, "#legend")


def test_segments_show_their_words(long_tab):
    trace, tab = long_trace("segments"), long_tab("segments")
    tab.keyboard.press("End")
    label, low, high = re.fullmatch(r"(\w+)\[(\d+):(\d+)\]", trace.nodes[trace.goal].action).groups()
    words = " ".join(trace.input[int(low) : int(high)])
    assert text_of(tab, "#node-title").removesuffix(" ★") == f"State {label} “{words}”"
    assert tab.locator(".node.chosen .label").text_content().endswith(f"{label} {words}")
    assert not re.search(r"depth|\[\d+:\d+\]", tab.locator("#tree-box").text_content())
    assert "]" not in text_of(tab, "#step-text")


def test_a_state_that_the_problem_describes_is_shown_in_words(show):
    trace = own_trace()
    described = replace(trace, nodes=tuple(replace(node, state=f"<b>{i}</b>") for i, node in enumerate(trace.nodes)))
    assert f"<b>{trace.goal}</b>" in text_of(show(described), "#node")
    assert "<b>" not in text_of(show(trace), "#node")


def test_the_words_of_the_page_are_explained_on_it(show):
    tab = show(explained(garden_path(1), "search"))
    tab.locator("#glossary summary").click()
    words = tab.locator("#words dt").all_inner_texts()
    assert {"front", "y-good", "regret", "ranking score", "margin", "restart", "best output", "push"} <= {*words}
    for tip in tab.locator("#node abbr, #step abbr").all():
        assert tip.inner_text() in words
        assert tip.get_attribute("title")
    assert tab.locator("#node abbr", has_text="regret").count() == 1


@pytest.mark.parametrize("name", ["chain", "segments", "joint"])
def test_the_tree_is_saved_as_a_picture_of_its_own(long_tab, show, name):
    tab = long_tab(name)
    for _ in range(3):
        tab.keyboard.press("ArrowRight")
    with tab.expect_download() as waiting:
        tab.locator("#svg-button").click()
    assert waiting.value.suggested_filename == "search-step-3.svg"
    text = Path(waiting.value.path()).read_text(encoding="utf-8")
    root = ElementTree.fromstring(text)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert not re.search(r"var\(|light-dark|class=|<script|href", text)
    visible_boxes = tab.locator(".node:not(.future)").count()
    assert len(root.findall(".//{*}g/{*}rect")) >= visible_boxes > 3
    assert float(root.get("width")) < tab.evaluate("document.querySelector('svg.tree').getBBox().width")


def test_differences_are_marked_with_more_than_colour(show):
    trace = replace(garden_path(1), output=("D", "A", "V", "D", "N"))
    tab = show(explained(trace, "model"))
    assert tab.locator(".token.wrong").count() == 1
    assert "≠ A" in tab.locator(".token.wrong").inner_text()
    assert "✓ N" in tab.locator(".token.wrong").inner_text()


@for_rows(
    "shown, hidden",
    (lambda: explained(garden_path(2), "right", search=False), ["#search", "#node-panel", "#step-panel"]),
    (lambda: explained(garden_path(1, truth=False)), ["#loss"]),
    (lambda: garden_path(3, features=False), ["#decision-panel"]),
    (
        lambda: replace(garden_path(1), steps=(), goal=None, output=None),
        ["#search", "#node-panel", "#step-panel", "#decision-panel"],
    ),
    ids=["exact", "no truth", "no features", "no steps"],
)
def test_what_there_is_not_is_left_out(show, shown, hidden):
    tab = show(shown())
    for selector in ("#search", "#node-panel", "#step-panel", "#decision-panel"):
        assert tab.locator(selector).is_visible() == (selector not in hidden)


def test_text_of_users_is_shown_as_text(show):
    tab = show(odd_explanation("".join(ODD)), NARROW)
    assert tab.locator(".token .word").nth(1).text_content() == visible("".join(ODD))
    assert tab.locator("#decision .features th bdi").first.text_content() == visible("".join(ODD))
    assert tab.locator("#main b, #main img, #main script").count() == 0
    assert tab.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]


def test_a_notebook_shows_the_page(show):
    tab = show(f"<!doctype html><title>notebook</title>{framed(garden_path(1).to_html())}", ready="iframe")
    frame = tab.frame_locator("iframe")
    frame.locator("#badge", has_text="wrong").wait_for()
    assert frame.locator(".node").count() > 5


# --- the look --------------------------------------------------------------------------------------------------------
def test_a_narrow_page_does_not_scroll_sideways(long_tab):
    tab = long_tab("segments")
    tab.set_viewport_size(NARROW)
    tab.evaluate("document.querySelectorAll('.more-rows').forEach(button => button.click())")
    assert tab.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]
    assert tab.evaluate(
        "document.querySelector('#tree-box').scrollWidth > document.querySelector('#tree-box').clientWidth"
    )


def test_dark_and_light_follow_the_system_and_the_button(show):
    ground = "getComputedStyle(document.body).backgroundColor"
    light, dark = "rgb(247, 247, 245)", "rgb(20, 23, 27)"
    for scheme, first, second in (("light", light, dark), ("dark", dark, light)):
        tab = show(garden_path(1), color_scheme=scheme)
        assert tab.evaluate(ground) == first
        tab.locator("#theme-button").click()
        assert tab.evaluate(ground) == second
        tab.locator("#theme-button").click()
        assert tab.evaluate(ground) == first


def test_panels_slider_and_tree_have_names_and_roles(show):
    tab = show(explained(garden_path(1), "search"))
    assert (
        tab.get_by_role("slider", name="Step of the search").get_attribute("aria-valuetext").startswith("Step 2 of 6")
    )
    assert tab.get_by_role("tree", name="States of the search, by depth").get_by_role("treeitem").count() > 5
    assert tab.get_by_role("treeitem", selected=True).count() == 1
    for name in ("State A", "Step 2", "What speaks for the output"):
        assert tab.get_by_role("region", name=name).is_visible()
    for button in tab.locator("button:visible").all():
        assert button.get_attribute("aria-label") or button.inner_text().strip()


def test_old_browsers_and_those_without_scripts_are_told(show):
    old = garden_path(1).to_html().replace("<head>", "<head><script>delete window.DecompressionStream</script>")
    tab = show(old, ready="#notice:not([hidden])")
    assert "too old" in text_of(tab, "#notice")
    tab = show(garden_path(1), ready="noscript", java_script_enabled=False)
    assert "Allow scripts" in text_of(tab, "noscript")


def test_a_damaged_page_says_so(browser, tmp_path):
    """Not through `show`: this one may complain in the console."""
    path = tmp_path / "damaged.html"
    path.write_text(re.sub(r'(id="data">.{40}).{9}', r"\1AAAAAAAAA", garden_path(1).to_html()), encoding="utf-8")
    tab = browser.new_page()
    tab.goto(path.as_uri())
    tab.wait_for_selector("#notice:not([hidden])")
    assert "damaged" in text_of(tab, "#notice")
    tab.close()


def test_features_of_equal_name_are_one_row(show):
    trace = garden_path(1)
    twice = tuple(
        replace(node, features=node.features and (*node.features, *node.features, Feature("new", None, 1.0, 0.5)))
        for node in trace.nodes
    )
    tab = show(replace(trace, nodes=twice))
    assert tab.locator("#node tbody tr").count() == 3
    assert tab.locator("#node tbody .product").first.inner_text().startswith("2 ×")


def test_a_state_that_a_restart_makes_again_is_drawn_once(show):
    chunker = Chunker("laso-perceptron", beam=2, epochs=1, structure="chain").fit(riata.load("embedded", "train")[:30])
    data = riata.load("embedded", "test")
    traces = (chunker.trace(data[[i]], True) for i in range(len(data)))
    tab = show(next(trace for trace in traces if trace.restarted))
    tab.keyboard.press("End")
    places = [node.get_attribute("aria-label") for node in tab.locator(".node.good").all()]
    assert tab.locator(".node.aside").count() == 0
    assert len(places) == tab.locator(".tree-heads .head").count()  # one right state per token, and the start
    assert tab.locator(".heads").inner_text().split("\n") == ["input", "output", "with restarts", "truth"]
