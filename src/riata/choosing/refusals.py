"""Refuses settings that nothing would read: of another structure, of another queue, or beside another setting."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from riata import registry
from riata.errors import RiataError, SettingError, UnsupportedError
from riata.inference.structure import OF_QUEUES, OPERATIONS, Queue
from riata.settings import Setting

Fits = Callable[[Any], bool]  # whether a structure or a queue could be used in the place of the present one


def check_read(
    declared: Sequence[Setting],
    settings: Mapping[str, Any],
    offers: frozenset[str],
    what: str,
    queue: Queue,
    fits: Fits,
) -> None:
    """Raises the first refusal. A setting that has its default value is never refused.

    offers: the operations of the structure; what: its name in messages, such as "the structure 'chain'".
    """
    for _, error in refusals(declared, settings, offers, what, queue, fits):
        raise error


def refusals(
    declared: Sequence[Setting],
    settings: Mapping[str, Any],
    offers: frozenset[str],
    what: str,
    queue: Queue,
    fits: Fits,
) -> Iterator[tuple[str, RiataError]]:
    """The settings that nothing would read, each with the reason. The parameters are those of `check_read`."""
    for setting in declared:
        value = settings[setting.name]
        missing = [operation for operation in setting.needed(value) if operation not in offers | queue.offers]
        if missing:
            yield setting.name, _without_operation(setting.name, value, missing[0], what, queue, fits)
        elif value != setting.default:
            for other, values in setting.only.items():
                if settings.get(other, values[0]) not in values:
                    yield setting.name, _beside(setting.name, value, other, settings[other], values)


def _without_operation(name: str, value: Any, needed: str, what: str, queue: Queue, fits: Fits) -> UnsupportedError:
    kind, owner = ("queue", f"the queue {queue.name!r}") if needed in OF_QUEUES else ("structure", what)
    pieces = registry.all_of(kind).values()
    able = [piece.name for piece in pieces if needed in piece.offers and _trains(piece) and fits(piece)]
    instead = f", or use {kind}={' or '.join(map(repr, able))}" if able else ""
    return UnsupportedError(
        f"setting {name!r} has the value {value!r}, which needs {needed} ({OPERATIONS[needed]}); {owner} has none.",
        remedy=f"Leave out {name}{instead}.",
    )


def _trains(piece: Any) -> bool:
    return not (isinstance(piece, Queue) and piece.decode_only)


def _beside(name: str, value: Any, other: str, present: Any, values: Sequence[str]) -> SettingError:
    return SettingError(
        f"setting {name!r} has the value {value!r}, which nothing reads: {other} is {present!r}.",
        remedy=f"Set {other}={' or '.join(values)}, or leave out {name}.",
    )
