"""What notebooks show: predictions, estimators and evaluations, with everything escaped; and predictions are still lists."""

import copy
import json
import pickle
import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

import riata
from python_problems import Tagging
from riata import Chunker, JointTagger, Predictor, Tagger
from riata.data.types import Span
from riata.estimators.facts import facts_of
from riata.estimators.model_file import to_bytes
from riata.estimators.predictions import Predictions
from riata.models.weights_by_name import by_name
from riata.showing.sentences import ShownSentence
from riata.showing.table import SignedNumber, Table
from samples import CHUNKS, FEATURES, INPUTS, TAGS, WORDS, chunker, embedded, feature_tagger, segment_chunker, tagger

NASTY = ["<script>alert(1)</script>", "&amp;", "'\"><b>", "漢字", "\u202e", "a\nb"]


def parsed(html):
    """The view as a tree, which refuses what is not closed or escaped."""
    return ElementTree.fromstring(html.replace("<br>", "<br/>").replace("\x00", ""))


def words_of(tree):
    """The words of each sentence, without tags and types."""
    for sentence in tree.iter("div"):
        if sentence.get("class") == "s":
            for small in [e for e in sentence.iter() if e.tag in ("small", "b")]:
                small.text = ""
            yield "".join(sentence.itertext()).split()


@pytest.fixture(scope="module")
def joint():
    return JointTagger(epochs=2, beam=2).fit(CHUNKS)


# --- predictions --------------------------------------------------------------------------------------------------------
def every_kind(joint):
    corpus = riata.data.memory.as_corpus(CHUNKS)
    yield chunker(), INPUTS
    yield chunker(), CHUNKS
    yield chunker(), corpus
    yield chunker(), tuple(INPUTS)
    yield segment_chunker(), INPUTS
    yield tagger(), WORDS
    yield joint, WORDS
    yield feature_tagger(), FEATURES


def test_predictions_are_lists_in_every_way(joint):
    for model, data in every_kind(joint):
        found = model.predict(data)
        plain = [list(labels) for labels in found]
        assert isinstance(found, Predictions) and found == plain and plain == found
        assert repr(found) == repr(plain) and json.dumps(found) == json.dumps(plain)
        for again in (pickle.loads(pickle.dumps(found)), copy.copy(found), copy.deepcopy(found)):
            assert isinstance(again, Predictions) and again == plain
            assert again._repr_html_() == found._repr_html_()
        assert type(found[:1]) is list
        assert model.score(data, found) == 1


def test_words_of_all_sentences_are_shown_with_their_labels(joint):
    for model, data in every_kind(joint):
        found = model.predict(data)
        html = found._repr_html_()
        tree = parsed(html)
        expected = WORDS if data is not FEATURES else [[token["word"] for token in s] for s in FEATURES]
        assert list(words_of(parsed(html))) == expected
        tags = [e.text for e in tree.iter("small")]
        types = [e.text for e in tree.iter("b")]
        if model is joint:
            assert tags == [tag for s in found for tag, _ in s]
        elif not model.chunks:
            assert tags == [tag for s in found for tag in s] and types == []
        if model.chunks:
            chunks = [[c for _, c in s] for s in found] if model is joint else found
            assert types == [span.type for s in chunks for span in riata.scoring.spans_of(s)]


def test_the_words_are_those_that_the_model_reads():
    data = [[(tag, word) for word, tag, _ in sentence] for sentence in CHUNKS]
    corpus = riata.data.memory.as_corpus([[(*row, "x") for row in sentence] for sentence in data]).select([1, 2])
    model = Tagger(epochs=1).fit(corpus)
    shown = model.predict(riata.data.memory.as_corpus(data))
    assert list(words_of(parsed(shown._repr_html_()))) == WORDS


def test_much_is_cut_and_nothing_is_shown_of_nothing():
    model = tagger()
    html = model.predict(WORDS * 10)._repr_html_()
    assert len(list(words_of(parsed(html)))) == 20 and "… and 20 more sentences" in html
    assert "… and 1 more sentence<" in model.predict(WORDS * 5 + WORDS[:1])._repr_html_()
    (words,) = words_of(parsed(model.predict([["a"] * 5000])._repr_html_()))
    assert words == ["a"] * 300 + ["…"]
    for empty in ([], [[]], [[], []]):
        found = model.predict(empty)
        assert found == empty and isinstance(found, Predictions)
        parsed(found._repr_html_())
    parsed(Predictions([["X"]])._repr_html_())  # made by hand


def test_a_list_that_was_changed_is_still_shown():
    found = tagger().predict(WORDS)
    found.append(["X"])
    found[0] = ["Y"]
    parsed(found._repr_html_())


def test_arrays_are_shown_by_the_number_of_a_token():
    arrays = [np.ones((3, 2)), np.zeros((2, 2))]
    model = Tagger(epochs=1).fit(arrays, [["a", "b", "a"], ["b", "a"]])
    assert list(words_of(parsed(model.predict(arrays)._repr_html_()))) == [["[0]", "[1]", "[2]"], ["[0]", "[1]"]]


def test_everything_is_escaped():
    data = [[(word, f"<{i}>", "B-<i>") for i, word in enumerate(NASTY)]]
    model = Chunker(epochs=1).fit(data)
    for thing in (model.predict(data), model, model.evaluate(data), model.errors(data), Chunker(template="<b>")):
        parsed(thing._repr_html_())
    assert "<script>" not in model.predict(data)._repr_html_()
    shown = ShownSentence(NASTY, [*NASTY[:-1], None], [Span(0, 2, "<X>")], {0}, {Span(0, 2, "<X>")})
    assert "&lt;X&gt;" in shown.to_html() and "<script>" not in shown.to_html()
    parsed(f"<div>{shown.to_html()}</div>")


def test_brackets_and_marks_of_the_terminal():
    shown = ShownSentence(["a", "b", "c"], ["X", None, "Z"], [Span(0, 2, "T"), Span(2, 3, "U")], {2}, {Span(0, 2, "T")})
    assert str(shown) == "*[T a/X b] [U *c/Z]"


# --- tables -------------------------------------------------------------------------------------------------------------
def test_a_table_holds_its_cells():
    table = Table(
        "<t>", ("name", "n", "x"), [("<a>", 1234, SignedNumber(0.5)), ("b", None, 2.0)], "one\ntwo", ("all", 1, 2.5)
    )
    tree = parsed(f"<div>{table.to_html()}</div>")
    assert [cell.text for cell in tree.iter("td")] == ["<a>", "1,234", "+0.50", "b", "–", "2.00", "all", "1", "2.50"]
    assert [cell.get("class") for cell in tree.iter("th")] == [None, "n", "n"]


# --- estimators and evaluations -----------------------------------------------------------------------------------------
def test_a_trained_estimator_shows_its_facts(joint):
    for model in (chunker(), segment_chunker(), joint, tagger(), feature_tagger()):
        tree = parsed(model._repr_html_())
        cells = [cell.text for cell in tree.iter("td")]
        facts = dict(zip(cells[::2], cells[1::2], strict=True))
        assert facts["task"] == model.task_name and facts["structure"] == model.model_.structure
        assert facts["weights"] == f"{by_name(model.model_).count():,}"
        assert facts["model mb"] == str(round(len(to_bytes(model)) / 1e6, 3))
        assert facts["training: sentences"] == str(model.facts_["sentences"])


def test_an_untrained_one_shows_its_parameters_the_changed_ones_first():
    tree = parsed(Chunker("mira", seeds=3)._repr_html_())
    rows = [[cell.text for cell in row.iter("td")] for row in tree.iter("tr")][1:]
    assert rows[:2] == [["recipe", "'mira'", "None"], ["seeds", "3", "1"]]
    assert len(rows) == len(Chunker().get_params())
    assert [row[0] for row in rows[2:]] == [n for n in Chunker().get_params() if n not in ("recipe", "seeds")]


def test_predictors_show_themselves():
    predictor = Predictor(Tagging(), epochs=2)
    assert "not trained" in predictor._repr_html_()
    parsed(predictor._repr_html_())
    html = predictor.fit([["a", "b"]], [["V", "C"]])._repr_html_()
    cells = [cell.text for cell in parsed(html).iter("td")]
    facts = dict(zip(cells[::2], cells[1::2], strict=True))
    assert facts["problem"] == "Tagging" and facts["weights"] == str(len(predictor.weights()))


def test_an_evaluation_shows_its_report(joint):
    for model, data in ((chunker(), CHUNKS), (tagger(), [[t[:2] for t in s] for s in CHUNKS]), (joint, CHUNKS)):
        evaluation = model.evaluate(data)
        html = evaluation._repr_html_()
        rows = [[cell.text for cell in row.iter("td")] for row in parsed(html).iter("tr")][1:]
        for row in evaluation.report.rows:
            assert [row.type, f"{row.precision:.2f}", f"{row.recall:.2f}"] in [cells[:3] for cells in rows]
        assert "95 % interval" in html
        for name, value in evaluation.more.items():
            assert f"{name.replace('_', ' ')} {value:.2f}" in html


def test_scikit_learn_shows_estimators_inside_its_own():
    sklearn = pytest.importorskip("sklearn")
    from sklearn.model_selection import GridSearchCV

    search = GridSearchCV(Tagger(epochs=1), {"epochs": [1]})
    assert "Tagger" in sklearn.utils.estimator_html_repr(search)


def test_facts_are_those_of_inspect(tmp_path, run, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Chunker(epochs=1, dev=0.3).fit(embedded()[:20]).save("m.riata")
    model = riata.load_model("m.riata")
    shown = json.loads(run("inspect", "m.riata", "--json")[1])
    facts = facts_of(model, (tmp_path / "m.riata").stat().st_size)
    assert {name: shown[name] for name in facts} == json.loads(json.dumps(facts))
    assert re.search(r"training: best score</td><td[^>]*>\d", model._repr_html_())


# --- inspect --label ----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("kind", ["chain", "segments", "joint"])
def test_inspect_takes_labels_and_types_of_every_structure(tmp_path, run, monkeypatch, kind):
    monkeypatch.chdir(tmp_path)
    makers = {
        "chain": Chunker(epochs=1),
        "segments": Chunker("laso-alma", epochs=1, beam=2),
        "joint": JointTagger(epochs=1, beam=2),
    }
    makers[kind].fit(embedded()[:40]).save("m.riata")
    counts = riata.load_model("m.riata").facts_["label_counts"]
    out = run.ok("inspect", "m.riata", "--label", "B-NP", "--top", "20")
    assert f"{counts['B-NP']:,}" in out
    found = json.loads(run("inspect", "m.riata", "--label", "B-NP", "--top", "20", "--json")[1])
    assert list(found["heaviest"]) == ["B-NP"] and len(found["heaviest"]["B-NP"]) == 20
    by_type = json.loads(run("inspect", "m.riata", "--label", "NP", "--top", "20", "--json")[1])["heaviest"]
    assert set(by_type) == ({"NP"} if kind == "segments" else {"B-NP", "I-NP"})
    assert by_type["NP" if kind == "segments" else "B-NP"] == found["heaviest"]["B-NP"]
    for edge, _ in found["transitions"]:
        assert "B-NP" in edge.split(" -> ")
    if kind == "segments":
        assert f"{counts['B-NP'] + counts['I-NP']:,}" in run("inspect", "m.riata", "--label", "NP")[1]
    if kind == "joint":
        assert list(json.loads(run("inspect", "m.riata", "--label", "NN", "--json")[1])["heaviest"]) == ["NN"]
    err = run.fails("inspect", "m.riata", "--label", "B-XX")
    assert "Unknown label 'B-XX'" in err


def test_types_are_for_chunks_alone(tmp_path, run, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Tagger(epochs=1).fit(WORDS, [[f"x-{tag}" for tag in tags] for tags in TAGS]).save("m.riata")
    assert run("inspect", "m.riata", "--label", "x-NN")[0] == 0
    assert run("inspect", "m.riata", "--label", "NN")[0] == 2
