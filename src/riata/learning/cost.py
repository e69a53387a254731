"""The time and memory that training with many labels takes: estimated before it begins; and what to do if there is not enough memory."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from riata.choosing.options import Options
from riata.errors import DataError, is_shortage
from riata.features.compile import Features
from riata.learning.events import Listener, Note
from riata.models.parts import ngram_sizes, weight_bytes

SECONDS_PER_PAIR = 2.5e-10  # time of one core to compare a label with a label before it
LONG = 60.0  # seconds of training from which on a warning is given
MUCH = 1 << 30  # bytes of weights from which on a warning is given
USUAL_EPOCHS = 10  # of recipes that may end earlier
COPIES = 2  # copies of the weights: the present weights, and their sums or gradients
FEWER_LABELS = (
    "Weights grow with the number of labels, and what learns from pairs of labels with its square. "
    "Use fewer labels, a smaller template, a higher cutoff, or less data."
)


def tell_of_cost(features: Features, labels: int, tokens: int, options: Options, tell: Listener) -> None:
    """Warns if training takes minutes or gigabytes, with the estimate and a remedy."""
    seconds = 0.0
    if not options.choice.recipe.searches and "counts" not in options.choice.recipe.needs:
        seconds = SECONDS_PER_PAIR * tokens * float(labels) ** (1 + max(1, features.program.order))
    memory = COPIES * options.shards * weight_bytes(features, ngram_sizes(features), labels)
    if seconds * min(options.epochs, USUAL_EPOCHS) < LONG and memory < MUCH:
        return
    tell(
        Note(
            f"{labels:,} labels: every pass over the data takes about {_time(seconds)} of one core, and the "
            f"weights about {memory / 2**30:.1f} GiB. "
            "If the labels are words or lemmas, another column may be meant as the output. Fewer labels, a smaller "
            "template or a higher cutoff take "
            "less; recipes that search with a beam, such as laso-perceptron, do not compare all pairs of labels.",
            warning=True,
        )
    )


@contextmanager
def within_memory(remedy: str = FEWER_LABELS) -> Iterator[None]:
    """Turns running out of memory during training into an error with a remedy."""
    try:
        yield
    except (MemoryError, RuntimeError) as error:
        if not is_shortage(error):
            raise
        raise DataError("out of memory: training needs more than there is.", remedy=remedy) from None


def _time(seconds: float) -> str:
    return f"{seconds:,.0f} seconds" if seconds < 100 else f"{seconds / 60:,.0f} minutes"
