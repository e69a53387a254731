"""riata pieces"""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table


SHOWN = ("task", "structure", "queue", "recipe", "loss", "constraint", "encoding", "format")
MEASURED = "reproduction"  # where there is a clone of Riata
READ = ("template", "attribute")  # what features are made of; these are no pieces


@click.command(short_help="Every task, structure, queue, recipe and loss.")
@click.argument("about", required=False, metavar="[KIND|NAME]")
@click.option("--json", "json_", is_flag=True, help="Print one JSON object.")
def command(about: str | None, json_: bool) -> None:
    """List the names of all pieces; with a KIND, what each of these is; with a NAME, its paper (CITATIONS.bib) and its settings for --set.

    \b
    riata pieces                 all names
    riata pieces recipes         what every recipe is, and which to use
    riata pieces crf             one recipe, with its settings
    riata pieces --json          everything about all pieces
    """
    from riata.commands.console import stdout

    shown = _shown()
    kind = None if about is None else _kind(about)
    named = [(each, about) for each in shown if about in _names(each)]
    if json_:
        kinds = shown if about is None else [kind] if kind in shown else []
        chosen = [(each, name) for each in kinds for name in _names(each)] or named
        found: dict[str, Any] = {}
        for each, name in chosen:
            found.setdefault(each, {})[name] = _facts(each, name)
        click.echo(json.dumps(found))
    elif about is None:
        stdout().print(_overview())
        click.echo("\nriata pieces recipes tells what they are, and riata pieces crf what crf can be set to.")
    elif kind is not None:
        stdout().print(_table(kind))
        if kind == "recipe":
            stdout().print(_advice())
    else:
        for each, name in named or [_unknown(about)]:
            _describe(stdout(), each, name)


@cache
def _shown() -> tuple[str, ...]:
    from riata.measuring.provenance import find_papers

    return (*SHOWN, MEASURED) if find_papers() else SHOWN


def _kind(about: str) -> str | None:
    """The kind that is meant, also in the plural."""
    return next((kind for kind in (*_shown(), *READ) if about in (kind, _plural(kind))), None)


def _plural(kind: str) -> str:
    return f"{kind}es" if kind.endswith("s") else f"{kind}s"


def _names(kind: str) -> list[str]:
    from riata import registry

    return list(registry.names(kind)) if kind not in READ else list(_read()[kind])


def _unknown(about: str) -> Any:
    from riata.errors import UnknownNameError

    known = {*map(_plural, (*_shown(), *READ)), *(name for kind in _shown() for name in _names(kind))}
    raise UnknownNameError.of("piece", about, known)


@cache
def _read() -> dict[str, dict[str, str]]:
    """What features are made of: by kind and name, what it is."""
    from riata import registry
    from riata.features.attributes import builtin
    from riata.features.frequency import FREQUENCY
    from riata.features.templates import SUMMARIES, attribute_names, builtin_names, language_of

    structures: dict[str, list[str]] = {}
    for structure in registry.names("structure"):
        for name in builtin_names(language_of(structure).ending):
            structures.setdefault(name, []).append(structure)
    known = (FREQUENCY, *attribute_names(["NAME"]))
    return {
        "template": {name: f"a set of features, for {', '.join(of)}" for name, of in structures.items()},
        "attribute": {
            **dict.fromkeys(builtin(), "a function of a word"),
            **dict.fromkeys(known, "what training and --list know of a word"),
            **dict.fromkeys(SUMMARIES, "of two passes, what the first says of a word"),
        },
    }


def _overview() -> Table:
    from rich.table import Table

    table = Table.grid(padding=(0, 2))
    for kind in (*_shown(), *READ):
        table.add_row(f"[bold]{_plural(kind)}[/]", ", ".join(_names(kind)))
    return table


def _table(kind: str) -> Table:
    """Every piece of a kind. Names are typed, so they are never broken."""
    from rich.table import Table

    table = Table()
    for column in ("name", "what it is", *(["paper"] if kind not in READ else [])):
        table.add_column(column, no_wrap=column == "name")
    for name in _names(kind):
        table.add_row(name, *(_about(kind, name) if kind not in READ else [_read()[kind][name]]))
    return table


def _about(kind: str, name: str) -> tuple[str, str]:
    """What a piece is, and its paper."""
    from riata import registry

    piece = registry.get(kind, name)
    alias_of = getattr(piece, "alias_of", None)
    alias = f" (another name of {alias_of})" if alias_of else ""
    return registry.summary(kind, name) + alias, getattr(piece, "paper", "")


def _describe(console: Console, kind: str, name: str) -> None:
    """One piece, with all that it can be set to."""
    from riata import registry
    from riata.choosing.losses import RISK

    about, paper = _about(kind, name)
    piece = registry.get(kind, name)
    console.print(f"[bold]{name}[/] ({kind}): {about}{f' ({paper})' if paper else ''}")
    for word in ("needs", "offers"):
        if operations := getattr(piece, word, None):
            console.print(f"{word}: {', '.join(sorted(operations))}")
    for of, settings in (("", getattr(piece, "settings", ())), (", for decoding", RISK if kind == "recipe" else ())):
        if settings:
            console.print(f"settings{of} (--set key=value):")
        for setting in settings:
            console.print(f"  {setting.name}={str(setting.default).lower()}: {setting.help}; {setting.expected()}")


def _advice() -> Table:
    from rich.table import Table

    table = Table(title="What to use", title_justify="left")
    for name in ("you have", "use", "because it"):
        table.add_column(name)
    for row in ADVICE:
        table.add_row(*row)
    return table


def _facts(kind: str, name: str) -> dict[str, object]:
    from riata import registry
    from riata.tasks.base import Task

    piece = registry.get(kind, name)
    settings = [
        {
            "name": s.name,
            "default": s.default,
            "expected": s.expected(),
            "help": s.help,
            "needs": {str(value).lower(): operations for value, operations in s.needs.items()},
            "only": s.only,
        }
        for s in getattr(piece, "settings", ())
    ]
    facts = {"summary": registry.summary(kind, name), "paper": getattr(piece, "paper", ""), "settings": settings}
    facts |= {key: sorted(getattr(piece, key)) for key in ("needs", "offers") if hasattr(piece, key)}
    facts |= {"alias_of": piece.alias_of} if hasattr(piece, "alias_of") else {}
    return {**facts, "recipes": _preferred(piece.estimator)} if isinstance(piece, Task) else facts


def _preferred(estimator: Any) -> dict[str, str]:
    """The recipe of a task on each of its structures."""
    from riata.choosing.recipe import recipes_by_structure

    if hasattr(estimator, "own_files"):
        return {estimator.own_structure: str(estimator._defaults()["recipe"])}
    return recipes_by_structure(estimator)


ADVICE = (  # you have, use, why
    (
        "one label per word",
        "Tagger()",
        "learns with mira for 20 epochs: ahead of perceptron at every size, most with few sentences",
    ),
    ("chunks", "Chunker()", "learns in the same way; Chunker.preset('best') takes minutes and searches whole chunks"),
    ("names", "EntityRecognizer()", "learns in the same way, and reads the two labels before"),
    (
        "tags and chunks to predict",
        "JointTagger()",
        "predicts both in one search; the beam keeps what a pipeline would lose",
    ),
    (
        "dependency trees",
        "DependencyParser()",
        "builds them by moves under a beam, from plain words, which it tags itself",
    ),
    ("a need for probabilities", "recipe='crf'", "gives exact ones; its prior is chosen on held-out sentences"),
    ("sentences that are partly labelled", "recipe='crf'", "sums over the labels that are unknown"),
    ("a few seconds", "preset('fast')", "trains for five epochs"),
    ("minutes, and every tenth counts", "preset('best')", "sums the models of five seeds into one"),
    ("features of your own", "a list of dictionaries per sentence", "any estimator takes them instead of words"),
    ("more data than memory", "stream=True, bits=22", "reads the file in parts and hashes features"),
    (
        "outputs that are no labels",
        "riata.Problem, riata.Predictor",
        "learns a search problem that takes some forty lines of Python",
    ),
)
