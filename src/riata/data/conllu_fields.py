"""The fields of CoNLL-U, by name."""

from __future__ import annotations

FIELDS = ("id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")
LABELS = ("upos", "xpos", "feats", "deprel")  # those that hold labels of words
