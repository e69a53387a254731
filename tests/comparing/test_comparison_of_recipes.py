"""riata.compare: the same numbers as training and scoring by hand."""

import json

import numpy as np
import pytest

import riata
from checks import refused
from python_problems import TAGS, WORDS, Tagging
from riata import Chunker, Comparison, JointTagger, Predictor, Tagger
from riata import constraints as c
from riata.comparing.contestant import Kind, written
from riata.comparing.planning import folds, others
from riata.errors import DataError, SettingError, UnknownNameError, UnsupportedError
from riata.scoring import bootstrap_interval, f1_of, holm, paired_test
from samples import CHUNKS, FEATURES, INPUTS, as_text, embedded
from samples import TAGS as TAGGED
from samples import WORDS as SENTENCES

TIMES = {"seconds_train", "seconds_decode", "cpu_train", "cpu_decode", "seconds_prepare", "tokens_per_second"}
MADE = {"chain": Chunker(epochs=2), "search": Chunker("early", epochs=2), "slow": Chunker("mira", epochs=1)}


@pytest.fixture(scope="module")
def train():
    return embedded()[:60]


@pytest.fixture(scope="module")
def held_out():
    return embedded(split="test")[:40]


@pytest.fixture(scope="module")
def found(train, held_out):
    return riata.compare(MADE, train, test=held_out, isolated=False)


def untimed(comparison):
    facts = comparison.to_dict()
    for row in facts["rows"]:
        for name in (*TIMES, "peak_rss_mb"):
            row.pop(name)
    return {key: facts[key] for key in ("task", "metric", "baseline", "rows", "seeds")}


def test_scores_are_those_of_training_and_evaluating(found, train, held_out):
    for name, estimator in MADE.items():
        trained = Chunker(**estimator.get_params()).fit(train)
        evaluation, row = trained.evaluate(held_out), found[name]
        assert row.quality.score == evaluation.score
        assert row.quality.metrics == pytest.approx(evaluation.metrics)
        interval = evaluation.interval()
        assert (row.quality.low, row.quality.high) == (interval.low, interval.high)
        assert row.quality.errors == trained.search_errors(held_out).counts
        assert row.costs.weights > 0 and row.costs.model_mb > 0 and row.costs.seconds_train > 0
        assert (row.tokens, row.trainings) == (held_out.tokens, 1)


def test_the_paired_test_is_that_of_scoring_and_corrected(found, train, held_out):
    rows = {name: Chunker(**e.get_params()).fit(train).evaluate(held_out).rows for name, e in MADE.items()}
    best = max(MADE, key=lambda name: found[name].quality.score)
    assert found.baseline == best
    others_ = [name for name in MADE if name != best]
    tests = [paired_test(f1_of, rows[name], rows[best]) for name in others_]
    for name, test, corrected in zip(others_, tests, holm([t.p_value for t in tests]), strict=True):
        quality = found[name].quality
        assert (quality.difference, quality.p_value, quality.p_holm) == (*test, corrected)
        assert quality.significant == (corrected <= 0.05)
    quality = found[best].quality
    assert quality.difference is quality.p_value is quality.p_holm is quality.significant is None


def test_processes_of_their_own_change_nothing_but_the_costs(found, train, held_out):
    alone = riata.compare(MADE, train, test=held_out, jobs=2)
    assert untimed(alone) == untimed(found)
    assert all(row.costs.peak_rss_mb is None for row in found.rows)
    assert all(row.costs.peak_rss_mb > 0 for row in alone.rows)
    assert any("at once" in note for note in alone.notes)


def test_folds_are_pooled(train):
    found = riata.compare({"a": Chunker(epochs=1)}, train, folds=3, seed=5, isolated=False)
    parts = []
    for part in folds(len(train), 3, 5):
        trained = Chunker(epochs=1, seed=5).fit(train[others(part, len(train))])
        parts.append(trained.evaluate(train[part]).rows)
    rows = np.concatenate(parts)
    quality = found["a"].quality
    assert quality.score == pytest.approx(float(f1_of(rows.sum(axis=0))))
    interval = bootstrap_interval(f1_of, rows)
    assert (quality.low, quality.high) == (interval.low, interval.high)
    assert (found["a"].trainings, found["a"].tokens, found.sentences) == (3, train.tokens, len(train))


def test_seeds_are_averaged_and_their_spread_is_told(train, held_out):
    found = riata.compare("perceptron", train, task="chunk", test=held_out, seeds=3, seed=4, isolated=False)
    scores = [Chunker("perceptron", seed=seed).fit(train).evaluate(held_out).score for seed in (4, 5, 6)]
    quality = found["perceptron"].quality
    assert found.seeds == (4, 5, 6)
    assert quality.by_seed == tuple(scores)
    assert quality.score == pytest.approx(np.mean(scores))
    assert quality.spread == pytest.approx(np.std(scores, ddof=1))
    assert quality.low <= quality.score <= quality.high
    assert "± seeds" in str(found)


def test_a_baseline_may_be_named(train, held_out):
    found = riata.compare(MADE, train, test=held_out, baseline="slow", isolated=False)
    assert found.baseline == "slow" and found["slow"].quality.difference is None
    assert all(found[name].quality.p_value is not None for name in ("chain", "search"))
    refused(UnknownNameError, "baseline", riata.compare, MADE, train, baseline="slwo")
    with pytest.raises(UnsupportedError, match="baseline 'b' cannot be trained"):
        riata.compare({"a": Chunker(), "b": Chunker(beam=3)}, train, baseline="b")


def test_what_is_refused_is_a_row_with_its_reason(train):
    found = riata.compare("all", train, task="joint", parameters={"epochs": 1}, folds=2, isolated=False)
    offers = riata.registry.get("structure", "joint").offers
    for row in found.rows:
        searches = riata.registry.get("recipe", row.recipe).on(offers).searches
        assert row.status == ("done" if searches else "refused")
        assert bool(row.problem) != searches
    assert {"tag_accuracy", "joint_accuracy", "f1"} <= set(found["early"].quality.metrics)
    assert "mira refused: Recipe 'mira' needs" in str(found)
    refused(UnsupportedError, "all are refused", riata.compare, "perceptron,mira", train, task="joint")


def test_pooled_accuracies_of_joint_labels_are_those_of_all_tokens(train):
    (row,) = riata.compare({"a": JointTagger(epochs=1)}, train, folds=2, isolated=False).rows
    right = 0
    for part in folds(len(train), 2, 0, train.document):
        trained = JointTagger(epochs=1).fit(train[others(part, len(train))])
        right += trained.evaluate(train[part]).metrics["tag_accuracy"] * train[part].tokens
    assert row.quality.metrics["tag_accuracy"] == pytest.approx(right / train.tokens)


class WithLoss(Tagging):
    def loss(self, x, y, y_hat):
        return sum(a != b for a, b in zip(y, y_hat, strict=True)) / max(len(y), 1)


@pytest.mark.parametrize("problem", [Tagging(), WithLoss()])
def test_problems_of_ones_own(problem):
    words, tags = WORDS * 2, TAGS * 2
    found = riata.compare("all", words, tags, task=problem, folds=2, parameters={"epochs": 1, "beam": 2})
    assert {row.status for row in found.rows} == {"done", "refused"}
    assert (found.task, found.metric, found.sentences) == (None, "score", len(words))
    given = Predictor(problem, "early", epochs=1, beam=2)
    tested = riata.compare({"early": given}, words, tags, test=(WORDS, TAGS))
    given.fit(words, tags)
    quality = tested["early"].quality
    assert quality.score == pytest.approx(100 * given.score(WORDS, TAGS))
    assert quality.errors == given.search_errors(WORDS, TAGS).counts
    assert "examples/s" in str(found)
    assert json.dumps(found.to_dict())


@pytest.mark.parametrize(("X", "y"), [(INPUTS, [[c for *_, c in s] for s in CHUNKS]), (CHUNKS, None)])
def test_sentences_from_memory(X, y):
    found = riata.compare({"a": Chunker(epochs=1), "b": Chunker("early", epochs=1)}, X, y, folds=2, isolated=False)
    assert found.sentences == len(CHUNKS)
    assert all(row.quality is not None for row in found.rows)


def test_features_from_memory():
    tags = [[tag for _, tag, _ in sentence] for sentence in CHUNKS]
    found = riata.compare({"a": Tagger(epochs=1)}, FEATURES, tags, test=(FEATURES, tags), isolated=False)
    assert found["a"].quality.score == Tagger(epochs=1).fit(FEATURES, tags).evaluate(FEATURES, tags).score


def vowels(word):
    return str(sum(c in "aeiou" for c in word))


def test_attributes_of_ones_own_are_trained_in_this_process():
    estimators = {"a": Tagger(epochs=1, attributes={"vowels": vowels}, template="tag")}
    words, tags = [[w for w, *_ in s] for s in CHUNKS], [[t for _, t, _ in s] for s in CHUNKS]
    assert "memory was not measured" in str(riata.compare(estimators, words, tags, folds=2))
    refused(SettingError, "Python of yours", riata.compare, estimators, words, tags, folds=2, isolated=True)

    class Own(Tagger):
        pass

    found = riata.compare({"a": Own(epochs=1)}, words, tags, folds=2)
    assert found["a"].status == "done" and isinstance(found, Comparison)


def test_the_ways_to_look_at_it(found, tmp_path):
    text, markdown, html = str(found), found.to_markdown(), found._repr_html_()
    for name in MADE:
        for shown in (text, markdown, html):
            assert name in shown and f"{found[name].quality.score:.2f}" in shown
    for words in ("Holm's correction for 2 tests", "bootstrap over 40 sentences"):
        assert words in text and words in markdown
    lines = markdown.splitlines()
    assert len({line.count("|") for line in lines[: 2 + len(MADE)]}) == 1
    assert found.table().row_count == len(MADE)
    with pytest.raises(UnknownNameError, match="row"):
        found["nothing"]
    pytest.importorskip("matplotlib")
    canvas = found.plot(tmp_path / "p.svg")
    assert {t.get_text() for t in canvas.axes[0].texts} == set(MADE)
    assert (tmp_path / "p.svg").stat().st_size > 1000


def test_a_narrow_terminal_gets_two_tables(found):
    from io import StringIO

    from rich.console import Console

    from riata.comparing.show import show

    out = StringIO()
    show(found, Console(file=out, width=80, force_terminal=True, color_system=None))
    assert out.getvalue().count("\n search ") == 2 and "…" not in out.getvalue()


def test_what_cannot_be_compared_is_refused(train, held_out):
    for arguments, error, said in [
        (({"a": Chunker(), "b": Tagger()}, train), SettingError, "different tasks"),
        (({"a": object()}, train), SettingError, "expected an estimator"),
        (({}, train), SettingError, "no estimators"),
        ((["perceptron"], train), SettingError, "need a task"),
        (([Chunker()], train), SettingError, "expected a dictionary"),
        (({"a": Predictor(Tagging())}, WORDS), DataError, "y is missing"),
        (({"a": Predictor(Tagging())}, WORDS, TAGS[:2]), DataError, "one output per input"),
    ]:
        refused(error, said, riata.compare, *arguments)
    for options, said in [
        ({"folds": 1}, "folds is 1"),
        ({"folds": 61}, "only 60 sentences"),
        ({"seeds": 0}, "seeds"),
        ({"jobs": 0}, "jobs"),
        ({"test": held_out.select([0, 2])}, "2 columns and the training data 3"),
        ({"test": held_out.select([0, 2, 1])}, "none of the labels"),
    ]:
        refused((SettingError, DataError), said, riata.compare, {"a": Chunker()}, train, **options)
    refused(DataError, "is no chunk label", riata.compare, {"a": Chunker()}, train.select([0, 1]))


CRASHES = """
import os, signal, sys
sys.path[:] = sys.argv[1:]
from riata.comparing import run as worker
real = worker.measured
def measured(estimator, *rest):
    if estimator.recipe == "early":
        os.kill(os.getpid(), signal.SIGKILL)
    if estimator.recipe == "mira":
        raise ZeroDivisionError("what a bug")
    print("noise on standard output")
    return real(estimator, *rest)
worker.measured = measured
worker.main()
"""


def test_a_training_that_dies_is_one_row(train, held_out, monkeypatch):
    monkeypatch.setattr("riata.comparing.run.PROGRAM", CRASHES)
    told = []
    found = riata.compare(MADE, train, test=held_out, watch=lambda text, done: told.append((text, done)))
    assert found["chain"].status == "done"
    assert (found["search"].status, found["slow"].status) == ("failed", "failed")
    assert "memory" in found["search"].problem
    assert found["slow"].problem == "ZeroDivisionError: what a bug"
    assert sum(done for _, done in told) == 3
    assert found.baseline == "chain"


# --- learning only, learning plus inference, and inference based training, side by side ------------------------------
THREE = [f"perceptron:inference={when}" for when in ("none", "after", "during")]
RULES = [c.at_most(0, "DT"), c.at_least(1, "VBZ")]


def test_inference_is_a_word_of_the_notation():
    found = written(THREE, Kind(Tagger, {"constraints": RULES}))
    assert [one.estimator.inference for one in found] == ["none", "after", "during"]
    assert not any(one.refused for one in found)
    with pytest.raises(SettingError, match=r"inference is 'befor'; expected 'none', 'after' or 'during'"):
        written(["perceptron:inference=befor"], Kind(Tagger, {"constraints": RULES}))
    refused(SettingError, "there are no constraints", written, THREE, Kind(Tagger))
    refused(UnknownNameError, "", written, ["perceptron:constraints=roles"], Kind(Tagger))


def test_recipes_that_cannot_learn_under_constraints_are_refused_with_the_reason():
    [perceptron, crf] = written(["perceptron,crf"], Kind(Tagger, {"constraints": RULES, "inference": "during"}))
    assert not perceptron.refused
    assert "the recipe 'crf' learns from more than the best output" in crf.refused


def test_scores_are_those_of_the_three_estimators(tmp_path):
    params = {"constraints": RULES, "epochs": 3}
    found = riata.compare(
        THREE, SENTENCES, TAGGED, task="tag", test=(SENTENCES, TAGGED), parameters=params, work=tmp_path
    )
    scores = {}
    for name in THREE:
        scores[name] = 100 * Tagger("perceptron", **params, inference=name.split("=")[1]).fit(SENTENCES, TAGGED).score(
            SENTENCES, TAGGED
        )
        assert found[name].quality.score == pytest.approx(scores[name])
    assert scores[THREE[0]] > scores[THREE[1]]  # no determiner is right under these rules
    again = riata.compare(
        THREE, SENTENCES, TAGGED, task="tag", test=(SENTENCES, TAGGED), parameters=params, work=tmp_path
    )
    assert again.to_dict()["trainings"] == {"kept": 3, "trained": 0}
    assert json.dumps(found.to_dict())
    other = {**params, "constraints": RULES[:1]}
    changed = riata.compare(
        THREE, SENTENCES, TAGGED, task="tag", test=(SENTENCES, TAGGED), parameters=other, work=tmp_path
    )
    assert changed.to_dict()["trainings"]["trained"] == 3


def test_functions_of_ones_own_are_asked_in_this_process(tmp_path):
    own = {"constraints": [c.predicate(lambda labels: labels[0] != "DT")], "epochs": 1}
    found = riata.compare(["perceptron"], SENTENCES, TAGGED, task="tag", test=(SENTENCES, TAGGED), parameters=own)
    assert found["perceptron"].quality.score < 100
    with pytest.raises(SettingError, match="has Python of yours"):
        riata.compare(
            ["perceptron"], SENTENCES, TAGGED, task="tag", test=(SENTENCES, TAGGED), parameters=own, work=tmp_path
        )


def test_the_command_has_constraints_for_all(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.txt").write_text(as_text(), encoding="utf-8")
    (tmp_path / "rules.txt").write_text('at_most(1, "NP")\n', encoding="utf-8")
    given = ("compare", "chunk", "--train", "train.txt", "--test", "train.txt", "--work", "w", "--epochs", "5")
    out = run.ok(*given, "--recipes", ",".join([*THREE, "crf:inference=during"]), "--constraint", "rules.txt", "--json")
    rows = {row["name"]: row for row in json.loads(out)["rows"]}
    assert rows[THREE[0]]["score"] == 100
    assert rows[THREE[1]]["score"] < 100
    assert rows[THREE[2]]["status"] == "done"
    assert rows["crf:inference=during"]["status"] == "refused"
    assert "learns from more than the best output" in rows["crf:inference=during"]["problem"]
    err = run.fails(*given, "--recipes", "perceptron", "--constraint", 'at_most(1, "NPS")')
    assert "failed" not in err  # refused before anything is trained
    assert "Did you mean 'NP'?" in err
