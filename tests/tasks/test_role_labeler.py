"""RoleLabeler: scikit-learn's conventions on a corpus of predicates, and outputs that can always be written."""

import dataclasses
import itertools
import pickle

import numpy as np
import pytest

import riata
from checks import refused, stored
from riata import RiataWarning, RoleCorpus, RoleLabeler, Span, registry
from riata.data.propbank import Proposition, formatted
from riata.errors import DataError, NotFittedError, SettingError, UnsupportedError
from riata.features.roles.slots import NO_ROLE
from riata.features.templates import parse

TRAIN, TEST = riata.load("embedded-roles"), riata.load("embedded-roles", "test")
BARE = TEST.with_propositions([[Proposition(one.predicate) for one in each] for each in TEST.propositions])
BOTH = pytest.mark.parametrize("boundaries", ["found", "given"])


def labeler(boundaries="found", recipe="perceptron", **params):
    return RoleLabeler(recipe, boundaries=boundaries, **params)


def trained(boundaries="found", recipe="perceptron", **params):
    return labeler(boundaries, recipe, **params).fit(TRAIN)


@BOTH
def test_it_learns_predicts_and_scores(boundaries):
    made = trained(boundaries)
    assert made.score(TRAIN) == 1.0
    found = made.predict(TEST)
    assert len(found) == len(TEST)
    assert [[one.predicate for one in each] for each in found] == [
        [one.predicate for one in each] for each in TEST.propositions
    ]
    evaluation = made.evaluate(TEST)
    assert made.score(TEST) == evaluation.score / 100 > 0.6
    assert (NO_ROLE in made.classes_) == (boundaries == "found")
    if boundaries == "given":
        assert evaluation.metrics["span_f1"] == 100
        assert evaluation.metrics["accuracy"] == evaluation.metrics["f1"]


def test_what_is_found_does_not_depend_on_the_arguments_of_the_input():
    made = trained()
    assert made.predict(BARE) == made.predict(TEST)
    assert b"".join(formatted(BARE.with_propositions(made.predict(BARE)))).count(b"(V*)") == 7
    refused(DataError, "boundaries are given needs the arguments", trained("given").predict, BARE)
    for method in (made.score, made.evaluate, made.search_errors, labeler().fit):
        refused(DataError, "needs the arguments of every predicate", method, BARE)


def test_input_without_predicates_is_told_of(tmp_path):
    made, none = trained(), dataclasses.replace(TEST, propositions=tuple([] for _ in TEST.propositions))
    for ask in (made.predict, made.evaluate):
        with pytest.warns(riata.RiataWarning, match="there are no predicates, so nothing is labelled"):
            ask(none)
    (tmp_path / "none.txt").write_text("1 Yes yes INTJ UH 0 root (INTJ*) - -\n".replace(" ", "\t"))
    with pytest.warns(riata.RiataWarning, match=r"none\.txt: there are no predicates"):
        made.predict_file(tmp_path / "none.txt", tmp_path / "out.txt")


def test_given_boundaries_are_labelled_whatever_their_roles():
    made = trained("given")
    other = TEST.with_propositions(
        [[one.with_roles([s._replace(type="ARG5") for s in one.roles]) for one in each] for each in TEST.propositions]
    )
    assert made.predict(other) == made.predict(TEST)


@pytest.mark.parametrize("recipe", registry.names("recipe"))
def test_arguments_that_are_found_never_overlap(recipe):
    """Whatever the recipe: a model that gives every slot a role has all of them overlap."""
    try:
        made = RoleLabeler(recipe, epochs=1, class_weight={NO_ROLE: 1e-6}).fit(TRAIN)
    except UnsupportedError:
        made = RoleLabeler(recipe, epochs=1).fit(TRAIN)
    slots = made.slots(TRAIN)
    raw = made.predicting.labels_of(made.columns.input_columns(slots.corpus))
    none = made.classes_.index(NO_ROLE)
    assert not len(slots.overlapping(made.predict_ids(TRAIN) != none))
    list(formatted(TRAIN.with_propositions(made.predict(TRAIN))))  # refuses spans that overlap
    kept = made.predict_ids(TRAIN)
    assert ((kept == raw) | (kept == none)).all()


@pytest.mark.parametrize("recipe", ["perceptron", "mira", "m3n"])
def test_the_set_of_arguments_that_is_kept_has_the_best_sum_of_scores(recipe):
    made = trained(recipe=recipe, epochs=1, class_weight={NO_ROLE: 0.001})
    slots = made.slots(TRAIN)
    none = made.classes_.index(NO_ROLE)
    raw = made.predicting.labels_of(made.columns.input_columns(slots.corpus))
    kept = made.predict_ids(TRAIN)
    wrong = slots.overlapping(raw != none)
    assert len(wrong)  # otherwise this says nothing
    for p in wrong:
        low, high = slots.corpus.starts[p : p + 2]
        instances = made.model_.features.instances(made.columns.input_columns(slots.corpus[[p]]))
        chosen = [i for i in range(high - low) if raw[low + i] != none]
        best = -np.inf
        for bits in range(1 << len(chosen)):
            some = [i for k, i in enumerate(chosen) if bits >> k & 1]
            spans = sorted(slots.spans[low + i].tolist() for i in some)
            if all(a[1] <= b[0] for a, b in itertools.pairwise(spans)):
                labels = np.full(high - low, none, np.int32)
                labels[some] = raw[low:high][some]
                best = max(best, made.model_.scores_of(instances, labels)[0])
        assert made.model_.scores_of(instances, kept[low:high])[0] == pytest.approx(best, rel=1e-4)


def broken(made, corpus):
    """Predicates whose arguments break a rule, counted by hand."""
    bad = 0
    for propositions in made.predict(corpus):
        for one in propositions:
            roles = [span.type for span in one.roles]
            core = [role for role in roles if role in ("ARG0", "ARG1", "ARG2", "ARG3", "ARG4", "ARG5", "ARGA")]
            lost = [role for role in roles if role[:2] in ("R-", "C-") and role != "C-V" and role[2:] not in roles]
            bad += len(core) > len(set(core)) or bool(lost)
    return bad


@BOTH
@pytest.mark.parametrize("recipe", ["perceptron", "crf", "early"])
def test_constraints_of_roles_are_kept(boundaries, recipe, tmp_path):
    both = riata.load("embedded-roles"), TEST
    made = labeler(boundaries, recipe, constraints="roles", epochs=2).fit(both[1])
    assert sum(broken(made, corpus) for corpus in both) == 0
    free = made.twin(constraints=None)
    assert sum(broken(free, corpus) for corpus in both) > 0
    assert made.predict(TRAIN, constraints=False) == free.predict(TRAIN)
    loaded = stored(made, tmp_path)
    assert loaded.predict(TRAIN) == made.predict(TRAIN)
    assert "at_most(1, 'ARG0')" in map(repr, loaded.constraints)


def test_constraints_of_roles_find_the_best_labels_that_keep_them():
    """Against the integer program, on the same scores."""
    from riata.estimators.roles import SCALE
    from riata.inference.declared import Declared
    from riata.inference.rules.integer_program import IntegerProgram

    made = labeler(epochs=1, constraints="roles").fit(TEST)
    slots = made.slots(TRAIN)
    names = made.model_.outputs.label_names(None)
    declared, program = Declared(made.declared_constraints()), IntegerProgram()
    scores = made.predicting._scores(slots.corpus) * SCALE
    ids = made.predict_ids(TRAIN)
    each = made.columns.slots_of(slots.corpus, names)
    for p, one in enumerate(each):
        low, high = slots.corpus.starts[p : p + 2]
        assert (one.spans == slots.spans[low:high]).all()
        best = program.solve(scores[low:high], declared.ground(one))
        mine = scores[np.arange(low, high), ids[low:high]].sum()
        assert mine == pytest.approx(best.score, abs=0.05)
    assert program.legal < program.inputs  # otherwise this says nothing


def test_learning_may_keep_the_constraints_of_roles():
    made = trained(constraints="roles", inference="during")
    assert broken(made, TRAIN) == 0 and made.score(TRAIN) > 0.9


@BOTH
def test_a_saved_model_is_the_same(boundaries, tmp_path):
    made = trained(boundaries)
    made.save(tmp_path / "m.riata")
    loaded = riata.load_model(tmp_path / "m.riata")
    assert type(loaded) is RoleLabeler and loaded.boundaries == boundaries
    assert loaded.predict(TEST) == made.predict(TEST) == pickle.loads(pickle.dumps(made)).predict(TEST)
    made.save(tmp_path / "n.riata")
    assert (tmp_path / "m.riata").read_bytes() == (tmp_path / "n.riata").read_bytes()


def test_files_go_in_and_out(tmp_path):
    made = trained()
    for corpus, name in ((TEST, "gold.txt"), (BARE, "bare.txt.gz")):
        riata.write_propbank(corpus, tmp_path / name)
        made.predict_file(tmp_path / name, tmp_path / f"{name}.out")
        assert riata.read_propbank(tmp_path / f"{name}.out").propositions == tuple(map(tuple, made.predict(corpus)))
    with pytest.raises(UnsupportedError, match="nbest is for labels of tokens"):
        made.predict_file(tmp_path / "gold.txt", tmp_path / "out.txt", nbest=2)


def test_scikit_learns_conventions():
    base = pytest.importorskip("sklearn.base")
    selection = pytest.importorskip("sklearn.model_selection")
    made = base.clone(labeler("given", epochs=3))
    assert made.get_params()["boundaries"] == "given" and made.epochs == 3
    assert "boundaries='given'" in repr(made)
    with pytest.warns(RiataWarning):
        search = selection.GridSearchCV(made, {"boundaries": ["given", "found"]}, cv=3).fit(TRAIN)
    assert search.best_params_ == {"boundaries": "given"}  # which is easier


def test_labels_may_be_given_apart():
    made = labeler().fit(BARE.with_propositions(TEST.propositions))
    apart = labeler().fit(BARE, list(TEST.propositions))
    assert made.predict(TRAIN) == apart.predict(TRAIN)
    assert apart.score(BARE, list(TEST.propositions)) == made.score(TEST)


def test_development_data_choose_the_epoch():
    by_parameter = labeler(dev=TEST).fit(TRAIN)
    by_argument = labeler().fit(TRAIN, None, TEST)
    assert by_parameter.best_epoch_ == by_argument.best_epoch_
    assert by_parameter.best_score_ == by_argument.best_score_ is not None
    held_out = labeler(dev=0.2).fit(TRAIN)
    assert held_out.best_score_ is not None


def test_plain_slots_are_labelled_as_a_tagger_does():
    made = trained()
    slots = made.slots(TEST).corpus
    labels = made.predict(slots)
    assert [len(each) for each in labels] == np.diff(slots.starts).tolist()
    assert made.evaluate(slots).metrics.keys() == {"accuracy"}
    shown = made.explain(slots[:1], True)
    assert "ARG" in str(shown)


def test_templates_of_users_may_read_neighbouring_labels():
    made = trained(template=parse("word[0]\nx27[0]\nx21[0] x27[0]\nedge"))
    assert made.score(TRAIN) > 0.7


def test_what_makes_no_sense_is_refused():
    refused(SettingError, r"Unknown value of boundaries 'fond'. Did you mean 'found'", labeler("fond").fit, TRAIN)
    refused(NotFittedError, "", labeler().predict, TEST)
    refused(UnsupportedError, "files of roles are read whole", labeler(stream=True).fit, "roles.txt")
    made = trained()
    refused(UnsupportedError, "given is for labels of tokens", made.predict, TEST, given=[["ARG0"]])
    refused(UnsupportedError, "cannot find arguments", trained("given").set_params(boundaries="found").predict, TEST)
    refused(DataError, "expected a RoleCorpus, found list", made.slots, [["a"]])


def test_sentences_without_predicates_are_left_alone():
    bare = TEST.with_propositions(TEST.propositions)
    none = bare[:0]
    made = trained()
    assert made.predict(none) == []
    columns = list(TEST.columns)
    quiet = [[("1", "Yes", "yes", "INTJ", "UH", "0", "root", "(INTJ*)", "-", "-")]]
    path_free = RoleCorpus(
        columns=tuple(type(columns[0]).of([value]) for value in quiet[0][0]),
        starts=np.array([0, 1]),
        propositions=((),),
    )
    assert made.predict(path_free) == [[]]
    assert made.evaluate(path_free).score == 0


def test_a_predicate_of_several_tokens_yields_to_arguments():
    """Otherwise what is predicted for a file of verbs with particles cannot be written."""
    verb = Proposition(2, (Span(2, 4, "V"),))
    assert verb.with_roles([Span(3, 4, "ARG2")]).arguments == (Span(2, 3, "V"), Span(3, 4, "ARG2"))
    assert verb.with_roles([Span(4, 5, "ARG2")]).arguments == (Span(2, 4, "V"), Span(4, 5, "ARG2"))
    assert verb.with_roles([Span(1, 3, "ARG2")]).arguments == (Span(1, 3, "ARG2"),)


def test_files_unlike_the_training_data_are_told_of(tmp_path):
    many = TRAIN[np.arange(len(TRAIN) * 30) % len(TRAIN)]
    labeler(epochs=1).fit(many).save(tmp_path / "m.riata")
    riata.load_model(tmp_path / "m.riata").set_params(strict=True).predict(many)
    for column in (4, 6, 7):  # tags, relations, brackets
        blank = riata.data.types.Column.of(["*" if column == 7 else "_"] * many.tokens)
        odd = dataclasses.replace(many, columns=(*many.columns[:column], blank, *many.columns[column + 1 :]))
        with pytest.raises(DataError, match=f"column {column} is "):
            riata.load_model(tmp_path / "m.riata").set_params(strict=True).predict(odd)
