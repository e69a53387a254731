"""What is compared: estimators by name, or recipes with settings as a user writes them, `laso-alma:beam=10:update=best`."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from riata import registry
from riata.choosing.options import checked, choice_of
from riata.choosing.recipe import refusals
from riata.errors import RiataError, SettingError, UnknownNameError, UnsupportedError
from riata.estimators.sequence import SequenceEstimator
from riata.learning.batch.settings import CONSTRAIN
from riata.learning.development import check_dev
from riata.params import Params
from riata.problems.options import declared
from riata.problems.options import offered as offered_with
from riata.problems.predictor import Predictor
from riata.settings import resolve

ALL = "all"  # every recipe that there is
NOTATION = "Write RECIPE:KEY=VALUE:…, such as laso-alma:beam=10:update=best, or NAME=RECIPE:…"
# Parameters that a comparison sets itself, or that have no short text.
NOT_WRITTEN = (
    "recipe",
    "seed",
    "settings",
    "warm_start",
    "stream",
    "attributes",
    "lists",
    "vectors",
    "problem",
    "constraints",
)
WORDS = ("inference",)  # parameters whose values are words, also "none"


@dataclass(frozen=True, eq=False)
class Contestant:
    """An untrained estimator that takes part. refused: why it cannot; empty: it can."""

    name: str
    estimator: Any
    refused: str = ""


@dataclass(frozen=True)
class Kind:
    """What recipes become: an estimator of this class, with these parameters for all of them.

    settings and beam of all go to those that have them.
    """

    make: type[Params]
    parameters: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    beam: float | None = None


def written(texts: Sequence[str], kind: Kind) -> tuple[Contestant, ...]:
    """The contestants that these texts mean; errors name the text and the part that is wrong."""
    pieces = [piece.strip() for text in texts for piece in text.split(",")]
    asked = [one for piece in pieces if piece for one in _asked(piece)]
    if not asked:
        raise SettingError("there are no recipes to compare.", remedy=NOTATION)
    found = tuple(_contestant(one, kind) for one in asked)
    _check_shared(found, kind)
    return distinct(found)


def named(estimators: Mapping[str, Any]) -> tuple[Contestant, ...]:
    """The contestants of a dictionary of estimators."""
    for name, estimator in estimators.items():
        if not isinstance(estimator, (SequenceEstimator, Predictor)):
            raise SettingError(f"{name!r} is {estimator!r:.60}; expected an estimator of Riata, not yet trained.")
    return tuple(judged(str(name), estimator) for name, estimator in estimators.items())


def distinct(contestants: Sequence[Contestant]) -> tuple[Contestant, ...]:
    """The same with a number after names that were there before."""
    taken: set[str] = set()
    found = []
    for contestant in contestants:
        name, number = contestant.name, 1
        while name in taken:
            number += 1
            name = f"{contestant.name} ({number})"
        taken.add(name)
        found.append(replace(contestant, name=name))
    return tuple(found)


def judged(name: str, estimator: Any) -> Contestant:
    """Refused where its parts do not go together; other errors are raised with the name."""
    try:
        check(estimator)
    except UnsupportedError as error:
        return Contestant(name, estimator, " ".join(filter(None, (error.message, error.remedy))))
    except RiataError as error:
        raise about_error(name, error) from None
    return Contestant(name, estimator)


def check(estimator: Any) -> None:
    """Raises what training would raise before it looks at the data."""
    if isinstance(estimator, Predictor):
        estimator._checked(learning=True)
        return
    check_dev(checked(estimator))


@dataclass(frozen=True)
class _Asked:
    """A text, taken apart."""

    name: str
    recipe: str
    pairs: tuple[tuple[str, str], ...]


def _asked(text: str) -> Iterator[_Asked]:
    """What a text asks for: one contestant, or every recipe with the same settings."""
    head, *rest = text.split(":")
    label, _, recipe = head.rpartition("=")
    pairs = []
    for part in rest:
        key, equals, value = part.partition("=")
        if not equals or not key or not value:
            raise SettingError(f"{text!r}: {part!r} is no setting; expected KEY=VALUE.", remedy=NOTATION)
        pairs.append((key.replace("-", "_"), value))
    if label and recipe == ALL:
        raise SettingError(f"{text!r}: one name cannot be that of all recipes.", remedy=f"Write {ALL} without a name.")
    recipes = registry.names("recipe") if recipe == ALL else (recipe,)
    for name in recipes:
        try:
            registry.get("recipe", name)
        except UnknownNameError as error:
            raise about_error(text, error) from None
        shown = ":".join([name, *rest])
        yield _Asked(label or shown, name, tuple(pairs))


def _contestant(asked: _Asked, kind: Kind) -> Contestant:
    own, settings = _parts(asked, kind.make)
    estimator = kind.make(**{**kind.parameters, "recipe": asked.recipe, **own})
    try:
        has_beam, known = _takes(estimator)
    except UnsupportedError:
        return judged(asked.name, estimator)
    except RiataError as error:
        raise about_error(asked.name, error) from None
    shared = {key: value for key, value in kind.settings.items() if key in known and key not in settings}
    estimator.set_params(settings={**shared, **settings} or None)
    unread = _unread(estimator)
    estimator.set_params(settings={**{k: v for k, v in shared.items() if k not in unread}, **settings} or None)
    if kind.beam is not None and has_beam and "beam" not in own:
        estimator.set_params(beam=kind.beam)
    return judged(asked.name, estimator)


def _parts(asked: _Asked, make: type[Params]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The parameters of the estimator, and the settings of the recipe and its structure."""
    parameters = [name for name in make._param_names() if name not in NOT_WRITTEN]
    recipe = registry.get("recipe", asked.recipe)
    pieces = [recipe, recipe.searched, *registry.all_of("structure").values()]
    known = {setting.name for piece in pieces if piece is not None for setting in piece.settings}
    own: dict[str, Any] = {}
    settings: dict[str, Any] = {}
    for key, value in asked.pairs:
        if key in own or key in settings:
            raise SettingError(f"{asked.name!r}: {key!r} is given twice.", remedy=NOTATION)
        if key in parameters:
            own[key] = value if key in WORDS else _value(value)
        elif key in known:
            settings[key] = value
        else:
            error = UnknownNameError.of("setting", key, {*parameters, *known}, remedy="`riata pieces` tells more.")
            raise about_error(asked.name, error)
    return own, settings


def _value(text: str) -> Any:
    """A number, true or false, or the text itself."""
    words = {"true": True, "false": False, "inf": math.inf, "none": None}
    if text.lower() in words:
        return words[text.lower()]
    for number in (int, float):
        try:
            return number(text)
        except ValueError:
            continue
    return text


def _takes(estimator: Any) -> tuple[bool, set[str]]:
    """Whether it has a beam, and which settings it knows."""
    if isinstance(estimator, Predictor):
        return True, {setting.name for setting in declared(estimator.recipe)}
    choice = choice_of(estimator)
    return registry.get("queue", choice.queue).has_beam, {setting.name for setting in choice.settings}


def _unread(estimator: Any) -> set[str]:
    """The settings that nothing would read, beside its others."""
    if isinstance(estimator, Predictor):
        queue = registry.get("queue", estimator.queue or "beam")
        known, offered = declared(estimator.recipe), offered_with(queue)
    else:
        choice = choice_of(estimator)
        known, offered = choice.settings, choice.offered
    try:
        settings = resolve(known, estimator.settings or {}, "")
    except SettingError:
        return set()  # refused when it is judged
    return {name for name, _ in refusals(known, settings, offered)}


def note_on_sums(contestants: Sequence[Contestant]) -> str:
    """What to say where some learn from sums over all label sequences, and others look at legal ones alone; empty: nothing."""
    able = [contestant for contestant in contestants if not contestant.refused]
    over_all = [contestant.name for contestant in able if _sums_over_all(contestant.estimator)]
    if not 0 < len(over_all) < len(able):
        return ""
    return (
        f"{', '.join(over_all)}: sums over all label sequences while learning; the others look at legal ones alone. "
        f"{CONSTRAIN.name}=true makes them alike."
    )


def _sums_over_all(estimator: Any) -> bool:
    """Whether it learns from sums over label sequences, legal or not, although it could leave out those that are not."""
    if isinstance(estimator, Predictor) or not estimator.chunks:
        return False
    choice = choice_of(estimator)
    known = {setting.name for setting in choice.settings}
    able = CONSTRAIN.name in known and set(CONSTRAIN.needed(True)) <= choice.structure.offers
    return able and not resolve(choice.settings, estimator.settings or {}, "")[CONSTRAIN.name]


def _check_shared(contestants: Sequence[Contestant], kind: Kind) -> None:
    """Refuses a setting of all that none of them reads."""
    able = [contestant.estimator for contestant in contestants if not contestant.refused]
    if not able:
        return
    taken = [_takes(estimator) for estimator in able]
    known = set().union(*(names for _, names in taken))
    for key in kind.settings:
        if key not in known:
            raise UnknownNameError.of("setting", key, known, remedy="None of the recipes has it; see `riata pieces`.")
        if not any(key in (estimator.settings or {}) for estimator in able):
            raise SettingError(f"setting {key!r} is given, but none of the recipes reads it.", remedy="Leave it out.")
    if kind.beam is not None and not any(has_beam for has_beam, _ in taken):
        raise SettingError("beam is given, but none of the recipes searches with a beam.", remedy="Leave it out.")


def about_error(name: str, error: RiataError) -> RiataError:
    """The same error, which says whose it is."""
    return type(error)(f"{name!r}: {error.message}", remedy=error.remedy, file=error.file, line=error.line)
