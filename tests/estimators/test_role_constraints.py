"""The constraints of roles: what they say of outputs, and that the truth of the example keeps them."""

import numpy as np
import pytest

import riata
from riata.estimators.role_constraints import role_constraints
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
