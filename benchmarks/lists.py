"""Lists of names, places, abbreviations and stop words for benchmarks, from $RIATA_DATA/lists."""

from __future__ import annotations

import os
from pathlib import Path

FILES = {
    "name": ("first-names-female", "first-names-male", "last-names-us"),
    "place": ("countries", "country-capitals", "us-states", "us-cities", "canadian-provinces", "world-cities"),
    "abbreviation": ("abbreviations-en",),
    "stop": ("stopwords-en",),
}


def english() -> dict[str, list[str]]:
    folder = Path(os.environ["RIATA_DATA"], "lists")
    return {
        name: sorted({line for file in files for line in entries(folder / f"{file}.txt")})
        for name, files in FILES.items()
    }


def entries(path: Path) -> list[str]:
    return [line.strip() for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
