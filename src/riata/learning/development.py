"""Development data: how much of the end is held out, which options need such data, and training again on all data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any, TypeVar

from riata.choosing.options import Options
from riata.data.documents import DocumentBounds, bounds_of
from riata.data.types import Corpus
from riata.errors import DataError, SettingError
from riata.learning.events import Listener, Note
from riata.learning.loop import Outcome

Made = TypeVar("Made")
LONG = 5  # tokens of a sentence that hardly occurs twice
OVERLAP = 0.05  # share of development sentences from which on a warning is due


def held_out(number: int, dev: float, name: str | None, tell: Listener, of: str = "sentences") -> int:
    """The number of sentences (or of what `of` names) at the end that are development data. name: of their file."""
    last = _share(number, dev, name, of)
    tell(Note(f"The last {last:,} of {number:,} {of} are held out to choose the epoch."))
    return last


def first_held_out(sentences: int, bounds: DocumentBounds | None, dev: float, name: str | None, tell: Listener) -> int:
    """The first of the sentences that are held out, up to the end of the data.

    bounds: of the documents, which are held out as a whole; None: no documents are marked. name: of the file.
    """
    if bounds is None:
        return sentences - held_out(sentences, dev, name, tell)
    cut = bounds.cut(sentences - _share(sentences, dev, name, "sentences"), sentences)
    last = f"The last {sentences - cut.first:,} of {sentences:,} sentences"
    if cut.split:
        tell(Note(f"{last} are held out to choose the epoch; the cut is inside a document, since none begins near it."))
    else:
        whole = f"{cut.documents:,} document{'s' * (cut.documents != 1)}"
        tell(Note(f"{last} ({whole}) are held out to choose the epoch."))
    return cut.first


def parted(data: Corpus, dev: float, tell: Listener) -> tuple[Corpus, Corpus]:
    """The data to learn from, and the end of the data, which is held out: whole documents, if they are marked."""
    bounds = None if data.document is None else bounds_of(data.document)
    first = first_held_out(len(data), bounds, dev, data.name, tell)
    return data[:first], data[first:]


def _share(number: int, dev: float, name: str | None, of: str) -> int:
    if not 0 < dev < 1:
        raise SettingError(f"dev is {dev}; expected a corpus or a fraction between 0 and 1, such as 0.1.")
    last = max(1, round(number * dev))
    if last >= number:
        raise DataError(f"{number} {of} are too few to hold out {dev:.0%} of them.", file=name)
    return last


def tell_of_overlap(train: Corpus, dev: Corpus, tell: Listener) -> None:
    """Warns of development sentences that training data have, too: their score is that of a memory."""
    if train.width < 2 or not len(dev):  # features without words
        return
    words, ids = train.columns[0], dev.columns[0].numbered(train.columns[0].alphabet.texts())
    learnt = {words.ids[low:high].tobytes() for low, high in pairwise(train.starts) if high - low >= LONG}
    number = sum(high - low >= LONG and ids[low:high].tobytes() in learnt for low, high in pairwise(dev.starts))
    if number:
        share = f"{number:,} of {len(dev):,} sentences of the development data"
        text = f"{share} are in the training data, too, so their score promises too much of other text."
        tell(Note(text, warning=number > OVERLAP * len(dev)))


def check_given_once(X: Any, y: Any, dev: Any, names: tuple[str, str] = ("X_dev", "y_dev")) -> bool:
    """Whether development data were given to fit; then the parameter `dev` must be None."""
    if X is None:
        if y is not None:
            raise SettingError(f"{names[1]} is given, but {names[0]} is not.", remedy="Give both.")
        return False
    if dev is not None:
        raise SettingError(
            f"development data are given twice: as {names[0]}, and as the parameter dev.",
            remedy="Leave out one of them.",
        )
    return True


def check_needs(given: bool, *, refit: bool, patience: int | None, remedy: str) -> None:
    """Refuses options that need development data, if none are given."""
    for name, value in (("refit", refit), ("patience", patience)):
        if value and not given:
            raise SettingError(
                f"{name} is {value!r}, but there are no development data to choose an epoch by.", remedy=remedy
            )


def check_dev(options: Options) -> None:
    """Refuses options that need development data, if there are none."""
    remedy = "Give dev, a corpus or a fraction such as 0.1 (--dev, --dev-fraction)."
    check_needs(options.dev is not None, refit=options.refit, patience=options.patience, remedy=remedy)


def check_one_epoch(estimator: Any) -> None:
    """Refuses parameters that choose among epochs, for partial_fit. estimator: of any kind."""
    given = {
        "dev": estimator.dev is not None,
        "patience": estimator.patience is not None,
        "refit": bool(estimator.refit),
    }
    for name in filter(given.__getitem__, given):
        raise SettingError(
            f"{name} is set, but partial_fit learns one epoch and chooses none.",
            remedy="Call set_params(dev=None, patience=None, refit=False) first; or use fit with warm_start=True, which goes on, too.",
        )


def train_again(
    first: Outcome, before: int, tell: Listener, again: Callable[[int], tuple[Outcome, Made]]
) -> tuple[Outcome, Made]:
    """After a first training, trains again for the best number of epochs. before: epochs of the model that training continues from."""
    tell(Note(f"Best development score {first.best_score:.2f}, epoch {first.best_epoch}; training again on all data."))
    second, made = again(first.best_epoch - before)
    if second.model is None:  # interrupted before an epoch was complete: the first model is returned
        return replace(first, interrupted=True), made
    return replace(
        second, apart=first.model, best_score=first.best_score, history=[*first.history, *second.history]
    ), made
