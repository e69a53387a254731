"""Reproductions whose rows make or read their data themselves."""

import json
from dataclasses import replace

from papers.cells import Cells
from papers.report import as_json
from papers.reproduction import Column, Row
from papers.run import Plan, run
from papers.tasks import Task, Trial
from riata import registry
from riata.scoring.figures import Sample


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
