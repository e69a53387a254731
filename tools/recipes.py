"""Writes what the registry knows into docs/recipes.md: `python tools/recipes.py`.

These are the rows of the table, in the order of the page's sections, with structure, search and epochs, and the settings in each section.
What was measured, and the rest of a section (objective, cost, where it wins and loses), is written by hand. A recipe without a
section, or a section without its parts, is an error.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from riata import registry

PAGE = Path(__file__).parent.parent / "docs" / "recipes.md"
TABLE = re.compile(r"(?<=<!-- from the registry: python tools/recipes.py -->\n).*?(?=<!-- end -->)", re.DOTALL)
HEADING = re.compile(r"^(##|###) (.+)$", re.MULTILINE)
SETTINGS = re.compile(r"^- settings: .*$", re.MULTILINE)
PARTS = ("- paper: ", "- use it: ", "- cost: ", "- settings: ", "**Wins.**", "**Loses.**")


def page(text: str) -> str:
    """The text of the page with today's registry in it."""
    head, *parts = re.split(r"(?m)^(?=##)", text)
    seen: list[str] = []
    rows: list[str] = []
    family = ""
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
                rows.append(f"| **{family}** |" + " |" * 8)
                family = ""
            rows.append(row(recipe, text))
            told = f"- settings: {settings(recipe, seen)}"
            parts[at] = SETTINGS.sub(lambda _, told=told: told, part)
            seen.append(name)
    if sorted(seen) != sorted(registry.names("recipe")):
        raise ValueError(
            f"docs/recipes.md has sections of {sorted(seen)}; there are {sorted(registry.names('recipe'))}"
        )
    return TABLE.sub(lambda old: "\n" + "\n".join([*old[0].split("\n")[1:3], *rows]) + "\n\n", "".join([head, *parts]))


def settings(recipe: Any, seen: list[str]) -> str:
    """With their defaults; of a recipe whose settings are those of one before, the differences."""
    own = {setting.name: setting.default for setting in recipe.settings}
    for name in seen:
        other = {setting.name: setting.default for setting in registry.get("recipe", name).settings}
        if list(other) == list(own) and len(own) > 6:
            changed = ", ".join(f"`{key}={shown(value)}`" for key, value in own.items() if other[key] != value)
            return f"as `{name}`" + f", but {changed}" * bool(changed)
    return ", ".join(f"`{key}={shown(value)}`" for key, value in own.items())


def row(recipe: Any, text: str) -> str:
    """With what was measured, which stays."""
    old = re.search(rf"^\| \[`{recipe.name}`\].*$", text, re.MULTILINE)
    measured = old[0].split("|")[4:-1] if old else [" "] * 6
    return f"| [`{recipe.name}`](#{recipe.name}) | {recipe.structure}, {recipe.queue} | {recipe.epochs} |{'|'.join(measured)}|"


def shown(value: object) -> str:
    """A default as it is written after --set."""
    return str(value).lower() if isinstance(value, bool) else f"{value:g}" if isinstance(value, float) else str(value)


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
