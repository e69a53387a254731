"""UAS and LAS, worked by hand and by a loop over tokens that counts as the script of the CoNLL 2018 shared task does."""

import random

import numpy as np
import pytest

from riata.data.types import Column
from riata.errors import DataError
from riata.scoring.evaluation import STATISTICS, evaluate_trees

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
    with pytest.raises(DataError, match="one per token"):
        evaluate_trees(columns(GOLD), columns(FOUND[:1]), np.array([0, 16]))
