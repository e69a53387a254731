"""Parts of trees that are given, confidence in arcs, and lists of trees with their probabilities: against enumeration, and from files."""

import json

import numpy as np
import pytest

import riata
from all_trees import all_trees
from riata.errors import DataError, LabelError, UnsupportedError
from riata.features.arcs import parse
from samples import quietly, treebank

pytestmark = pytest.mark.filterwarnings("ignore::riata.RiataWarning")
STRUCTURES = ("projective", "tree")
SIBLINGS = "arc head.tag[0] child.tag[0]\nrelation child.tag[0]\nsibling sibling.tag[0] child.tag[0]"


@pytest.fixture(scope="module", params=[*STRUCTURES, "siblings"])
def parser(request):
    if request.param == "siblings":
        return quietly(
            riata.DependencyParser(
                "crf",
                structure="projective",
                template=parse(SIBLINGS),
                settings={"c2": 0.1},
                tags="given",
                calibrated=False,
            ),
            treebank()[:24],
        )
    return quietly(
        riata.DependencyParser("crf", structure=request.param, settings={"c2": 0.1}, tags="given", calibrated=False),
        treebank()[:24],
    )


SENTENCE = [("the", "DET"), ("dog", "NOUN"), ("sleeps", "VERB")]


def trees(parser, sentence):
    """All trees of a sentence with their scores."""
    found, logs = all_trees(parser, sentence)
    return found, np.exp(logs)


def test_confidences_are_sums_over_all_trees(parser):
    found, shares = trees(parser, SENTENCE)
    assert shares.sum() == pytest.approx(1, abs=1e-4)
    (best,), (sure,) = parser.predict([SENTENCE]), parser.predict_confidence([SENTENCE])
    for t, ((head, relation), (of_head, of_relation)) in enumerate(zip(best, sure, strict=True)):
        same = [tree[t] for tree in found]
        assert of_head == pytest.approx(sum(p for arc, p in zip(same, shares, strict=True) if arc[0] == head), abs=1e-4)
        assert of_relation == pytest.approx(
            sum(p for arc, p in zip(same, shares, strict=True) if arc[1] == relation), abs=1e-4
        )


def test_given_arcs_are_kept_and_the_rest_is_best(parser):
    found, shares = trees(parser, SENTENCE)
    for given in (
        [None, (1, None), None],
        [(3, "nsubj"), None, None],
        [(None, "det"), None, (2, None)],
        [None, (0, "root"), None],
    ):
        agree = [
            (p, tree)
            for p, tree in zip(shares, found, strict=True)
            if all(
                g is None or all(a is None or a == b for a, b in zip(g, arc, strict=True))
                for g, arc in zip(given, tree, strict=True)
            )
        ]
        (best,) = parser.predict([SENTENCE], given=[given])
        assert max(p for p, tree in agree if tree == best) == pytest.approx(max(agree)[0])  # several may be the best
        (((_, p), *_),) = parser.predict_nbest([SENTENCE], 2, given=[given], probabilities=True)
        assert p == pytest.approx(max(agree)[0] / sum(p for p, _ in agree), abs=1e-3)
        for g, sure in zip(given, parser.predict_confidence([SENTENCE], given=[given])[0], strict=True):
            assert g is None or g[0] is None or sure[0] == pytest.approx(1, abs=1e-5)


def test_what_is_given_must_fit(parser):
    for given, words in [
        ([[(2, None), (1, None), None]], "no legal labelling has '1' at token 1 of sentence 0"),
        ([[(0, None), (0, None), None]], "beside what else is given; legal are trees with one root"),
        ([[(7, None), None, None]], "the head 7 is given"),
        ([[(1, None), None, None]], "to token 1 of 3"),
        ([[(2, "strange"), None, None]], "does not know the relation 'strange'"),
    ]:
        with pytest.raises(LabelError, match=words):
            parser.predict([SENTENCE], given=given)
    for given, words in [([[None, None]], "it has 3 tokens"), ([[3, None, None]], "an arc is 3"), ([], "1 sentences")]:
        with pytest.raises(DataError, match=words):
            parser.predict([SENTENCE], given=given)


def test_given_arcs_that_cross_are_refused_where_arcs_may_not():
    data = treebank()[:24]
    given = [[(3, None), (4, None), None, None]]
    sentence = [[("a", "DET"), ("b", "NOUN"), ("c", "VERB"), ("d", "NOUN")]]
    with pytest.raises(LabelError, match="do not cross"):
        quietly(riata.DependencyParser("mira", structure="projective", epochs=2, tags="given"), data).predict(
            sentence, given=given
        )
    free = quietly(riata.DependencyParser("mira", structure="tree", epochs=2, tags="given"), data).predict(
        sentence, given=given
    )
    assert [head for head, _ in free[0]][:2] == [3, 4]


def test_probabilities_of_every_label_are_refused(parser):
    with pytest.raises(UnsupportedError, match="predict_confidence"):
        parser.predict_proba([SENTENCE])


def test_arcs_are_calibrated():
    data = treebank()
    parser = quietly(riata.DependencyParser("mira", structure="projective", epochs=3, tags="given"), data[:16])
    parser.calibrate(data[16:])
    assert len(parser.calibration_) == 2 and parser.confidence.believable
    assert all(
        0 <= value <= 1 for sentence in parser.predict_confidence(data[:2]) for pair in sentence for value in pair
    )


def test_files_give_arcs_and_get_confidences(tmp_path, run):
    rows = ["the\tDET\t2\tdet", "dog\tNOUN\t3\tnsubj", "barks\tVERB\t0\troot", ""]
    (tmp_path / "train.txt").write_text(("\n".join(rows) + "\n") * 10, encoding="utf-8")
    (tmp_path / "part.txt").write_text("the\tDET\t_\tdet\ndog\tNOUN\t0\t_\nbarks\tVERB\t_\t_\n", encoding="utf-8")
    model = str(tmp_path / "m.riata")
    options = ("--structure", "projective", "--epochs", "3", "--json")
    assert run("train", "parse", "--train", str(tmp_path / "train.txt"), "--model", model, *options)[0] == 0
    status, out, err = run("predict", "--model", model, "--given", "2", str(tmp_path / "part.txt"))
    assert status == 0, err
    assert [line.split()[-2] for line in out.splitlines() if line][1] == "0"
    status, out, err = run("predict", "--model", model, "--confidence", str(tmp_path / "part.txt"))
    assert status == 0 and all(0 <= float(line.split()[-1]) <= 1 for line in out.splitlines() if line), err
    status, out, err = run("predict", "--model", model, "--nbest", "2", "--confidence", str(tmp_path / "part.txt"))
    assert status == 0 and out.count("# ") == 2, err
    assert json.loads(run("calibrate", "--model", model, str(tmp_path / "train.txt"), "--json")[1])


@pytest.mark.parametrize("system", ["arc-hybrid", "arc-eager", "arc-standard", "swap"])
def test_the_relation_of_the_root_is_not_given_to_others_by_moves(system):
    parser = quietly(riata.DependencyParser(epochs=2, settings={"system": system}, tags="given"), treebank())
    words = [token[:2] for token in treebank()[0]]
    given = [(2, "root"), *[None] * (len(words) - 1)]
    with pytest.raises(LabelError, match="no legal labelling has '2 root'"):
        parser.predict([words], given=[given])
