"""What arguments of one predicate must keep: declared for the roles that there are."""

from __future__ import annotations

import re
from collections.abc import Iterable

from riata.features.roles.slots import NO_ROLE
from riata.inference.constraints.at_most import at_most
from riata.inference.constraints.base import Constraint
from riata.inference.constraints.no_overlap import no_overlap
from riata.inference.constraints.requires import requires

CORE = re.compile(r"ARG[0-5A]")  # numbered arguments, which a predicate has once
REFERS = re.compile(r"[RC]-(.+)")  # a reference to another argument, or the rest of one


def role_constraints(roles: Iterable[str], *, overlap: bool = True) -> list[Constraint]:
    """No two arguments overlap, no core argument is repeated, and R-X and C-X need X (Punyakanok, Roth, Yih & Zimak 2005, Sec. 5.2).

    roles: the labels of the task; constraints are about those that it has. C-V, the rest of the predicate, needs nothing.
    overlap: whether slots may overlap; given spans do not.
    """
    known = list(dict.fromkeys(roles))
    chosen = [role for role in known if role != NO_ROLE]
    found: list[Constraint] = [no_overlap(*chosen)] if overlap and chosen else []
    found += [at_most(1, role) for role in known if CORE.fullmatch(role)]
    for role in known:
        match = REFERS.fullmatch(role)
        if match is not None and match[1] in known:
            found.append(requires(role, match[1]))
    return found
