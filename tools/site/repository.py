"""Lets Sphinx read pages that are written for a plain view of the repository.

Navigation is read from index pages: each heading is a group, and each row of a table that begins with a link is a page of that
group. In the same way, a page with the comment `<!-- navigation -->` has pages below it. `<!-- include FILE -->` replaces a page by a
file of the repository, such as the changelog, and links to that file lead to the page.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

PARAMETER = re.compile(r"^- (\w+(?:, \w+)*): ")
HEADING = re.compile(r"^## (.+)$")
LINK = re.compile(r"\]\((?!https?:|#)([^)#\s]+)(#[^)\s]*)?\)")
NAMED = re.compile(r"\[([^\]]+)\]\(([^)#\s]+)\)")
INCLUDE = re.compile(r"^<!-- include (\S+) -->$", re.MULTILINE)
BELOW = "<!-- navigation -->"
FENCED = re.compile(r"^```.*?^```[ ]*$", re.MULTILINE | re.DOTALL)
PAGES = (".md", ".ipynb")
SHOWN = re.compile(r"(?<!!)\[([^\]]+)\]\(([^)\s]+\.html)\)")


def navigation(text: str, folder: Path) -> dict[str, dict[str, str]]:
    """Groups of an index page, each with its pages in order, and the words that link to them. The first link to a page counts."""
    groups: dict[str, dict[str, str]] = {}
    group, seen = "", {"index.md"}
    for line in FENCED.sub("", text).splitlines():
        if heading := HEADING.match(line):
            group = heading[1]
        for words, link in NAMED.findall(line)[:1] if line.startswith("| [") else ():
            inside = not link.startswith("..") and link.endswith(PAGES) and (folder / link).exists()
            if inside and link not in seen:
                seen.add(link)
                groups.setdefault(group, {})[link] = words.replace("`", "")
    return groups


def toctrees(groups: dict[str, dict[str, str]]) -> str:
    """What Sphinx makes the sidebar of."""
    parts = []
    for caption, pages in groups.items():
        names = "\n".join(f"{words} <{re.sub(r'[.](md|ipynb)$', '', page)}>" for page, words in pages.items())
        named = f":caption: {caption}\n" if caption else ""
        parts.append(f"```{{toctree}}\n:hidden:\n{named}\n{names}\n```\n")
    return "\n\n" + "\n".join(parts)


def included(docs: Path) -> dict[str, str]:
    """Files of the repository that pages of the site include, each with its page; both from the root of the repository."""
    pages = {"README.md": "docs/index.md"}
    for page in sorted(docs.glob("*.md")):
        for file in INCLUDE.findall(page.read_text(encoding="utf-8")):
            pages[posixpath.normpath(f"docs/{file}")] = f"docs/{page.name}"
    return pages


def site_links(text: str, home: str, page: str, pages: dict[str, str]) -> str:
    """The text with its links as they are on a page of the site. home: the folder that they start from."""

    def turned(match: re.Match[str]) -> str:
        file = posixpath.normpath(posixpath.join(home, match[1]))
        target = posixpath.relpath(pages.get(file, file), posixpath.dirname(page))
        return f"]({target}{match[2] or ''})"

    return LINK.sub(turned, text)


def read(app: Any, name: str, source: list[str]) -> None:
    """Called by Sphinx with every page before it is parsed."""
    docs, page = Path(app.srcdir), f"docs/{name}.md"
    if not (docs / f"{name}.md").exists():
        return  # a notebook
    text, home, pages = source[0], posixpath.dirname(page), included(docs)
    if include := INCLUDE.search(text):
        file = posixpath.normpath(posixpath.join(home, include[1]))
        text, home = (docs.parent / file).read_text(encoding="utf-8"), posixpath.dirname(file)
        app.env.note_dependency(str(docs.parent / file))
    text = SHOWN.sub(r'<a href="\2">\1</a>', site_links(text, home, page, pages))
    if name == "index":
        text += toctrees(navigation(text, docs))
    elif BELOW in text:
        below = navigation(text, (docs / name).parent)
        text += toctrees({"": {link: words for group in below.values() for link, words in group.items()}})
    source[0] = text


def copy_pages(app: Any, problem: Exception | None) -> None:
    """Called by Sphinx at the end: pages that are not Sphinx's own are part of the site as they are."""
    for page in sorted(Path(app.srcdir).glob("lecture/*.html")) if problem is None else ():
        target = Path(app.outdir) / "lecture"
        target.mkdir(exist_ok=True)
        (target / page.name).write_bytes(page.read_bytes())


def bold_parameters(app: Any, what: str, name: str, value: object, options: Any, lines: list[str]) -> None:
    """Called by autodoc with every docstring."""
    lines[:] = [PARAMETER.sub(r"- **\1**: ", line) for line in lines]


def setup(app: Any) -> dict[str, bool]:
    app.connect("source-read", read)
    app.connect("build-finished", copy_pages)
    app.connect("autodoc-process-docstring", bold_parameters)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
