"""Constraints on outputs, and how to read them from text (docs/constraints.md).

Every kind is a name of this module: `riata.constraints.at_most(1, "PER")`. They are found in riata/inference/constraints.

>>> riata.constraints.at_most(1, "PER")
at_most(1, 'PER')
>>> riata.constraints.parse("at_most(1, 'PER')")
at_most(1, 'PER')
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from riata.inference.declared import parse
from riata.inference.declared import read_constraints as read

if TYPE_CHECKING:
    from riata.inference.constraints.agrees import agrees
    from riata.inference.constraints.at_least import at_least
    from riata.inference.constraints.at_most import at_most
    from riata.inference.constraints.automaton import automaton
    from riata.inference.constraints.exactly import exactly
    from riata.inference.constraints.excludes import excludes
    from riata.inference.constraints.implies import implies
    from riata.inference.constraints.no_embedding import no_embedding
    from riata.inference.constraints.no_overlap import no_overlap
    from riata.inference.constraints.outputs import outputs
    from riata.inference.constraints.predicate import predicate
    from riata.inference.constraints.requires import requires
    from riata.inference.constraints.same import same
    from riata.inference.constraints.transitions import transitions

__all__ = [
    "agrees",
    "at_least",
    "at_most",
    "automaton",
    "exactly",
    "excludes",
    "implies",
    "no_embedding",
    "no_overlap",
    "outputs",
    "parse",
    "predicate",
    "read",
    "requires",
    "same",
    "transitions",
]


def __getattr__(name: str) -> Any:
    """A kind of constraint, from its registry, so that a new file is a new name."""
    from riata import registry

    if name.startswith("_") or name.replace("_", "-") not in registry.names("constraint"):
        raise AttributeError(f"module 'riata.constraints' has no attribute {name!r}")
    return registry.get("constraint", name.replace("_", "-"))


def __dir__() -> list[str]:
    from riata import registry

    return sorted(["parse", "read", *(name.replace("-", "_") for name in registry.names("constraint"))])
