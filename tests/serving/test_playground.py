"""The playground and the page of the API in a browser: Debian's Chromium, or another that is installed, driven by Playwright."""

import importlib.util
import json
import re
from pathlib import Path
from urllib.parse import urlencode

import pytest

import riata
from browsing import NARROW, WIDE
from riata import Chunker
from serving_help import served, until

SENTENCE = "The dog sat on it ."
WAIT = 60_000  # milliseconds: the machine may be busy


@pytest.fixture
def problems():
    """What has gone to the console, or out to the world."""
    return []


@pytest.fixture
def visit(browser, talk, problems):
    """Opens the playground with some settings; at the end, there may be no problems."""
    contexts = []

    def visit(path="/", viewport=WIDE, expect=".output", scheme="light", **settings):
        base = f"http://127.0.0.1:{talk.port}"
        context = browser.new_context(viewport=viewport, color_scheme=scheme, reduced_motion="reduce")
        context.set_default_timeout(WAIT)
        contexts.append(context)
        tab = context.new_page()
        tab.on("console", lambda message: problems.append(message.text))
        tab.on("pageerror", lambda error: problems.append(str(error)))
        tab.on("request", lambda request: request.url.startswith((base, "about:")) or problems.append(request.url))
        tab.goto(f"{base}{path}" + (f"#{urlencode(settings)}" if settings else ""))
        tab.wait_for_selector(expect, timeout=WAIT)
        return tab

    yield visit
    for context in contexts:
        context.close()
    assert problems == []


def becomes(tab, expression):
    """Waits until an expression of the page is true. Playwright's own way is against the policy of the page."""
    until(lambda: tab.evaluate(expression), WAIT / 1000)


def labels(tab, panel=0):
    return tab.locator(".output").nth(panel).locator(".tag, .kind").all_inner_texts()


def test_labels_appear_as_one_types(visit, talk):
    tab = visit(model="tags", text=SENTENCE)
    expected = talk.predict(model="tags", tokens=SENTENCE.split())[1]["sentences"][0]["labels"]
    assert labels(tab) == expected
    tab.fill("#text", "Cats like the dog")
    becomes(tab, "document.querySelectorAll('.output .word').length === 4")
    assert labels(tab) == talk.predict(model="tags", tokens=["Cats", "like", "the", "dog"])[1]["sentences"][0]["labels"]
    tab.fill("#text", "")
    tab.wait_for_selector(".output", state="detached")


def test_punctuation_is_separated_unless_that_is_off(visit):
    tab = visit(model="tags", text="Cats, don't!")
    assert tab.locator(".word .text").all_inner_texts() == ["Cats", ",", "don't", "!"]
    tab.uncheck("#split")
    becomes(tab, "document.querySelectorAll('.output .word').length === 2")


def test_chunks_are_shown_around_words_with_their_types(visit, talk):
    tab = visit(model="words", text=SENTENCE)
    [found] = talk.predict(model="words", tokens=SENTENCE.split())[1]["sentences"]
    assert tab.locator(".chunk .kind").all_inner_texts() == [span["label"] for span in found["spans"]]
    words = [" ".join(chunk.split("\n")) for chunk in tab.locator(".chunk .inside").all_inner_texts()]
    assert words == [span["text"] for span in found["spans"]]


def test_a_second_column_is_given_by_a_tagger_or_typed(visit, talk):
    tab = visit(model="chunks", text="The dog")
    tags = talk.predict(model="tags", tokens=["The", "dog"])[1]["sentences"][0]["labels"]
    rows = [["The", tags[0]], ["dog", tags[1]]]
    [found] = talk.predict(model="chunks", rows=rows)[1]["sentences"]
    assert tab.locator(".chunk .kind").all_inner_texts() == [span["label"] for span in found["spans"]]
    tab.select_option("#tagger", "")
    tab.wait_for_selector("#notice:not([hidden])")
    assert "reads 2 columns" in tab.inner_text("#notice")
    tab.fill("#text", "The/DT dog/NN")
    tab.wait_for_selector(".output")
    assert tab.locator("#notice").is_hidden()


def test_the_tree_of_a_parser_is_drawn(visit, talk):
    tab = visit(model="trees", text="the/DET dog/NOUN left/VERB ./PUNCT", tagger="")
    rows = [["the", "DET"], ["dog", "NOUN"], ["left", "VERB"], [".", "PUNCT"]]
    [found] = talk.predict(model="trees", rows=rows)[1]["sentences"]
    assert sorted(tab.locator(".relation").all_text_contents()) == sorted(found["relations"])
    assert tab.locator(".arc").count() == 4
    said = tab.locator(".tree-box svg").get_attribute("aria-label")
    assert "is the root" in said
    assert tab.locator("#watch").is_disabled()


def test_the_slider_sets_the_beam(visit):
    tab = visit(model="words", text=SENTENCE)
    assert tab.inner_text("#width") == "own search"
    with tab.expect_request("**/predict") as sent:
        tab.focus("#beam")
        tab.keyboard.press("Home")
    assert json.loads(sent.value.post_data)["beam"] == 1
    assert tab.inner_text("#width") == "1, greedy"
    assert tab.get_attribute("#beam", "aria-valuetext") == "beam of 1"
    with tab.expect_request("**/predict") as sent:
        tab.keyboard.press("End")
    assert "beam" not in json.loads(sent.value.post_data)


def test_a_constraint_is_tried_on_and_off(visit):
    tab = visit(model="words", text="A cat sat on it")
    before = tab.locator(".chunk .kind", has_text="NP").count()
    assert before == 2
    tab.fill("#rule", 'at_most(1, "NP")')
    becomes(tab, "/Without the constraint/.test(document.querySelector('.summary')?.textContent)")
    assert tab.locator(".chunk .kind", has_text="NP").count() == 1
    assert tab.locator(".differs").count() >= 1
    tab.uncheck("#try")
    tab.wait_for_selector(".summary", state="detached")
    assert tab.locator(".chunk .kind", has_text="NP").count() == before


def test_what_is_wrong_with_a_constraint_is_said(visit, problems):
    tab = visit(model="words", text=SENTENCE)
    tab.fill("#rule", "nonsense(")
    tab.wait_for_selector("#notice:not([hidden])")
    assert "no constraint" in tab.inner_text("#notice")
    assert problems == ["Failed to load resource: the server responded with a status of 422 (Unprocessable Entity)"]
    problems.clear()  # browsers say so of every answer of this kind


def test_constraints_of_the_model_can_be_left_out(visit):
    tab = visit(model="names", text="Ann met Bob .")
    assert tab.inner_text("#own") == "at_most(1, 'PER')"
    assert tab.locator(".chunk").count() == 1
    tab.uncheck("#keep")
    becomes(tab, "document.querySelectorAll('.chunk').length === 2")


def test_two_models_are_compared(visit):
    tab = visit(model="words", text=SENTENCE)
    tab.select_option("#other", "chunks")
    becomes(tab, "document.querySelectorAll('.output').length === 2")
    said = tab.locator(".output").nth(1).locator(".summary").inner_text()
    assert re.search(r"The models differ at \d tokens? of 6", said)
    assert tab.locator(".output").nth(0).locator(".differs").count() > 0


def test_confidences_and_lists_are_shown(visit):
    tab = visit(model="words", text=SENTENCE, confidence=1, nbest=1)
    assert re.search(r"\+\d", tab.locator(".chunk .kind").first.inner_text())
    assert tab.locator(".best tr").count() == 5
    assert "not calibrated" in tab.inner_text(".summary")
    assert "%" not in tab.inner_text(".output")


def test_the_search_is_watched_in_a_frame(visit):
    tab = visit(model="words", text=SENTENCE)
    tab.click("#watch")
    frame = tab.frame_locator("#viewer iframe")
    frame.locator("#main").wait_for(timeout=WAIT)
    assert frame.locator(".node").count() > 5
    assert tab.get_attribute("#viewer iframe", "sandbox") == "allow-scripts allow-downloads"
    tab.click("#watch")
    tab.wait_for_selector("#viewer iframe", state="detached")


def test_everything_can_be_done_by_keyboard(visit):
    tab = visit(model="words", text=SENTENCE)
    reached = []
    tab.evaluate("document.activeElement.blur()")
    for _ in range(22):
        tab.keyboard.press("Tab")
        reached.append(tab.evaluate("document.activeElement.id"))
    order = ["theme", "text", "model", "other", "beam", "try", "rule", "confidence", "nbest", "split", "watch"]
    assert [name for name in reached if name in order][: len(order)] == order
    tab.focus("#watch")
    tab.keyboard.press("Enter")
    tab.frame_locator("#viewer iframe").locator("#main").wait_for(timeout=WAIT)


def test_the_address_keeps_what_is_set(visit):
    tab = visit(model="words", text=SENTENCE)
    tab.check("#confidence")
    becomes(tab, "location.hash.includes('confidence=1')")
    tab.reload()
    tab.wait_for_selector(".kind .sure")
    assert tab.locator("#confidence").is_checked()
    assert tab.input_value("#model") == "words"


def test_texts_are_never_markup(visit):
    odd = '<img src=x onerror="alert(1)"> </script> &amp;'
    tab = visit(model="tags", text=odd, split=0)
    assert tab.locator(".word .text").all_inner_texts() == odd.split()


def axe():
    """The source of axe-core, from the package axe-core-python."""
    found = importlib.util.find_spec("axe_core_python")
    if found is None:
        pytest.skip("axe is not installed: pip install axe-core-python")
    return (Path(found.origin).parent / "axe.min.js").read_text(encoding="utf-8")


PAGES = [
    ({"model": "words", "other": "names", "confidence": 1, "nbest": 1}, "/"),
    ({"model": "both", "other": "tags", "try": 1, "rule": 'at_most(1, "NP")'}, "/"),
    ({"model": "trees", "text": "the/DET dog/NOUN left/VERB", "tagger": ""}, "/"),
    ({}, "/docs"),
]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("viewport", [WIDE, NARROW], ids=["wide", "narrow"])
@pytest.mark.parametrize(("settings", "path"), PAGES, ids=["chunks", "pairs", "trees", "api"])
def test_the_page_is_accessible_and_fits(visit, settings, path, viewport, scheme):
    given = {"text": SENTENCE, **settings} if path == "/" else {}
    expect = ".output" if path == "/" else ".operation"
    tab = visit(path, viewport, expect, scheme, **given)
    tab.evaluate(axe())
    found = tab.evaluate("axe.run()")
    assert [(each["id"], [node["html"] for node in each["nodes"]]) for each in found["violations"]] == []
    assert found["passes"]
    assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth")


# --- docs/serving.md: its requests have the answers that it prints, and its table of fields is complete --------------
ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "serving.md").read_text(encoding="utf-8")
CURL = re.compile(
    r"```bash\ncurl -s localhost:8000/predict .*? -d '(?P<body>.*?)'\n```\n(?:\n```json\n(?P<answer>.*?)```)?",
    re.DOTALL,
)


@pytest.fixture(scope="module")
def chunker(tmp_path_factory):
    """The model that the page trains."""
    folder = tmp_path_factory.mktemp("page")
    data = riata.load("embedded", "train", ("word", "tag", "chunk")).select([0, 2])
    Chunker(epochs=10).fit(data).save(folder / "chunker.riata")
    with served({"chunker": folder / "chunker.riata"}, watch=False) as talk:
        yield talk


def test_requests_have_the_answers_that_the_page_prints(chunker):
    found = list(CURL.finditer(PAGE))
    assert len(found) >= 3
    for match in found:
        status, answer = chunker.predict(json.loads(match["body"]))
        if match["answer"]:
            expected = json.loads(match["answer"])
            if "version" in expected:
                answer["version"] = expected["version"]
            assert answer == expected
        else:
            assert status == 200


def test_the_client_of_the_page_works(chunker):
    [code] = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    names = {}
    exec(code, names)
    found = names["predict"]([["The", "bus"], ["It", "rained"]], f"http://127.0.0.1:{chunker.port}")
    assert list(map(len, found)) == [2, 2]


def test_the_page_names_every_field_option_and_status():
    from riata.commands.serve import command
    from riata.serving.api import REFUSED
    from riata.serving.asking import Ask

    for name in Ask.model_fields:
        assert f"`{name}`" in PAGE
    for status in REFUSED:
        assert f"| {status}" in PAGE
    quiet = ("--port", "--watch", "--playground")
    for parameter in command.params:
        for option in parameter.opts:
            assert option in quiet or option in PAGE, option


def test_the_container_file_runs_the_server():
    text = (ROOT / "Containerfile").read_text(encoding="utf-8")
    assert '"riata", "serve"' in text
    assert "USER riata" in text


# --- the playground as people use it ---------------------------------------------------------------------------------
HEBREW = "שלום עולם"


@pytest.fixture
def tab(browser):
    context = browser.new_context()
    context.set_default_timeout(WAIT)
    made = context.new_page()
    made.problems = []
    made.on("console", lambda message: made.problems.append(message.text))
    made.on("pageerror", lambda error: made.problems.append(str(error)))
    yield made
    context.close()
    assert made.problems == []


def at(talk, settings, prefix="/"):
    return f"http://127.0.0.1:{talk.port}{prefix}#{settings}"


@pytest.mark.parametrize("page", ["", "docs"])
def test_pages_work_under_a_prefix(tab, talk, page):
    """A proxy that passes /riata/ on to the server."""
    base, asked = f"http://127.0.0.1:{talk.port}/", []
    tab.route(f"{base}riata/**", lambda route: route.continue_(url=route.request.url.replace("/riata/", "/")))
    tab.on("request", lambda request: asked.append(request.url))
    tab.goto(f"{base}riata/{page}#model=tags&text=the+dog")
    tab.wait_for_selector(".operation" if page else ".output .tag")
    if not page:
        tab.click("#watch")
        tab.wait_for_selector("#viewer iframe")
        assert tab.get_attribute("#own-tab", "href").startswith("explain?ask=")
    assert all(url.startswith(f"{base}riata/") for url in asked), asked


def test_words_run_from_right_to_left_where_their_script_does(tab, talk):
    tab.goto(at(talk, f"model=tags&text={HEBREW}"))
    tab.wait_for_selector(".output .tag")
    assert tab.evaluate("getComputedStyle(document.getElementById('text')).direction") == "rtl"
    first, second = (tab.locator(".word").nth(i).bounding_box()["x"] for i in range(2))
    assert first > second
    tab.goto(at(talk, "model=tags&text=the+dog"))
    tab.reload()
    tab.wait_for_selector(".output .tag")
    first, second = (tab.locator(".word").nth(i).bounding_box()["x"] for i in range(2))
    assert first < second


def test_trees_have_their_confidence_and_are_said_in_words(tab, talk):
    tab.goto(at(talk, "model=trees&text=the/DET+dog/NOUN&tagger=&confidence=1"))
    tab.wait_for_selector(".relation")
    assert all("%" in text for text in tab.locator(".relation").all_text_contents())
    assert "is the root" in tab.text_content("#said")


def test_labels_are_said_in_words(tab, talk):
    tab.goto(at(talk, "model=tags&text=the+dog"))
    tab.wait_for_selector(".output .tag")
    labels = talk.predict(model="tags", tokens=["the", "dog"])[1]["sentences"][0]["labels"]
    assert tab.text_content("#said") == f"tags: the, {labels[0]}; dog, {labels[1]}."


def test_what_does_not_go_together_is_left_out_with_a_note(tab, talk):
    """Confidence of a beam knows no constraints, and lists need exact search."""
    tab.goto(at(talk, 'model=both&text=the+dog&confidence=1&try=1&rule=at_most(1,"NP")'))
    tab.wait_for_selector(".output .tag")
    assert "no confidence here" in tab.inner_text(".summary")
    tab.goto(at(talk, "model=words&text=the+dog&nbest=1&beam=2"))
    tab.reload()
    tab.wait_for_selector(".output .word")
    until(lambda: "no list of the best outputs" in tab.inner_text(".summary"), 20)
