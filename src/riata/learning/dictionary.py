"""The dictionary of the labels of frequent words, on chains: counted from training data before anything is learnt."""

from __future__ import annotations

from riata.choosing.options import Options
from riata.errors import SettingError, UnsupportedError
from riata.features.dictionary import TagDictionary
from riata.inference.structures.chain import ALIKE
from riata.learning.labels import LabelSet
from riata.models.model import Model

NAME = "dictionary"  # of the setting
OFTEN = 5  # where rare words are limited, too: how often a frequent word is seen


def new_dictionary(options: Options, labels: LabelSet, width: int) -> TagDictionary | None:
    """An empty dictionary for these labels; None if words may have all labels. width: number of input columns."""
    asked = options.settings[NAME]
    least = OFTEN if asked == ALIKE else int(asked)
    if least and width == len(options.added):
        raise UnsupportedError(
            f"setting {NAME!r} is {asked}, but the sentences are features already, and have no words to look up.",
            remedy=f"Give words, or leave out {NAME}.",
        )
    return TagDictionary(labels.labels, least, {}, alike=asked == ALIKE) if least else None


def check_goes_on(options: Options, start: Model | None) -> None:
    """Refuses to continue from a model with another dictionary: its weights were learnt with other rivals of the true labels."""
    if start is None:
        return
    dictionary = start.features.dictionary
    asked, present = (
        options.settings[NAME],
        0 if dictionary is None else ALIKE if dictionary.alike else dictionary.least,
    )
    if asked != present:
        raise SettingError(
            f"{NAME} is {asked}, but the model that training goes on from has {present}.",
            remedy="Set it as it was, or train anew (warm_start=False).",
        )
