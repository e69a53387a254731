"""riata predict"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

import click

from riata.commands.base import format_option

Formatter = Callable[[Any, list[list[str]]], Iterator[str]]


@click.command(short_help="Add a column of predictions to a file.")
@click.argument("file", default="-", metavar="[FILE|-]")
@click.option("--model", "model_file", required=True, metavar="FILE", help="A model made by `riata train`.")
@click.option(
    "--nbest",
    type=click.IntRange(min=1),
    metavar="K",
    help="The K best labellings of each sentence, each after a line `# rank score`.",
)
@format_option
def command(file: str, model_file: str, nbest: int | None, format_: str) -> None:
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
    from riata.errors import UnsupportedError

    estimator = load_model(model_file)
    conllu = is_conllu(file, format_)
    if conllu and not 0 <= estimator.output_ < len(FIELDS):
        raise UnsupportedError(
            f"{model_file} was not trained on CoNLL-U: there is no field to put its labels in.",
            remedy="Give a file of columns, or --format columns.",
        )
    out = sys.stdout.buffer  # UTF-8 like the input, whatever the terminal has

    def sentences(batch: Any, labels: list[list[str]]) -> Iterator[str]:
        if conllu:
            return columns.formatted(columns.with_texts(batch, estimator.output_, labels))
        return columns.formatted(batch, [labels])

    for batch in columns.stream(file, conllu=conllu):
        if nbest is None:
            texts = sentences(batch, estimator.predict(batch))
        else:
            texts = _alternatives(batch, estimator.predict_nbest(batch, nbest), sentences)
        out.writelines(text.encode("utf-8") for text in texts)
        out.flush()


def _alternatives(batch: Any, nbest: list[list[tuple[list[str], float]]], sentences: Formatter) -> Iterator[str]:
    """Every sentence once per labelling, after its rank and score."""
    repeated = batch[[s for s, found in enumerate(nbest) for _ in found]]
    ranked = [(rank, score) for found in nbest for rank, (_, score) in enumerate(found)]
    texts = sentences(repeated, [labels for found in nbest for labels, _ in found])
    for (rank, score), text in zip(ranked, texts, strict=True):
        yield f"# {rank} {score:.6f}\n{text}"
