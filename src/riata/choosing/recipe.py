"""Recipes: the name of a learner, the operations that it needs from a structure, and its settings."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from riata import registry
from riata._core import unbounded
from riata.choosing.losses import RISK
from riata.errors import RiataError, SettingError, UnknownNameError, UnsupportedError
from riata.features.templates import Template, language_of, read_source
from riata.inference.structure import OF_QUEUES, OPERATIONS, Decoder, Queue, StructureKind
from riata.other_words import meant
from riata.settings import Setting

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence


WIDTH = Setting("beam", 5, "states kept at each step", low=1, high=2**40)


class MakesTrainer(Protocol):
    """Creates learners that do not take one sentence after another (learning/loop.py)."""

    @property
    def local(self) -> bool:
        """Whether the scores of every step are normalised by themselves."""

    def __call__(self, structure: Any, features: Any) -> Any:
        """structure: a LearntStructure (learning/structure.py)."""


@dataclass(frozen=True)
class Recipe:
    """A learner by name. needs: operations that the structure must offer."""

    name: str
    summary: str
    paper: str  # key in CITATIONS.bib
    needs: frozenset[str]
    structure: str  # preferred
    queue: str  # preferred
    settings: tuple[Setting, ...]
    alias_of: str | None = None  # the recipe of which this is another name, for another structure
    searches: bool = False  # whether it learns from the states of a search, not only from outputs
    learner: str = "search"  # name of the learner of the core that takes one sentence after another
    trainer: MakesTrainer | None = None  # creates other learners
    epochs: int = 10  # default of the largest number of epochs
    probabilistic: bool = False  # whether its scores are meant as logarithms of probabilities
    uncalibrated: str = (
        ""  # why no model that learns from less data shows how its models are to be calibrated; empty: one does
    )
    # Whether it minimises one objective over all data, so that it cannot learn from parts one by one.
    whole: bool = False
    # The templates of learners that have their own, from the number of input columns and the settings.
    templates: Callable[[int, Mapping[str, Any]], tuple[Template, ...]] | None = None
    # What templates become before they are learnt, by the settings.
    rewritten: Callable[[Sequence[Template], Mapping[str, Any]], tuple[Template, ...]] | None = None
    earlier: Callable[[Mapping[str, Any]], bool] = lambda settings: True  # whether it learns features of earlier labels
    # Parameters of estimators that it does not use, with the reason.
    refuses: Mapping[str, str] = field(default_factory=dict, hash=False)
    # Settings of its learner that users do not choose.
    fixed: Mapping[str, Any] = field(default_factory=dict, hash=False)
    searched: Recipe | None = (
        None  # the recipe of the same name that takes its place where its needs are not met: it searches
    )
    note: str = ""  # told when training starts
    constrained: bool = (
        False  # whether what it learns from can be made to keep constraints: the best output, or a search
    )

    def on(self, offers: frozenset[str]) -> Recipe:
        """The recipe for a structure that offers these operations: itself, or the one that searches."""
        other = self.searched
        return other if other is not None and not self.needs <= offers and other.needs <= offers else self


BEAM = 5  # the default width
EXACT_UPDATES = "exact updates"  # an operation: what recipes that search need to learn with the queue exact


@dataclass(frozen=True)
class Choice:
    """A recipe on a structure, with the queue that searches it."""

    recipe: Recipe
    structure: StructureKind
    queue: str
    beam: int  # width, for queues that have one

    @property
    def decoder(self) -> Decoder:
        return Decoder(self.queue, self.beam)

    @property
    def settings(self) -> tuple[Setting, ...]:
        """The settings of the recipe, of the structure, and of every decoding."""
        return (*self.recipe.settings, *self.structure.settings, *RISK)

    @property
    def offered(self) -> Offered:
        what, queue = f"the structure {self.structure.name!r}", registry.get("queue", self.queue)
        return Offered(self.structure.offers, what, queue, self.fits)

    def fits(self, piece: StructureKind | Queue) -> bool:
        """Whether the recipe could learn with this structure, or this queue, instead of the present one."""
        if isinstance(piece, Queue):
            return piece.name in self.structure.queues and _goes_with(self.recipe, self.structure, piece)
        return self.recipe.on(piece.offers).needs <= piece.offers and piece.gives == self.structure.gives


def chosen(
    recipe_name: str,
    structure_name: str | None,
    queue_name: str | None,
    beam: float | None,
    preferred: str | None = None,
    *,
    training: bool = True,
) -> Choice:
    """The recipe, its structure and its queue, or the reason why they cannot be combined.

    preferred: the structure if none is named.
    """
    recipe: Recipe = registry.get("recipe", recipe_name)
    structure: StructureKind = registry.get("structure", structure_name or preferred or recipe.structure)
    recipe = recipe.on(structure.offers)
    queue = registry.get("queue", queue_name or recipe.queue)
    if training:
        _check_offers(recipe, structure)
    if queue.name not in structure.queues:
        reason = structure.refused.get(queue.name, f"{queue.name!r} is no queue for it.")
        raise UnsupportedError(
            f"The structure {structure.name!r} is not searched with the queue {queue.name!r}: {reason}",
            remedy=f"Use one of: {', '.join(sorted(structure.queues))}.",
        )
    if training:
        _check_trains(recipe, structure, queue)
    return Choice(recipe, structure, queue.name, _width(recipe, queue, beam))


def _check_offers(recipe: Recipe, structure: StructureKind) -> None:
    missing = sorted(recipe.needs - structure.offers)
    if missing:
        needed = ", ".join(f"{operation} ({OPERATIONS[operation]})" for operation in missing)
        same = registry.get("structure", recipe.structure).gives == structure.gives
        raise UnsupportedError(
            f"Recipe {recipe.name!r} needs {needed}; the structure {structure.name!r} has none.",
            remedy=f"Use structure={recipe.structure!r}, or another recipe."
            if same
            else f"Use another recipe, such as {structure.recipe}.",
        )


def _check_trains(recipe: Recipe, structure: StructureKind, queue: Queue) -> None:
    if not _goes_with(recipe, structure, queue):
        needed = "a queue that keeps states, such as beam" if recipe.searches else "the queue exact"
        raise UnsupportedError(
            f"The recipe {recipe.name!r} learns with {needed}; found {queue.name!r}.",
            remedy="Leave out queue, or use another recipe; after training, set_params(queue=…) changes how outputs are searched.",
        )
    queue.check_trains()


def _goes_with(recipe: Recipe, structure: StructureKind, queue: Queue) -> bool:
    """Whether the recipe learns with this queue."""
    exactly = recipe.searches and not queue.searches and EXACT_UPDATES in structure.offers
    return recipe.searches == queue.searches or exactly


def _width(recipe: Recipe, queue: Queue, beam: float | None) -> int:
    if not queue.has_beam:
        if beam is not None:
            raise UnsupportedError(
                f"The recipe {recipe.name!r} searches with the queue {queue.name!r}, which has no beam.",
                remedy="Leave the beam out.",
            )
        return unbounded
    return BEAM if beam is None else beam_width(beam)


def beam_width(beam: float) -> int:
    """The number of states that a beam keeps."""
    return unbounded if beam == math.inf else int(WIDTH.parse(beam))


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
        remedy=f"{f'Set {alike[0]}' if alike else f'Leave out {name}'}, or use recipe={_usual(owners)!r}. "
        f"The recipe {recipe!r} has these settings: {', '.join(known)}.",
    )


def _usual(owners: Sequence[str]) -> str:
    """The recipe that most users mean."""
    return next((name for name in ("mira", "crf", "laso-alma") if name in owners), owners[0])


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
    operations = offered.operations | offered.queue.offers
    for setting in declared:
        value = settings[setting.name]
        missing = [one for one in setting.needed(value) if one not in operations] if setting.needs else []
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


def recipe_name(estimator: Any) -> str:
    """The recipe of an estimator; if none is named, the one that its task prefers for the structure."""
    if estimator.recipe is not None:
        return str(estimator.recipe)
    named = estimator.structure or estimator.own_structure or _read_by(estimator)
    return (
        str(estimator.default_recipe)
        if named is None
        else recipes_by_structure(estimator).get(named, str(estimator.default_recipe))
    )


def recipes_by_structure(estimator: Any) -> dict[str, str]:
    """The recipe that the task of an estimator prefers on each structure."""
    return {name: registry.get("structure", name).recipe for name in giving(gives(estimator))}


def gives(estimator: Any) -> tuple[int, bool]:
    """What the task of an estimator predicts, as StructureKind.gives says it."""
    return estimator.outputs, estimator.trees


def giving(outputs: tuple[int, bool]) -> list[str]:
    """The structures that give these outputs."""
    return [name for name, structure in registry.all_of("structure").items() if structure.gives == outputs]


def _read_by(estimator: Any) -> str | None:
    """The structure that the template is written for, if a template is given."""
    return None if estimator.template is None else _language(estimator.template, giving(gives(estimator)))


def preferred(estimator: Any, *, goes_on: bool) -> str | None:
    """The preferred structure: of the task; of the model to continue from, if there is one; of the template; or the best one for the task's
    search.

    None: the one that the recipe prefers.
    """
    if estimator.own_structure is not None:
        return str(estimator.own_structure)
    model = getattr(estimator, "model_", None)
    if goes_on and model is not None:
        return str(model.structure)
    recipe, read_by = registry.get("recipe", recipe_name(estimator)), _read_by(estimator)
    if read_by is not None and recipe.needs <= registry.get("structure", read_by).offers:
        return read_by
    preferred_one: str | None = estimator.search_structure if recipe.searches else estimator.exact_structure
    return preferred_one


def _language(template: Any, structures: Sequence[str]) -> str | None:
    """Which of these structures a template is written for. None: it names a set for several structures, or cannot be read."""
    languages = {name: language_of(name) for name in structures if not language_of(name).borrowed}
    plain = next((name for name, language in languages.items() if not language.signs), None)
    if not isinstance(template, (str, os.PathLike)):
        kinds = {type(one) for one in template}
        return next((name for name in languages if name != plain and languages[name].template in kinds), plain)
    source = str(template)
    known = [name for name, language in languages.items() if language.has_set(source)]
    if known:
        return known[0] if len(known) == 1 else None
    if not os.path.isfile(source):
        return None  # it is refused later, when it is read
    lines = read_source(source, "template").splitlines()
    parts = {part for line in lines for part in line.split("#", 1)[0].split()}
    return next((name for name, language in languages.items() if language.signs & parts), plain)
