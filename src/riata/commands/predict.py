"""riata predict"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from riata.commands.base import format_option

if TYPE_CHECKING:
    from riata.data.types import Corpus, Ids


@click.command(short_help="Add a column of predictions to a file.")
@click.argument("file", default="-", metavar="[FILE|-]")
@click.option("--model", "model_file", required=True, metavar="FILE", help="A model made by `riata train`.")
@click.option(
    "--nbest",
    type=click.IntRange(min=1),
    metavar="K",
    help="The K best labellings of each sentence, each after a line `# rank score`.",
)
@click.option(
    "--threads",
    type=click.IntRange(min=1),
    metavar="N",
    help="How many at once (default: all cores); never changes the output.",
)
@format_option
def command(file: str, model_file: str, nbest: int | None, threads: int | None, format_: str) -> None:
    """Write the input's columns and one more, the prediction, sentence by sentence as they come in.

    \b
    riata predict --model chunker.riata new.txt > labelled.txt
    zcat big.txt.gz | riata predict --model chunker.riata - | head
    riata predict --model chunker.riata --nbest 3 new.txt

    The input may have the output column of training or lack it. CoNLL-U goes out as CoNLL-U, with the predicted field replaced.
    With --nbest a sentence is written K times, best first, as `crf_test -n` of CRF++ does: after `# 0` and its score (not a probability)
    the best labelling, after `# 1` the next, and so on; fewer where there are fewer. The queue must be exact.
    """
    from riata import load_model
    from riata.data import columns
    from riata.data.conllu import FIELDS
    from riata.data.files import is_conllu
    from riata.data.texts import interned
    from riata.data.types import Column
    from riata.errors import UnsupportedError
    from riata.parallel import cores, in_order

    estimator = load_model(model_file)
    conllu = is_conllu(file, format_)
    if conllu and not 0 <= estimator.output_ < len(FIELDS):
        raise UnsupportedError(
            f"{model_file} was not trained on CoNLL-U: there is no field to put its labels in.",
            remedy="Give a file of columns, or --format columns.",
        )
    texts = interned(estimator.classes_)[0]

    def sentences(batch: Corpus, labels: Ids, notes: Sequence[str] = ()) -> bytes:
        column = Column(texts, labels)
        if conllu:
            return b"".join(columns.formatted(columns.with_texts(batch, estimator.output_, column), notes=notes))
        return b"".join(columns.formatted(batch, [column], notes))

    def answer(batch: Corpus) -> bytes:
        if nbest is None:
            return sentences(batch, estimator.predict_ids(batch))
        return sentences(*_alternatives(batch, estimator.nbest_ids(batch, nbest)))

    estimator.set_params(threads=1)  # batches run side by side, not parts of one
    out = sys.stdout.buffer  # UTF-8 like the input, whatever the terminal has
    for content in in_order(answer, columns.stream(file, conllu=conllu), threads or cores()):
        out.write(content)
        out.flush()


def _alternatives(batch: Corpus, nbest: list[list[tuple[Ids, float]]]) -> tuple[Corpus, Ids, list[str]]:
    """Every sentence once per labelling, the labels of all, and the rank and score of each."""
    import numpy as np

    repeated = batch[[s for s, found in enumerate(nbest) for _ in found]]
    notes = [f"# {rank} {score:.6f}" for found in nbest for rank, (_, score) in enumerate(found)]
    return repeated, np.concatenate([ids for found in nbest for ids, _ in found]), notes
