"""The constraints of roles: what they say of outputs, and that the truth of the example keeps them."""

import warnings

import numpy as np
import pytest

import riata
from riata import constraints as c
from riata.errors import RiataWarning
from riata.estimators.roles import role_constraints
from riata.inference.declared import Declared
from riata.inference.rules.slots import LabelNames, Slots

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


@pytest.mark.parametrize(
    ("labels", "legal"),
    [
        (["ARG0", "O", "ARG1", "O"], True),
        (["ARG0", "O", "ARG0", "O"], False),  # repeated
        (["ARGM-TMP", "O", "ARGM-TMP", "O"], True),
        (["O", "O", "R-ARG0", "O"], False),  # refers to nothing
        (["ARG0", "O", "R-ARG0", "O"], True),
        (["C-ARG1", "O", "ARG1", "O"], True),
        (["O", "O", "ARG0", "ARG1"], False),  # overlaps
        (["C-V", "O", "O", "R-ARG3"], True),
    ],
)
def test_what_is_legal(labels, legal):
    names = LabelNames(tuple(ROLES), outside=np.array([role == "O" for role in ROLES]))
    slots = Slots(4, names, np.array([[0, 2], [2, 3], [4, 8], [6, 8]], np.int32))
    rules = Declared(role_constraints(ROLES)).ground(slots)
    assert (not rules.broken([ROLES.index(label) for label in labels])) == legal


@pytest.mark.parametrize("boundaries", ["given", "found"])
def test_the_truth_of_the_example_keeps_them(boundaries):
    corpus = riata.load("embedded-roles")
    slots = riata.RoleLabeler(boundaries=boundaries).slots(corpus)
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
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RiataWarning)
        labeler = riata.RoleLabeler("perceptron", epochs=3, constraints=["roles", *own]).fit(train)
    texts = list(labeler.constraint_report(test).broken)
    alone = labeler.twin(constraints="roles")
    assert texts == [*alone.constraint_report(test).broken, *(repr(c.parse(str(one))) for one in own)]
    slots = labeler.slots(test).corpus
    found = labeler.predict(slots)
    tags = [slot.column(1) for slot in slots]
    assert not any(
        one == ("ARG0", "NN") for labels, of in zip(found, tags, strict=True) for one in zip(labels, of, strict=True)
    )
    labeler.save(tmp_path / "m.riata")
    assert list(riata.load_model(tmp_path / "m.riata").constraint_report(test).broken) == texts
    everywhere = labeler.twin(constraints=[c.no_overlap(), c.no_embedding()])
    named = labeler.twin(constraints=[c.no_overlap(*(one for one in labeler.classes_ if one != "O"))])
    assert everywhere.predict(slots) == named.predict(slots)
