"""Sentences with unknown labels: what can be learnt from them, and what is reported about them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from riata.data.types import Corpus, Ids, Starts
from riata.data.unknown import MARK, check_some_known, hidden, is_unknown
from riata.errors import DataError, UnsupportedError

if TYPE_CHECKING:
    from riata.choosing.options import Options
    from riata.inference.rules.legality import Legality
    from riata.learning.events import Listener


def partly_known(data: Corpus, options: Options) -> Corpus:
    """The data, with labels that are marked as unknown made unknown."""
    if not options.has_unknown:
        if is_unknown(data.columns[-1]).any():
            raise DataError(
                f"a label is empty, and the recipe {options.choice.recipe.name!r} must know all labels.", file=data.name
            )
        return data
    data = hidden(data, options.settings[MARK.name])
    if options.learn_as is not None and is_unknown(data.columns[-1]).any():
        raise UnsupportedError(
            f"learn_as is {options.learn_as!r}, but some labels are unknown, and how a chunk is written depends on all of its tokens.",
            remedy="Leave out learn_as, or write the labels in that encoding.",
        )
    check_some_known(data)
    return data


def tell_of_unknown(data: Corpus, ids: Ids, tell: Listener) -> None:
    """Reports the number of unknown labels. ids: of the labels, -1 if unknown."""
    from riata.learning.events import Note

    unknown = int((ids < 0).sum())
    if unknown:
        tell(Note(f"Labels of {unknown:,} of {data.tokens:,} tokens are unknown: all that they may be is summed over."))


def leave_out_impossible(data: Corpus, ids: Ids, legality: Legality, tell: Listener) -> None:
    """For sums over legal labellings: makes all labels of a sentence unknown if no legal labelling has the known ones."""
    from riata.learning.events import Note

    impossible = without_labelling(ids, data.starts, legality)
    for s in impossible:
        ids[data.starts[s] : data.starts[s + 1]] = -1
    if impossible:
        line = data.line_of(int(data.starts[impossible[0]]))
        place = "" if line is None else f" The first starts at {data.name}:{line}."
        text = f"Sentences whose known labels no legal labelling has: {len(impossible):,}. They are left out.{place}"
        tell(Note(text, warning=True))


def without_labelling(ids: Ids, starts: Starts, legality: Legality) -> list[int]:
    """Sentences with unknown labels (-1) for which no legal labelling has the known labels."""
    stuck = legality.stuck(starts, np.eye(len(legality.start), dtype=np.uint8), ids)
    found = np.searchsorted(starts, stuck, side="right") - 1
    return [int(s) for s in found if (ids[starts[s] : starts[s + 1]] < 0).any()]
