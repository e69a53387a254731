"""Tables run piece by piece: trainings are kept as lines of a file, and none is repeated."""

import json
from dataclasses import replace

import numpy as np
import pytest

from checks import refused
from papers.cells import Cells, packed, unpacked
from papers.measures import noun_scores, scores_by_size, size_key
from papers.noise import with_noise
from papers.record import FINAL
from papers.report import as_json
from papers.reproduction import Column, Row, Trained
from papers.run import Plan, Split, run
from papers.tasks import PENN, Task, Trial
from riata import JointTagger, registry
from riata.data.datasets import load
from riata.errors import DataError
from riata.scoring.counts import accuracy_of
from riata.scoring.figures import Sample
from riata.scoring.spans import f1_of
from samples import embedded, for_each, for_rows

WHOLE = registry.get("reproduction", "laso-alpha")
SMALL = replace(WHOLE, rows=WHOLE.rows[4:6], quick_sentences=30)  # alpha 0.9 and 1
PLAN = Plan(quick=True, most=1)


def watched(path, plan=PLAN, table=SMALL):
    told = []
    outcome = run(table, plan, told.append, Cells.of(path))
    return outcome, [step for step in told if step.done]


@for_each(raw=[False, True], most=[3, 300, 100_000])
def test_a_score_is_read_as_it_was_written(most, raw):
    counts = np.random.default_rng(0).integers(most, size=(40, 5))
    again = unpacked(json.loads(json.dumps(packed(Sample(93.5, counts, f1_of), raw=raw))))
    assert (again.value, again.statistic) == (93.5, f1_of)
    assert np.array_equal(again.counts, counts) and again.counts.dtype == np.int64
    assert unpacked(packed(Sample(1.5, counts, accuracy_of))).statistic is accuracy_of
    assert unpacked(packed(Sample(1.5))).counts is None


@pytest.mark.parametrize("name", ["cells.jsonl", "cells.jsonl.xz"])
def test_what_is_stored_is_not_trained_again_and_says_the_same(tmp_path, monkeypatch, name):
    path = tmp_path / name
    first, _ = watched(path)
    monkeypatch.setattr("papers.run._Work.trained", lambda *given: pytest.fail("trained again"))
    second, steps = watched(path)
    assert all(step.text.startswith("stored: ") for step in steps) and len(steps) == 2
    assert [origin.stored for origin in second.origins] == [True, True]
    for row, figures in first.measured.items():
        for key, figure in figures.items():
            again = second.measured[row][key]
            assert (again.values, again.interval) == (figure.values, figure.interval), (row, key)


def test_a_compressed_file_that_is_none_is_refused(tmp_path):
    (tmp_path / "cells.jsonl.xz").write_bytes(b"{}")
    refused(DataError, "no xz file", Cells.of, tmp_path / "cells.jsonl.xz")


def test_the_cells_of_this_repository_can_be_read():
    for path in sorted(FINAL.parent.glob("*.jsonl.xz")):
        assert len(Cells.of(path).lines) > 10


def test_a_folder_that_is_missing_is_named_and_not_made(tmp_path):
    with pytest.raises(DataError, match=r"cells\.jsonl: there is no folder '.*new' to write to"):
        Cells.of(tmp_path / "new" / "cells.jsonl")
    assert not (tmp_path / "new").exists()


def test_a_line_says_what_was_trained_by_which_program_on_which_machine(tmp_path):
    watched(tmp_path / "cells.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "cells.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [line["row"] for line in lines] == ["alpha 0.9", "alpha 1"]
    assert lines[0]["setting"] == dict(SMALL.rows[0].setting)
    assert {
        "seed",
        "epochs",
        "scored",
        "data",
        "template",
        "lists",
        "version",
        "commit",
        "date",
        "cpu",
        "python",
    } <= set(lines[0])
    assert lines[0]["measured"]["seconds_cell"]["value"] > 0


def test_seeds_and_rows_that_are_new_are_added(tmp_path):
    path = tmp_path / "cells.jsonl"
    watched(path)
    more, _ = watched(path, replace(PLAN, seeds=2))
    assert [origin.stored for origin in more.origins] == [True, False, True, False]
    wider, _ = watched(path, table=replace(WHOLE, rows=WHOLE.rows[3:6], quick_sentences=30))
    assert [origin.stored for origin in wider.origins] == [False, True, True]


@pytest.mark.parametrize("change", [{"most": 2}, {"final": True}])
def test_other_epochs_and_other_data_are_other_cells(tmp_path, change):
    path = tmp_path / "cells.jsonl"
    watched(path)
    assert not any(origin.stored for origin in watched(path, replace(PLAN, **change))[0].origins)


def test_a_template_that_has_changed_is_another_cell(tmp_path, monkeypatch):
    path = tmp_path / "cells.jsonl"
    watched(path)
    monkeypatch.setattr("papers.run.source_of", lambda template: "other lines")
    assert not any(origin.stored for origin in watched(path)[0].origins)


def test_what_is_done_is_kept_when_a_run_is_interrupted(tmp_path):
    path = tmp_path / "cells.jsonl"

    def interrupt(step):
        if step.done:
            raise KeyboardInterrupt

    refused(KeyboardInterrupt, "", run, SMALL, PLAN, interrupt, Cells.of(path))
    assert [origin.stored for origin in watched(path)[0].origins] == [True, False]


def test_a_line_that_is_no_cell_is_refused_with_its_number(tmp_path):
    path = tmp_path / "cells.jsonl"
    watched(path)
    first, _ = path.read_text(encoding="utf-8").splitlines()
    path.write_text(f"{first}\nnot a cell\n", encoding="utf-8")
    assert f"{path}:2" in str(refused(DataError, "one cell of a table", Cells.of, path))


def test_a_file_that_cannot_be_written_is_refused_before_training(tmp_path):
    refused(DataError, "cannot be written", Cells.of, tmp_path)
    (tmp_path / "latin1").write_bytes(b"\xe9\n")
    refused(DataError, "UTF-8", Cells.of, tmp_path / "latin1")


def test_on_the_command_line(run, tmp_path, monkeypatch):
    known = registry.get
    monkeypatch.setattr(registry, "get", lambda kind, name: SMALL if kind == "reproduction" else known(kind, name))
    arguments = ("reproduce", "laso-alpha", "--quick", "--epochs", 1, "--json", "--resume", tmp_path / "cells.jsonl")
    first, second = (json.loads(run(*arguments)[1]) for _ in range(2))
    assert (first["cells"]["stored"], second["cells"]["stored"], second["cells"]["trained"]) == (0, 2, 0)
    assert first["rows"] == second["rows"]


def test_final_learns_from_all_data_for_the_epoch_that_stored_development_data_chose(tmp_path):
    alone, resumed = (tmp_path / name for name in ("alone.jsonl", "resumed.jsonl"))
    plan = replace(PLAN, most=3, final=True)
    (expected, _), _ = watched(alone, plan), watched(resumed, replace(plan, final=False))
    found, steps = watched(resumed, plan)
    assert not any(step.text.startswith("stored: ") for step in steps)
    assert set(found.measured) == set(expected.measured)
    for row, figures in expected.measured.items():
        assert set(found.measured[row]) == set(figures)
        for key, figure in figures.items():
            if not key.startswith("seconds"):
                assert (found.measured[row][key].values, found.measured[row][key].interval) == (
                    figure.values,
                    figure.interval,
                ), (row, key)


def test_tables_that_train_and_measure_the_same_share_cells(tmp_path):
    table = registry.get("reproduction", "laso-table1")
    row, other = next(row for row in table.rows if row.name == "LASOP 5"), WHOLE.rows[-1]
    assert dict(row.setting) == dict(other.setting)
    watched(tmp_path / "cells.jsonl", table=replace(WHOLE, rows=(other,), quick_sentences=30))
    _, steps = watched(tmp_path / "cells.jsonl", table=replace(table, rows=(row,), quick_sentences=30))
    assert [step.text.startswith("stored: ") for step in steps] == [True]


def test_a_file_whose_last_line_has_no_end_is_appended_to_on_a_new_line(tmp_path):
    path = tmp_path / "cells.jsonl"
    watched(path)
    path.write_text(path.read_text(encoding="utf-8").rstrip("\n"), encoding="utf-8")
    watched(path, replace(PLAN, seeds=2))
    assert len(Cells.of(path).lines) == 4


@for_rows(
    "broken",
    {"measured": {}},
    {"measured": {"f1": {"value": float("nan")}}},
    {"measured": {"f1": {"value": "x"}}},
    {"measured": {"f1": {"value": 1.0, "counts": "AAA", "statistic": "f1", "shape": [1], "type": "|u1"}}},
    {"measured": {"epoch": {"value": 99}}},
    {"measured": {"epoch": {"value": 0}}},
    {"measured": {"epoch": {"value": 0.5}}},
    {"measured": []},
    ids=str,
)
def test_a_cell_with_content_that_no_training_gives_is_refused_with_its_line(broken, tmp_path):
    path = tmp_path / "cells.jsonl"
    watched(path)
    first, second = path.read_text(encoding="utf-8").splitlines()
    path.write_text(f"{first}\n{json.dumps(json.loads(second) | broken)}\n", encoding="utf-8")
    assert refused(DataError, "expected one cell", Cells.of, path).line == 2


# --- reproductions whose rows make or read their data themselves -----------------------------------------------------
def made(tried):
    """A reproduction whose trials measure 10 times their setting plus their seed, and are listed in `tried`."""

    def trial(asked: Trial):
        asked.tell("begins")
        tried.append(asked)
        return {"found": Sample(10.0 * asked.setting["times"] + asked.seed)}

    return replace(
        registry.get("reproduction", "losses-noise"),
        task=Task("numbers", dict, (), data="", trial=trial),
        rows=(Row("one", {"times": 1}, {}), Row("two", {"times": 2}, {"paper": {"found": 20.0}})),
        columns=(Column("found", "found"),),
        measure=None,
        claims=(),
    )


def test_a_trial_is_told_its_setting_and_seed_and_is_stored(tmp_path):
    tried, steps = [], []
    cells = Cells.of(tmp_path / "cells.jsonl")
    first = run(made(tried), Plan(seeds=3), steps.append, cells)
    assert first.measured["two"]["found"].values == [20.0, 21.0, 22.0]
    assert [(one.setting["times"], one.seed, one.final) for one in tried] == [
        (times, seed, False) for times in (1, 2) for seed in range(3)
    ]
    assert [step.text for step in steps[:2]] == ["begins", "found 10.00"]
    run(made(tried), Plan(seeds=3), steps.append, Cells.of(tmp_path / "cells.jsonl"))
    assert len(tried) == 6
    run(made(tried), Plan(seeds=1, final=True), steps.append, cells)
    assert len(tried) == 8 and tried[-1].final


def test_the_report_says_that_data_are_made_up():
    found = json.loads(as_json(run(made([]), Plan(seeds=2), lambda _: None)))
    assert (found["data"], found["scored"], found["sentences_train"]) == ("made up", "dev", None)
    assert found["interval"] == "95 %, Student's t over 2 seeds"


# --- scores of NP chunks alone, against the rows of a report and against counts by hand ------------------------------
@pytest.fixture(scope="module")
def trained():
    data = embedded()
    made = JointTagger("laso-perceptron", beam=2, epochs=1).fit(data[:40])
    return Trained(made, data[:40], data[40:80], 1.5)


def test_nouns_alone_are_the_row_of_a_report(trained):
    """Chunks of one type are counted in the same way whatever the others are."""
    found = noun_scores(trained)
    evaluation = trained.estimator.evaluate(trained.scored)
    row = next(row for row in evaluation.report.rows if row.type == "NP")
    assert found["f1_np"].value == pytest.approx(row.f1)
    assert found["f1"].value == pytest.approx(evaluation.score)
    assert found["f1_np"].value != found["f1"].value
    for sample in (found["f1_np"], found["tag_accuracy"]):
        assert sample.statistic(sample.counts.sum(axis=0)) == pytest.approx(sample.value)
        assert len(sample.counts) == len(trained.scored)


def test_accuracies_by_hand(trained):
    found = noun_scores(trained)
    gold = [tuple(token[1:]) for sentence in trained.scored for token in sentence]
    said = [pair for sentence in trained.estimator.predict(trained.scored) for pair in sentence]

    def nouns(chunk):
        return chunk if chunk in ("B-NP", "I-NP") else "O"

    def share(right):
        return pytest.approx(100 * sum(right) / len(gold))

    pairs = list(zip(gold, said, strict=True))
    assert found["tag_accuracy"].value == share([a[0] == b[0] for a, b in pairs])
    assert found["accuracy"].value == share([a[1] == b[1] for a, b in pairs])
    assert found["joint_accuracy"].value == share([a == b for a, b in pairs])
    assert found["accuracy_np"].value == share([nouns(a[1]) == nouns(b[1]) for a, b in pairs])
    assert found["joint_accuracy_np"].value == share([a[0] == b[0] and nouns(a[1]) == nouns(b[1]) for a, b in pairs])
    assert found["seconds_train"].value == 1.5


# --- what the tables of losses need of a reproduction ----------------------------------------------------------------
WORDS = ("word", "tag")


def test_noise_changes_as_many_labels_as_it_says():
    data = load("embedded", "train", WORDS)
    noisy = with_noise(data, 0.05, seed=1)
    before, after = data.columns[-1], noisy.columns[-1]
    changed = before.ids != after.ids
    assert changed.sum() == round(0.05 * len(before.ids))
    assert after.ids.max() < len(before.alphabet.texts())
    assert (with_noise(data, 0.05, seed=1).columns[-1].ids == after.ids).all()
    assert (with_noise(data, 0.05, seed=2).columns[-1].ids != after.ids).any()
    assert with_noise(data, 0.0, seed=1) is data
    np.testing.assert_array_equal(data.columns[0].ids, noisy.columns[0].ids)


def small():
    """A reproduction on the embedded corpus, whose test part serves as development data."""
    task = replace(PENN, data="embedded", columns=WORDS, dev="test", test="test")
    rows = (
        Row("clean", {"recipe": "crf", "template": "S1", "settings": {"c2": 1.0}}, {}, epochs=40),
        Row("noisy", {"recipe": "crf", "template": "S1", "settings": {"c2": 1.0}}, {}, epochs=40, noise=0.3),
    )
    original = registry.get("reproduction", "losses-noise")
    return replace(original, task=task, rows=rows, claims=(), measure=scores_by_size((100,)))


@pytest.mark.parametrize("final", [False, True])
def test_development_data_of_their_own_are_not_learnt_from(final):
    split = Split.of(small(), Plan(final=final))
    assert split.apart and len(split.learnt) == len(load("embedded", "train", WORDS))
    assert split.part == ("test" if final else "dev")


def test_rows_with_noise_and_scores_by_size():
    found = run(small(), Plan(seeds=2), lambda _: None)
    clean, noisy = found.measured["clean"], found.measured["noisy"]
    assert clean["score"].values[0] == clean["score"].values[1]  # one training
    assert noisy["score"].values[0] != noisy["score"].values[1]  # noise of its own with every seed
    assert noisy["score"].mean < clean["score"].mean
    assert clean[size_key(100)].mean < clean["score"].mean
    assert clean["weights"].mean > 0
