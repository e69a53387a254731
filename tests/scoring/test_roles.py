"""Scores of roles against counts by hand."""

import random

import pytest

import riata
from riata.data.propbank import Proposition
from riata.data.types import Span
from riata.errors import DataError
from riata.scoring.roles import evaluate_roles, is_adjunct

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
    with pytest.raises(DataError, match="scoring needs the arguments"):
        evaluate_roles(unknown, CORPUS.propositions)


def test_adjuncts():
    assert [is_adjunct(role) for role in ("ARG0", "ARGM-TMP", "R-ARGM-LOC", "C-ARG1", "ARGA")] == [0, 1, 1, 0, 0]
