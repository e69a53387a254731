"""Recipes: the name of a learner, the operations that it needs from a structure, and its settings."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from riata import registry
from riata._core import unbounded
from riata.choosing.decoding import RISK
from riata.choosing.refusals import Offered
from riata.errors import UnsupportedError
from riata.features.templates import Template
from riata.inference.decoder import Decoder
from riata.inference.structure import OPERATIONS, Queue, Structure
from riata.settings import Setting

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

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
    # Whether it minimises one objective over all data, so that it cannot learn from parts one by one.
    whole: bool = False
    # The templates of learners that have their own, from the number of input columns and the settings.
    templates: Callable[[int, Mapping[str, Any]], tuple[Template, ...]] | None = None
    # What templates become before they are learnt, by the settings.
    rewritten: Callable[[Sequence[Template], Mapping[str, Any]], tuple[Template, ...]] | None = None
    earlier: Callable[[Mapping[str, Any]], bool] = lambda settings: True  # whether it learns features of earlier labels
    # Parameters of estimators that it does not use, with the reason.
    refuses: Mapping[str, str] = field(default_factory=dict, hash=False)
    fixed: Mapping[str, Any] = field(
        default_factory=dict, hash=False
    )  # settings of its learner that users do not choose
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
    structure: Structure
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

    def fits(self, piece: Structure | Queue) -> bool:
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
    structure: Structure = registry.get("structure", structure_name or preferred or recipe.structure)
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


def _check_offers(recipe: Recipe, structure: Structure) -> None:
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


def _check_trains(recipe: Recipe, structure: Structure, queue: Queue) -> None:
    if not _goes_with(recipe, structure, queue):
        needed = "a queue that keeps states, such as beam" if recipe.searches else "the queue exact"
        raise UnsupportedError(
            f"The recipe {recipe.name!r} learns with {needed}; found {queue.name!r}.",
            remedy="Leave out queue, or use another recipe; after training, set_params(queue=…) changes how outputs are searched.",
        )
    queue.check_trains()


def _goes_with(recipe: Recipe, structure: Structure, queue: Queue) -> bool:
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
