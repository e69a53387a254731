"""Merging results, the best of rounds, ratios and where Riata loses: pure functions, no peer needed."""

import json

import pytest

from benchmarks import comparison, run


def result(
    name, *, f1=94.0, train=1.0, ingest=1.0, predict=1.0, p50=100.0, peak=100.0, size=1e6, save=None, features="classic"
):
    seconds = {"ingest": ingest, "train": train, "first": predict, "predict": predict, "load": 0.1}
    if save is not None:
        seconds["save"] = save
    return {
        "question": "peers", "contestant": name, "data": "dev", "rounds": 3, "features": features, "metrics": {"f1": f1},
        "seconds": {stage: {"cpu": value, "wall": 2 * value} for stage, value in seconds.items()},
        "latency_us": {clock: {"p50": p50, "p99": 2 * p50} for clock in ("cpu", "wall")},
        "peak_mb": peak, "model_bytes": size, "tokens_scored": 1000, "commit": "c", "date": "d", "cpu": "m", "python": "3",
    }  # fmt: skip


def by_name(*results):
    return {found["contestant"]: found for found in results}


def test_the_best_of_rounds_is_the_least_of_every_number():
    found = comparison.best([result("a", train=3, p50=7), result("a", train=2, p50=9)])
    assert found["seconds"]["train"] == {"cpu": 2, "wall": 4}
    assert found["latency_us"]["cpu"] == {"p50": 7, "p99": 14}
    assert found["contestant"] == "a"


def test_a_contestant_that_failed_once_has_failed():
    assert comparison.best([result("a"), {"error": "no wheel"}]) == {"error": "no wheel"}


def test_one_question_replaces_its_own_rows_and_keeps_the_others():
    old = [{"question": "a", "n": 1}, {"question": "a", "n": 2}, {"question": "b", "n": 3}]
    new = [{"question": "b", "n": 4}]
    assert comparison.merged(old, new) == [
        {"question": "a", "n": 1},
        {"question": "a", "n": 2},
        {"question": "b", "n": 4},
    ]


def test_a_contestant_that_is_run_alone_leaves_the_others_of_its_question():
    old = [{"question": "q", "contestant": name, "run": 1} for name in ("a", "b")]
    new = [{"question": "q", "contestant": "b", "run": 2}]
    assert comparison.merged(old, new, whole=False) == [old[0], *new]


def test_a_ratio_says_how_many_times_better_ours_is():
    assert comparison.TRAINING.ratio(2.0, 16.0) == 8
    assert comparison.LABELLING.ratio(1200.0, 100.0) == 12
    assert comparison.F1.ratio(90.0, 45.0) == 2


def test_a_stage_that_is_part_of_another_counts_nothing_and_has_no_value_alone():
    assert comparison.FILE_TO_MODEL.value(result("a", ingest=1, train=2), "cpu") == 3
    assert comparison.FILE_TO_MODEL.value(result("a", ingest=1, train=2, save=4), "wall") == 14
    assert comparison.SAVING.value(result("a"), "cpu") is None


def test_vw_is_held_against_the_fastest_of_ours_that_is_near_it():
    results = by_name(
        result("vw_24_bits", f1=94.0),
        result("riata_1", f1=93.89, train=1),
        result("riata_2", f1=93.91, train=2),
        result("riata_3", f1=95.0, train=3),
        result("riata_other", f1=95.0, train=0.5, features="default"),
    )
    assert comparison.rival("vw_24_bits", results) == "riata_2"
    del results["riata_2"], results["riata_3"]
    assert comparison.rival("vw_24_bits", results) is None


def test_every_measure_in_which_a_peer_is_better_is_listed_and_no_other():
    peer = result("crfsuite_classic", f1=94.5, train=0.5, predict=0.5, peak=99)
    found = list(comparison.losses(by_name(peer, result("riata_classic"))))
    assert [loss.measure for loss in found] == [
        comparison.F1, comparison.TRAINING, comparison.FILE_TO_MODEL, comparison.FIRST, comparison.LABELLING,
        comparison.MEMORY,
    ]  # fmt: skip
    assert {loss.ours for loss in found} == {"riata_classic"}
    text = "\n".join(comparison.section([peer, result("riata_classic")]))
    assert "- training: crfsuite_classic 0.50 s, riata_classic 1.00 s (2.00 ×)." in text
    assert "- F1: crfsuite_classic 94.50, riata_classic 94.00 (by 0.50)." in text


def test_where_nothing_is_lost_the_page_says_so():
    text = "\n".join(comparison.section([result("crfsuite_classic", train=2, save=1), result("riata_classic", save=1)]))
    assert "Nowhere in this run" in text


def floor_of(peer="crfsuite_classic", measure=comparison.FILE_TO_MODEL):
    return next(floor for floor in comparison.FLOORS if (floor.peer, floor.ours) == (peer, measure))


@pytest.mark.parametrize(("theirs", "met"), [(15.9, False), (16.0, True)])
def test_a_floor_is_a_ratio_to_the_peer(theirs, met):
    results = by_name(result("crfsuite_classic", ingest=0, train=theirs), result("riata_classic"))
    outcome = comparison.reached(floor_of(), results)
    assert outcome.met == met
    assert outcome.ratios == pytest.approx((theirs / 2, theirs / 2))


def test_the_floor_of_vw_counts_our_ingestion_and_not_its_own():
    results = by_name(result("vw_24_bits", ingest=50, train=4.0), result("riata_classic_2_epochs", ingest=1, train=1))
    outcome = comparison.reached(floor_of("vw_24_bits", comparison.FROM_FILE), results)
    assert outcome.ratios[0] == 2 and outcome.contestant == "riata_classic_2_epochs"


def test_a_floor_without_a_peer_is_a_limit():
    floor = floor_of("", comparison.P50)
    assert comparison.reached(floor, by_name(result("riata_classic", p50=30))).met
    assert not comparison.reached(floor, by_name(result("riata_classic", p50=31))).met


def test_a_peer_that_did_not_run_is_named_and_its_floors_are_not_measured():
    failed = {**result("crfsuite_classic"), "error": "No module named 'pycrfsuite'"}
    text = "\n".join(comparison.section([failed, result("riata_classic")]))
    assert "| crfsuite_classic | did not run: No module named 'pycrfsuite' |" in text
    assert "| 8 × (goal 18 ×) | not measured |" in text


def test_writing_one_question_keeps_the_rows_of_the_others(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(run, "RESULTS", tmp_path)
    monkeypatch.setattr(run, "PAGE", tmp_path / "page.md")
    other = {"question": "tagging", "contestant": "t", "metrics": {"accuracy": 90.0}, "interval": [1, 2],
             "seconds_train": 1, "seconds_decode": 1, "peak_mb": 1}  # fmt: skip
    run.write([other], final=False)
    run.write([result("riata_classic")], final=False)
    found = json.loads((tmp_path / "latest.json").read_text())["results"]
    assert [(row["question"], row["contestant"]) for row in found] == [("peers", "riata_classic"), ("tagging", "t")]
    page = (tmp_path / "page.md").read_text()
    assert "| tagging | t | accuracy 90.00 |" in page and "## Peers and Riata" in page


def test_a_final_run_is_appended_to_the_log_and_leaves_the_page(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(run, "RESULTS", tmp_path)
    monkeypatch.setattr(run, "PAGE", tmp_path / "page.md")
    for _ in range(2):
        run.write([result("riata_classic")], final=True)
    rows = [json.loads(line) for line in (tmp_path / "final.jsonl").read_text().splitlines()]
    assert len(rows) == 2 and all(row["commit"] and row["metrics"] == {"f1": 94.0} for row in rows)
    assert not (tmp_path / "page.md").exists()
