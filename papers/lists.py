"""Lists of names, places, abbreviations, stop words and dates, as the papers' features ask for them."""

from __future__ import annotations

import os
from pathlib import Path

from riata.data.datasets import cache_folder
from riata.errors import DataError
from riata.features.lists import WordList

ENGLISH = "english"  # what rows write for them

# By name of the list, its files: one entry per line.
FILES = {
    "first_name": ("first-names-female", "first-names-male"),
    "last_name": ("last-names-us",),
    "place": ("countries", "country-capitals", "us-states", "us-cities", "canadian-provinces", "world-cities"),
    "organisation": ("organisation-suffixes",),
    "date": ("months", "weekdays"),
    "abbreviation": ("abbreviations-en",),
    "stop": ("stopwords-en",),
}

# What --quick uses: it needs no files.
SMALL = {
    "first_name": ("Anna", "Carl", "Maria", "Paul"),
    "place": ("London", "New York", "Paris"),
    "stop": ("a", "and", "in", "of", "the", "to"),
}


def english(*, quick: bool = False) -> dict[str, list[str]]:
    """Entries by the name of the list. DataError names the file that is missing."""
    if quick:
        return {name: list(entries) for name, entries in SMALL.items()}
    return {name: sorted({entry for file in files for entry in entries(file)}) for name, files in FILES.items()}


def entries(name: str) -> list[str]:
    """Of the file with this name, from $RIATA_DATA/lists or from the folder `lists` of the cache."""
    named = os.environ.get("RIATA_DATA")
    folders = [Path(root) / "lists" for root in (named, cache_folder()) if root]
    for folder in folders:
        path = folder / f"{name}.txt"
        if path.is_file():
            return WordList.of(name, path).texts()
    raise DataError(
        f"the list {name}.txt is not here: looked in {', '.join(map(str, folders))}.",
        remedy="docs/reproduce.md says where the lists come from. Put them there, or use --quick, which needs none.",
    )
