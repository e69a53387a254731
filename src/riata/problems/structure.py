"""A structure of the user's own: the parts of its outputs, and how outputs are made of them."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from riata import registry
from riata.errors import SettingError
from riata.models.part_outputs import PartOutputs

if TYPE_CHECKING:
    from riata.structures.recursion.model import Tape

OF_PART = Iterable[str | tuple[str, float]] | Mapping[str, Any]  # the features of a part


class Structure:
    """Outputs that are sets of parts, whose scores add up: subclass it, and give it to `riata.Predictor`.

    Write `parts` and `features`, and say which sets of parts are outputs, in one of three ways. `recursion` is a dynamic program. `solver`
    names one that Riata has: "list", where each part is an output; or "matching", where parts are pairs, and no element is in more of
    them than its `fertility`. `best` returns the best output for given scores.
    From a recursion follow the best output, the k best, probabilities and samples, and all recipes that learn from them. With `best`
    alone, the recipes remain that need nothing else, such as perceptron, m3n and svmstruct-margin. The other methods are optional.

    >>> class Pairing(riata.Structure):
    ...     def parts(self, x): return [(i, j) for j in range(len(x)) for i in range(j)]
    ...     def features(self, x, part): return [x[part[0]] + x[part[1]]]
    ...     def recursion(self, x, tape):
    ...         inside = {(i, i): tape.one for i in range(len(x) + 1)}
    ...         for width in range(1, len(x) + 1):
    ...             for i in range(len(x) - width + 1):
    ...                 j = i + width
    ...                 ways = [(inside[i, k], tape[k, j - 1], inside[k + 1, j - 1]) for k in range(i, j - 1)]
    ...                 inside[i, j] = tape.sum([(inside[i, j - 1],), *ways])
    ...         return inside[0, len(x)]
    ...
    >>> folder = riata.Predictor(Pairing()).fit(["GAC", "CAAG"], [[(0, 2)], [(0, 3)]])
    >>> folder.predict(["AGAC"])
    [[(1, 3)]]
    """

    solver: ClassVar[str | None] = None
    fertility: int | tuple[int, int] = 1  # with the solver "matching": how many links an element of each set may have

    def parts(self, x: Any) -> Iterable[Hashable]:
        """All parts that outputs of x may have, each once."""
        raise NotImplementedError

    def features(self, x: Any, part: Any) -> OF_PART:
        """The features of a part: names, (name, value) pairs, or a dictionary."""
        raise NotImplementedError

    def recursion(self, x: Any, tape: Tape) -> int:
        """Records how outputs are built, and returns the cell of whole outputs. `tape[part]` is the cell of a part.

        `tape.sum(ways, times=None)` gives a new cell: the sum, over the ways to build it, of the product of the cells of a way; times one
        more cell. No way at all: it cannot be built. `tape.one` is a cell that costs nothing, for what is empty.
        Every output should be built in one way only, since probabilities and lists count ways; no way may use a part twice.
        """
        raise NotImplementedError

    def best(self, x: Any, scores: dict[Any, float]) -> Iterable[Any]:
        """The parts of the output with the largest sum of scores. scores: of every part; minus infinity forbids one."""
        raise NotImplementedError

    def context(self, x: Any) -> Any:
        """Optional. What all other methods get in place of x; it is computed once per input."""
        return x

    def shape(self, x: Any) -> Hashable:
        """Optional. Inputs of equal shape have the same parts, in the same order, and the same recursion, which is recorded once."""
        raise NotImplementedError

    def given(self, x: Any) -> Iterable[Any]:
        """Optional, with the solver "matching". The links that every output of x has."""
        return ()

    def parts_of(self, x: Any, y: Any) -> Iterable[Any]:
        """The parts of an output. Default: those that y lists; with the solver "list", y itself."""
        return [y] if kind_of(self).single else y

    def output(self, x: Any, parts: list[Any]) -> Any:
        """What `predict` returns. parts: in the order of `parts(x)`. Default: this list; with the solver "list", its one part."""
        return parts[0] if kind_of(self).single else parts

    def loss(self, x: Any, y: Any, part: Any) -> float:
        """Optional. What it costs to miss this part, if the truth y has it, and to have it, if y does not. Default: 1."""
        raise NotImplementedError


def overrides(structure: Structure, method: str) -> bool:
    """Whether a structure defines a method itself."""
    return method in vars(structure) or getattr(type(structure), method) is not getattr(Structure, method)


def kind_of(structure: Any) -> type[PartOutputs]:
    """What the outputs of a user's structure are in the core."""
    if not isinstance(structure, Structure):
        mistake = "the class itself" if isinstance(structure, type) else f"of type {type(structure).__name__!r}"
        raise SettingError(
            f"the structure is {mistake}; expected an object of a subclass of riata.Structure.",
            remedy="riata.Predictor(MyStructure()), where MyStructure is derived from riata.Structure.",
        )
    name, kinds = type(structure).__name__, kinds_of_outputs()
    solvers = [kind.solver for kind in kinds if kind.solver]
    if structure.solver not in (None, *solvers):
        raise SettingError(
            f"the structure {name!r} has solver = {structure.solver!r:.40}; expected {' or '.join(map(repr, solvers))}, or None."
        )
    found = [
        kind
        for kind in kinds
        if (overrides(structure, kind.written) if kind.written else structure.solver == kind.solver)
    ]
    missing = [method for method in ("parts", "features") if not overrides(structure, method)]
    if not found:
        missing.append(" or ".join([*(kind.written for kind in kinds if kind.written), "solver"]))
    if missing:
        raise SettingError(f"the structure {name!r} does not define {', nor '.join(missing)}.")
    if len(found) > 1:
        ways = " and ".join(kind.written or "solver" for kind in found)
        raise SettingError(
            f"the structure {name!r} says twice which sets of parts are outputs: {ways}.", remedy="Keep one of them."
        )
    return found[0]


def kinds_of_outputs() -> list[type[PartOutputs]]:
    """The core's structures whose outputs are sets of parts of users."""
    return [
        registry.of_structure("outputs", name)
        for name, kind in registry.all_of("structure").items()
        if not kind.columns
    ]
