"""Riata: the entity recogniser as it comes, from words and tags."""

from benchmarks.ours import Recogniser

CONTESTANT = Recogniser("default", list)
