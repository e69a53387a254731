"""Scores of chunks against conlleval's own loop, of roles and of trees (UAS, LAS), each by hand too."""

import itertools
import random
import time
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import riata
from checks import refused
from oracle.conlleval import count_sentence
from riata.data.encodings.base import spans_of
from riata.data.propbank import Proposition
from riata.data.types import Column, Span
from riata.errors import DataError
from riata.scoring.evaluation import STATISTICS, evaluate_trees
from riata.scoring.roles import evaluate_roles, is_adjunct
from riata.scoring.spans import count_spans, f1_of, precision_of, recall_of, report
from samples import for_each, for_rows

USUAL = ["O"] + [f"{prefix}-{type_}" for prefix in "BIESLU" for type_ in ("NP", "VP", "A-B")]
ODD = [*USUAL, "B", "I", "E", "S", "X-NP", "X-VP", "b-NP", "[-NP", "]-NP", "[-VP", "]-VP", "-NP"]
UNKNOWN = [*USUAL, "X-NP", "X-VP", "b-NP"]


def counted(labels, gold, predicted):
    """count_spans for sentences of strings."""
    starts = np.cumsum([0, *map(len, gold)])
    number = {label: i for i, label in enumerate(labels)}
    gold_ids, predicted_ids = (
        np.array([number[tag] for tags in side for tag in tags], np.int32) for side in (gold, predicted)
    )
    return count_spans(labels, gold_ids, predicted_ids, starts)


def by_type(counts, sentence):
    """Counters (correct, found, gold) of one sentence, without the zeros, and its right tokens."""
    sides = (counts.correct, counts.found, counts.gold)
    numbers = [dict(zip(counts.types, side[sentence].tolist(), strict=True)) for side in sides]
    return (*(+Counter(side) for side in numbers), int(counts.right_tokens[sentence]))


def matched(gold, predicted):
    """The definition by sets: a chunk is correct if both outputs have it."""
    truth, guess = spans_of(gold), spans_of(predicted)
    both = set(truth) & set(guess)
    right = sum(g == p for g, p in zip(gold, predicted, strict=True))
    return (*(Counter(span.type for span in spans) for spans in (both, guess, truth)), right)


def random_pairs(labels, sentences, seed):
    """Pairs of random outputs that agree often enough to have correct chunks of several tokens."""
    draw = random.Random(seed)
    gold = [draw.choices(labels, k=draw.randint(0, 12)) for _ in range(sentences)]
    predicted = [[tag if draw.random() < 0.75 else draw.choice(labels) for tag in tags] for tags in gold]
    return gold, predicted


def pairs_of(labels):
    tags = st.sampled_from(labels)
    return st.lists(st.tuples(tags, tags | st.none()), max_size=8).map(
        lambda pairs: ([g for g, _ in pairs], [g if p is None else p for g, p in pairs])
    )


@pytest.mark.parametrize("labels", [USUAL, ODD], ids=["usual", "odd"])
def test_a_thousand_malformed_outputs_count_as_in_conlleval(labels):
    gold, predicted = random_pairs(labels, 1000, seed=7)
    counts = counted(labels, gold, predicted)
    assert counts.correct.sum() > 300
    assert counts.correct.sum() < counts.found.sum()
    for sentence, (truth, guess) in enumerate(zip(gold, predicted, strict=True)):
        assert by_type(counts, sentence) == count_sentence(truth, guess), (truth, guess)


@for_each(labels=["O B-NP I-NP I-VP", "O B-NP I-NP E-NP", "O B-NP S-NP X-NP", "O B I X-NP", "O I-NP L-NP U-VP"])
def test_all_pairs_of_short_outputs_count_as_in_conlleval(labels):
    labels = labels.split()
    outputs = [list(tags) for tags in itertools.product(labels, repeat=3)]
    gold, predicted = zip(*itertools.product(outputs, outputs), strict=True)
    counts = counted(labels, gold, predicted)
    for sentence, (truth, guess) in enumerate(zip(gold, predicted, strict=True)):
        extended = any(label[0] in "SLU" for label in labels)
        assert by_type(counts, sentence) == count_sentence(truth, guess, extended=extended), (truth, guess)


def test_tags_without_e_and_s_count_as_in_the_unextended_script():
    labels = ["O", "B-NP", "I-NP", "B-VP", "I-VP", "X-NP", "B", "I", "[-NP", "]-NP"]
    gold, predicted = random_pairs(labels, 1000, seed=8)
    counts = counted(labels, gold, predicted)
    for sentence, (truth, guess) in enumerate(zip(gold, predicted, strict=True)):
        assert by_type(counts, sentence) == count_sentence(truth, guess, extended=False), (truth, guess)


def test_without_s_l_or_u_among_the_labels_e_counts_as_in_the_unextended_script():
    labels = ["O", "B-NP", "B-VP", "I-NP", "I-VP", "E-NP", "E-VP"]
    gold, predicted = random_pairs(labels, 1000, seed=9)
    counts = counted(labels, gold, predicted)
    for sentence, (truth, guess) in enumerate(zip(gold, predicted, strict=True)):
        assert by_type(counts, sentence) == count_sentence(truth, guess, extended=False), (truth, guess)


def test_dots_inside_chunks_leave_the_totals_as_in_conlleval():
    labels = ["O", "B-NP", "I-VP", ".-NP", ".-VP", "O-NP", "X-NP", "S-NP"]
    gold, predicted = random_pairs(labels, 1000, seed=10)
    counts = counted(labels, gold, predicted)
    for sentence, (truth, guess) in enumerate(zip(gold, predicted, strict=True)):
        correct, found, chunks, _ = count_sentence(truth, guess)
        totals = [side[sentence].sum() for side in (counts.correct, counts.found, counts.gold)]
        assert totals == [correct.total(), found.total(), chunks.total()], (truth, guess)


@given(pairs_of(UNKNOWN))
def test_a_correct_chunk_is_a_span_of_both_outputs(pair):
    gold, predicted = pair
    assert by_type(counted(UNKNOWN, [gold], [predicted]), 0) == matched(gold, predicted)


@given(st.lists(st.sampled_from(ODD), max_size=10))
def test_spans_are_ordered_disjoint_and_as_many_as_are_counted(tags):
    spans = spans_of(tags)
    edges = [edge for span in spans for edge in (span.start, span.end)]
    assert edges == sorted(edges)
    assert all(0 <= span.start < span.end <= len(tags) for span in spans)
    assert counted(ODD, [tags], [tags]).gold.sum() == len(spans)


@given(st.lists(st.sampled_from(USUAL), max_size=10))
def test_an_output_compared_with_itself_is_all_correct(tags):
    counts = counted(USUAL, [tags], [tags])
    assert counts.correct.tolist() == counts.gold.tolist() == counts.found.tolist()


@given(pairs_of(ODD))
def test_exchanging_the_outputs_exchanges_found_and_gold(pair):
    gold, predicted = pair
    there, back = counted(ODD, [gold], [predicted]), counted(ODD, [predicted], [gold])
    assert there.correct.tolist() == back.correct.tolist()
    assert there.found.tolist() == back.gold.tolist()


@given(st.lists(pairs_of(ODD), min_size=1, max_size=4))
def test_sentences_are_counted_apart(pairs):
    gold, predicted = zip(*pairs, strict=True)
    together = counted(ODD, gold, predicted)
    for sentence, (truth, guess) in enumerate(pairs):
        assert by_type(together, sentence) == by_type(counted(ODD, [truth], [guess]), 0)


@for_rows(
    "tags, spans",
    ("B-NP I-NP O B-VP", [(0, 2, "NP"), (3, 4, "VP")]),
    ("I-NP I-NP B-NP", [(0, 2, "NP"), (2, 3, "NP")]),
    ("B-NP I-VP", [(0, 1, "NP"), (1, 2, "VP")]),
    ("O I-NP O", [(1, 2, "NP")]),
    ("B-A-B I-A-B", [(0, 2, "A-B")]),
    ("b-NP i-NP", [(0, 2, "NP")]),
    ("B-NP E-NP B-NP E-NP", [(0, 2, "NP"), (2, 4, "NP")]),
    ("B-NP L-NP I-NP", [(0, 2, "NP"), (2, 3, "NP")]),
    ("I-NP S-NP I-NP", [(0, 1, "NP"), (1, 2, "NP"), (2, 3, "NP")]),
    ("U-NP U-NP", [(0, 1, "NP"), (1, 2, "NP")]),
    ("X-NP B-NP", [(0, 2, "NP")]),
    ("[-NP .-NP [-NP", [(0, 1, "NP"), (2, 3, "NP")]),
    ("B I O I", [(0, 2, ""), (3, 4, "")]),
    ("NN VB", [(0, 1, "NN"), (1, 2, "VB")]),  # types alone
    ("PER PER O PER", [(0, 2, "PER"), (3, 4, "PER")]),
    ("person-actor person-other", [(0, 1, "person-actor"), (1, 2, "person-other")]),
    ("", []),
)
def test_spans_worked_by_hand(tags, spans):
    assert spans_of(tags.split()) == [Span(*span) for span in spans]


def test_a_report_worked_by_hand():
    gold = [["B-NP", "I-NP", "B-VP", "O", "B-PP", "B-NP"], ["B-NP", "O"]]
    predicted = [["B-NP", "I-NP", "B-VP", "B-VP", "I-PP", "I-NP"], ["O", "O"]]
    counts = counted(["O", *(f"{p}-{t}" for p in "BI" for t in ("VP", "PP", "NP", "ADJP"))], gold, predicted)
    assert counts.types == ("ADJP", "NP", "PP", "VP")
    assert counts.rows().tolist() == [[3, 6, 4, 5, 4], [1, 2, 0, 0, 1]]
    scores = report(counts)
    assert (scores.gold, scores.found, scores.correct, scores.tokens) == (5, 5, 4, 8)
    assert (scores.precision, scores.recall, scores.accuracy) == (80, 80, 50)
    assert scores.f1 == pytest.approx(80)
    assert [tuple(row) for row in scores.rows] == [
        ("NP", 100, pytest.approx(200 / 3), pytest.approx(80), 3, 2, 2),
        ("PP", 100, 100, 100, 1, 1, 1),
        ("VP", 50, 100, pytest.approx(200 / 3), 1, 2, 1),
    ]


def test_scores_of_nothing_found_are_zero():
    scores = report(counted(["O", "B-NP"], [["B-NP"]], [["O"]]))
    assert (scores.precision, scores.recall, scores.f1, scores.accuracy) == (0, 0, 0, 0)
    assert [tuple(row) for row in scores.rows] == [("NP", 0, 0, 0, 1, 0, 0)]


def test_an_empty_corpus_scores_zero_and_has_no_rows():
    scores = report(counted(["O", "B-NP"], [], []))
    assert (scores.tokens, scores.f1, scores.accuracy, scores.rows) == (0, 0, 0, ())


def test_statistics_score_many_sums_at_once():
    sums = np.array([[[9.0, 10, 2, 4, 8], [0, 0, 0, 0, 0]]])
    assert precision_of(sums).tolist() == [[50, 0]]
    assert recall_of(sums).tolist() == [[25, 0]]
    assert f1_of(sums)[0].tolist() == [pytest.approx(100 / 3), 0]


def test_types_do_not_depend_on_the_outputs():
    assert counted(["O", "O-Q", "I-B", "B-A", "B"], [["O"]], [["O"]]).types == ("", "A", "B")


@for_rows(
    "gold, predicted, starts, message",
    ([0, 1], [0], [0, 2], "2 gold labels, but 1 predicted"),
    ([0, 1], [0, 1], [0, 1], "Sentence starts"),
    ([0, 1], [0, 1], [1, 2], "Sentence starts"),
    ([0, 1], [0, 1], [0, 2, 1, 2], "Sentence starts"),
    ([0, 1], [0, 2], [0, 2], "Label id 2"),
    ([-1, 1], [0, 1], [0, 2], "Label id -1"),
)
def test_arrays_that_do_not_fit_are_refused(gold, predicted, starts, message):
    refused(DataError, message, count_spans, ["O", "B-NP"], np.array(gold), np.array(predicted), np.array(starts))


def test_fifty_thousand_tokens_are_counted_in_milliseconds():
    random_ = np.random.default_rng(0)
    gold, predicted = random_.integers(len(USUAL), size=(2, 50_000), dtype=np.int32)
    starts = np.arange(0, 50_001, 25)
    times = []
    for _ in range(5):
        begin = time.perf_counter()
        count_spans(USUAL, gold, predicted, starts)
        times.append(time.perf_counter() - begin)
    assert min(times) < 0.05


@given(pairs_of([*USUAL, "NP", "XX-NP"]))
def test_types_alone_among_other_tags_count_as_in_conlleval(pair):
    gold, predicted = pair
    labels = [*USUAL, "NP", "XX-NP"]
    assert by_type(counted(labels, [gold], [predicted]), 0)[:3] == count_sentence(gold, predicted)[:3]


def test_types_alone_are_chunks_where_there_is_nothing_else():
    found = by_type(counted(["O", "PER", "LOC"], [["PER", "PER", "O", "LOC"]], [["PER", "O", "O", "LOC"]]), 0)
    assert found[:3] == ({"LOC": 1}, {"PER": 1, "LOC": 1}, {"PER": 1, "LOC": 1})


# --- scores of roles against counts by hand --------------------------------------------------------------------------
CORPUS = riata.load("embedded-roles")


def test_the_truth_is_perfect():
    found = evaluate_roles(CORPUS, CORPUS.propositions)
    assert set(found.metrics.values()) == {100.0}
    assert found.main == "f1" and found.score == 100.0
    assert "V" not in [row.type for row in found.report.rows]
    assert sum(row.gold for row in found.report.rows) == sum(len(p.roles) for each in CORPUS.propositions for p in each)


def test_nothing_found_is_nothing_right():
    bare = [[one.with_roles(()) for one in each] for each in CORPUS.propositions]
    found = evaluate_roles(CORPUS, bare)
    assert (found.metrics["precision"], found.metrics["recall"], found.score) == (0.0, 0.0, 0.0)
    assert found.metrics["propositions"] == pytest.approx(100 * 2 / 20)  # two predicates have no arguments


@pytest.mark.parametrize("seed", range(5))
def test_counts_are_those_of_a_slow_twin(seed):
    rng = random.Random(seed)
    roles = ["ARG0", "ARG1", "ARGM-TMP", "R-ARG0", "R-ARGM-LOC"]
    guesses = []
    for sentence, propositions in zip(CORPUS, CORPUS.propositions, strict=True):
        guess = []
        for one in propositions:
            kept = [s._replace(type=rng.choice([s.type, *roles])) for s in one.roles if rng.random() < 0.7]
            free = [i for i in range(len(sentence)) if not any(s.start <= i < s.end for s in one.arguments)]
            kept += [Span(i, i + 1, rng.choice(roles)) for i in free if rng.random() < 0.1]
            guess.append(one.with_roles(kept))
        guesses.append(guess)
    pairs = [
        (set(a.roles), set(b.roles))
        for t, g in zip(CORPUS.propositions, guesses, strict=True)
        for a, b in zip(t, g, strict=True)
    ]
    correct, found, gold = (
        sum(map(len, each)) for each in ([a & b for a, b in pairs], [b for _, b in pairs], [a for a, _ in pairs])
    )
    metrics = evaluate_roles(CORPUS, guesses).metrics
    assert metrics["precision"] == pytest.approx(100 * correct / found)
    assert metrics["recall"] == pytest.approx(100 * correct / gold)
    assert metrics["f1"] == pytest.approx(200 * correct / (found + gold))
    assert metrics["propositions"] == pytest.approx(100 * sum(a == b for a, b in pairs) / len(pairs))
    spans = [({s[:2] for s in a}, {s[:2] for s in b}) for a, b in pairs]
    right = sum(len(a & b) for a, b in spans)
    assert metrics["span_precision"] == pytest.approx(100 * right / found)
    assert metrics["accuracy"] == pytest.approx(100 * correct / right)
    core = [(s.type, o.type) for a, b in pairs for s in a for o in b if s[:2] == o[:2] and "ARGM" not in s.type]
    assert metrics["core_accuracy"] == pytest.approx(100 * sum(x == y for x, y in core) / len(core))


def test_other_predicates_and_unknown_arguments_are_refused():
    with pytest.raises(DataError, match="sentence 0 has other predicates"):
        evaluate_roles(CORPUS, [[Proposition(0)] * len(each) for each in CORPUS.propositions])
    unknown = CORPUS.with_propositions([[Proposition(p.predicate) for p in each] for each in CORPUS.propositions])
    refused(DataError, "scoring needs the arguments", evaluate_roles, unknown, CORPUS.propositions)


def test_adjuncts():
    assert [is_adjunct(role) for role in ("ARG0", "ARGM-TMP", "R-ARGM-LOC", "C-ARG1", "ARGA")] == [0, 1, 1, 0, 0]


# --- UAS and LAS -----------------------------------------------------------------------------------------------------
RELATIONS = ("root", "nsubj", "nsubj:pass", "obj")


def columns(trees):
    arcs = [arc for tree in trees for arc in tree]
    return Column.of([str(head) for head, _ in arcs]), Column.of([relation for _, relation in arcs])


def evaluated(gold, found):
    starts = np.concatenate([[0], np.cumsum([len(tree) for tree in gold])])
    return evaluate_trees(columns(gold), columns(found), starts)


GOLD = [[(2, "nsubj:pass"), (0, "root"), (2, "obj")], [(0, "root")], [(2, "obj")] * 11 + [(0, "root")]]
FOUND = [[(2, "nsubj"), (0, "root"), (1, "obj")], [(0, "obj")], [(2, "obj")] * 11 + [(0, "root")]]


def test_scores_worked_by_hand():
    found = evaluated(GOLD, FOUND)
    assert found.metrics == {
        name: pytest.approx(100 * n / 16) for name, n in (("uas", 15), ("las", 13), ("las_universal", 14))
    }
    assert found.main == "las" and found.score == found.metrics["las"] == found.report.accuracy
    assert found.report.whole == pytest.approx(100 / 3)
    assert (found.report.tokens, found.report.sentences) == (16, 3)
    rows = {row.type: row for row in found.report.rows}
    assert rows["obj"][4:] == (12, 13, 11) and rows["root"][4:] == (3, 2, 2)
    assert rows["nsubj:pass"][4:] == (1, 0, 0) and rows["nsubj"][4:] == (0, 1, 0)
    lengths = [(row.lengths, row.sentences, row.tokens) for row in found.report.lengths]
    assert lengths == [("1-10", 2, 4), ("11-20", 1, 12)]
    assert found.report.lengths[0].uas == pytest.approx(75) and found.report.lengths[0].las == pytest.approx(25)
    assert "UAS 93.75, LAS 81.25, without subtypes 87.50 of 16 tokens" in str(found)
    assert "by length of sentences: 1-10: 75.00 25.00, 11-20: 100.00 100.00" in str(found).replace("\n", " ")


def test_scores_equal_those_of_a_loop():
    draw = random.Random(3)
    for _ in range(30):
        gold, found = (
            [[(draw.randint(0, 4), draw.choice(RELATIONS)) for _ in range(n)] for n in (1, 5, 3)] for _ in range(2)
        )
        pairs = [pair for one, other in zip(gold, found, strict=True) for pair in zip(one, other, strict=True)]
        heads = [g[0] == f[0] for g, f in pairs]
        same = [g == f for g, f in pairs]
        plain = [g[0] == f[0] and g[1].split(":")[0] == f[1].split(":")[0] for g, f in pairs]
        metrics = evaluated(gold, found).metrics
        for name, right in (("uas", heads), ("las", same), ("las_universal", plain)):
            assert metrics[name] == pytest.approx(100 * sum(right) / len(right))
            assert STATISTICS[name](evaluated(gold, found).rows.sum(axis=0)) == pytest.approx(metrics[name])


def test_a_head_that_is_missing_is_wrong():
    assert evaluated([[(0, "root")]], [[("_", "root")]]).metrics["uas"] == 0


def test_outputs_of_different_lengths_are_refused():
    refused(DataError, "one per token", evaluate_trees, columns(GOLD), columns(FOUND[:1]), np.array([0, 16]))
