"""What the tables of LaSO (Daumé & Marcu 2005) share: their features, ours beside them, and the settings of their rows."""

from __future__ import annotations

from typing import Any

from papers.lists import ENGLISH

BEAMS = (1, 5, 10, 25, 50)  # of the joint task

# Sec. 4.1: the base and meta features, lists, the previous label.
SEGMENT_FEATURES = {"template": "laso2005-paper", "lists": ENGLISH}
# Sec. 4.2: the same on words, with the regular expressions of Sutton et al.
JOINT_FEATURES = {"template": "joint2005-paper", "lists": ENGLISH}
# An operator gives the tag and the chunk label of the next word; every word may have every tag.
JOINT_SEARCH = {"lookahead": False, "dictionary": 0}

OURS = (
    "not in the paper: our own features (the default template), look-ahead, tag dictionary; updates are against "
    "the best y-bad node alone."
)

UNMERGED = "states with the same continuations are not merged, as in Figures 1 and 2."


def segments(step: str, beam: int, **settings: Any) -> dict[str, Any]:
    """Parameters of a row on segments, with the paper's features."""
    return {"recipe": f"laso-{step}", "beam": beam, "settings": {"update": "mean", **settings}, **SEGMENT_FEATURES}


def exact_segments(recipe: str, **settings: Any) -> dict[str, Any]:
    return {"recipe": recipe, "queue": "exact", "settings": settings, **SEGMENT_FEATURES}


def joint(step: str, beam: int, **settings: Any) -> dict[str, Any]:
    """Parameters of a row of the joint task, with the paper's features and search."""
    chosen = {"update": "mean", **JOINT_SEARCH, **settings}
    return {"recipe": f"laso-{step}", "beam": beam, "settings": chosen, **JOINT_FEATURES}


def our_joint(step: str, beam: int, **settings: Any) -> dict[str, Any]:
    """The same with the default template and search."""
    return {"recipe": f"laso-{step}", "beam": beam, "settings": {"update": "best", **settings}}


def our_segments(step: str, beam: int, **settings: Any) -> dict[str, Any]:
    """A row on segments with the default template."""
    return {"recipe": f"laso-{step}", "beam": beam, "settings": {"update": "best", **settings}}


# The two systems that the tables compare with: parameters of an estimator, or None while there is no such learner and they are quoted.
# ZDJ02 classifies tokens: a chain, unlike the other rows of its table.
ZDJ02: dict[str, Any] | None = {"recipe": "winnow", "structure": "chain", "template": "zdj02"}
# The factorial CRF of Sutton, Rohanimanesh & McCallum (2004), with the features of Sec. 4.2 that read at most a pair of outputs, and exact
# sums instead of the approximate ones that they trained with.
SUTTON: dict[str, Any] | None = {"recipe": "crf", "structure": "factorial", "settings": {"c2": 0.1}, **JOINT_FEATURES}
