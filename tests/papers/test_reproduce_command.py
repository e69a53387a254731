"""Every reproduction runs in --quick, as table, JSON and plot; what cannot be run is refused before anything is trained."""

import json
import runpy
import sys
from functools import cache
from pathlib import Path

import pytest

from checks import refused
from papers.lists import english
from papers.record import CLONE, record
from papers.run import Plan, trainings
from papers.run import run as run_rows
from riata import registry
from riata.errors import DataError
from riata.measuring import provenance as log
from riata.measuring.provenance import commit, find_papers
from samples import for_each, some_slow

NAMES = registry.names("reproduction")
LONG = {"laso-table1", "laso-table2", "laso-updates"}  # seconds
EVERY_ONE = pytest.mark.parametrize("name", some_slow(NAMES, LONG))
TIMES = {"seconds_train", "seconds_decode", "seconds_cell"}
SHAPE = {
    "reproduction", "title", "paper", "task", "quick", "data", "scored", "sentences_train", "sentences_scored",
    "epochs", "seeds", "interval",
    "columns", "rows", "budgets", "cells", "claims", "remarks", "version", "commit", "date", "cpu", "python",
}  # fmt: skip


def scores(found):
    return {
        row["row"]: {key: number for key, number in row["ours"].items() if key not in TIMES}
        for row in found["rows"]
        if row["run"]
    }


@cache
def once(name):
    steps = []
    return run_rows(registry.get("reproduction", name), Plan(quick=True), steps.append), steps


@pytest.fixture
def trained_once(monkeypatch):
    """Rows are trained once, not for every way to show them."""

    def told(reproduction, plan, watch, cells):
        outcome, steps = once(reproduction.name)
        for step in steps:
            watch(step)
        return outcome

    monkeypatch.setattr("papers.run.run", told)


@EVERY_ONE
def test_it_runs_in_quick_and_prints_one_object(run, trained_once, name):
    code, out, err = run("reproduce", name, "--quick", "--json")
    assert code == 0, err
    assert out.count("\n") == 1
    found = json.loads(out)
    reproduction = registry.get("reproduction", name)
    assert set(found) == SHAPE
    data = "embedded" if reproduction.task.data else "made up"
    assert (found["reproduction"], found["data"], found["quick"], found["seeds"]) == (name, data, True, [0])
    assert [row["row"] for row in found["rows"]] == [row.name for row in reproduction.rows]
    for row, declared in zip(found["rows"], reproduction.rows, strict=True):
        assert set(row) == {"row", "run", "setting", "ours", "paper", "note"}
        assert row["run"] == (declared.setting is not None) == (row["ours"] is not None)
        assert row["paper"] == declared.paper
        assert row["run"] or row["note"], "what is not run says why"
        for number in (row["ours"] or {}).values():
            assert set(number) == {"mean", "low", "high", "values"}
            assert number["values"] == [number["mean"]]
    assert all(set(found["columns"]) <= set(row["ours"]) for row in found["rows"] if row["run"])
    assert [claim["claim"] for claim in found["claims"]] == [claim.text for claim in reproduction.claims]
    assert all(claim["verdict"] in {"not judged", "not measured"} and claim["said"] for claim in found["claims"])
    assert err.count("seed 0: ") == len(trainings(reproduction, Plan(quick=True)))


@EVERY_ONE
def test_the_table_has_the_papers_figures_and_the_claims_in_words_and_the_picture_is_drawn(
    run, trained_once, name, tmp_path, monkeypatch
):
    pytest.importorskip("matplotlib")
    monkeypatch.setenv("COLUMNS", "80")  # nothing is cut at the usual width of a terminal
    out = run.ok("reproduce", name, "--quick", "--plot", tmp_path / "p.svg")
    reproduction = registry.get("reproduction", name)
    drawn = (tmp_path / "p.svg").read_text(encoding="utf-8")
    assert "<svg" in drawn
    panels = reproduction.picture == "panels"
    names = [part for row in reproduction.rows for part in (row.name.split(": ") if panels else [row.name])]
    assert all(f"<!-- {name} -->" in drawn for name in names)
    lines = out.splitlines()
    at = next(i for i, line in enumerate(lines) if "───" in line)
    for row in reproduction.rows:  # in their order; long names are broken into lines
        at = next(i for i, line in enumerate(lines) if i > at and line.split()[:1] == row.name.split()[:1])
        for figures in row.paper.values():
            shown = [column.show_paper(figures[column.key]) for column in reproduction.columns if column.key in figures]
            words = {word for text in shown for word in text.split()}
            assert any(words <= set(line.split()) for line in lines[at + 1 : at + 5]), row.name
    assert "…" not in out
    assert all(claim.text in out for claim in reproduction.claims)
    assert all(remark in out for remark in reproduction.remarks)
    assert "proves nothing" in out and "cannot judge" in out
    assert not any(verdict in out for verdict in ("held", "did not hold", "cannot be told here"))
    assert out.count("Budget: at most ") >= 1


def test_threads_change_no_score_and_seeds_are_averaged(run):
    arguments = ("reproduce", "laso-alpha", "--quick", "--json", "--seeds", 2, "--epochs", 1)
    one, two = (json.loads(run(*arguments, "--threads", threads)[1]) for threads in (1, 2))
    assert scores(one) == scores(two)
    assert one["interval"].startswith("95 %, over 2 seeds (Student's t) and sentences")
    f1 = scores(one)["alpha 0.9"]["f1"]
    assert f1["mean"] == pytest.approx(sum(f1["values"]) / 2)
    assert f1["values"][0] != f1["values"][1]
    assert f1["low"] < f1["mean"] < f1["high"]


def test_final_trains_again_on_everything_and_scores_test_data(run):
    dev, test = (
        json.loads(run("reproduce", "laso-alpha", "--quick", "--json", "--epochs", 2, *more)[1])
        for more in ((), ("--final",))
    )
    assert (dev["scored"], test["scored"]) == ("dev", "test")
    assert (dev["sentences_train"], dev["sentences_scored"]) == (308, 44)  # one of eight documents is held out
    assert (test["sentences_train"], test["sentences_scored"]) == (352, 112)
    epochs = [{name: row["epoch"]["mean"] for name, row in scores(found).items()} for found in (dev, test)]
    assert epochs[0] == epochs[1], "test data choose nothing"
    assert scores(dev) != scores(test)


def test_rows_of_equal_settings_are_trained_once():
    reproduction = registry.get("reproduction", "laso-table1")
    names = [row.name for row, _ in trainings(reproduction, Plan(quick=True, seeds=1))]
    assert "PERCEPTRON" in names and "LASOP ∞" in names and "LASOP ∞, best" not in names and "ZDJ02" in names
    steady = {row.name for row in reproduction.rows if row.steady}
    assert len(trainings(reproduction, Plan(seeds=3))) == 3 * len(names) - 2 * len(steady & set(names))


def test_a_row_can_have_epochs_of_its_own():
    reproduction = registry.get("reproduction", "laso-table1")
    row = next(row for row in reproduction.rows if row.name == "SEMICRF")
    assert Plan().epochs_of(row, reproduction) == row.epochs > reproduction.epochs
    assert Plan(most=7).epochs_of(row, reproduction) == row.epochs
    assert Plan(most=7).epochs_of(reproduction.rows[-1], reproduction) == 7
    assert Plan(quick=True).epochs_of(row, reproduction) == reproduction.quick_epochs


def test_a_look_at_test_data_is_recorded(tmp_path):
    outcome, _ = once("laso-bound")
    path = tmp_path / "new" / "final.jsonl"
    for _ in range(2):
        record(outcome, path)
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert [line["contestant"] for line in lines] == ["LASOA 5", "LASOA 5, plain", "LASOA 5, ours"] * 2
    assert lines[0]["question"] == "reproduce laso-bound"
    assert lines[0]["metrics"]["updates"] == lines[0]["values"]["updates"][0] > 0
    assert lines[0]["version"] and lines[0]["commit"] == commit(CLONE) and lines[0]["date"]


def test_a_package_that_is_used_from_its_repository_knows_the_commit():
    """The module is run from the sources, wherever the tested package is installed."""
    sources = Path(__file__).parents[2] / "src" / "riata" / "measuring" / "provenance.py"
    found = runpy.run_path(str(sources))
    assert found["CHECKOUT"] == Path(__file__).parents[2]


def test_an_installed_package_logs_in_the_cache_and_knows_no_commit(tmp_path, monkeypatch):
    monkeypatch.setattr("riata.measuring.provenance.CHECKOUT", tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    from riata.measuring.provenance import about

    assert log.place() == tmp_path / "cache" / "riata" / "final.jsonl"
    assert about()["commit"] is None
    assert about()["version"]


def test_tables_are_found_from_a_clone_and_refused_elsewhere(run, tmp_path, monkeypatch):
    from riata.commands import pieces

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.prefix", str(tmp_path / "env"))
    monkeypatch.setattr(pieces, "_shown", pieces._shown.__wrapped__)
    kind = registry.KINDS.pop("reproduction")
    try:
        assert not find_papers()
        err = run.fails("reproduce", "laso-alpha", "--quick")
        assert "in a clone" in err
        out = run.ok("pieces")
        assert "laso-alpha" not in out
        monkeypatch.delitem(sys.modules, "papers")
        monkeypatch.chdir(CLONE / "docs")
        assert find_papers()
    finally:
        registry.KINDS["reproduction"] = kind


def test_final_on_real_data_is_logged_and_told(run, tmp_path, monkeypatch):
    """The embedded corpus stands in for CoNLL-2000, and small lists for those of $RIATA_DATA."""
    monkeypatch.setattr("papers.run.english", lambda quick: english(quick=True))
    monkeypatch.setattr("papers.record.FINAL", tmp_path / "final.jsonl")
    monkeypatch.setattr(Plan, "data", lambda self, of: "embedded")
    monkeypatch.setattr(Plan, "epochs", lambda self, of: 1)
    code, _, err = run("reproduce", "laso-alpha", "--final", "--json")
    assert code == 0
    assert f"commit {commit(CLONE)}" in err
    assert str(tmp_path / "final.jsonl") in err
    lines = (tmp_path / "final.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["contestant"] for line in lines][-1] == "perceptron"


# --- refusals --------------------------------------------------------------------------------------------------------
@pytest.fixture
def nowhere(tmp_path, monkeypatch):
    monkeypatch.delenv("RIATA_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path


def test_without_data_it_says_how_to_get_them(run, nowhere):
    err = run.refused("reproduce", "laso-table1")
    assert "'conll2000' is not here" in err
    assert "riata data fetch conll2000" in err and "--quick" in err


def test_an_unknown_name(run):
    err = run.refused("reproduce", "laso-table4", "--quick")
    assert "Unknown reproduction 'laso-table4'. Did you mean 'laso-table" in err
    assert all(name in err for name in NAMES)


def test_epochs_can_be_fewer_than_the_tables_own(run):
    found = json.loads(run("reproduce", "laso-alpha", "--quick", "--json", "--epochs", 1)[1])
    assert found["epochs"] == 1
    assert {row["epoch"]["mean"] for row in scores(found).values()} == {1}


@for_each(option=["--seeds", "--threads", "--epochs"], value=["0", "-1", "x", "1.5"])
def test_numbers_that_make_no_sense(run, option, value):
    err = run.refused("reproduce", "laso-alpha", "--quick", option, value)
    assert option in err


def test_the_bound_has_no_test_data(run):
    err = run.fails("reproduce", "laso-bound", "--final", "--quick")
    assert "measures training" in err and "--final" in err


@pytest.mark.parametrize(("file", "said"), [("p.pdf", ".svg or .png"), ("nowhere/p.svg", "folder does not exist")])
def test_a_picture_that_cannot_be_drawn_is_refused_before_training(run, file, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    err = run.refused("reproduce", "laso-alpha", "--quick", "--plot", file)
    assert said in err and "seed 0" not in err


def test_without_matplotlib_a_picture_is_refused_with_the_remedy(run, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    err = run.refused("reproduce", "laso-alpha", "--quick", "--plot", tmp_path / "p.svg")
    assert "matplotlib" in err and "pip install matplotlib" in err and "seed 0" not in err


@pytest.mark.parametrize("threads", [1, 2])
def test_ctrl_c_ends_it_with_130(run, monkeypatch, threads):
    """And soon: nothing is trained to its end after it."""
    told = []

    def interrupt(self, text, *, done):
        told.append(done)
        if ": epoch 2" in text:
            raise KeyboardInterrupt

    monkeypatch.setattr("riata.commands.console.StepsProgress.tell", interrupt)
    code, out, err = run("reproduce", "laso-table1", "--quick", "--threads", threads)
    assert (code, out) == (130, ""), err
    assert told and not any(told)


def test_what_goes_wrong_in_a_thread_is_told(monkeypatch):
    def fails(split):
        raise DataError("nothing to score")

    reproduction = registry.get("reproduction", "laso-alpha")
    monkeypatch.setattr("papers.run._Clock.seconds", lambda self, epoch: fails(None))
    refused(DataError, "nothing to score", run_rows, reproduction, Plan(quick=True, threads=2), lambda step: None)
