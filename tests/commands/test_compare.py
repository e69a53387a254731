"""riata compare: one table, one object, and going on after a kill without training anything twice."""

import json
import signal
import subprocess
import sys
import time

import pytest

import riata
from riata import Chunker, DependencyParser, JointTagger, RoleLabeler, Tagger
from riata.commands.console import TimeLeft
from riata.comparing.run import Processes
from samples import CHUNKS, LABELLERS, TAGS, WORDS, as_text, embedded, treebank

RIATA = [sys.executable, "-m", "riata"]
COMPARE = ["compare", "chunk", "--train", "train.txt", "--test", "test.txt", "--epochs", "2"]
RECIPES = ["--recipes", "perceptron,wide=early:beam=9,mira"]
FAULTS = ("search", "both", "model", "ties")  # of wrong sentences
TOP = {
    "task", "metric", "scored", "sentences", "resampled", "seeds", "baseline", "rows", "notes", "trainings", "work",
    "version", "commit", "date", "cpu", "python",
}  # fmt: skip
CONTRACT = [
    "task", "recipe", "structure", "seconds_train", "seconds_decode", "tokens", "peak_rss_mb", "weights", "model_mb", "metrics",
]  # fmt: skip
MORE = [
    "name", "status", "problem", "queue", "parameters", "trainings", "score", "interval", "scores", "spread", "errors", "difference",
    "p_value", "p_holm", "significant", "cpu_train", "cpu_decode", "seconds_prepare", "tokens_per_second",
]  # fmt: skip


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    """A cache for all tests, so that what one has trained the others find."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(autouse=True)
def folder(tmp_path, cache, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    riata.write_columns(embedded()[:60], tmp_path / "train.txt")
    riata.write_columns(embedded(split="test")[:40], tmp_path / "test.txt")
    return tmp_path


def cells(folder):
    return {path.name: path.stat().st_mtime_ns for path in folder.rglob("*.cell")}


def found(run, *arguments):
    out = run.ok(*arguments, "--json")
    assert out.count("\n") == 1
    return json.loads(out)


def test_one_object_with_the_keys_of_the_contract(run):
    facts = found(run, *COMPARE, *RECIPES)
    assert set(facts) == TOP
    assert [row["name"] for row in facts["rows"]] == ["perceptron", "wide", "mira"]
    for row in facts["rows"]:
        assert set(row) == {*CONTRACT, *MORE}
        assert row["status"] == "done" and row["trainings"] == 1
        assert row["peak_rss_mb"] > 0 and row["model_mb"] > 0 and row["weights"] > 0 and row["seconds_train"] > 0
        assert row["errors"]["wrong"] == sum(row["errors"][fault] or 0 for fault in FAULTS)
    assert facts["rows"][1]["parameters"] == {"beam": 9, "epochs": 2}
    assert (facts["task"], facts["metric"], facts["sentences"]) == ("chunk", "f1", 40)


def test_numbers_are_those_of_train_and_evaluate_and_of_evaluate_against(run, folder):
    rows = {row["name"]: row for row in found(run, *COMPARE, *RECIPES, "--baseline", "perceptron")["rows"]}
    train = ["train", "chunk", "--train", "train.txt", "--epochs", "2"]
    for recipe in ("perceptron", "mira"):
        assert run(*train, "--recipe", recipe, "--model", "m.riata")[0] == 0
        _, out, _ = run("evaluate", "--model", "m.riata", "test.txt", "--json")
        alone = json.loads(out)
        for key in ("metrics", "interval", "errors", "tokens", "weights", "model_mb", "structure"):
            assert rows[recipe][key] == alone[key], key
        _, out, _ = run("predict", "--model", "m.riata", "test.txt")
        (folder / f"{recipe}.txt").write_text(out, encoding="utf-8")
    _, out, _ = run(
        "evaluate", "--gold", "test.txt", "--predicted", "mira.txt", "--against", "perceptron.txt", "--json"
    )
    against = json.loads(out)["against"]
    assert (rows["mira"]["difference"], rows["mira"]["p_value"]) == (against["difference"], against["p_value"])


def test_the_table_and_markdown(run, folder):
    out = run.ok(*COMPARE, *RECIPES, "--markdown", "table.md")
    for words in ("F1", "95 %", "tokens/s", "peak MB", "wide", "Holm's correction for 2 tests", "Scored: test.txt, 40"):
        assert words in out
    markdown = (folder / "table.md").read_text(encoding="utf-8")
    assert markdown.startswith("|  | F1 | 95 % |")
    assert run(*COMPARE, *RECIPES, "--markdown", "-")[1] == markdown


def test_a_second_run_trains_nothing_and_a_fresh_one_everything(run, folder):
    arguments = [*COMPARE[:-1], "1", *RECIPES, "--work", "kept", "--jobs", "2"]
    first = found(run, *arguments)
    assert first["trainings"] == {"kept": 0, "trained": 3}
    before = cells(folder)
    second = found(run, *arguments)
    assert second["trainings"] == {"kept": 3, "trained": 0}
    assert cells(folder) == before and len(before) == 3
    assert second["rows"] == first["rows"]
    assert any("3 of 3 trainings were finished before" in note for note in second["notes"])
    path = folder / "kept" / next(iter(before))
    path.write_bytes(path.read_bytes()[:-7])
    third = found(run, *arguments)
    assert third["trainings"] == {"kept": 2, "trained": 1}
    assert any("1 damaged" in note and path.name in note for note in third["notes"])
    assert found(run, *arguments, "--fresh")["trainings"] == {"kept": 0, "trained": 3}
    scores = [[row["scores"] for row in facts["rows"]] for facts in (first, third)]
    assert scores[0] == scores[1]


def test_what_a_training_depends_on_makes_it_another(run, folder):
    """Data, parameters and files that parameters name; not the name of a row, nor who else is compared."""
    arguments = [*COMPARE[:-1], "1", "--work", "kept", "--template", "my.template"]
    (folder / "my.template").write_text("word[0]\nedge\n")
    assert found(run, *arguments, "--recipes", "perceptron")["trainings"] == {"kept": 0, "trained": 1}
    assert found(run, *arguments, "--recipes", "x=perceptron,y=perceptron")["trainings"] == {"kept": 2, "trained": 0}
    (folder / "my.template").write_text("word[0]\ntag[0]\nedge\n")
    assert found(run, *arguments, "--recipes", "perceptron")["trainings"] == {"kept": 0, "trained": 1}
    riata.write_columns(embedded()[:50], folder / "train.txt")
    assert found(run, *arguments, "--recipes", "perceptron")["trainings"] == {"kept": 0, "trained": 1}
    assert found(run, *arguments, "--recipes", "perceptron", "--seed", "1")["trainings"] == {"kept": 0, "trained": 1}


def until_some_are_finished(process, folder, least=2):
    end = time.monotonic() + 60
    while len(cells(folder)) < least:
        assert time.monotonic() < end and process.poll() is None
        time.sleep(0.01)


GRID = [*COMPARE[:4], "--epochs", "2", "--folds", "4", *RECIPES[:1], "perceptron,early", "--work", "kept"]


def test_killed_and_resumed_without_training_anything_twice(run, folder):
    process = subprocess.Popen([*RIATA, *GRID], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    until_some_are_finished(process, folder)
    process.kill()
    process.wait()
    before = cells(folder)
    assert 2 <= len(before) < 8
    facts = found(run, *GRID)
    assert facts["trainings"] == {"kept": len(before), "trained": 8 - len(before)}
    after = cells(folder)
    assert len(after) == 8 and before.items() <= after.items()
    status, _, err = run(*GRID)
    assert (status, err.count(": finished before")) == (0, 8)


def test_ctrl_c_keeps_what_is_finished(folder):
    long = [part.replace("early", "early:epochs=100000") for part in GRID]  # never over before the signal is there
    process = subprocess.Popen(
        [*RIATA, *long], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),  # as in a terminal
    )  # fmt: skip
    until_some_are_finished(process, folder, least=1)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "")
    assert f"{len(cells(folder))} of 8 trainings are done and kept in kept" in err and "Interrupted." in err


def test_folds_and_seeds(run):
    arguments = ["compare", "tag", "--data", "embedded", "--recipes", "perceptron", "--epochs", "1"]
    facts = found(run, *arguments, "--folds", "2", "--seeds", "2", "--seed", "3", "--jobs", "2")
    (row,) = facts["rows"]
    assert facts["seeds"] == [3, 4] and row["trainings"] == 4 and len(row["scores"]) == 2
    assert row["tokens"] == embedded().tokens
    assert "2 folds of embedded, 352 sentences dealt in whole documents at random with seed 3" in facts["scored"]


@pytest.mark.parametrize("task", [name for name, task in LABELLERS.items() if not task.estimator.trees])
def test_data_sets_by_name_and_every_task(run, task):
    """Those recipes that fit are trained on all but the last tenth, which is one document; the others are refused, and that is no error."""
    data, held_out = ("embedded-roles", 1) if task == "srl" else ("embedded", 44)
    facts = found(run, "compare", task, "--data", data, "--recipes", "early,perceptron", "--epochs", "1")
    assert facts["scored"] == f"the last {held_out} sentences of {data} train"
    assert [row["status"] for row in facts["rows"]] == ["done", "refused" if task == "joint" else "done"]


def test_final_scores_the_test_data(run):
    arguments = ["compare", "ner", "--data", "embedded", "--recipes", "perceptron", "--epochs", "1"]
    assert found(run, *arguments, "--final")["scored"] == "embedded test, 112 sentences"


def test_a_look_at_the_test_data_of_a_data_set_is_on_record(run, folder, monkeypatch):
    (folder / "conll2000").mkdir()
    for split in ("train", "test"):
        (folder / f"{split}.txt").rename(folder / "conll2000" / f"{split}.txt")
    monkeypatch.setenv("RIATA_DATA", str(folder))
    monkeypatch.setattr("riata.measuring.provenance.place", lambda: folder / "final.jsonl")
    arguments = ["compare", "chunk", "--data", "conll2000", "--recipes", "perceptron", "--epochs", "1"]
    assert found(run, *arguments)["scored"] == "the last 16 sentences of conll2000 train"  # a document
    assert not (folder / "final.jsonl").exists()
    facts = found(run, *arguments, "--final")
    (line,) = map(json.loads, (folder / "final.jsonl").read_text().splitlines())
    assert (line["question"], line["contestant"], line["data"]) == ("compare chunk", "perceptron", "conll2000 test")
    assert line["metrics"]["f1"] == pytest.approx(facts["rows"][0]["score"])


def test_a_picture_or_the_reason_why_there_is_none(run, folder, monkeypatch):
    pytest.importorskip("matplotlib")
    assert run(*COMPARE, *RECIPES, "--plot", "p.svg")[0] == 0
    assert (folder / "p.svg").stat().st_size > 1000
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    status, out, err = run(*COMPARE, *RECIPES, "--plot", "q.svg")
    assert status == 0 and "F1" in out and not (folder / "q.svg").exists()
    assert err.count("There will be no picture") == 1 and "pip install matplotlib" in err


def test_nothing_trained_is_exit_2(run, monkeypatch):
    monkeypatch.setattr("riata.comparing.run.PROGRAM", "import sys; sys.exit('no luck')")
    status, out, err = run(*COMPARE, "--recipes", "perceptron", "--epochs", "3", "--work", "kept")
    assert status == 2 and "perceptron failed: no luck" in out and "nothing could be trained" in err


def test_a_process_that_ends_before_it_is_given_anything_has_failed(run, monkeypatch):
    send = Processes._send

    def late(self, cell, process):
        process.wait()
        send(self, cell, process)

    monkeypatch.setattr(Processes, "_send", late)
    monkeypatch.setattr("riata.comparing.run.PROGRAM", "import sys; sys.exit('no luck')")
    status, out, _ = run(*COMPARE, "--recipes", "perceptron", "--epochs", "3")
    assert status == 2 and "perceptron failed: no luck" in out


BAD = {
    "unknown task": (["compare", "chnk", "--train", "train.txt", "--recipes", "mira"], "Did you mean 'chunk'"),
    "no data": (["compare", "chunk", "--recipes", "mira"], "either --train FILE or --data NAME"),
    "two data": ([*COMPARE, "--data", "embedded", "--recipes", "mira"], "either --train FILE or --data NAME"),
    "no recipes": (COMPARE, "--recipes"),
    "unknown recipe": ([*COMPARE, "--recipes", "perceptron,larso"], "Unknown recipe 'larso'"),
    "unknown setting": ([*COMPARE, "--recipes", "mira:D=3"], "'mira:D=3': Unknown setting 'D'"),
    "unknown setting of all": ([*COMPARE, "--recipes", "mira", "--set", "D=3"], "Unknown setting 'D'"),
    "all refused": (["compare", "joint", "--data", "embedded", "--recipes", "mira"], "all are refused"),
    "baseline": ([*COMPARE, *RECIPES, "--baseline", "early"], "Unknown baseline 'early'"),
    "no such file": ([*COMPARE[:3], "none.txt", "--recipes", "mira"], "none.txt: no such file"),
    "empty": ([*COMPARE[:3], "empty.txt", "--recipes", "mira"], "empty.txt"),
    "empty test": ([*COMPARE[:5], "empty.txt", "--recipes", "mira"], "empty.txt"),
    "another task": (["compare", "chunk", "--train", "tags.txt", "--folds", "2", "--recipes", "mira"], "is no chunk label"),
    "other columns": ([*COMPARE[:5], "tags.txt", "--recipes", "mira"], "tags.txt: the test data have 2"),
    "one fold": ([*COMPARE[:4], "--folds", "1", "--recipes", "mira"], "folds is 1"),
    "many folds": ([*COMPARE[:4], "--folds", "61", "--recipes", "mira"], "only 60 sentences"),
    "test and folds": ([*COMPARE, "--folds", "3", "--recipes", "mira"], "Give one of them"),
    "final alone": ([*COMPARE[:4], "--final", "--recipes", "mira"], "--final scores the test data"),
    "no seeds": ([*COMPARE, "--seeds", "0", "--recipes", "mira"], "seeds"),
    "no template": ([*COMPARE, "--template", "nix", "--recipes", "mira"], "Unknown template 'nix'"),
    "no list": ([*COMPARE, "--list", "x=none.txt", "--recipes", "mira"], "none.txt: no such file"),
    "too much to hold out": ([*COMPARE, "--dev-fraction", "2", "--recipes", "mira"], "dev is 2.0"),
    "class weight": ([*COMPARE, "--recipes", "mira:class_weight=heavy"], "Unknown class_weight 'heavy'"),
    "markdown": ([*COMPARE, "--recipes", "mira", "--markdown", "none/t.md"], "none/t.md: the table cannot be written"),
    "work": ([*COMPARE, "--recipes", "mira", "--work", "test.txt"], "it is no folder"),
    "plot": ([*COMPARE, "--recipes", "mira", "--plot", "p.xyz"], ".svg or .png"),
    "both": ([*COMPARE, "--recipes", "mira", "--json", "--markdown", "-"], "both print"),
    "wrong data": (["compare", "ner", "--data", "conll2000", "--recipes", "mira"], "no column for the task 'ner'"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_refused_before_anything_is_trained(run, folder, name, monkeypatch):
    arguments, said = BAD[name]
    (folder / "empty.txt").write_text("")
    (folder / "tags.txt").write_text(as_text([[(word, tag) for word, tag, _ in s] for s in CHUNKS]), encoding="utf-8")
    monkeypatch.setattr("riata.data.datasets.DataSet.folders", lambda self: [self.folder or folder])
    monkeypatch.setattr("riata.comparing.run.subprocess.Popen", None)
    err = run.refused(*arguments)
    assert said in err and "Traceback" not in err


def test_time_left_is_guessed_from_what_was_trained_now():
    """Two were finished before; then 10 s for each of 4."""
    now = 0.0
    left = TimeLeft(6, lambda: now)
    assert [left.after(done=True), left.after(done=True), left.after(done=False)] == ["", "", ""]
    for open_ in (3, 2, 1, 0):
        now += 10
        assert left.after(done=True) == f"about 0:00:{10 * open_:02d} left"
    now += 10
    assert left.after(done=False) == "about 0:00:00 left"


def test_the_help_teaches(run):
    out = run.ok("compare", "--help")
    for words in ("laso-alma:beam=25:update=best", "--baseline", "--folds", "Holm", "goes on where it was stopped"):
        assert words in out


@pytest.mark.slow
def test_five_recipes_on_the_embedded_corpus_take_less_than_two_minutes(run):
    began = time.monotonic()
    recipes = "perceptron,mira,laso-alma,early,max-violation"
    facts = found(run, "compare", "chunk", "--data", "embedded", "--folds", "5", "--recipes", recipes, "--fresh")
    assert facts["trainings"] == {"kept": 0, "trained": 25}
    assert time.monotonic() - began < 120


# --- riata card ------------------------------------------------------------------------------------------------------
@pytest.fixture
def model(tmp_path):
    path = tmp_path / "chunker.riata"
    Chunker("perceptron", epochs=3, constraints=[riata.constraints.at_most(9, "NP")]).fit(CHUNKS).save(path)
    return path


def test_the_card_says_what_the_file_stores(run, model):
    out = run.ok("card", model)
    assert out.startswith("# chunker\n")
    for head in ("Intended use", "How to use it", "Training data", "Figures", "The model", "Limits"):
        assert f"## {head}\n" in out
    for said in (
        "task `chunk`",
        "`perceptron`",
        "4 sentences, 16 tokens",
        "| `B-NP` |",
        "at_most(9, 'NP')",
        "2 columns",
        'load_model("chunker.riata")',
        "not calibrated",
    ):
        assert said in out
    assert out.count("*Not stated.*") == 3


def test_what_is_told_takes_the_places(run, model, tmp_path):
    gold = tmp_path / "gold.txt"
    gold.write_text(as_text())
    card = tmp_path / "CARD.md"
    told = ("--use", "Chunks of news.", "--data", "Ours.", "--evaluate", gold, "--output", card)
    assert run("card", model, *told)[:2] == (0, "")
    text = card.read_text(encoding="utf-8")
    assert "Not stated" not in text
    for said in ("Chunks of news.", "Ours.", "precision", "accuracy"):
        assert said in text


def test_every_task_has_a_card(run, tmp_path):
    made = {
        "tag": Tagger("perceptron", epochs=1).fit(WORDS, TAGS),
        "joint": JointTagger("max-violation", epochs=1).fit(CHUNKS),
        "parse": DependencyParser("perceptron", epochs=1).fit(treebank()),
        "srl": RoleLabeler("perceptron", epochs=1).fit(riata.load("embedded-roles")),
    }
    for name, model in made.items():
        model.save(tmp_path / f"{name}.riata")
        status, out, err = run("card", tmp_path / f"{name}.riata")
        assert (status, f"`{name}`" in out) == (0, True), err


def test_what_has_no_card_is_refused(run, tmp_path, model):
    assert run("card", tmp_path / "none.riata")[0] == 2
    err = run.fails("card", model, "--output", tmp_path / "no" / "CARD.md")
    assert "cannot be written" in err
