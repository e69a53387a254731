"""The playground as people use it: behind a proxy, with scripts from right to left, and with several settings at once."""

import pytest

from serving_help import until

HEBREW = "שלום עולם"
WAIT = 60_000  # milliseconds: the machine may be busy


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
