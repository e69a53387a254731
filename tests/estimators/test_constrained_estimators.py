"""Estimators with constraints: what they predict, say, store and refuse."""

import itertools
import pickle
from functools import partial

import numpy as np
import pytest

import riata
from checks import refused, stored
from riata import Chunker, JointTagger, RoleLabeler, Tagger, _core
from riata import constraints as c
from riata.errors import ModelFileError, SearchError, SettingError, UnknownNameError, UnsupportedError
from riata.estimators.roles import role_constraints
from riata.features.templates import parse
from riata.inference.declared import Declared
from riata.inference.rules.slots import LabelNames, Slots
from samples import CHUNKS, INPUTS, TAGS, WORDS, for_rows

CHUNK_LABELS = [[chunk for _, _, chunk in sentence] for sentence in CHUNKS]
SHAPES = {
    "chain": (Chunker, {"recipe": "perceptron"}),
    "crf": (Chunker, {"recipe": "crf"}),
    "bioes": (Chunker, {"recipe": "perceptron", "learn_as": "bioes"}),
    "beam": (Chunker, {"recipe": "laso-perceptron", "structure": "chain", "beam": 1}),
    "segments": (Chunker, {"recipe": "perceptron", "structure": "segments"}),
    "searched segments": (Chunker, {"recipe": "laso-perceptron", "structure": "segments", "beam": 2}),
    "kernel": (Chunker, {"recipe": "kernel-perceptron"}),
}


def fitted(estimator, X, y):
    return estimator.fit(X, y)


def noun_phrases(labels):
    return sum(label in ("B-NP", "S-NP") for label in labels)


@pytest.mark.parametrize("shape", SHAPES)
def test_predictions_keep_constraints_on_every_structure(shape):
    task, params = SHAPES[shape]
    chunker = fitted(task(**params, epochs=5), INPUTS, CHUNK_LABELS)
    free = chunker.predict(INPUTS)
    assert max(map(noun_phrases, free)) == 2
    chunker.set_params(constraints=[c.at_most(1, "NP"), c.at_least(1, "VP")])
    kept = chunker.predict(INPUTS)
    assert all(noun_phrases(labels) <= 1 and "B-VP" in labels for labels in kept)
    assert chunker.predict(INPUTS, constraints=False) == free
    assert chunker.predict(INPUTS, constraints="soft") == chunker.predict(INPUTS, constraints=1.0)
    assert chunker.predict(INPUTS, constraints=1e-6) == free
    # One sentence at a time, and as numbers: the fast paths.
    assert [chunker.predict([sentence])[0] for sentence in INPUTS] == kept
    assert [chunker.classes_[i] for i in chunker.predict_ids(INPUTS)] == [label for labels in kept for label in labels]


def test_tags_with_chunk_labels_keep_constraints_on_both():
    y = [list(zip(tags, chunks, strict=True)) for tags, chunks in zip(TAGS, CHUNK_LABELS, strict=True)]
    tagger = fitted(JointTagger(structure="joint", epochs=5), WORDS, y)
    tagger.set_params(constraints=[c.at_most(1, "NP"), c.at_most(0, "DT")])
    for labels in tagger.predict(WORDS):
        assert noun_phrases([chunk for _, chunk in labels]) <= 1
        assert all(tag != "DT" for tag, _ in labels)


def test_constraints_may_depend_on_columns():
    chunker = fitted(Chunker("perceptron"), INPUTS, CHUNK_LABELS)
    chunker.set_params(constraints=[c.at_most(0, "NP", where={1: "DT"})])
    for sentence, labels in zip(INPUTS, chunker.predict(INPUTS), strict=True):
        assert all(label != "B-NP" for (_, tag), label in zip(sentence, labels, strict=True) if tag == "DT")


def test_the_report_says_how_outputs_were_found():
    chunker = fitted(Chunker("perceptron"), INPUTS, CHUNK_LABELS)
    chunker.set_params(constraints=[c.at_most(1, "NP"), c.at_least(1, "VP")])
    report = chunker.constraint_report(INPUTS)
    assert report.sentences == 4
    assert report.found == {"kept them already": 2, "by search": 2}
    assert report.broken == {"at_most(1, 'NP')": 2, "at_least(1, 'VP')": 0}
    assert str(report) == "Constraints: 4 sentences, 2 kept them already, 2 by search."
    refused(SettingError, "no constraints", chunker.set_params(constraints=None).constraint_report, INPUTS)


def alternating(labels):
    """No label twice in a row."""
    return all(a != b for a, b in itertools.pairwise(labels))


def test_model_files_keep_constraints(tmp_path):
    rules = [c.at_most(1, "NP"), "requires('VP', 'NP')", c.predicate(alternating, penalty=2)]
    chunker = fitted(Chunker("perceptron", constraints=rules, inference="none"), INPUTS, CHUNK_LABELS)
    assert max(map(noun_phrases, chunker.predict(INPUTS))) == 2
    chunker.save(tmp_path / "m.riata")
    refused(ModelFileError, "alternating", riata.load_model, tmp_path / "m.riata")
    loaded = riata.load_model(tmp_path / "m.riata", using=[alternating])
    assert list(map(repr, loaded.constraints)) == [repr(rules[0]), rules[1], repr(rules[2])]
    assert loaded.inference == "none"
    for one in (loaded, pickle.loads(pickle.dumps(loaded))):
        assert max(map(noun_phrases, one.set_params(inference="after").predict(INPUTS))) == 1


@pytest.mark.parametrize("template", ["word[0]\nedge", "word[0]\nlabel[-1]"])
def test_functions_refuse_finished_outputs(template):
    tagger = fitted(Tagger("perceptron", template=parse(template)), WORDS, TAGS)
    tagger.set_params(constraints=[c.predicate(lambda labels: labels[0] != "DT"), c.at_most(1, "NN")])
    found = tagger.predict(WORDS)
    assert all(labels[0] != "DT" and labels.count("NN") <= 1 for labels in found)
    assert tagger.constraint_report(WORDS).found == {"kept them already": 2, "by search": 2}
    # The best of all that are left: as forbidding the label at the first token.
    instead = [c.transitions(forbidden=[(None, "DT")]), c.at_most(1, "NN")]
    assert tagger.set_params(constraints=instead).predict(WORDS) == found
    # A penalty that is worth paying, and one that is not.
    for penalty, expected in ((1e-6, tagger.predict(WORDS, constraints=False)), (1e6, found)):
        tagger.set_params(constraints=[c.predicate(lambda labels: labels[0] != "DT", penalty=penalty)])
        assert tagger.predict(WORDS) == expected


@pytest.mark.parametrize("structure", ["chain", "kernel-chain", "segments"])
def test_a_search_that_is_cut_off_leaves_the_rest_to_the_integer_program(structure, monkeypatch):
    params = {"template": parse("word[0]\nedge")} if structure == "chain" else {}
    recipe = "kernel-perceptron" if structure == "kernel-chain" else "perceptron"
    chunker = fitted(Chunker(recipe, structure=structure, **params), INPUTS, CHUNK_LABELS)
    chunker.set_params(constraints=[c.at_most(1, "NP")])
    expected = chunker.predict(INPUTS)
    monkeypatch.setattr(_core, "decode_under", partial(_core.decode_under, nodes=1, width=1000))
    assert chunker.predict(INPUTS) == expected
    way = "by a search that was cut off" if structure == "segments" else "by the integer program"
    assert chunker.constraint_report(INPUTS).found == {"kept them already": 2, way: 2}


@pytest.mark.parametrize("structure", ["chain", "segments"])
def test_functions_are_asked_where_search_is_cut_off(structure, monkeypatch):
    """On chains, the integer program goes on, with the outputs before forbidden; lists of the best where it cannot."""
    monkeypatch.setattr("riata.models.ruled_search.FEW", 1)
    params = {"template": parse("word[0]\nedge")} if structure == "chain" else {}
    chunker = fitted(Chunker("perceptron", structure=structure, **params), INPUTS, CHUNK_LABELS)
    chunker.set_params(constraints=[c.at_most(1, "NP"), c.predicate(lambda labels: labels[0] not in ("B-NP", "NP"))])
    expected, listed = chunker.predict(INPUTS), chunker.predict_nbest(INPUTS, 3)
    assert [sentence[0][0] for sentence in listed] == expected
    monkeypatch.setattr(_core, "decode_under", partial(_core.decode_under, nodes=1, width=1000))
    assert chunker.predict(INPUTS) == expected
    for found, before in zip(chunker.predict_nbest(INPUTS, 3), listed, strict=True):
        assert found[0] == before[0]
        assert [score for _, score in found] == pytest.approx([score for _, score in before], abs=1e-4)


def test_the_report_says_how_much_better_the_best_may_be(monkeypatch):
    chunker = fitted(Chunker("perceptron", structure="segments"), INPUTS, CHUNK_LABELS)
    chunker.set_params(constraints=[c.at_most(1, "NP")])
    assert chunker.constraint_report(INPUTS).gap == 0
    monkeypatch.setattr(_core, "decode_under", partial(_core.decode_under, nodes=1, width=1000))
    report = chunker.constraint_report(INPUTS)
    costs = [one.cost for one in (chunker.explain(words).constrained for words in INPUTS)]
    assert report.gap == pytest.approx(max(costs), rel=1e-4)  # from the best output without constraints
    assert f"the best output may score up to {report.gap:.3g} more" in str(report)


@pytest.mark.parametrize("structure", ["chain", "segments"])
def test_a_time_limit_gives_a_legal_output_that_is_flagged(structure, monkeypatch):
    params = {"structure": structure, "beam": 2, "template": parse("word[0]\nedge") if structure == "chain" else None}
    chunker = fitted(Chunker("laso-perceptron", **params), INPUTS, CHUNK_LABELS)
    chunker.set_params(constraints=[c.at_most(1, "NP")], settings={"seconds": 60.0})
    search = _core.decode_under

    def late(weights, index, instances, settings, rules, numbers):
        codes, how = search(weights, index, instances, settings, rules, numbers)
        return codes, np.where(settings["seconds"] > 0, 2, how)  # 2: not found

    monkeypatch.setattr(_core, "decode_under", late)
    assert all(noun_phrases(labels) <= 1 for labels in chunker.predict(INPUTS))
    found = chunker.constraint_report(INPUTS).found
    way = "by a search that was cut off" if structure == "segments" else "by the integer program"
    assert found[way] > 0
    with pytest.raises(SearchError, match=r"keeps the constraint at_least\(9, 'NP'\)"):
        chunker.set_params(constraints=[c.at_least(9, "NP"), c.at_most(99, "VP")]).predict(INPUTS)


def test_a_solver_out_of_time_leaves_what_search_has_found(monkeypatch):
    chunker = fitted(Chunker("perceptron", template=parse("word[0]\nedge")), INPUTS, CHUNK_LABELS)
    chunker.set_params(constraints=[c.at_most(1, "NP")])
    expected = chunker.predict(INPUTS)

    def late(*_):
        raise SearchError("No legal output was found within the time limit.")

    monkeypatch.setattr(_core, "decode_under", partial(_core.decode_under, nodes=1, width=1000))
    monkeypatch.setattr("riata.inference.rules.integer_program.IntegerProgram.solve", late)
    assert chunker.predict(INPUTS) == expected
    report = chunker.constraint_report(INPUTS)
    assert report.found == {"kept them already": 2, "by a search that was cut off": 2}
    assert report.gap > 0


def test_known_labels_stay_under_constraints():
    chunker = fitted(Chunker("perceptron"), INPUTS, CHUNK_LABELS)
    chunker.set_params(constraints=[c.at_most(1, "NP")])
    given = [[None] * 3 + ["B-NP"], [None] * 4 + ["B-NP"], [None] * 3, [None] * 2 + ["B-NP", None]]
    labels = chunker.predict(INPUTS, given=given)
    assert labels[1][4] == "B-NP"
    assert all(noun_phrases(found) <= 1 for found in labels)


def test_confidences_are_of_outputs_that_keep_constraints():
    chunker = fitted(Chunker("crf"), INPUTS, CHUNK_LABELS)
    chunker.set_params(constraints=[c.at_most(1, "NP")])
    ids, values = chunker.confidence.confidence_ids(chunker.columns.sentences(INPUTS))
    np.testing.assert_array_equal(ids, chunker.predict_ids(INPUTS))
    assert ((values > 0) & (values <= 1)).all()
    for sentence in chunker.predict_nbest(INPUTS, 3):
        assert all(noun_phrases(labels) <= 1 for labels, _ in sentence)
    assert [sentence[0][0] for sentence in chunker.predict_nbest(INPUTS, 3)] == chunker.predict(INPUTS)
    for ask in (chunker.predict_proba, lambda X: chunker.predict_nbest(X, 2, probabilities=True)):
        refused(UnsupportedError, r"at_most\(1, 'NP'\) says more", ask, INPUTS)


def test_development_scores_are_of_outputs_that_keep_constraints():
    never = [c.at_most(0, "NP")]
    params = {"recipe": "perceptron", "dev": 0.5, "epochs": 2}
    scores = [
        fitted(Chunker(**params, constraints=never, inference=inference), INPUTS * 4, CHUNK_LABELS * 4).best_score_
        for inference in ("none", "after")
    ]
    assert scores[1] < scores[0]


@for_rows(
    "rules, error, message",
    ([c.at_most(1, "B-NPs")], UnknownNameError, "Did you mean 'B-NP'"),
    ([c.at_most(1, "NP", where={"pos": "DT"})], UnknownNameError, "column 'pos'"),
    (["at_most(1"], SettingError, "is no constraint"),
    ([c.at_least(2, "NP"), c.at_most(1, "VP", "NP")], SettingError, "contradict each other"),
    ([3], SettingError, "is no constraint"),
)
def test_wrong_constraints_are_refused(rules, error, message):
    chunker = fitted(Chunker("perceptron"), INPUTS, CHUNK_LABELS)
    refused(error, message, chunker.set_params(constraints=rules).predict, INPUTS)


def test_sentences_without_a_legal_output_are_named():
    chunker = fitted(Chunker("perceptron"), INPUTS, CHUNK_LABELS)
    chunker.set_params(
        constraints=[c.at_most(9, "VP"), c.at_least(1, "NP"), c.excludes("NP", "VP"), c.at_least(1, "VP")]
    )
    raised = refused(SearchError, r"sentence 1 \(from 0\)", chunker.predict, [[], INPUTS[0]])
    assert "at_least(1, 'NP'); excludes('NP', 'VP'); at_least(1, 'VP')." in str(raised)
    chunker.set_params(constraints=[c.at_least(2, "NP"), c.at_most(9, "VP")])
    refused(SearchError, r"keeps the constraint at_least\(2, 'NP'\)", chunker.predict, [INPUTS[0][:1]])


def test_what_constraints_do_not_go_with():
    chunker = fitted(Chunker("crf", constraints=[c.at_most(1, "NP")]), INPUTS, CHUNK_LABELS)
    refused(UnsupportedError, "decode='spans'", chunker.predict, INPUTS, decode="spans")
    with pytest.raises(UnsupportedError, match=r"at_most\(1, 'NP'\) says more"):  # before it learns
        Chunker("crf", constraints=[c.at_most(1, "NP")], settings={"decode": "spans"}).fit(INPUTS, CHUNK_LABELS)
    refused(SettingError, "expected True, False, 'soft'", chunker.predict, INPUTS, constraints="maybe")


def as_pairs():
    return [list(zip(tags, chunks, strict=True)) for tags, chunks in zip(TAGS, CHUNK_LABELS, strict=True)]


def test_tags_with_chunk_labels_in_pairs_keep_constraints():
    """Those on neighbouring labels by the dynamic program, others by a search through lists of the best."""
    tagger = fitted(JointTagger("crf", structure="factorial"), WORDS, as_pairs())
    tagger.set_params(constraints=[c.at_most(0, "DT"), c.transitions(forbidden=[("B-NP", "B-VP")])])
    report = tagger.constraint_report(WORDS)
    assert set(report.found) <= {"kept them already", "by dynamic programming"}
    for labels in tagger.predict(WORDS):
        assert all(tag != "DT" for tag, _ in labels)
        assert ("B-NP", "B-VP") not in itertools.pairwise(chunk for _, chunk in labels)
    assert len(tagger.predict_nbest(WORDS, 2)[0]) == 2
    tagger.set_params(constraints=[c.at_most(1, "NP")])
    assert "by search" in tagger.constraint_report(WORDS).found
    assert all(noun_phrases([chunk for _, chunk in labels]) <= 1 for labels in tagger.predict(WORDS))
    tagger.set_params(constraints=[c.at_least(40, "NP")])
    refused(SearchError, r"None of the best outputs of sentence 0 \(from 0\)", tagger.predict, WORDS)
    with pytest.raises(UnsupportedError, match="inference is 'during'"):
        JointTagger("perceptron", structure="factorial", constraints=[c.at_most(1, "NP")], inference="during").fit(
            WORDS, as_pairs()
        )


def test_masks_cost_no_search():
    """Constraints on single and neighbouring labels: all ways of decoding keep them, one sentence at a time as well."""
    chunker = fitted(Chunker("crf"), INPUTS, CHUNK_LABELS)
    rules = [c.transitions(forbidden=[("I-NP", "B-VP")]), c.at_most(0, "PP")]
    free = chunker.predict(INPUTS)
    chunker.set_params(constraints=rules)
    kept = chunker.predict(INPUTS)
    assert kept != free
    assert [chunker.predict([sentence])[0] for sentence in INPUTS] == kept
    assert [sentence[0][0] for sentence in chunker.predict_nbest(INPUTS, 2)] == kept
    for labels in (*kept, *chunker.predict(INPUTS, decode="marginals"), *chunker.predict(INPUTS, decode="spans")):
        assert "B-PP" not in labels
        assert ("I-NP", "B-VP") not in itertools.pairwise(labels)
    at = chunker.classes_.index("B-PP")
    assert all((rows[:, at] == 0).all() for rows in chunker.predict_proba(INPUTS))
    listed = chunker.predict_nbest(INPUTS[:1], 50, probabilities=True)[0]
    assert 0 < sum(share for _, share in listed) <= 1 + 1e-6
    assert np.isneginf(chunker.log_likelihood(INPUTS, free)).any()
    assert chunker.constraint_report(INPUTS).broken[repr(rules[0])] > 0
    # What is trained anew is not mixed up with what was.
    other = {"B-NP": "B-VP", "B-VP": "B-NP", "I-NP": "I-VP", "B-PP": "B-PP", "O": "O"}
    swapped = [[other[label] for label in labels] for labels in CHUNK_LABELS]
    rules = [c.at_most(0, "PP")]
    for X in (INPUTS, INPUTS[:1]):
        fresh = fitted(Chunker("crf", constraints=rules), INPUTS, swapped).predict(X)
        assert fitted(chunker.set_params(constraints=rules), INPUTS, swapped).predict(X) == fresh


def test_masks_may_leave_no_output():
    chunker = fitted(Chunker("perceptron"), INPUTS, CHUNK_LABELS)
    labels = list(chunker.classes_)
    chunker.set_params(constraints=[c.at_most(0, *labels, where={1: "DT"}), c.at_most(0, "PP")])
    refused(SearchError, r"sentence 0 \(from 0\) keeps the constraint at_most\(0, ", chunker.predict, INPUTS)
    alone = c.transitions(allowed=[(None, "B-NP"), ("B-NP", "I-NP"), ("I-NP", None)])
    chunker.set_params(constraints=[c.at_most(0, "VP"), alone])
    refused(SearchError, r"keeps the constraint transitions\(allowed=", chunker.predict, INPUTS)
    assert chunker.predict([INPUTS[0][:2]]) == [["B-NP", "I-NP"]]


# --- the constraints of roles: what they say of outputs, and that the truth of the example keeps them ----------------
ROLES = ["O", "ARG0", "ARG1", "ARGA", "R-ARG0", "C-ARG1", "ARGM-TMP", "C-V", "R-ARG3", "R-ARGM-TMP"]


def test_they_are_about_the_roles_that_there_are():
    assert [repr(one) for one in role_constraints(ROLES)] == [
        f"no_overlap({', '.join(map(repr, ROLES[1:]))})",
        "at_most(1, 'ARG0')",
        "at_most(1, 'ARG1')",
        "at_most(1, 'ARGA')",
        "requires('R-ARG0', 'ARG0')",
        "requires('C-ARG1', 'ARG1')",
        "requires('R-ARGM-TMP', 'ARGM-TMP')",
    ]
    assert role_constraints(["O", "ARGM-LOC"], overlap=False) == []


@for_rows(
    "labels, legal",
    (["ARG0", "O", "ARG1", "O"], True),
    (["ARG0", "O", "ARG0", "O"], False),  # repeated
    (["ARGM-TMP", "O", "ARGM-TMP", "O"], True),
    (["O", "O", "R-ARG0", "O"], False),  # refers to nothing
    (["ARG0", "O", "R-ARG0", "O"], True),
    (["C-ARG1", "O", "ARG1", "O"], True),
    (["O", "O", "ARG0", "ARG1"], False),  # overlaps
    (["C-V", "O", "O", "R-ARG3"], True),
)
def test_what_is_legal(labels, legal):
    names = LabelNames(tuple(ROLES), outside=np.array([role == "O" for role in ROLES]))
    slots = Slots(4, names, np.array([[0, 2], [2, 3], [4, 8], [6, 8]], np.int32))
    rules = Declared(role_constraints(ROLES)).ground(slots)
    assert (not rules.broken([ROLES.index(label) for label in labels])) == legal


@pytest.mark.parametrize("boundaries", ["given", "found"])
def test_the_truth_of_the_example_keeps_them(boundaries):
    corpus = riata.load("embedded-roles")
    slots = RoleLabeler(boundaries=boundaries).slots(corpus)
    column = slots.corpus.columns[-1]
    labels = tuple(column.alphabet.texts())
    outside = np.array([label == "O" for label in labels])
    names = LabelNames(labels, outside=outside if outside.any() else None)
    declared = Declared(role_constraints(labels, overlap=boundaries == "found"))
    for low, high in zip(slots.corpus.starts[:-1], slots.corpus.starts[1:], strict=True):
        rules = declared.ground(Slots(int(high - low), names, slots.spans[low:high].astype(np.int32)))
        assert not rules.broken(column.ids[low:high])


def test_constraints_of_your_own_beside_those_of_roles(tmp_path):
    """Columns have the names that templates have for them, and O is the label for nothing."""
    train, test = (riata.load("embedded-roles", split) for split in ("train", "test"))
    own = [c.at_most(0, "ARG0", where={"tag": "NN"}), "at_most(0, 'ARG2', where={'x3': 'NP'})"]
    labeler = RoleLabeler("perceptron", epochs=3, constraints=["roles", *own]).fit(train)
    texts = list(labeler.constraint_report(test).broken)
    alone = labeler.twin(constraints="roles")
    assert texts == [*alone.constraint_report(test).broken, *(repr(c.parse(str(one))) for one in own)]
    slots = labeler.slots(test).corpus
    found = labeler.predict(slots)
    tags = [slot.column(1) for slot in slots]
    assert not any(
        one == ("ARG0", "NN") for labels, of in zip(found, tags, strict=True) for one in zip(labels, of, strict=True)
    )
    assert list(stored(labeler, tmp_path).constraint_report(test).broken) == texts
    everywhere = labeler.twin(constraints=[c.no_overlap(), c.no_embedding()])
    named = labeler.twin(constraints=[c.no_overlap(*(one for one in labeler.classes_ if one != "O"))])
    assert everywhere.predict(slots) == named.predict(slots)


# --- functions of users in constraints -------------------------------------------------------------------------------
X = [["a", "a", "b"], ["b", "a"], ["a"], ["b", "b"]]
Y = [["A", "A", "B"], ["B", "A"], ["A"], ["B", "B"]]


@pytest.fixture(scope="module")
def tagger():
    return Tagger("perceptron", template=parse("word[0]"), epochs=3).fit(X, Y)


def at_most(k):
    return lambda labels: labels.count("A") <= k


def test_another_function_of_the_same_name_is_another_constraint(tagger):
    for k in (0, 1, 2, 0):
        tagger.set_params(constraints=[c.predicate(at_most(k))])
        assert tagger.predict([["a", "a", "a"]])[0].count("A") == k
    report = tagger.set_params(constraints=[c.predicate(at_most(0)), c.predicate(at_most(2))]).constraint_report(
        [["a"] * 2]
    )
    assert list(report.broken.values()) == [1, 0]


def with_slots(labels, slots):
    return slots.count == len(labels)


def with_slots_by_name(labels, slots=None):
    return slots.count == len(labels)


def with_a_value(labels, most=1):
    return np.bool_(labels.count("A") <= most)


@pytest.mark.parametrize(("function", "found"), [(with_slots, 3), (with_slots_by_name, 3), (with_a_value, 1)])
def test_a_second_argument_is_the_slots_unless_it_has_a_value(tagger, function, found):
    tagger.set_params(constraints=[c.predicate(function)])
    assert tagger.predict([["a", "a", "a"]])[0].count("A") == found


def test_functions_of_other_arguments_are_refused_when_declared():
    with pytest.raises(
        SettingError, match=r"which needs 3 arguments; expected a function of labels, or of labels and slots"
    ):
        c.predicate(lambda labels, slots, more: True)


@for_rows("answer, said", (None, r"None; .* False\.\n  Its `return`"), ("no", "'no'"), (np.ones(2), "array"))
def test_answers_are_true_or_false(tagger, answer, said):
    tagger.set_params(constraints=[c.predicate(lambda labels: answer)])
    refused(SettingError, rf"of a constraint returned {said}", tagger.predict, [["a"]])


def test_names_that_stand_for_one_label_are_refused_as_one_name_is():
    labels = [[chunk for _, _, chunk in sentence] for sentence in CHUNKS]
    for rule, said in (
        (c.requires("B-NP", "NP", side="after"), "'B-NP' on both sides"),
        (c.requires(["I-NP", "NP"], "B-NP"), "'B-NP' on both sides"),
        (c.excludes("VP", "NP", "B-NP"), "'B-NP' twice"),
    ):
        refused(SettingError, said, Chunker("perceptron", constraints=[rule], epochs=1).fit, INPUTS, labels)


def test_labels_that_are_given_are_named_where_they_break_constraints(tagger):
    tagger.set_params(constraints=[c.at_most(1, "A")])
    with pytest.raises(
        SearchError,
        match=r"sentence 1 \(from 0\) with the labels that are given keeps the constraint at_most\(1, 'A'\)",
    ):
        tagger.predict([["a"], ["b", "b"]], given=[[None], ["A", "A"]])
    with pytest.raises(SearchError, match=r"sentence 1 \(from 0\) keeps the constraint at_least\(2, 'A'\)"):
        tagger.set_params(constraints=[c.at_least(2, "A")]).predict([["a", "a"], ["a"]], given=[["A", None], [None]])


def test_a_report_without_inference_says_why(tagger):
    with pytest.raises(SettingError, match="inference is 'none': predictions do not look at the constraints"):
        tagger.twin(constraints=[c.at_most(1, "A")], inference="none").constraint_report([["a"]])


def test_a_file_of_rules_may_start_with_a_mark(tmp_path):
    path = tmp_path / "rules.txt"
    path.write_text("at_most(1, 'A')\n", encoding="utf-8-sig")
    assert c.read(path) == [c.at_most(1, "A")]
