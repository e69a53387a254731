"""CoNLL-U, the format of Universal Dependencies: ten columns with names."""

from __future__ import annotations

from collections.abc import Sequence

from riata.data import columns
from riata.data.formats.base import Answers, ColumnName, Roles
from riata.data.types import FIELDS, Column, Corpus
from riata.errors import DataError


class Conllu(columns.ColumnFormat):
    name = "conllu"
    summary = "CoNLL-U: ten columns with names, comments, multiword tokens"
    endings = (".conllu",)
    fields = FIELDS
    words = FIELDS.index("form")

    def outputs(self, corpus: Corpus, number: int, apart: Sequence[int], fields: Roles) -> Sequence[ColumnName]:
        if number != len(fields.outputs):
            raise DataError(
                "CoNLL-U has no fields for a tag and a chunk label.",
                remedy="Name both with --outputs.",
                file=corpus.name,
            )
        return fields.outputs

    def inputs(self, corpus: Corpus, others: Sequence[int], fields: Roles) -> Sequence[ColumnName]:
        return [name for name in fields.inputs if FIELDS.index(name) not in others]

    def labelled(self, batch: Corpus, answers: Answers) -> bytes:
        """The predictions replace the fields that they are of."""
        for output, column in zip(answers.outputs, answers.columns, strict=True):
            batch = columns.with_texts(batch, output, column)
        if answers.confidences:
            batch = columns.with_texts(batch, len(FIELDS) - 1, _noted(batch.columns[-1], answers.confidences))
        return b"".join(columns.formatted(batch, notes=[str(rank) for rank in answers.ranks]))


def _noted(last: Column, sure: Sequence[Column]) -> Column:
    """The last field of CoNLL-U with Confidence= for each output, beside its present contents."""
    numbers = zip(*(column.texts() for column in sure), strict=True)
    notes = (f"Confidence={','.join(each)}" for each in numbers)
    return Column.of(
        [note if text == "_" else f"{text}|{note}" for text, note in zip(last.texts(), notes, strict=True)]
    )


FORMAT = Conllu()
