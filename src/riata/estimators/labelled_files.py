"""Files to labelled files: read in batches, predicted in parallel, written in order."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from riata.data.columns import PIECE
from riata.data.documents import without_mark
from riata.data.formats.base import Answers, Asked, ColumnName, FileFormat, Rank
from riata.data.types import FIELDS, Column, Corpus, Ids
from riata.errors import DataError, SettingError, UnsupportedError
from riata.estimators.found_spans import chunk_outputs
from riata.parallel import cores, in_order

if TYPE_CHECKING:
    from riata.data.running_text import Tokenizer
    from riata.estimators.sequence import SequenceEstimator


ABSTAINED = "_"  # written instead of a tag
# What outputs are called where columns have names and those of the training data had none: of trees or not, by their number.
NAMES = {(False, 1): ("tags",), (False, 2): ("pos_tags", "chunk_tags"), (True, 2): ("heads", "deprels")}
LISTED = 1 << 20  # labels of lists of the best that are written at once


@dataclass(frozen=True)
class Additions:
    """What is written beside the labels."""

    nbest: int | None = None  # every sentence is written up to so many times, best labelling first
    # One more column per output, with four decimals; in CoNLL-U, Confidence= in the last field.
    confidence: bool = False
    min_confidence: float | None = None  # below it a chunk is O, and a tag _


@dataclass(frozen=True)
class GivenColumns:
    """Columns of a file with what is known, `_` where it is open: labels to keep and, where tags are chosen with trees, tags."""

    labels: int | None = None
    tags: int | None = None

    def __bool__(self) -> bool:
        return self != NOTHING_GIVEN

    def asked(self) -> dict[str, int | None]:
        """The columns by the names of the options."""
        return {"given": self.labels, "given_tags": self.tags}

    @property
    def last(self) -> int:
        return max(self.labels or 0, self.tags or 0)


NOTHING_GIVEN = GivenColumns()


def labelled(
    estimator: SequenceEstimator,
    file: str | Path,
    *,
    format: FileFormat,
    threads: int | None,
    shown: Additions | None = None,
    given: GivenColumns = NOTHING_GIVEN,
    text: bool | Tokenizer = False,
    named: bool = False,
    documents: ColumnName | None = None,
    unmarked: Callable[[], None] | None = None,
) -> Generator[bytes]:
    """The bytes of the file with the predictions, batch by batch as they can be read. They do not depend on threads. Must be closed.

    format: of the file and of what is written. threads: None: one per core. text: the file has a sentence per line, to split so.
    named: the output columns were named for this file, so it must have them. documents: the column that names the document of each
    sentence; None: lines of the file mark documents.
    unmarked: called if the second of two passes looks at documents, and the file has marked none.
    """
    shown, workers = shown or Additions(), 1 if _is_short(file) else threads or cores()
    if estimator.file_format is not None:
        return estimator.predicting.own_answers(file, shown, workers, **given.asked(), text=text, documents=documents)
    nbest, confidence, min_confidence = shown.nbest, shown.confidence, shown.min_confidence
    _check_asked(estimator, shown, given, format, text=bool(text))
    label = estimator.predicting.labeller()
    written = partial(_written, estimator, format)

    def answer(batch: Corpus) -> bytes:
        if not batch.tokens:
            return written(batch, [])
        if not (format.fields or format.open or text):
            _check_width(estimator, batch, given.last, documents, named=named)
        if given != NOTHING_GIVEN:
            from riata.estimators.given_labels import knowing_column

            batch = knowing_column(estimator, batch, given.labels, given.tags)
        if shown == Additions():
            return written(*label(batch))
        if nbest is not None:
            repeated, labels, ranks = _listed(estimator, batch, nbest, confidence)
            return written(repeated, estimator.labels.output_columns(labels), ranks=ranks)
        batch = estimator.columns.tagged(batch)
        ids, values = estimator.confidence.confidence_ids(batch)
        added = estimator.labels.output_columns(ids)
        if min_confidence is not None:
            texts = estimator.confidence.abstaining(ids, values, min_confidence)
            added = [Column.of([ABSTAINED if text is None else text for text in each]) for each in texts]
        sure = [Column.of([f"{value:.4f}" for value in row]) for row in values] if confidence else []
        return written(batch, added, confidences=sure)

    stopped = threading.Event()
    batches = _batches(estimator, file, text, format, documents, stopped, whole=bool(given))
    if estimator.first_ is not None:
        batches = _in_context(estimator, batches, unmarked)
    if nbest is not None:
        from riata.inference.chain import K

        batches = _parts(batches, int(K.parse(nbest)))
    return in_order(answer, batches, workers, stopped) if workers > 1 else (answer(batch) for batch in batches)


def _in_context(
    estimator: SequenceEstimator, batches: Iterator[Corpus], unmarked: Callable[[], None] | None
) -> Iterator[Corpus]:
    """The batches with what the first of two passes says of them."""
    from riata.estimators.two_passes import at_documents, in_context, needs_marks, watching_marks

    if unmarked is not None and needs_marks(estimator):
        batches = watching_marks(batches, unmarked)
    return in_context(estimator, at_documents(batches))


def _written(
    estimator: SequenceEstimator,
    format: FileFormat,
    batch: Corpus,
    added: Sequence[Column],
    *,
    confidences: Sequence[Column] = (),
    ranks: Sequence[Rank] = (),
) -> bytes:
    """The batch with the columns added."""
    names = [estimator.names_[o] if 0 <= o < len(estimator.names_) else "" for o in estimator.outputs_]
    if not all(names):
        names = list(NAMES[estimator.trees, estimator.outputs])
    chunks = estimator.labels.chunk_outputs if estimator.outputs > 1 or estimator.chunks else chunk_outputs(estimator)
    answers = Answers(added, estimator.outputs_, names, chunks, confidences, ranks)
    return format.labelled(batch, answers)


def _parts(batches: Iterator[Corpus], nbest: int) -> Iterator[Corpus]:
    """The sentences in smaller batches, since each sentence is written several times."""
    for batch in batches:
        place = np.cumsum(np.diff(batch.starts) * nbest) // LISTED
        cuts = np.flatnonzero(np.diff(place)) + 1
        for low, high in zip([0, *cuts.tolist()], [*cuts.tolist(), len(batch)], strict=True):
            yield batch if high - low == len(batch) else batch[low:high]


def _check_asked(
    estimator: SequenceEstimator, shown: Additions, given: GivenColumns, format: FileFormat, *, text: bool
) -> None:
    """Refuses options that cannot be combined."""
    if shown.nbest is not None and shown.min_confidence is not None:
        raise UnsupportedError(
            "min_confidence is for the best labelling, not for a list of the n best.", remedy="Leave out one of them."
        )
    if given:
        from riata.estimators.given_labels import check_given

        check_given(given, shown.min_confidence)
    if shown.min_confidence is not None:
        estimator.confidence.check_abstains(shown.min_confidence)
    placed = estimator.format_ == format.name and all(0 <= output < len(format.fields) for output in estimator.outputs_)
    if format.fields and not placed:
        raise UnsupportedError(
            "the model was not trained on CoNLL-U: there is no field to put its labels in.",
            remedy="Name its columns (--inputs form --outputs upos), or give a file of columns.",
        )
    if text:
        check_reads_words(estimator)
        if given:
            raise UnsupportedError("Running text has no column of labels.", remedy="Leave out given, or text.")


def _batches(
    estimator: SequenceEstimator,
    file: str | Path,
    text: bool | Tokenizer,
    format: FileFormat,
    documents: ColumnName | None,
    stopped: threading.Event,
    *,
    whole: bool,
) -> Iterator[Corpus]:
    """whole: columns that the model does not read are needed, too."""
    if not text or format.open:
        named = estimator.names_ and all(column < len(estimator.names_) for column in estimator.columns.needed)
        needed = tuple(
            estimator.names_[column] if named else number for number, column in enumerate(estimator.columns.needed)
        )
        asked = Asked(documents, None if whole else needed, sources=True, text=bool(text))
        return map(estimator.columns.numbered, format.stream(file, asked, stopped=stopped))
    from riata.data.running_text import stream_text, tokenizer_of

    return stream_text(file, tokenizer_of(text), stopped)


def check_documents(estimator: SequenceEstimator, column: int, format: FileFormat, *, text: bool = False) -> None:
    """Refuses a column of documents that the model reads as something else, or that cannot exist."""
    if text:
        raise UnsupportedError("Running text has no column of documents.", remedy="Leave out documents, or text.")
    if column < 0:
        raise SettingError("columns of a file to predict are counted from 0.")
    same = estimator.format_ == format.name
    if column in (estimator.inputs_ if same else range(len(estimator.inputs_))):
        raise DataError(
            f"column {column} names documents here, and the model reads it.",
            remedy="Name the columns to read (--inputs), or leave out --documents.",
        )


def check_reads_words(estimator: SequenceEstimator) -> None:
    """Refuses running text for a model that reads more than words, or something else."""
    number = len(estimator.columns.needed)
    if number == 1:
        return
    reads = f"{number} columns for every word" if number else "features, or numbers, for every word"
    raise UnsupportedError(
        f"The model reads {reads}, and running text has only the words.",
        remedy="Train one that reads words alone (--inputs 0 --outputs N), or have the other columns added first, by a tagger for example."
        if number
        else "Compute them for the words, as in training, and give those.",
    )


def _check_width(
    estimator: SequenceEstimator, batch: Corpus, given: int, documents: ColumnName | None, *, named: bool
) -> None:
    """Refuses columns that the model does not know: running text looks like a token with many columns. given: the last column of labels or
    tags to keep. named: outputs were named, so the file must have them.
    """
    assert not isinstance(documents, str)  # columns have numbers here
    if named:
        batch.select(estimator.outputs_)
    known = max(estimator.columns.known_width(batch.format), given + 1)
    apart = documents is not None and documents % batch.width >= known  # no model uses such a column
    if batch.width - apart <= known:
        return
    same = batch.format == estimator.format_
    numbers = ",".join(map(str, estimator.inputs_ if same else range(len(estimator.inputs_))))
    conllu = estimator.format_ == "conllu" and batch.width == len(FIELDS)
    likely = "CoNLL-U, add --format conllu" if conllu else "running text, a sentence per line, add --text"
    raise DataError(
        f"found {batch.width} columns, and the model knows {known}, inputs and outputs.",
        remedy=f"If this is {likely}. If the columns are right, name those to read: --inputs {numbers}.",
        file=batch.name,
        line=batch.line_of(0),
    )


def _is_short(file: str | Path) -> bool:
    """Whether a file is read in one batch, so that threads are not needed."""
    try:
        return os.path.isfile(file) and os.path.getsize(file) < PIECE and not str(file).endswith(".gz")
    except (OSError, ValueError):  # reported when it is read
        return False


def _listed(
    estimator: SequenceEstimator, batch: Corpus, nbest: int, confidence: bool
) -> tuple[Corpus, Ids, list[Rank]]:
    """The n best labellings of every sentence, as `_alternatives` gives them."""
    batch = estimator.columns.before_lists(batch)
    found, tags = estimator.predicting.nbest_and_tags(batch, nbest)
    scores = [[score for _, score in sentence] for sentence in found]
    shares = estimator.confidence.nbest_probabilities(batch, scores) if confidence else None
    repeated, ids, ranks = _alternatives(batch, found, shares)
    return repeated if tags is None else estimator.columns.with_listed_tags(repeated, tags), ids, ranks


def _alternatives(
    batch: Corpus, nbest: list[list[tuple[Ids, float]]], shares: list[list[float]] | None
) -> tuple[Corpus, Ids, list[Rank]]:
    """Every sentence once per labelling, the labels of all, and the rank and score of each, with its probability if it is known."""
    repeated = batch[[s for s, found in enumerate(nbest) for _ in found]]
    if batch.comments:  # a document begins once
        places = [rank for found in nbest for rank in range(len(found))]
        comments = (without_mark(text) if at else text for text, at in zip(repeated.comments, places, strict=True))
        repeated = replace(repeated, comments=tuple(comments))
    ranks = [
        Rank(rank, score, None if shares is None else shares[s][rank])
        for s, found in enumerate(nbest)
        for rank, (_, score) in enumerate(found)
    ]
    return repeated, np.concatenate([ids for found in nbest for ids, _ in found]), ranks
