"""Results on file: what stays when a question is run again."""

import json

from benchmarks import run


def result(question, contestant, score):
    return {
        "question": question,
        "contestant": contestant,
        "metrics": {"las": score},
        "interval": [0, 1],
        "seconds_train": 1.0,
        "seconds_decode": 1.0,
        "peak_mb": 1,
    }


def test_contestants_that_run_only_by_name_keep_their_results(tmp_path, monkeypatch):
    monkeypatch.setattr(run, "RESULTS", tmp_path)
    monkeypatch.setattr(run, "PAGE", tmp_path / "page.md")
    for new in (
        [result("parsing", "udpipe", 1)],
        [result("parsing", "ours", 2), result("parsing", "old", 3)],
        [result("chunking", "ours", 4)],
        [result("parsing", "ours", 5)],
    ):
        run.write(new, False)
    kept = json.loads((tmp_path / "latest.json").read_text())["results"]
    found = {(one["question"], one["contestant"]): one["metrics"]["las"] for one in kept}
    assert found == {("chunking", "ours"): 4, ("parsing", "ours"): 5, ("parsing", "udpipe"): 1}


def test_folders_leave_them_out(monkeypatch):
    monkeypatch.setattr(run, "contest", lambda folder, path, final: path.stem)
    assert "udpipe" not in run.ask("parsing", 1, False) and run.ask("parsing/udpipe", 1, False) == ["udpipe"]
