"""The parameters of a StructurePredictor, checked: the recipe on the user's structure, its settings, development data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from riata import registry
from riata.choosing.constraints import UNCONSTRAINED
from riata.choosing.losses import RISK, check_loss
from riata.choosing.options import EPOCHS, PATIENCE, SEED, SEEDS, Options
from riata.choosing.passes import ONE_PASS
from riata.choosing.recipe import Choice, check_owner, check_read, check_searched, chosen
from riata.errors import SettingError, UnsupportedError
from riata.parallel import THREADS
from riata.problems.structure import kind_of
from riata.settings import Setting, resolve

if TYPE_CHECKING:
    from riata.data.types import Corpus
    from riata.problems.structure_predictor import StructurePredictor

PAIRS = "pairs"  # the setting that says which features have weights


def recipe_of(predictor: StructurePredictor) -> str:
    """The recipe that is asked for or, if none is, the default one."""
    return predictor.recipe or str(registry.get("structure", kind_of(predictor.structure).structure).recipe)


def declared(choice: Choice) -> tuple[Setting, ...]:
    """The settings of the recipe, without those that decide by labels or chunks."""
    return tuple(setting for setting in choice.settings if setting not in RISK)


def options_of(predictor: StructurePredictor, dev: float | Corpus | None) -> Options:
    """What training needs to know, or the reason why it cannot be done so."""
    if not isinstance(predictor.settings, (Mapping, type(None))):
        raise SettingError(f"settings is {predictor.settings!r}; expected a dictionary.")
    name, kind = recipe_of(predictor), kind_of(predictor.structure).structure
    recipe = registry.get("recipe", name)
    if recipe.searches:
        raise UnsupportedError(
            f"The recipe {name!r} searches state by state; a riata.Structure is solved as a whole.",
            remedy="Use another recipe, such as mira; or write a riata.Problem, which is searched.",
        )
    if recipe.templates is not None:
        raise UnsupportedError(
            f"The recipe {name!r} has templates of its own, for words.", remedy="Use another recipe, such as crf."
        )
    choice = chosen(name, kind, None, None)
    given, settings = predictor.settings or {}, declared(choice)
    check_owner(choice.recipe, settings, given, choice.offered)
    check_searched(choice.recipe, given, choice.offered)
    values = {**choice.recipe.fixed, **resolve(settings, given, f"The recipe {name!r}")}
    if PAIRS in values and PAIRS not in given:
        values[PAIRS] = "all"  # what speaks against a part is never seen with a true one
    check_read(settings, values, choice.offered)
    check_loss(values, weighs_classes=False)
    return Options(
        chunks=False,
        columns=1,
        default_template="",
        own_columns=True,
        template=None,
        functions={},
        lists={},
        vectors=None,
        cutoff=1,
        bits=None,
        stream=False,
        epochs=choice.recipe.epochs if predictor.epochs is None else int(EPOCHS.parse(predictor.epochs)),
        patience=None if predictor.patience is None else int(PATIENCE.parse(predictor.patience)),
        seed=int(SEED.parse(predictor.seed)),
        seeds=int(SEEDS.parse(1)),
        shards=1,
        threads=None if predictor.threads is None else int(THREADS.parse(predictor.threads)),
        settings=values,
        risk=None,
        dev=dev,
        refit=bool(predictor.refit),
        class_weight=None,
        encoding="auto",
        learn_as=None,
        strict=False,
        passes=ONE_PASS,
        choice=choice,
        constrained=UNCONSTRAINED,
    )
