"""riata explain: which sentence, in the terminal, as a page and as JSON; bad input."""

import json

import pytest

import riata
from riata import Chunker, JointTagger
from riata.commands.explain import FOUND
from riata.scoring.search_errors import FAULTS
from samples import as_text, for_rows


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """A folder with models of every structure, and data to explain."""
    folder = tmp_path_factory.mktemp("models")
    train, test = riata.load("embedded", "train")[:80], riata.load("embedded", "test")[:30]
    riata.write_columns(test, folder / "test.txt")
    riata.write_columns(test.select([0, 1]), folder / "plain.txt")
    made = {
        "segments": Chunker("laso-alma", beam=2, epochs=2),
        "chain": Chunker("early", structure="chain", beam=1, epochs=1),
        "greedy": Chunker("laso-perceptron", beam=1, epochs=1, template="laso2005"),
        "exact": Chunker(epochs=1),
        "joint": JointTagger(beam=2, epochs=1),
    }
    for name, estimator in made.items():
        estimator.fit(train).save(folder / f"{name}.riata")
    return folder


@pytest.fixture
def here(models, monkeypatch):
    monkeypatch.chdir(models)
    return models


@pytest.mark.parametrize("model", ["segments", "chain", "exact", "joint"])
def test_every_structure_is_explained(here, run, model, tmp_path):
    out = run.silent("explain", "--model", f"{model}.riata", "--top", "3", "test.txt")
    assert "error" in out
    assert "sum" in out
    page = tmp_path / "why.html"
    status, out, err = run("explain", "--model", f"{model}.riata", "--html", str(page), "test.txt")
    assert (status, out) == (0, "")
    assert str(page) in err
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")


def explained(run, *arguments):
    out = run.ok("explain", "--json", *arguments)
    return json.loads(out)


def test_sentences_are_found_by_what_is_wrong_with_them(here, run):
    seen = set()
    for model in ("chain.riata", "greedy.riata"):
        errors = riata.load_model(model).search_errors(riata.read_columns("test.txt"))
        lucky = [fault == "right" and missed for fault, missed in zip(errors.of, errors.missed, strict=True)]
        fits = {kind: [fault == kind for fault in errors.of] for kind in ("right", *FAULTS)} | {"lucky": lucky}
        assert {*FOUND} == {"wrong", *fits}
        for kind, which in fits.items():
            if True not in which:
                err = run.fails("explain", "--model", model, "--sentence", kind, "test.txt")
                assert f"no sentence is '{kind}' here" in err
                continue
            found = explained(run, "--model", model, "--sentence", kind, "test.txt")
            assert found["sentence"] == 1 + which.index(True)
            assert found["fault"] == ("right" if kind == "lucky" else kind)
            assert found["kind"] == kind or (kind, found["kind"]) == ("right", "lucky")
            assert (found["best"] is not None) == (errors.missed[which.index(True)] is True)
            seen.add(kind)
    assert seen >= {"both", "model", "right", "lucky"}


def test_the_first_wrong_one_is_explained(here, run):
    faults = riata.load_model("segments.riata").search_errors(riata.read_columns("test.txt")).of
    first = next(i for i, fault in enumerate(faults) if fault != "right")
    found = explained(run, "--model", "segments.riata", "test.txt")
    assert found["sentence"] == first + 1
    assert found["decision"]["difference"] == pytest.approx(
        sum(f["value"] * f["weight"] for f in found["decision"]["contributions"])
    )


def test_without_gold_labels_it_is_the_first(here, run):
    found = explained(run, "--model", "segments.riata", "plain.txt")
    assert (found["sentence"], found["fault"], found["truth"]) == (1, None, None)
    assert found["decision"]["other"]["name"] == "runner-up"
    err = run.fails("explain", "--model", "segments.riata", "--sentence", "wrong", "plain.txt")
    assert "gold" in err


def test_labels_may_be_typed(here, run):
    tokens = riata.read_columns("test.txt")[:1].tokens
    found = explained(
        run, "--model", "chain.riata", "--sentence", "1", "--against", " ".join(["O"] * tokens), "test.txt"
    )
    assert found["decision"]["other"]["labels"] == ["O"] * tokens
    pairs = " ".join(["NN/O"] * tokens)
    found = explained(run, "--model", "joint.riata", "--sentence", "1", "--against", pairs, "test.txt")
    assert found["decision"]["other"]["labels"] == [["NN", "O"]] * tokens
    for typed in ("O O", pairs.replace("NN/O", "NN", 1)):
        run.fails("explain", "--model", "joint.riata", "--sentence", "1", "--against", typed, "test.txt")


def test_another_beam_and_training(here, run):
    found = explained(run, "--model", "segments.riata", "--beam", "1", "--sentence", "2", "test.txt")
    assert found["trace"]["beam"] == 1
    corpus = riata.read_columns("test.txt")
    greedy = riata.load_model("segments.riata").set_params(beam=1)
    assert found["decision"]["chosen"]["labels"] == greedy.predict(corpus[1:2])[0]
    trained = explained(run, "--model", "segments.riata", "--beam", "1", "--training", "test.txt")
    assert any(step["restart"] for step in trained["trace"]["steps"])


@for_rows(
    "arguments, said",
    (["--sentence", "0"], "from 1 to 30"),
    (["--sentence", "31"], "from 1 to 30"),
    (["--sentence", "worst"], "wrong, search"),
    (["--beam", "0"], "--beam"),
    (["--html", "missing/why.html"], "folder"),
    (["--html", "."], "folder"),
)
def test_wrong_usage(here, run, arguments, said):
    err = run.refused("explain", "--model", "chain.riata", *arguments, "test.txt")
    assert said in err


def test_files_that_cannot_be_explained(here, run):
    (here / "empty.txt").write_text("", encoding="utf-8")
    (here / "narrow.txt").write_text(as_text([[("a",), ("b",)]]), encoding="utf-8")
    for file in ("empty.txt", "narrow.txt", "missing.txt"):
        err = run.refused("explain", "--model", "chain.riata", file)
        assert file in err
