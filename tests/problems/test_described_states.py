"""A problem that describes its states: its words stand in traces, texts, explanations and pages."""

import json

import pytest

import riata
from checks import refused
from packed_pages import data_of, trace_of
from python_problems import TAGS, WORDS, Keyed, Tagging


class Described(Tagging):
    def describe(self, x, s):
        return f"{x[: len(s)]}|{x[len(s) :]} as {''.join(s) or 'nothing'}"


@pytest.fixture(scope="module")
def model():
    return riata.Predictor(Described(), beam=2, epochs=3).fit(WORDS, TAGS)


def states(trace):
    return {trace.path(i): node.state for i, node in enumerate(trace.nodes)}


@pytest.mark.parametrize("truth", [(), (["C", "V", "C"],)])
def test_every_node_has_its_state_in_words(model, truth):
    found = states(model.trace("tap", *truth))
    assert found[()] == "|tap as nothing"
    assert all(words == Described().describe("tap", path) for path, words in found.items())


def test_a_trace_with_words_comes_back_from_json(model):
    trace = model.trace("tap", ["C", "V", "C"], features=True)
    assert riata.Trace.from_dict(json.loads(json.dumps(trace.to_dict()))) == trace
    old = trace.to_dict()
    for node in old["nodes"]:
        del node["state"]
    assert {node.state for node in riata.Trace.from_dict(old).nodes} == {None}


def test_the_text_shows_the_states_of_every_front(model):
    text = str(model.trace("tap", ["C", "V", "C"]))
    assert "      * |tap as nothing\n" in text
    assert "      * tap| as CVC\n" in text
    assert str(model.explain("tap")).count("|tap as nothing") == 1


def test_the_page_holds_the_words(model):
    trace = model.trace("tap", ["C", "V", "C"])
    read = trace_of(data_of(trace.to_html()))
    assert [node["state"] for node in read["nodes"]] == [node.state for node in trace.nodes]


def test_without_the_method_nothing_is_said():
    plain = riata.Predictor(Tagging(), beam=2, epochs=3).fit(WORDS, TAGS).trace("tap")
    assert {node.state for node in plain.nodes} == {None}
    assert "state" not in data_of(plain.to_html())["trace"]["nodes"]


def test_what_describe_raises_comes_through_and_other_values_become_texts():
    problem = Keyed()
    model = riata.Predictor(problem, epochs=1).fit(["x"], [["A"]])
    problem.describe = lambda x, s: 7
    assert model.trace("x").nodes[0].state == "7"
    problem.describe = lambda x, s: 1 / 0
    refused(ZeroDivisionError, "", model.trace, "x")
