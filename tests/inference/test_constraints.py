"""The constraint language: what each kind means, how it is written and read, and what is refused."""

from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import riata
from checks import refused
from riata import _core, registry
from riata import constraints as c
from riata.errors import DataError, SettingError, UnknownNameError, UnsupportedError
from riata.inference.declared import Declared
from riata.inference.rules.slots import LabelNames, Slots
from rule_problems import shared_rules
from samples import for_rows

ABC = LabelNames(("A", "B", "C"))
ONE_COLUMN = {"pos": ["N", "V", "N", "V"]}


def legal(constraint, count, names=ABC, **more):
    """All outputs of so many slots that keep a constraint, as texts."""
    rules = Declared([constraint]).ground(Slots(count, names, **more))
    labels = range(len(names))
    return {
        "".join(names.labels[i] for i in output) for output in product(labels, repeat=count) if rules.is_legal(output)
    }


def described(value):
    """The same in every process: functions have no ids."""
    return "" if callable(value) else repr(value)


def outputs(count, keep=lambda text: True):
    return {text for text in map("".join, product("ABC", repeat=count)) if keep(text)}


def spans(*pairs):
    return np.array(pairs, np.int32)


@for_rows(
    "constraint, keeps",
    (c.at_most(1, "A"), lambda y: y.count("A") <= 1),
    (c.at_most(0, "A", "B"), lambda y: set(y) <= {"C"}),
    (c.at_most(1, "A", "B", each=True), lambda y: y.count("A") <= 1 and y.count("B") <= 1),
    (c.at_least(2, "A", "B"), lambda y: y.count("A") + y.count("B") >= 2),
    (c.exactly(1, "C"), lambda y: y.count("C") == 1),
    (c.implies("A", "B"), lambda y: "A" not in y or "B" in y),
    (c.implies(["A", "B"], c.at_most(1, "C")), lambda y: set(y) <= {"C"} or y.count("C") <= 1),
    (c.implies("A", c.exactly(2, "A")), lambda y: y.count("A") in (0, 2)),
    (c.excludes("A", "B"), lambda y: not {"A", "B"} <= set(y)),
    (c.excludes("A", "B", "C"), lambda y: len(set(y)) == 1),
    (c.excludes(["A", "B"], "C"), lambda y: "C" not in y or set(y) == {"C"}),
    (c.requires("A", "B"), lambda y: "A" not in y or "B" in y),
    (c.requires("A", "B", side="before"), lambda y: "A" not in y or "B" in y[: y.index("A")]),
    (c.requires("A", "B", side="after"), lambda y: "A" not in y or "B" in y[y.rindex("A") :]),
    (c.transitions(forbidden=[("A", "B"), (None, "C"), ("B", None)]), lambda y: "AB" not in y and y[0] != "C" and y[-1] != "B"),
    (c.automaton({"x": {"A": "y", "C": "x"}, "y": {"A": "y", "B": "x"}}, ends=["x"]), lambda y: y in ("ABC", "CAB", "AAB", "CCC")),
    (c.automaton({"x": {"A": "y", "C": "x"}, "y": {"B": "x"}}), lambda y: y in ("ABC", "CAB", "ABA", "CCC", "CCA")),
    (c.transitions(allowed=[("A", "B"), ("B", "A"), ("C", "C")]), lambda y: y in ("ABA", "BAB", "CCC")),
    (c.transitions(allowed=[("A", "A"), ("A", "B"), (None, "A"), ("B", None)]), lambda y: y == "AAB"),
    (c.outputs([["A", "B", "C"], ["A", "A", "A"], ["C"], ["B", "B", "C"]]), lambda y: y in ("ABC", "AAA", "BBC")),
    (c.predicate(lambda labels: labels[0] == labels[-1]), lambda y: y[0] == y[-1]),
    (c.predicate(lambda labels, slots: labels[0] == "A" and slots.count == 3), lambda y: y[0] == "A"),
    ids=described,
)  # fmt: skip
def test_what_constraints_mean(constraint, keeps):
    assert legal(constraint, 3) == outputs(3, keeps)


@for_rows(
    "constraint, keeps",
    (c.at_most(0, "A", where={"pos": "V"}), lambda y: "A" not in y[1::2]),
    (c.at_least(1, "A", where={"pos": ["V", "X"]}), lambda y: "A" in y[1::2]),
    (c.at_least(1, "A", where={"pos": "X"}), lambda y: False),
    (c.requires("A", "B", where={"pos": "N"}), lambda y: "A" not in y[::2] or "B" in y[::2]),
    (c.excludes("A", "B", where={"pos": "N"}), lambda y: not {"A", "B"} <= set(y[::2])),
    (c.implies("A", c.at_most(1, "B", where={"pos": "V"})), lambda y: "A" not in y or y[1::2].count("B") <= 1),
    (c.implies("A", "B", where={"pos": "N"}), lambda y: "A" not in y[::2] or "B" in y),
    (c.same(by="pos"), lambda y: y[0] == y[2] and y[1] == y[3]),
    (c.same("A", by="pos"), lambda y: (y[0] == "A") == (y[2] == "A") and (y[1] == "A") == (y[3] == "A")),
    ids=described,
)
def test_conditions_on_columns(constraint, keeps):
    assert legal(constraint, 4, columns=ONE_COLUMN) == outputs(4, keeps)


def test_agreement_with_the_slot_that_a_column_names():
    columns = {"who": ["1", "_", "0"]}
    assert legal(c.agrees("A", ["B"], at="who"), 3, columns=columns) == outputs(
        3, lambda y: (y[0] != "A" or y[1] == "B") and (y[2] != "A" or y[0] == "B")
    )
    with pytest.raises(DataError, match="Column 'who' of slot 0 is '9'; expected the number of a slot, from 0 to 0"):
        legal(c.agrees("A", "B", at="who"), 1, columns={"who": ["9"]})
    refused(UnsupportedError, "two labels of one slot", legal, c.agrees("A", "B"), 2)


def test_agreement_within_a_slot_that_has_several_labels():
    names = LabelNames(("N", "V", "B", "I"), columns=np.array([0, 0, 1, 1], np.int32))
    rules = Declared([c.agrees("N", "B"), c.transitions(forbidden=[("I", "B")])]).ground(Slots(2, names))
    assert rules.is_legal([[0, 2], [1, 3]])
    assert [one.origin for one in rules.broken([[0, 3], [0, 2]])] == [0, 1]
    with pytest.raises(UnsupportedError, match="labels of several output columns"):
        Declared([c.transitions(forbidden=[("N", "B")])]).ground(Slots(2, names))


random_spans = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=5)


@given(random_spans, st.booleans())
def test_spans_that_overlap_or_lie_in_each_other(pairs, hard):
    """Against pairs of tokens; labels are O and A."""
    pairs = [(start, start + length) for start, length in pairs]
    names = LabelNames(("O", "A"), outside=np.array([True, False]))
    slots = Slots(len(pairs), names, spans=spans(*pairs))
    tokens = [set(range(*pair)) for pair in pairs]
    for made, meets in (
        (c.no_overlap, lambda a, b: bool(a & b)),
        (c.no_embedding, lambda a, b: bool(a and b) and (a <= b or b <= a)),
    ):
        rules = Declared([made("A", penalty=None if hard else 2)]).ground(slots)
        unnamed = Declared([made(penalty=None if hard else 2)]).ground(slots)
        for output in product((0, 1), repeat=len(pairs)):
            chosen = [covered for covered, label in zip(tokens, output, strict=True) if label]
            met = sum(meets(a, b) for i, a in enumerate(chosen) for b in chosen[:i])
            expected = 2 * met if not hard else np.inf if met else 0
            assert rules.penalty(output) == unnamed.penalty(output) == expected


def test_spans_are_needed_where_spans_meet():
    refused(UnsupportedError, r"no_overlap\('A'\) needs slots that are spans", legal, c.no_overlap("A"), 2)
    with pytest.raises(SettingError, match="no labels in a task without a label for nothing"):
        legal(c.no_embedding(), 2, spans=spans((0, 1), (0, 2)))


def test_transitions_have_as_few_states_as_labels_that_go_on_differently():
    names = LabelNames(tuple("ABCDEFGH"))
    (automaton,) = c.transitions(forbidden=[("A", "B")]).ground(Slots(0, names))
    assert len(automaton.accepting) == 3  # the start, after A, after any other


def test_a_table_of_outputs_shares_what_goes_on_alike():
    table = [list(text) for text in map("".join, product("AB", repeat=8)) if text.endswith("A")]
    (automaton,) = c.outputs(table).ground(Slots(0, ABC))
    assert len(automaton.accepting) == 9


labels = st.text(st.characters(min_codepoint=32, max_codepoint=0x2FF), min_size=1, max_size=4)
some = labels | st.lists(labels, min_size=1, max_size=3, unique=True)
columns = st.text("abc", min_size=1, max_size=2) | st.integers(0, 5)
options = st.fixed_dictionaries(
    {}, optional={"penalty": st.floats(1e-3, 1e6), "where": st.dictionaries(columns, some, min_size=1, max_size=2)}
)
numbers = st.integers(1, 5)
pairs = st.lists(st.tuples(st.none() | labels, labels) | st.tuples(labels, st.none()), min_size=1, max_size=3)
cardinalities = st.builds(
    lambda made, k, names, each, more: made(k, *names, each=each, **more),
    st.sampled_from([c.at_most, c.at_least, c.exactly]), numbers, st.lists(labels, min_size=1, max_size=3), st.booleans(), options,
)  # fmt: skip
plain = st.builds(lambda k, name: c.at_most(k, name), numbers, labels)
apart = st.lists(labels, min_size=2, max_size=4, unique=True)
penalties = st.none() | st.floats(1e-3, 1e6)
tables = st.lists(st.lists(labels, max_size=3), min_size=1, max_size=3)
EVERY_KIND = {
    "at-most": cardinalities,
    "at-least": cardinalities,
    "exactly": cardinalities,
    "implies": st.builds(lambda a, b, more: c.implies(a, b, **more), some, plain | labels, options),
    "excludes": st.builds(lambda names, more: c.excludes(*names, **more), apart, options),
    "requires": st.builds(lambda names, side, penalty: c.requires(names[0], names[1:], side=side, penalty=penalty),
                          apart, st.sampled_from([None, "before", "after"]), penalties),
    "no-overlap": st.builds(lambda names, more: c.no_overlap(*names, **more), st.lists(labels, max_size=2), options),
    "no-embedding": st.builds(lambda names, more: c.no_embedding(*names, **more), st.lists(labels, max_size=2), options),
    "agrees": st.builds(lambda a, b, at, more: c.agrees(a, b, at=at, **more), some, some, st.none() | columns, options),
    "same": st.builds(lambda names, by, more: c.same(*names, by=by, **more), st.lists(labels, max_size=2), columns, options),
    "transitions": st.builds(lambda option, drawn, penalty: c.transitions(**{option: drawn}, penalty=penalty),
                             st.sampled_from(["allowed", "forbidden"]), pairs, penalties),
    "automaton": st.builds(lambda moves, ends, penalty: c.automaton({"x": moves, "y": {}}, ends=ends, penalty=penalty),
                           st.dictionaries(labels, st.sampled_from("xy"), max_size=3), st.none() | st.just(["y"]), penalties),
    "outputs": st.builds(lambda table, penalty: c.outputs(table, penalty=penalty), tables, penalties),
    "predicate": st.builds(lambda penalty: c.predicate(len, penalty=penalty), penalties),
}  # fmt: skip


@pytest.mark.parametrize("kind", registry.names("constraint"))
@given(data=st.data())
def test_the_text_of_a_constraint_is_read_back(kind, data):
    constraint = data.draw(EVERY_KIND[kind])
    read = c.parse(repr(constraint))
    assert read == constraint and hash(read) == hash(constraint)
    assert repr(read) == repr(constraint)
    assert type(read) is type(constraint)


def test_texts_are_short_and_as_in_python():
    assert repr(c.at_most(1, ["A0", "A1"], each=True)) == "at_most(1, 'A0', 'A1', each=True)"
    assert repr(c.implies("A", "B")) == "implies('A', at_least(1, 'B'))"
    assert repr(c.transitions(forbidden=[["A", "B"]], penalty=2)) == "transitions(forbidden=[('A', 'B')], penalty=2.0)"
    assert repr(c.same(by=0)) == "same(by=0)"
    assert repr(c.requires("R-A0", "A0", where={"pos": "N"})) == "requires('R-A0', 'A0', where={'pos': 'N'})"
    assert repr(c.predicate(riata.load)) == "predicate('riata.data.datasets.load')"


def test_every_kind_is_a_public_name():
    kinds = {name.replace("-", "_") for name in registry.names("constraint")}
    assert {*kinds, "parse", "read"} == set(c.__all__) == set(dir(c))
    assert all(getattr(c, name).__doc__ for name in kinds)
    with pytest.raises(AttributeError, match="no attribute 'at_moist'"):
        _ = c.at_moist


@for_rows(
    "text, words",
    ("at_most(1, 'A')", "at most 1 A"),
    ("at_most(0, 'A', 'B')", "no A or B"),
    ("at_least(2, 'A', 'B')", "at least 2 A or B"),
    ("exactly(1, 'A', 'B', each=True)", "exactly 1 of each of A, B"),
    ("at_most(1, 'A', where={'pos': ['N', 'V'], 2: 'x'})", "at most 1 A, where pos is N or V and column 2 is x"),
    ("implies('A', at_most(1, 'B'))", "with A, at most 1 B"),
    ("excludes('A', ['B', 'C'])", "no two of A; B or C in one output"),
    ("requires(['A', 'B'], 'C')", "every A or B needs C"),
    ("requires('A', 'C', side='after')", "every A needs C after it"),
    ("no_overlap()", "no two spans share a token"),
    ("no_embedding('A', 'B')", "no span with A or B lies within another one"),
    ("agrees('A', 'B')", "a slot with A has B, too"),
    ("agrees('A', 'B', at=3)", "a slot with A needs B in the slot that its column 3 names"),
    ("same(by='word')", "slots with the same word agree on their labels"),
    ("same('A', by='word')", "slots with the same word agree on A"),
    ("transitions(forbidden=[('A', 'B'), (None, 'C')])", "labels do not follow each other as A – B, the start – C"),
    (
        "transitions(allowed=[('A', 'A'), ('A', 'B'), ('B', 'A'), ('B', None)])",
        "labels follow each other only as A – A, A – B, B – A and 1 more",
    ),
    ("outputs([['A', 'B'], ['B', 'B']])", "the output is one of 2 that are listed"),
    ("predicate('mine.alternates')", "the function mine.alternates accepts the output"),
    (
        "automaton({'out': {'A': 'in'}, 'in': {'B': 'out'}}, ends=['out'])",
        "the automaton from 'out' reads all labels and ends in out",
    ),
)
def test_constraints_in_words(text, words):
    assert c.parse(text).in_words() == words


def test_a_column_that_does_not_exist_is_named_with_its_constraint():
    with pytest.raises(
        UnknownNameError, match=r"at_most\(1, 'A', where=\{'poss': 'N'\}\): Unknown column 'poss'\. Did you mean 'pos'"
    ):
        Declared([c.at_most(1, "A", where={"poss": "N"})]).ground(Slots(4, ABC, columns=ONE_COLUMN))


@for_rows(
    "text, message",
    ("", "is no constraint"),
    ("at_most", "is no constraint"),
    ("at_most(1, 'A'", "is no constraint"),
    ("at_most(1, open('x'))", "Unknown constraint 'open'"),
    ("at_mist(1, 'A')", "Unknown constraint 'at_mist'. Did you mean 'at_most'?"),
    ("at_most(1, x)", "has a value that is no literal"),
    ("at_most(1, 'A' * 3)", "has a value that is no literal"),
    ("c.at_most(1, 'A')", "is no constraint"),
    ("at_most(1, 'A', each_=True)", "unexpected keyword argument 'each_'"),
    ("at_most(1, **{'each': True})", "** has no meaning"),
    ("at_most(-1, 'A')", "the number -1; expected a whole number from 0"),
    ("at_least(0, 'A')", "the number 0; expected a whole number from 1"),
    ("at_most(True, 'A')", "the number True"),
    ("at_most(1.5, 'A')", "the number 1.5"),
    ("at_most(1)", "no label; expected at least one label"),
    ("at_most(1, [])", "no label; expected at least one label"),
    ("at_most(1, '')", "a label without a name"),
    ("at_most(1, 5)", "5 for labels; expected the name of a label"),
    ("at_most(1, 'A', each=1)", "each=1"),
    ("at_most(1, 'A', penalty=0)", "the penalty 0; expected a number above 0"),
    ("at_most(1, 'A', penalty=-1)", "the penalty -1"),
    ("at_most(1, 'A', penalty=1e999)", "None: it must not be broken"),
    ("at_most(1, 'A', where={})", "where={}; expected columns with values"),
    ("at_most(1, 'A', where={'pos': 3})", "expected a text, or a list of texts"),
    ("implies('A')", "missing a required argument: 'b'"),
    ("implies('A', at_most(1, 'B', penalty=1))", "with a penalty or each=True"),
    ("excludes('A')", "expected at least two"),
    ("excludes('A', 'A')", "'A' twice; expected labels that exclude each other; at_most(1, 'A') forbids a second one"),
    ("requires('A', 'A')", "'A' on both sides"),
    ("requires('A', 'B', side='left')", "side='left'"),
    ("requires('A', 'B', side='after', where={'pos': 'N'})", "both side= and where="),
    ("same()", "missing a required"),
    ("same(by=None)", "None for a column"),
    ("transitions()", "no pairs"),
    ("transitions(allowed=[('A', 'B')], forbidden=[('A', 'B')])", "both allowed= and forbidden="),
    ("transitions(allowed=[('A',)])", "no pair of labels"),
    ("transitions(allowed=[(None, None)])", "no pair of labels"),
    ("transitions(allowed=[])", "no pairs"),
    ("outputs([])", "no table of labels"),
    ("outputs(['AB'])", "no table of labels"),
    ("predicate(3)", "expected a function"),
)  # fmt: skip
def test_what_means_nothing_is_refused_when_declared(text, message):
    caught = refused(SettingError, "", c.parse, text)
    assert message in str(caught)
    assert caught.remedy


@for_rows(
    "a, b",
    ("at_least(2, 'A')", "at_most(1, 'A')"),
    ("at_least(2, 'A')", "at_most(1, 'A', 'B')"),
    ("exactly(2, 'A')", "exactly(1, 'A')"),
    ("at_least(2, 'A', where={'pos': 'N'})", "at_most(1, 'A')"),
    ("at_least(2, 'A', where={'pos': 'N'})", "at_most(1, 'A', 'B', each=True, where={'pos': 'N'})"),
)
def test_bounds_that_contradict_each_other_are_refused(a, b):
    caught = refused(SettingError, "contradict each other", Declared, [b, "at_most(5, 'A', 'B')", a])
    assert repr(c.parse(a)) in str(caught) and repr(c.parse(b)) in str(caught)


@for_rows(
    "a, b",
    ("at_least(2, 'A', 'B')", "at_most(1, 'A')"),
    ("at_least(2, 'A')", "at_most(1, 'A', penalty=1)"),
    ("at_least(2, 'A')", "at_most(1, 'A', where={'pos': 'N'})"),
    ("at_least(2, 'A')", "at_most(1, 'B')"),
)
def test_bounds_that_go_together_are_not_refused(a, b):
    assert len(Declared([a, b])) == 2


def test_labels_that_do_not_exist_are_answered_with_the_nearest():
    declared = Declared([c.at_most(1, "A"), c.requires("A", "BB")])
    caught = refused(UnknownNameError, "", declared.check, ABC)
    assert "Unknown label 'BB' in requires('A', 'BB'). Did you mean 'B'?" in str(caught)
    declared[0].ground(Slots(2, ABC))


def test_constraints_of_a_file(tmp_path):
    path = tmp_path / "rules.txt"
    path.write_text("# roles\n\nat_most(1, 'A')\n  requires('A', 'B')\n", encoding="utf-8")
    assert c.read(path) == [c.at_most(1, "A"), c.requires("A", "B")]
    path.write_text("at_most(1, 'A')\nat_mst(1, 'A')\n", encoding="utf-8")
    refused(UnknownNameError, r"rules\.txt:2: Unknown constraint 'at_mst'", c.read, path)
    refused(SettingError, "cannot be read", c.read, tmp_path / "none.txt")


@pytest.mark.parametrize("given", [5, [5], [None]])
def test_what_is_no_list_of_constraints_is_refused(given):
    refused(SettingError, r"no constraint|a list of constraints", Declared, given)


def first_is_a(labels):
    return labels[0] == "A"


def test_functions_are_stored_by_name_and_supplied():
    declared = Declared([c.predicate(first_is_a, penalty=1.5), c.at_most(1, "A")])
    read = Declared(declared.texts())
    assert read.functions() == [f"{__name__}.first_is_a"] and declared.functions() == []
    refused(SettingError, "first_is_a of a constraint is not there", read.ground, Slots(2, ABC))
    again = read.supplied([len, first_is_a])
    assert again.functions() == []
    assert again.ground(Slots(2, ABC)).penalty([1, 1]) == 1.5


def test_shared_rules_are_grounded_once():
    declared = Declared([c.at_most(1, "A"), c.same(by="pos"), c.transitions(forbidden=[("A", "B")])])
    rules = declared.ground(Slots(4, ABC, columns=ONE_COLUMN))
    assert declared.shared(ABC) is declared.shared(ABC)
    assert {rule.origin for rule in rules.rules} == {0, 1} and rules.automata[0].origin == 2
    assert shared_rules(rules).rules == declared.shared(ABC).rules
    assert len(declared.own(Slots(4, ABC, columns=ONE_COLUMN)).rules) == 6


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(1, 4)), max_size=7))
def test_sets_of_overlapping_spans_are_the_largest(drawn):
    spans = np.array([(first, first + size) for first, size in drawn], np.int32).reshape(-1, 2)
    starts, members = _core.overlapping(spans)
    found = [set(members[low:high].tolist()) for low, high in pairwise(starts.tolist())]
    shared = [{k for k, (first, end) in enumerate(spans) if first <= token < end} for token in range(11)]
    largest = [some for some in shared if len(some) > 1 and not any(some < other for other in shared)]
    assert sorted(map(sorted, found)) == sorted(map(sorted, {frozenset(some) for some in largest}))
