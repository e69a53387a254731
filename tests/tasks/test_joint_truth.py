"""The truth of tags that are chosen with trees: in traces, explanations and search errors."""

import pickle

import numpy as np
import pytest

import riata
from checks import refused
from riata.data.memory import as_corpus
from samples import other_tags, treebank

TOY = [
    [("w", "A", "0", "root"), ("b", "B", "1", "q")],
    [("w", "C", "0", "root"), ("b", "B", "1", "p")],
] * 4
ODD = [("w", "C", "0", "root"), ("b", "B", "1", "q")]  # the model gives it the tag A
WORDS = [[token[0] for token in sentence] for sentence in treebank()]
PAIRS = [[(int(head), relation) for *_, head, relation in sentence] for sentence in treebank()]
TRIPLES = [[(int(head), relation, tag) for _, tag, head, relation in sentence] for sentence in treebank()]


def parsed(data, **given):
    settings = {"recipe": "max-violation", "epochs": 2, "beam": 2, "seed": 1, **given}
    return riata.DependencyParser(structure="transitions", tags="joint", **settings).fit(data)


@pytest.fixture(scope="module")
def parser():
    return parsed(treebank()[:8], epochs=1)


@pytest.fixture(scope="module")
def toy():
    return parsed(TOY, recipe="laso-perceptron", beam=8, epochs=3)


def wrong_parts(found, truth):
    """Wrong arcs and wrong tags."""
    pairs = list(zip(found, truth, strict=True))
    return sum(a[:2] != b[:2] for a, b in pairs) + sum(a[2] != b[2] for a, b in pairs)


def test_a_wrong_tag_adds_one_to_the_regret(toy):
    data = toy.sentences([ODD])
    trace = toy.trace(data, True)
    first = {node.action: (node.regret, node.good) for node in trace.nodes if node.depth == 1}
    assert first == {"shift A": (1, False), "shift B": (1, False), "shift C": (0, True)}
    assert trace.truth == (("0", "root", "C"), ("1", "q", "B"))
    assert toy.trace(["w", "b"], [(0, "root", "C"), (1, "q", "B")]).nodes == trace.nodes
    free = toy.trace(data, [(0, "root"), (1, "q")])  # labels that leave tags open
    assert {node.regret for node in free.nodes if node.depth == 1} == {0}
    assert free.truth == (("0", "root"), ("1", "q"))


@pytest.mark.parametrize("system", ["arc-hybrid", "swap"])
def test_the_regret_of_an_output_is_the_number_of_its_wrong_arcs_and_tags(system):
    learnt = parsed(treebank()[:8], epochs=1, beam=8, settings={"system": system})
    seen = set()
    for number, truth in enumerate(TRIPLES[:12]):
        trace = learnt.trace(as_corpus(treebank()[number : number + 1]), True, training=False)
        assert trace.truth == tuple((str(head), *rest) for head, *rest in truth)
        for node, labels in trace.outputs:
            assert trace.nodes[node].regret == wrong_parts(labels, trace.truth)
            seen.add(trace.nodes[node].regret)
    assert len(seen) > 2


def test_the_verdict_counts_wrong_tags(toy):
    data = toy.sentences([ODD])
    assert toy.evaluate(data).metrics["tags"] == 50 and toy.evaluate(data).metrics["las"] == 100
    for explanation in (toy.explain(data, True), toy.explain(["w", "b"], [(0, "root", "C"), (1, "q", "B")])):
        assert explanation.kind == "model"
        assert explanation.decision.chosen.labels == (("0", "root", "A"), ("1", "q", "B"))
        assert explanation.decision.other.name == "truth" and explanation.decision.other.labels == explanation.truth
        assert "0 root A  0 root C  ← differs" in str(explanation)
        assert "C" in explanation.to_html()
    assert toy.explain(["w", "b"], [(0, "root"), (1, "q")]).kind == "right"
    partly = toy.explain(["w", "b"], [(0, "root", "C"), (1, "q")])
    assert partly.kind == "model" and partly.decision.other.actions[0] == "shift C"
    unknown = toy.explain(["w", "b"], [(0, "root", "Z"), (1, "q", "B")])
    assert unknown.kind == "model" and "'Z' is unknown" in unknown.note


def test_outputs_to_compare_with_may_have_tags(toy):
    other = toy.explain(["w", "b"], against=[(0, "root", "C"), (1, "q", "B")]).decision.other
    assert other.actions == ("shift C", "shift B", "right q")
    assert toy.explain(["w", "b"], against=[(0, "root"), (1, "p")]).decision.other.actions[-1] == "right p"
    assert toy.explain(["w", "b"]).decision.chosen.labels == (("0", "root", "A"), ("1", "q", "B"))
    refused(riata.errors.DataError, "the tag of a token is 3", toy.trace, ["w", "b"], [(0, "root", 3), (1, "q", "B")])
    refused(riata.errors.DataError, "expected a pair", toy.trace, ["w", "b"], [(0, "root", "C", "D"), (1, "q", "B")])


def test_faults_are_told_by_the_scores_of_trees_with_tags(parser):
    errors, model = parser.search_errors(treebank()), parser.model_
    found = [parser.predict_nbest([words], 1)[0][0][0] for words in WORDS]
    wrong = [bool(wrong_parts(one, truth)) for one, truth in zip(found, TRIPLES, strict=True)]
    assert [fault != "right" for fault in errors.of] == wrong
    by_tree = parser.search_errors(WORDS, PAIRS)
    assert by_tree.wrong <= errors.wrong < len(WORDS) and by_tree.of != errors.of
    inputs = parser.input_columns(as_corpus(WORDS))
    instances, outputs = model.instances(inputs), model.outputs

    def scores(triples):
        flat = [label for sentence in triples for label in sentence]
        trees = [head * len(outputs.relations) + outputs.relations.index(relation) for head, relation, _ in flat]
        tags = riata.data.types.Column.of([tag for *_, tag in flat])
        codes = outputs.with_tags(outputs.codes(np.array(trees, np.int32), inputs.starts), tags)
        return model.weights.scores_of(model.features.index, instances, codes)

    known = [all(relation in outputs.relations for _, relation, _ in truth) for truth in TRIPLES]
    true = [truth if told else one for truth, one, told in zip(TRIPLES, found, known, strict=True)]
    for fault, output, truth, told in zip(errors.of, scores(found), scores(true), known, strict=True):
        assert fault in ("right", "tie") or fault == ("search" if told and truth > output else "model")
    assert parser.search_errors(WORDS, TRIPLES) == errors
    assert parser.search_errors(treebank(), PAIRS) == by_tree  # labels given apart say all that is true
    ids = parser.predict_ids(treebank())
    assert parser.search_errors(treebank(), predicted=ids) == errors
    assert parser.search_errors(treebank(), predicted=np.array(ids)) == errors
    assert parser.errors(treebank(), beams=[2]).beams[0].errors == errors


def test_tags_that_the_model_does_not_have_are_no_fault_of_the_search(parser):
    errors = parser.search_errors(other_tags(treebank()))
    assert (errors.wrong, errors.model, errors.search) == (len(WORDS), len(WORDS), 0)


def test_constraints_are_kept_beside_tags(toy):
    kept = pickle.loads(pickle.dumps(toy)).set_params(constraints=["at_most(0, 'q')"])
    explanation = kept.explain(kept.sentences([ODD]), True)
    assert explanation.kind == "model"
    assert explanation.constrained.without.labels == (("0", "root", "A"), ("1", "q", "B"))
    assert explanation.constrained.changes
    assert "q" not in {relation for _, relation, _ in explanation.decision.chosen.labels}


def test_the_command_compares_with_tags(toy, tmp_path, run):
    toy.save(tmp_path / "toy.riata")
    (tmp_path / "odd.txt").write_text("".join(" ".join(token) + "\n" for token in ODD), encoding="utf-8")
    command = ("explain", "--model", str(tmp_path / "toy.riata"), str(tmp_path / "odd.txt"), "--sentence", "1")
    out = run.ok(*command)
    assert "← differs" in out and "model error" in out
    out = run.ok(*command, "--against", "0/root/C 1/p/B")
    assert "shift C shift B right p" in out
    out = run.ok(*command, "--against", "0/root 1/p")
    assert "right p" in out
    status, _, err = run(*command, "--against", "0/root 1")
    assert status != 0 and "without a slash" in err


def test_margins_are_those_of_trees_with_their_tags(toy):
    """With wrong tags as truth, the search keeps it less; where any tag is right, no less than with the true ones."""
    true, wrong = (
        toy.diagnose(TOY),
        toy.diagnose([[(word, "B", *arc) for word, _, *arc in sentence] for sentence in TOY]),
    )
    words, trees = zip(*[([t[0] for t in s], [(int(t[2]), t[3]) for t in s]) for s in TOY], strict=True)
    free = toy.diagnose(list(words), list(trees))
    assert wrong.survival_margin < true.survival_margin <= free.survival_margin
    refused(riata.errors.LabelError, "'Z' is unknown", toy.diagnose, [[("w", "Z", "0", "root"), ("b", "B", "1", "q")]])
