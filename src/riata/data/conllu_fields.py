"""The fields of CoNLL-U, by name."""

from __future__ import annotations

from dataclasses import dataclass

FIELDS = ("id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")
LABELS = ("upos", "xpos", "feats", "deprel")  # those that hold labels of words


@dataclass(frozen=True)
class Roles:
    """What fields are for a task, unless users say otherwise."""

    inputs: tuple[str, ...] = ("form",)
    outputs: tuple[str, ...] = ("xpos",)


TAGGING, PARSING = Roles(), Roles(("form", "upos", "xpos", "feats"), ("head", "deprel"))
