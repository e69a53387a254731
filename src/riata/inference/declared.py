"""Constraints as users declare them: in Python, as text, or in a file; checked together, and grounded on inputs."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from riata import registry
from riata.errors import RiataError, SettingError, UnknownNameError, printed
from riata.inference.constraints.at_most import Cardinality
from riata.inference.constraints.base import Constraint
from riata.inference.rules.rule import Automaton, Predicate, Rule
from riata.inference.rules.rules import Rules
from riata.inference.rules.slots import LabelNames, Slots

EXAMPLE = 'Write it as in Python: at_most(1, "PER"), with texts, numbers and lists for values.'


def parse(text: str) -> Constraint:
    """A constraint from text, such as its repr. Values are literals; nothing is executed.

    >>> riata.constraints.parse("at_least(1, 'VP')")
    at_least(1, 'VP')
    """
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError, AttributeError):
        raise SettingError(f"{printed(text):.200} is no constraint.", remedy=EXAMPLE) from None
    if not isinstance(tree, ast.Call):
        raise SettingError(f"{text!r:.200} is no constraint.", remedy=EXAMPLE)
    return _called(tree, text)


def read_constraints(path: str | Path) -> list[Constraint]:
    """The constraints of a file, one per line. Empty lines and lines that start with # are skipped.

    >>> _ = open("rules.txt", "w").write("at_least(1, 'VP')")
    >>> riata.constraints.read("rules.txt")
    [at_least(1, 'VP')]
    """
    found = []
    try:
        lines = Path(path).read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is no text in UTF-8"
        raise SettingError(f"cannot be read: {reason}.", file=path, remedy="Constraints are one per line.") from None
    for number, line in enumerate(lines, 1):
        if line.strip() and not line.lstrip().startswith("#"):
            try:
                found.append(parse(line))
            except RiataError as error:
                raise error.located(path, number) from None
    return found


class Declared:
    """The constraints of one task, in the order in which they were declared: the origin of a rule is the number in it.

    constraints: constraints, or texts of them. Bounds that contradict each other are refused.
    """

    def __init__(self, constraints: Any = ()) -> None:
        if isinstance(constraints, (str, Constraint)):
            constraints = [constraints]
        if not isinstance(constraints, Iterable):
            raise SettingError(
                f"constraints is {printed(constraints)}; expected a list of constraints.", remedy=EXAMPLE
            )
        self.constraints = tuple(_constraint(one) for one in constraints)
        _check_bounds(self.constraints)
        self._shared: tuple[LabelNames, Rules] | None = None
        self._numbered = {  # by whether they are shared
            shared: [(origin, one) for origin, one in enumerate(self.constraints) if one.is_shared == shared]
            for shared in (False, True)
        }

    def __len__(self) -> int:
        return len(self.constraints)

    def __getitem__(self, origin: int) -> Constraint:
        return self.constraints[origin]

    def texts(self) -> list[str]:
        """As model files store them."""
        return [repr(one) for one in self.constraints]

    def functions(self) -> list[str]:
        """The names of the user's functions that are needed and not there."""
        lacking = (
            getattr(one, "function_name", None) for one in self.constraints if getattr(one, "function", 0) is None
        )
        return sorted({str(name) for name in lacking})

    def supplied(self, using: Iterable[Any]) -> Declared:
        """With the functions of predicates, found by name."""
        using = list(using)
        return Declared(one.supplied(using) if hasattr(one, "supplied") else one for one in self.constraints)

    def check(self, names: LabelNames) -> None:
        """Raises UnknownNameError, with the nearest name, if a constraint names a label that does not exist. Looks at labels only."""
        for constraint in self.constraints:
            for name in constraint.named():
                try:
                    names.flags([name])
                except UnknownNameError as error:
                    message = error.message.replace(f"{name!r}.", f"{name!r} in {constraint!r}.", 1)
                    raise UnknownNameError(message, remedy=error.remedy) from None

    def shared(self, names: LabelNames) -> Rules:
        """The rules that are the same for all inputs; found once for the same names."""
        if self._shared is None or self._shared[0] is not names:
            nothing = Slots(0, names)
            self._shared = names, self._ground(nothing, shared=True)
        return self._shared[1]

    def own(self, slots: Slots) -> Rules:
        """The rules of one input that are not shared."""
        return self._ground(slots, shared=False)

    def ground(self, slots: Slots) -> Rules:
        """All rules of one input."""
        return self.shared(slots.names) + self.own(slots)

    def _ground(self, slots: Slots, *, shared: bool) -> Rules:
        numbered = self._numbered[shared]
        return Rules.of(len(slots.names), (rule for origin, one in numbered for rule in _grounded(one, slots, origin)))


def _grounded(constraint: Constraint, slots: Slots, origin: int) -> list[Rule | Automaton | Predicate]:
    """Its rules; an error about a column or a label that does not exist names the constraint."""
    try:
        return constraint.ground(slots, origin)
    except UnknownNameError as error:
        raise UnknownNameError(f"{constraint!r}: {error.message}", remedy=error.remedy) from None


def _constraint(given: Any) -> Constraint:
    if isinstance(given, str):
        return parse(given)
    if not isinstance(given, Constraint):
        raise SettingError(
            f"{printed(given):.200} is no constraint.", remedy="riata.constraints has them; a text is read as one."
        )
    return given


def _called(call: ast.Call, text: str) -> Constraint:
    """A constraint from a call; arguments are literals or calls of the same kind."""
    known = [name.replace("-", "_") for name in registry.names("constraint")]
    if not isinstance(call.func, ast.Name):
        raise SettingError(f"{text!r:.200} is no constraint.", remedy=EXAMPLE)
    if call.func.id not in known:
        raise UnknownNameError.of("constraint", call.func.id, known, remedy="docs/constraints.md tells more.")
    kind = registry.get("constraint", call.func.id.replace("_", "-"))
    by_place = [_value(argument, text) for argument in call.args]
    if any(keyword.arg is None for keyword in call.keywords):
        raise SettingError(f"{text!r:.200} is no constraint: ** has no meaning in it.", remedy=EXAMPLE)
    by_name = {str(keyword.arg): _value(keyword.value, text) for keyword in call.keywords}
    try:
        inspect.signature(kind).bind(*by_place, **by_name)
    except TypeError as error:
        raise SettingError(
            f"{text!r:.200} is no constraint: {error}.", remedy=f"Expected {call.func.id}{_signature(kind)}."
        ) from None
    found: Constraint = kind(*by_place, **by_name)
    return found


def _signature(kind: Any) -> str:
    parameters = inspect.signature(kind).parameters.values()
    return str(inspect.Signature([one.replace(annotation=inspect.Parameter.empty) for one in parameters]))


def _value(node: ast.expr, text: str) -> Any:
    if isinstance(node, ast.Call):
        return _called(node, text)
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        raise SettingError(f"{text!r:.200} has a value that is no literal.", remedy=EXAMPLE) from None


def _check_bounds(constraints: Sequence[Constraint]) -> None:
    """Raises SettingError if an "at least" cannot go with an "at most"."""
    bounds = [
        (one, set(labels), *one.bounds)
        for one in constraints
        if isinstance(one, Cardinality) and one.penalty is None
        for labels in ([[label] for label in one.labels] if one.each else [one.labels])
    ]
    for a, needed, low, _ in bounds:
        for b, limited, _, high in bounds:
            covered = needed <= limited and a.per == b.per and (b.where is None or a.where == b.where)
            if high is not None and low > high and covered:
                raise SettingError(
                    f"{a!r} and {b!r} contradict each other: no output keeps both.",
                    remedy="Leave one of them out, or give it a penalty.",
                )
