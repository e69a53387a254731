"""Intervals and tests by document: sums of rows, whatever the order of sentences, and sentences where documents are few."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import riata
from riata import Chunker, JointTagger
from riata.scoring import bootstrap_interval, f1_of, paired_test
from riata.scoring.evaluation import evaluate
from riata.scoring.figures import Figure, Sample, t_interval
from riata.scoring.resampling import FEWEST, interval_over_seeds, units_of
from samples import for_each

numbers = st.lists(st.integers(0, 30), min_size=1, max_size=60)


@given(numbers, st.integers(0, 2**32))
def test_rows_of_documents_are_sums_of_rows_of_sentences(document, seed):
    rows = np.random.default_rng(seed).integers(9, size=(len(document), 3))
    units = units_of(np.array(document, np.int32), len(rows))
    sums = units.sums(rows)
    assert (sums.sum(axis=0) == rows.sum(axis=0)).all()
    names = sorted(set(document))
    if len(names) < FEWEST:
        assert (sums == rows).all()
        assert str(units).startswith(f"sentences; only {len(names)} document")
    else:
        expected = [sum(rows[i] for i, of in enumerate(document) if of == name) for name in names]
        assert sums.tolist() == np.array(expected).tolist()
        assert str(units) == f"{len(names)} documents"


@given(numbers, st.integers(0, 2**32))
def test_the_order_of_sentences_changes_nothing(document, seed):
    random = np.random.default_rng(seed)
    rows, of = random.integers(9, size=(len(document), 2)), np.array(document, np.int32)
    order = random.permutation(len(document))
    units, moved = units_of(of, len(of)), units_of(of[order], len(of))
    if units.of is not None:
        assert (units.sums(rows) == moved.sums(rows[order])).all()


def test_without_documents_sentences_are_resampled():
    units = units_of(None, 3)
    rows = np.arange(6).reshape(3, 2)
    assert units.sums(rows) is rows
    assert str(units) == "sentences"
    assert str(units_of(np.zeros(3, np.int32), 3)) == "sentences; only 1 document"


def scored(document, wrong):
    """Sentences of one token, of which those in these documents are wrong."""
    labels = ["A", "B"]
    gold = np.zeros(len(document), np.int32)
    found = np.isin(document, wrong).astype(np.int32)
    evaluation = evaluate(labels, gold, found, np.arange(len(gold) + 1), chunks=False)
    return replace(evaluation, document=np.asarray(document, np.int32))


def test_errors_that_go_together_make_intervals_wider_and_tests_less_sure():
    """Twenty documents of thirty sentences, each all right or all wrong: twenty samples, not six hundred."""
    document = np.repeat(np.arange(20), 30)
    better, worse = scored(document, [0, 1, 2]), scored(document, [0, 1, 2, 3, 4])
    by_sentence = replace(better, document=None)
    assert better.score == by_sentence.score == 85
    assert len(better.resampled) == 20
    assert better.interval() == bootstrap_interval(better.statistic, better.resampled)
    assert better.interval().estimate == pytest.approx(85)
    narrow, wide = by_sentence.interval(), better.interval()
    assert wide.high - wide.low > 3 * (narrow.high - narrow.low)
    assert paired_test(better.statistic, better.rows, worse.rows).p_value < 0.001
    assert paired_test(better.statistic, better.resampled, worse.resampled).p_value > 0.4
    assert Figure((Sample.of(better),)).interval == (wide.low, wide.high)
    difference = Figure((Sample.of(better),)).minus(Figure((Sample.of(worse),)))
    assert difference.interval[0] == pytest.approx(0)
    assert "bootstrap over 20 documents" in str(better)
    assert "bootstrap over 20 documents" in better._repr_html_()
    assert "bootstrap over sentences)" in str(by_sentence)


def test_estimators_and_compare_models_resample_documents():
    train = riata.load("embedded", "train")
    data = riata.in_documents(train, np.arange(len(train)) // 20)
    one = Chunker(epochs=1).fit(train[:100])
    other = Chunker(epochs=1, template="classic").fit(train[:100])
    first, second = one.evaluate(data), other.evaluate(data)
    assert first.resampled.shape == (18, 5)
    changes = riata.compare_models(one, other, data)
    assert changes.scores[0].p_value == paired_test(f1_of, second.resampled, first.resampled).p_value
    assert changes.to_dict()["resampled"] == "18 documents"
    assert "of 18 documents" in str(changes).replace("\n", " ")
    joint = JointTagger(epochs=1).fit(train[:50])
    assert len(joint.evaluate(data).resampled) == 18
    assert riata.compare_models(joint, joint, data).resampled == "18 documents"
    reordered = data[np.random.default_rng(0).permutation(len(data))]
    assert one.evaluate(reordered).interval() == first.interval()


# --- intervals over seeds and sentences together, against simulated scores whose spread is known ---------------------
SENTENCES, SAMPLES = 60, 200


def mean_of(sums):
    return sums[..., 0] / sums[..., 1]


def table(random, seeds, by_seed, by_sentence, by_both):
    """Of every training, a number for each sentence, whose true mean is 0. The three spreads are those of the mean over all sentences."""
    root = np.sqrt(SENTENCES)
    values = by_seed * random.normal(size=(seeds, 1)) + by_sentence * root * random.normal(size=(1, SENTENCES))
    values = values + by_both * root * random.normal(size=(seeds, SENTENCES))
    return [(mean_of, np.stack([row, np.ones(SENTENCES)], axis=1)) for row in values]


def covered(seeds, *spreads, times=150):
    """How often the interval contains the true mean."""
    random = np.random.default_rng(seeds)
    found = [interval_over_seeds(table(random, seeds, *spreads), samples=SAMPLES) for _ in range(times)]
    return np.mean([one.low <= 0 <= one.high for one in found])


@for_each(seeds=[3, 5], spreads=[(1, 0, 0), (0, 1, 0), (1, 1, 0), (0.3, 1, 1)])
def test_the_true_mean_is_in_it_as_often_as_it_says(seeds, spreads):
    assert 0.88 <= covered(seeds, *spreads) <= 1


def test_what_is_due_to_both_makes_it_wide_rather_than_narrow():
    assert covered(3, 0, 0, 1) >= 0.95


def test_sentences_alone_would_miss_what_seeds_do():
    random = np.random.default_rng(0)
    runs = [table(random, 3, 1, 0.2, 0) for _ in range(150)]

    def of_one(run):
        return bootstrap_interval(mean_of, run[0][1], samples=SAMPLES)

    assert np.mean([of_one(run).low <= 0 <= of_one(run).high for run in runs]) < 0.5


def test_its_limits_are_the_two_intervals_that_it_is_made_of():
    random = np.random.default_rng(1)
    seeds_alone = table(random, 4, 1, 0, 0)
    found = interval_over_seeds(seeds_alone)
    assert (found.low, found.high) == pytest.approx(t_interval([rows[0, 0] for _, rows in seeds_alone]), rel=0.02)
    one = table(random, 1, 0, 1, 0)
    assert interval_over_seeds(one, samples=1000)[1:3] == bootstrap_interval(mean_of, one[0][1])[1:3]


def test_figures_have_it_where_they_are_asked_for_it():
    random = np.random.default_rng(2)
    samples = tuple(Sample(float(mean_of(rows.sum(axis=0))), rows, mean) for mean, rows in table(random, 3, 1, 1, 0))
    plain, both = Figure(samples), Figure(samples, sentences=True)
    assert plain.interval == t_interval(plain.values)
    assert both.interval[0] < plain.interval[0] and both.interval[1] > plain.interval[1]
    assert both.minus(both).interval == (0, 0)
    assert both.minus(both).sentences and Figure.mean_of([both, both]).sentences and not both.minus(plain).sentences
    assert Figure(tuple(map(Sample, plain.values)), sentences=True).interval == plain.interval, "no sentences are known"
