"""Writes what the registry knows into docs/recipes.md: `python tools/recipes.py`.

This is the table of all recipes, in the order of the page's sections, and the row of settings in each section. The rest of a section
(objective, cost, where it wins and loses) is written by hand. A recipe without a section, or a section without its parts, is an error.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from riata import registry

PAGE = Path(__file__).parent.parent / "docs" / "recipes.md"
TABLE = re.compile(r"(?<=<!-- from the registry: python tools/recipes.py -->\n).*?(?=<!-- end -->)", re.DOTALL)
HEADING = re.compile(r"^(##|###) (.+)$", re.MULTILINE)
SETTINGS = re.compile(r"^\| settings \|.*\|$", re.MULTILINE)
PARTS = ("| paper |", "| use it |", "| cost |", "| settings |", "**Wins.**", "**Loses.**")


def page(text: str) -> str:
    """The text of the page with today's registry in it."""
    head, *parts = re.split(r"(?m)^(?=##)", text)
    rows, seen, family = ["| recipe | what it does | structure, search | epochs |", "|---|---|---|---:|"], [], ""
    for at, part in enumerate(parts):
        level, title = HEADING.match(part).groups()  # type: ignore[union-attr]
        if level == "##":
            family = title
        elif (name := title.strip("`")) in registry.names("recipe"):
            missing = [piece for piece in PARTS if piece not in part]
            if missing:
                raise ValueError(f"docs/recipes.md: the section {title} lacks {', '.join(missing)}")
            recipe = registry.get("recipe", name)
            if family:
                rows.append(f"| | **{family}** | | |")
                family = ""
            rows.append(row(recipe))
            settings = ", ".join(f"`{setting.name}={shown(setting.default)}`" for setting in recipe.settings)
            parts[at] = SETTINGS.sub(lambda _, told=settings: f"| settings | {told} |", part)
            seen.append(name)
    if sorted(seen) != sorted(registry.names("recipe")):
        raise ValueError(
            f"docs/recipes.md has sections of {sorted(seen)}; there are {sorted(registry.names('recipe'))}"
        )
    return "".join([TABLE.sub(lambda _: "\n" + "\n".join(rows) + "\n\n", head), *parts])


def row(recipe: Any) -> str:
    return f"| [`{recipe.name}`](#{recipe.name}) | {recipe.summary} | {recipe.structure}, {recipe.queue} | {recipe.epochs} |"


def shown(value: object) -> str:
    """A default as it is written after --set."""
    return str(value).lower() if isinstance(value, bool) else f"{value:g}" if isinstance(value, float) else str(value)


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
