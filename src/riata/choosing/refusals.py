"""Refuses settings that would not be read: settings of another structure or queue, or settings that need another setting."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from riata import registry
from riata.errors import RiataError, SettingError, UnknownNameError, UnsupportedError
from riata.inference.structure import OF_QUEUES, OPERATIONS, Queue
from riata.other_words import meant
from riata.settings import Setting

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence


class Offered(NamedTuple):
    """What a recipe works with: a structure, or problems in Python, and a queue."""

    operations: frozenset[str]  # of the structure
    what: str  # name of the structure in messages, such as "the structure 'chain'"
    queue: Queue
    fits: Callable[[Any], bool]  # whether a structure or a queue could be used instead of the present one

    def instead(self, kind: str, able: Callable[[Any], bool]) -> str:
        """The structures or queues (kind) that are able and could be used, as the end of a remedy; empty: there are none."""
        pieces = registry.all_of(kind).values()
        names = [repr(piece.name) for piece in pieces if able(piece) and _trains(piece) and self.fits(piece)]
        return f", or use {kind}={' or '.join(names)}" if names else ""


def check_owner(recipe: Any, declared: Sequence[Setting], given: Mapping[str, Any], offered: Offered) -> None:
    """Refuses a setting that belongs to another structure or to other recipes."""
    for name in set(given) - {setting.name for setting in declared}:
        if owners := _owners("structure", name):
            raise SettingError(
                f"setting {name!r} belongs to the structure {owners[0]!r}; {offered.what} does not have it.",
                remedy=f"Leave out {name}{offered.instead('structure', lambda piece: name in _names(piece))}.",  # noqa: B023 (called at once)
            )
        owners = _owners("recipe", name)
        if owners and recipe.name not in owners:
            raise _of_other_recipes(name, recipe.name, owners, sorted(setting.name for setting in declared))


def check_searched(recipe: Any, given: Mapping[str, Any], offered: Offered) -> None:
    """Refuses a setting that the recipe has with exact search alone. recipe: in the form that learns what is offered."""
    exact = registry.get("recipe", recipe.name)
    for name, value in given.items():
        if name in _names(exact) - _names(recipe):
            raise _without_operation(name, value, min(exact.needs - offered.operations), offered)


def _of_other_recipes(name: str, recipe: str, owners: Sequence[str], known: Sequence[str]) -> UnknownNameError:
    alike = [here for here in meant("setting", name) if here in known]
    return UnknownNameError(
        f"setting {name!r} belongs to {'other recipes' if len(owners) > 1 else 'another recipe'} ({', '.join(owners)}); "
        f"the recipe {recipe!r} does not have it.",
        remedy=f"Use recipe={owners[0]!r}, or {f'set {alike[0]}' if alike else f'leave out {name}'}. "
        f"The recipe {recipe!r} has these settings: {', '.join(known)}.",
    )


def _owners(kind: str, name: str) -> list[str]:
    return [piece.name for piece in registry.all_of(kind).values() if name in _names(piece)]


def _names(piece: Any) -> set[str]:
    """The settings of a piece."""
    return {setting.name for setting in piece.settings}


def check_read(declared: Sequence[Setting], settings: Mapping[str, Any], offered: Offered) -> None:
    """Raises the first refusal. A setting that has its default value is never refused."""
    for _, error in refusals(declared, settings, offered):
        raise error


def refusals(
    declared: Sequence[Setting], settings: Mapping[str, Any], offered: Offered
) -> Iterator[tuple[str, RiataError]]:
    """The settings that would not be read, each with the reason."""
    for setting in declared:
        value = settings[setting.name]
        operations = offered.operations | offered.queue.offers
        missing = [operation for operation in setting.needed(value) if operation not in operations]
        if missing:
            yield setting.name, _without_operation(setting.name, value, missing[0], offered)
        elif value != setting.default:
            for other, values in setting.only.items():
                if settings.get(other, values[0]) not in values:
                    yield setting.name, _beside(setting, value, other, settings[other])


def _without_operation(name: str, value: Any, needed: str, offered: Offered) -> UnsupportedError:
    of_queue = needed in OF_QUEUES
    kind, owner = ("queue", f"the queue {offered.queue.name!r}") if of_queue else ("structure", offered.what)
    return UnsupportedError(
        f"setting {name!r} has the value {value!r}, which needs {needed} ({OPERATIONS[needed]}); {owner} has none.",
        remedy=f"Leave out {name}{offered.instead(kind, lambda piece: needed in piece.offers)}.",
    )


def _trains(piece: Any) -> bool:
    return not (isinstance(piece, Queue) and piece.decode_only)


def _beside(setting: Setting, value: Any, other: str, present: Any) -> SettingError:
    why = setting.only_because.get(other, "which nothing reads")
    return SettingError(
        f"setting {setting.name!r} has the value {value!r}, {why}: {other} is {present!r}.",
        remedy=f"Set {other}={' or '.join(setting.only[other])}, or leave out {setting.name}.",
    )
