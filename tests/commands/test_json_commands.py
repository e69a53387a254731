"""JSON lines on the command line: told by name or --format, and every object that goes in comes out."""

import io
import json
import sys

import pytest

import riata
from riata import EntityRecognizer
from samples import embedded, for_each, for_rows


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    folder = tmp_path_factory.mktemp("json")
    for split in ("train", "test"):
        corpus = embedded(("word", "tag", "entity"), split)
        riata.write_jsonl(corpus, folder / f"{split}.jsonl", names=("tokens", "pos", "ner_tags"))
        words = corpus.select([0, 2])
        riata.write_jsonl(words, folder / f"{split}.spans.jsonl", spans=True)
        riata.write_columns(words, folder / f"{split}.txt")
    EntityRecognizer(epochs=3).fit(riata.read_jsonl(folder / "train.jsonl")).save(folder / "two.riata")
    EntityRecognizer(epochs=3).fit(riata.read_jsonl(folder / "train.spans.jsonl")).save(folder / "text.riata")
    EntityRecognizer(epochs=3).fit(riata.read_columns(folder / "train.txt")).save(folder / "columns.riata")
    return folder


@pytest.fixture(autouse=True)
def folder(trained, monkeypatch):
    monkeypatch.chdir(trained)
    return trained


def typed(monkeypatch, *objects):
    text = "".join(f"{each if isinstance(each, str) else json.dumps(each)}\n" for each in objects)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))


def lines(out):
    return [json.loads(line) for line in out.splitlines()]


def test_all_formats_give_the_same_model(run, folder):
    figures = []
    for train, test in (("train.spans.jsonl", "test.spans.jsonl"), ("train.txt", "test.txt")):
        assert run("train", "ner", "--train", train, "--epochs", "3", "--model", "m.riata")[0] == 0
        out = run.ok("evaluate", "--model", "m.riata", test, "--json")
        figures.append(json.loads(out)["metrics"])
    assert figures[0] == figures[1]
    assert run("train", "ner", "--train", "train.jsonl", "--stream", "--epochs", "1", "--model", "s.riata")[0] == 0


@for_each(model=["two.riata", "text.riata", "columns.riata"], verb=["explain", "errors", "calibrate"])
def test_commands_that_read_data_read_json_lines(run, verb, model):
    more = ["--output", "c.riata"] if verb == "calibrate" else []
    file = "test.jsonl" if model == "two.riata" else "test.spans.jsonl"
    run.ok(verb, "--model", model, file, *more)


def test_columns_are_told_by_their_names_in_any_order(run, monkeypatch):
    plain = {"tokens": ["She", "lives", "in", "Harwick"], "pos": ["PRP", "VBZ", "IN", "NNP"]}
    other = {"id": 3, "shape": ["x"] * 4, "ner_tags": [7, 7, 7, 7], "pos": plain["pos"], "tokens": plain["tokens"]}
    typed(monkeypatch, plain, other)
    out = run.ok("predict", "--model", "two.riata")
    first, second = lines(out)
    assert first == {**plain, "ner_tags": second["ner_tags"]}
    assert set(second) == set(other)
    assert second["ner_tags"][3] == "B-LOC"
    typed(monkeypatch, {"tokens": ["She"]})
    err = run.fails("predict", "--model", "two.riata")
    assert "<standard input>:1: there are no values for each token in 'pos', which the model reads" in err


def test_scores_are_the_same_where_the_file_has_more_columns(run, folder):
    first = json.loads(run("evaluate", "--model", "two.riata", "test.jsonl", "--json")[1])["metrics"]
    with open("test.jsonl") as file, open("more.jsonl", "w") as more:
        for line in file:
            fields = json.loads(line)
            more.write(json.dumps({"shape": ["x"] * len(fields["tokens"]), **dict(reversed(fields.items()))}) + "\n")
    assert json.loads(run("evaluate", "--model", "two.riata", "more.jsonl", "--json")[1])["metrics"] == first
    assert riata.load_model("two.riata").score(riata.read_jsonl("more.jsonl")) * 100 == pytest.approx(first["f1"])


def test_text_comes_out_with_spans_and_all_other_keys(run, monkeypatch):
    text = "\U0001f44b She lives in Harwick."
    given = [{"text": text, "meta": {"source": ["a"]}, "answer": "reject", "spans": [[0, 1, "X"]]}, {"text": ""}]
    typed(monkeypatch, *given)
    out = run.ok("predict", "--model", "text.riata", "--threads", "2")
    first, second = lines(out)
    assert {**first, "spans": given[0]["spans"]} == given[0]
    (span,) = first["spans"]
    assert (text[span["start"] : span["end"]], span["label"]) == ("Harwick", "LOC")
    assert second == {"text": "", "spans": []}


def test_running_text_becomes_objects(run, monkeypatch):
    for model in ("text.riata", "columns.riata"):
        typed(monkeypatch, "She lives in Harwick.", "", "Why?")
        out = run.ok("predict", "--model", model, "--text", "--format", "jsonl", "--confidence")
        first, second = lines(out)
        (span,) = first["spans"]
        assert (span["start"], span["end"], span["label"]) == (13, 20, "LOC")
        assert 0 < span["confidence"] <= 1
        assert second == {"text": "Why?", "spans": []}


def test_lists_of_the_best_are_objects_with_ranks(run, monkeypatch):
    typed(monkeypatch, {"tokens": ["She", "left"], "id": 4})
    out = run.ok("predict", "--model", "columns.riata", "--format", "jsonl", "--nbest", "2", "--confidence")
    found = lines(out)
    assert [each["rank"] for each in found] == [0, 1]
    assert found[0]["score"] >= found[1]["score"]
    assert all(0 < each["probability"] <= 1 and each["id"] == 4 and len(each["tags"]) == 2 for each in found)


def test_labels_have_confidences_beside_them(run, monkeypatch):
    typed(monkeypatch, {"tokens": ["She", "left"]}, {"tokens": []})
    out = run.ok("predict", "--model", "columns.riata", "--format", "jsonl", "--confidence")
    first, second = lines(out)
    assert len(first["confidence"]) == 2
    assert second == {"tokens": [], "tags": [], "confidence": []}


def test_two_files_are_compared(run, monkeypatch, folder):
    out = run.ok("predict", "--model", "text.riata", "test.spans.jsonl")
    (folder / "found.jsonl").write_text(out, encoding="utf-8")
    out = run.ok("evaluate", "--gold", "test.spans.jsonl", "--predicted", "found.jsonl", "--json")
    by_model = json.loads(run("evaluate", "--model", "text.riata", "test.spans.jsonl", "--json")[1])
    assert json.loads(out)["metrics"] == by_model["metrics"]


def test_python_reads_the_same_files(folder):
    model = riata.load_model("text.riata")
    model.predict_file("test.spans.jsonl", "out.jsonl.gz")
    assert riata.read_jsonl("out.jsonl.gz").sentences_of(1) == model.predict(riata.read_jsonl("test.spans.jsonl"))


@for_rows(
    "arguments, said",
    (["predict", "--model", "two.riata", "bad.jsonl"], "bad.jsonl:2: this is no JSON"),
    (["train", "ner", "--train", "bad.jsonl", "--model", "x.riata"], "bad.jsonl:2: this is no JSON"),
    (["train", "ner", "--train", "train.jsonl", "--outputs", "tags", "--model", "x.riata"], "Unknown column 'tags'"),
    (["train", "ner", "--train", "words.jsonl", "--model", "x.riata"], "words.jsonl: the objects have tokens and 0 lists of labels"),
    (["train", "joint", "--train", "test.spans.jsonl", "--model", "x.riata"], "1 list of labels; expected 2"),
    (["train", "parse", "--train", "train.jsonl", "--model", "x.riata"], "Unknown column 'heads'"),
    (["train", "ner", "--train", "train.jsonl", "--misaligned", "keep", "--model", "x.riata"], "value of misaligned 'keep'"),
    (["train", "ner", "--train", "train.txt", "--misaligned", "drop", "--model", "x.riata"], "mean nothing for files of columns"),
    (["predict", "--model", "columns.riata", "--text", "--format", "conllu", "train.txt"], "running text has no columns"),
    (["predict", "--model", "two.riata", "texts.jsonl"], "texts.jsonl:1: there are no values for each token in 'pos'"),
)  # fmt: skip
def test_what_cannot_be_read_is_refused(run, folder, arguments, said):
    (folder / "bad.jsonl").write_text('{"tokens": ["a"], "pos": ["X"], "ner_tags": ["O"]}\n{"tokens": \n')
    (folder / "words.jsonl").write_text('{"tokens": ["a"]}\n')
    (folder / "texts.jsonl").write_text('{"text": "a"}\n')
    err = run.fails(*arguments)
    assert said in err
    assert "Traceback" not in err


def test_trees_go_in_and_out(run, monkeypatch, folder):
    tree = {"tokens": ["the", "dog"], "upos": ["DET", "NOUN"], "heads": [2, 0], "deprels": ["det", "root"]}
    (folder / "trees.jsonl").write_text(f"{json.dumps(tree)}\n" * 20)
    run.ok("train", "parse", "--train", "trees.jsonl", "--epochs", "2", "--model", "parser.riata")
    typed(monkeypatch, {"tokens": ["the", "dog"]}, {"text": "the dog"})
    out = run.ok("predict", "--model", "parser.riata", "--format", "jsonl")
    first, second = lines(out)
    assert (first["heads"], first["deprels"]) == (tree["heads"], tree["deprels"])
    assert second["heads"] == tree["heads"]
    assert second["tokens"][1] == {"text": "dog", "start": 4, "end": 7, "id": 1}
