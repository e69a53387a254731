"""A contestant that does not run is told with its reason, and the others go on."""

import riata
from benchmarks import rounds
from benchmarks.contest import Split

CORPUS = riata.load("embedded", "test")[:2]


def test_a_contestant_that_does_not_run_gives_its_reason(tmp_path, capsys):
    found = rounds.one("no_such_peer", tmp_path, CORPUS)
    assert "benchmarks.peers.no_such_peer" in found["error"]
    assert f"did not run: {found['error']}" in capsys.readouterr().err


def test_contestants_run_in_turn_and_a_failed_one_is_not_tried_again(monkeypatch):
    names = sorted(path.stem for path in (rounds.HERE / "peers").glob("*.py"))
    asked = []

    def one(name, folder, scored):
        asked.append(name)
        assert (folder / "train.txt").read_text().count("\n\n") == len(CORPUS)
        return {"error": "no wheel"} if name == names[0] else {"peak_mb": len(asked)}

    monkeypatch.setattr(rounds, "conll2000", lambda final: Split(CORPUS, CORPUS))
    monkeypatch.setattr(rounds, "one", one)
    results = rounds.run(2, final=False)
    assert asked == names + names[1:]
    assert [result["contestant"] for result in results] == names
    assert results[0]["error"] == "no wheel"
    assert [result["peak_mb"] for result in results[1:]] == list(range(2, len(names) + 1))  # of the first round
