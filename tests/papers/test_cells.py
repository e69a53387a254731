"""Tables run piece by piece: trainings are kept as lines of a file, and none is repeated."""

import json
from dataclasses import replace

import numpy as np
import pytest

from papers.cells import Cells, packed, unpacked
from papers.record import FINAL
from papers.run import Plan, run
from riata import registry
from riata.errors import DataError
from riata.scoring.counts import accuracy_of
from riata.scoring.figures import Sample
from riata.scoring.spans import f1_of

WHOLE = registry.get("reproduction", "laso-alpha")
SMALL = replace(WHOLE, rows=WHOLE.rows[4:6], quick_sentences=30)  # alpha 0.9 and 1
PLAN = Plan(quick=True, most=1)


def watched(path, plan=PLAN, table=SMALL):
    told = []
    outcome = run(table, plan, told.append, Cells.of(path))
    return outcome, [step for step in told if step.done]


@pytest.mark.parametrize("raw", [False, True])
@pytest.mark.parametrize("most", [3, 300, 100_000])
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
    with pytest.raises(DataError, match="no xz file"):
        Cells.of(tmp_path / "cells.jsonl.xz")


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

    with pytest.raises(KeyboardInterrupt):
        run(SMALL, PLAN, interrupt, Cells.of(path))
    assert [origin.stored for origin in watched(path)[0].origins] == [True, False]


def test_a_line_that_is_no_cell_is_refused_with_its_number(tmp_path):
    path = tmp_path / "cells.jsonl"
    watched(path)
    first, _ = path.read_text(encoding="utf-8").splitlines()
    path.write_text(f"{first}\nnot a cell\n", encoding="utf-8")
    with pytest.raises(DataError, match="one cell of a table") as caught:
        Cells.of(path)
    assert f"{path}:2" in str(caught.value)


def test_a_file_that_cannot_be_written_is_refused_before_training(tmp_path):
    with pytest.raises(DataError, match="cannot be written"):
        Cells.of(tmp_path)
    (tmp_path / "latin1").write_bytes(b"\xe9\n")
    with pytest.raises(DataError, match="UTF-8"):
        Cells.of(tmp_path / "latin1")


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


@pytest.mark.parametrize(
    "broken",
    [
        {"measured": {}},
        {"measured": {"f1": {"value": float("nan")}}},
        {"measured": {"f1": {"value": "x"}}},
        {"measured": {"f1": {"value": 1.0, "counts": "AAA", "statistic": "f1", "shape": [1], "type": "|u1"}}},
        {"measured": {"epoch": {"value": 99}}},
        {"measured": {"epoch": {"value": 0}}},
        {"measured": {"epoch": {"value": 0.5}}},
        {"measured": []},
    ],
    ids=str,
)
def test_a_cell_with_content_that_no_training_gives_is_refused_with_its_line(broken, tmp_path):
    path = tmp_path / "cells.jsonl"
    watched(path)
    first, second = path.read_text(encoding="utf-8").splitlines()
    path.write_text(f"{first}\n{json.dumps(json.loads(second) | broken)}\n", encoding="utf-8")
    with pytest.raises(DataError, match="expected one cell") as refused:
        Cells.of(path)
    assert refused.value.line == 2
