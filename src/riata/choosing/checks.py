"""Checks of single parameters of an estimator. Errors name the parameter, what was expected, and a remedy."""

from __future__ import annotations

import os
from collections.abc import Mapping
from numbers import Real
from typing import Any

import numpy as np

from riata import registry
from riata.choosing.losses import check_loss
from riata.choosing.recipe import Recipe
from riata.choosing.sample_weight import LARGEST_WEIGHT
from riata.errors import RiataError, SettingError, UnsupportedError, printed
from riata.features import templates as template_language
from riata.features.attributes import Attribute, builtin
from riata.features.context_names import SUMMARIES
from riata.features.frequency import FREQUENCY
from riata.features.templates import LABEL, NUMBER, Template
from riata.models.chain_parts import FEWEST_BITS, MOST_BITS
from riata.settings import Setting

CUTOFF = Setting("cutoff", 1, "leave out n-grams seen less often", low=1)
BITS = Setting(
    "bits", 22, "log2 of the number of weights in the table of hashed features", low=FEWEST_BITS, high=MOST_BITS
)
SHARDS = Setting("shards", 1, "parts of the data to learn from at once, mixed after every epoch", low=1, high=10_000)
UNSET: tuple[Any, ...] = (None, 1, {})  # default values of parameters that a recipe may refuse


def check_refused(estimator: Any, recipe: Recipe) -> None:
    """Refuses parameters that are set but that the recipe does not use."""
    reasons = dict(recipe.refuses)
    if recipe.templates is not None:
        reasons.update(
            dict.fromkeys(
                ("template", "lists", "vectors", "attributes"),
                "it has templates of its own, since its weights are probabilities",
            )
        )
    for name, reason in reasons.items():
        if getattr(estimator, name) not in UNSET:
            raise UnsupportedError(
                f"{name} is set, but means nothing to the recipe {recipe.name!r}: {reason}.",
                remedy=f"Leave out {name}.",
            )


def shards_of(given: Any, recipe: Recipe) -> int:
    shards = int(SHARDS.parse(given))
    if shards > 1 and recipe.whole:
        raise UnsupportedError(
            f"shards is {shards}, but the recipe {recipe.name!r} minimises one objective over all data, which parts of them do not have.",
            remedy="Leave out shards, or use a recipe that learns from one sentence after another, such as mira.",
        )
    if shards > 1 and recipe.searches:
        raise UnsupportedError(
            f"shards is {shards}, but the recipe {recipe.name!r} learns from the states of a search: its learner keeps scaled weights, "
            "counts of steps and features of earlier labels that cannot be mixed with those of others.",
            remedy="Use several seeds; or, on structures with exact search, the recipe perceptron or mira.",
        )
    return shards


def bits_of(estimator: Any) -> int | None:
    if estimator.bits is None:
        return None
    try:
        bits = BITS.parse(estimator.bits)
    except SettingError as error:
        raise SettingError(
            error.message, remedy="It is log2 of the number of weights, which need 4 bytes each; 22 is a good start."
        ) from None
    if CUTOFF.parse(estimator.cutoff) != 1:
        raise SettingError(
            f"cutoff is {estimator.cutoff}, but with bits n-grams are hashed and not counted.",
            remedy="Leave out cutoff, or bits.",
        )
    return int(bits)


def check_flags(estimator: Any) -> None:
    for name, default in estimator._defaults().items():
        if isinstance(default, bool) and not isinstance(getattr(estimator, name), (bool, np.bool_)):
            raise SettingError(f"{name} is {printed(getattr(estimator, name)):.60}; expected True or False.")
    if estimator.encoding != "auto":
        registry.get("encoding", estimator.encoding)
    _check_learn_as(estimator)


def _check_learn_as(estimator: Any) -> None:
    if estimator.learn_as is None:
        return
    if not isinstance(estimator.learn_as, str):
        raise SettingError(
            f"learn_as is {estimator.learn_as!r:.60}; expected the name of a chunk encoding, or None.",
            remedy=f"Choose one of {', '.join(registry.names('encoding'))}.",
        )
    if registry.get("encoding", estimator.learn_as).bare and estimator.encoding != estimator.learn_as:
        raise UnsupportedError(
            f"{estimator.learn_as.upper()} cannot keep two chunks of a type apart that touch, so chunks are not learnt in it.",
            remedy="Choose another learn_as, or leave it out.",
        )
    if not estimator.chunks:
        raise UnsupportedError(
            f"learn_as is {estimator.learn_as!r}, but the task {estimator.task_name!r} has plain labels: there are "
            "no chunks to write in another way.",
            remedy="Leave out learn_as; chunks are for Chunker and EntityRecognizer (tasks chunk and ner).",
        )


def check_template(given: Any) -> None:
    is_source = given is None or isinstance(given, (str, os.PathLike))
    is_list = isinstance(given, (list, tuple)) and all(isinstance(template, Template) for template in given)
    if not is_source and not is_list:
        raise SettingError(
            f"template is {given!r:.60}; expected a name, the path of a file, or templates.",
            remedy="riata.features.templates.parse(text) makes templates.",
        )


def check_class_weight(given: Any) -> None:
    if not isinstance(given, (Mapping, str, type(None))):
        raise SettingError(f'class_weight is {given!r}; expected a dictionary or "balanced".')
    for label, weight in given.items() if isinstance(given, Mapping) else ():
        if not isinstance(weight, Real) or not 0 <= float(weight) <= LARGEST_WEIGHT:
            raise SettingError(
                f"class_weight of {label!r} is {weight!r}; expected a number from 0 to {LARGEST_WEIGHT:g}."
            )


def check_beside_parameters(estimator: Any, settings: Mapping[str, Any]) -> None:
    """Refuses settings that have no effect for the task of the estimator, or beside its other parameters."""
    if settings.get("constrain") and not estimator.chunks:
        raise UnsupportedError(
            f"setting 'constrain' is set, but the task {estimator.task_name!r} has plain labels: every sequence of them is legal.",
            remedy="Leave out constrain.",
        )
    check_loss(settings, weighs_classes=estimator.class_weight is not None)
    if settings.get("shuffle") is False and estimator.seeds != 1:
        raise UnsupportedError(
            f"seeds is {estimator.seeds}, but setting 'shuffle' is false: a seed says in which order sentences are visited, so all models "
            "would be the same.",
            remedy="Leave out shuffle, or seeds.",
        )
    if settings.get("record") and estimator.seeds != 1:
        raise UnsupportedError(
            f"setting 'record' keeps the updates of one training for diagnose, but seeds is {estimator.seeds}.",
            remedy="Leave out record, or seeds.",
        )


def check_attributes(attributes: Mapping[str, Attribute]) -> None:
    if not isinstance(attributes, Mapping):
        raise SettingError(f"attributes is {attributes!r:.60}; expected a dictionary from names to functions.")
    for name, function in attributes.items():
        if not callable(function):
            raise SettingError(f"attribute {name!r} is {function!r}; expected a function from a word to a text.")
        if name in builtin() or name in SUMMARIES or not _names_an_attribute(name):
            raise SettingError(
                f"attribute {name!r} has a name that templates use already, or cannot use.",
                remedy="Choose another name: letters, digits and _, not one that `riata pieces` lists.",
            )


def _names_an_attribute(name: str) -> bool:
    """Whether `name[0]` in a template reads the attribute with this name: it is not a column, not number, and not a syntax error."""
    try:
        template = template_language.parse(f"word[0]\n{name}[0]")[-1]
    except RiataError:
        return False
    return name not in (LABEL, NUMBER, FREQUENCY) and [read.attribute for read in template.reads] == [name]
