"""Corpora with some given labels: how estimators read them, from Python and from a column of a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from riata.data.memory import is_empty, is_list, label_column
from riata.data.types import FREE, Column, Corpus, Ids, KnownLabels, place
from riata.errors import DataError, LabelError, UnsupportedError

if TYPE_CHECKING:
    from riata.estimators.sequence import SequenceEstimator

FREE_TEXT = "_"  # in a file: any label is allowed
CLOSE = 1e-5  # distance from 1, in single precision


def knowing(estimator: SequenceEstimator, X: Any, given: Any) -> Corpus:
    """The corpus of these sentences with the given labels: a list per sentence, of labels and None; None: no labels.

    If there are no tokens, the corpus has no columns either.
    """
    corpus = (
        Corpus(columns=(), starts=np.zeros(len(X) + 1, np.int64)) if is_empty(X) else estimator.columns.sentences(X)
    )
    if given is None:
        return corpus
    if estimator.trees:
        from riata.estimators.given_trees import knowing_trees

        return knowing_trees(estimator, corpus, given)
    _check_structure(estimator)
    try:
        filled = label_column([_filled(each) for each in given] if is_list(given) else given, corpus)
    except DataError as error:
        raise DataError(
            f"in given, {error.message}", remedy="Give one list per sentence, with a label or None for every token."
        ) from None
    free = [label is None for sentence in given for label in sentence]
    return _with_known(estimator, corpus, filled, np.array(free, bool), by_line=False)


def knowing_column(estimator: SequenceEstimator, corpus: Corpus, column: int | None, tags: int | None = None) -> Corpus:
    """The corpus with given labels from one of its columns, which contains `_` where any label is allowed. tags: the column of given tags,
    where tags are chosen with the output.
    """
    if tags is not None:
        check_tags_chosen(estimator)
    if estimator.trees:
        from riata.estimators.given_trees import knowing_tree_columns

        return knowing_tree_columns(estimator, corpus, column, tags)
    assert column is not None
    _check_structure(estimator)
    at = column + corpus.width if column < 0 else column
    corpus.select([at])  # refuses a column that does not exist
    if corpus.origins[at] in estimator.columns.data_columns(corpus).origins:
        raise DataError(
            f"column {at} is an input of the model, so it cannot hold the labels that are given.",
            remedy="Name another column.",
            file=corpus.name,
        )
    labels = corpus.columns[at]
    return _with_known(
        estimator, corpus, labels, np.array([t == FREE_TEXT for t in labels.texts()], bool), by_line=True
    )


def check_tags_chosen(estimator: SequenceEstimator) -> None:
    """Refuses given tags for a model that reads tags, or knows none."""
    if not estimator.columns.chosen_tags():
        raise UnsupportedError(
            "Tags are given, but the model does not choose tags.", remedy="Leave them out, or train with tags='joint'."
        )


def check_given(given: Any, min_confidence: float | None) -> None:
    """Refuses min_confidence together with given labels, which must not be left out."""
    if given is not None and min_confidence is not None:
        raise UnsupportedError(
            "Below min_confidence a chunk or a tag is left out, also where its labels are given.",
            remedy="Leave out one of them; predict_confidence(X, given=...) says how sure each one is.",
        )


def certain(corpus: Corpus, values: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which confidences are 1 because of given labels, so that they need no correction."""
    if corpus.known is None:
        return np.zeros(len(values), bool)
    found: NDArray[np.bool_] = (corpus.known.of >= 0) & (values > 1 - CLOSE)
    return found


def _filled(sentence: Any) -> Any:
    """The labels with a text instead of None, so that the rest can be checked as labels are."""
    return ["" if label is None else label for label in sentence] if is_list(sentence) else sentence


def _with_known(
    estimator: SequenceEstimator, corpus: Corpus, labels: Column, free: NDArray[np.bool_], *, by_line: bool
) -> Corpus:
    classes = estimator.classes_
    at = {label: i for i, label in enumerate(classes)}
    of: Ids = np.array([at.get(text, -1) for text in labels.alphabet.texts()] or [-1], np.int32)[labels.ids]
    unknown = np.flatnonzero((of < 0) & ~free)
    if len(unknown):
        raise _unknown_label(classes, corpus, int(unknown[0]), labels, by_line=by_line)
    used = np.unique(of[~free])
    numbers = np.full(len(classes), -1, np.int32)
    numbers[used] = np.arange(len(used))
    known = KnownLabels(
        tuple(classes[i] for i in used),
        (_written(estimator)[None, :] == used[:, None]).astype(np.uint8),
        np.where(free, -1, numbers[of]).astype(np.int32),
        "all" if estimator.encoding_ is None else f"sequences of tags in {estimator.encoding_.upper()}",
        by_line,
    )
    return replace(corpus, known=known)


def _written(estimator: SequenceEstimator) -> NDArray[np.int64]:
    """For every label of the model, the class as which it is written."""
    if estimator._recoder is None:
        return np.arange(len(estimator.classes_))
    table = estimator._recoder.table
    if table is None:
        raise UnsupportedError(
            "What a label that was learnt is written as depends on its neighbours here, so a given label does not "
            "say what it is learnt as.",
            remedy="Leave out learn_as.",
        )
    return np.asarray(table, np.int64)


def _check_structure(estimator: SequenceEstimator) -> None:
    if estimator.outputs > 1:
        raise UnsupportedError(
            f"{type(estimator).__name__} decides several labels per word in one search, which takes no given ones.",
            remedy="Use a Tagger and a Chunker, which do.",
        )


def _unknown_label(classes: Sequence[str], corpus: Corpus, token: int, labels: Column, *, by_line: bool) -> LabelError:
    found = labels.alphabet.text(int(labels.ids[token]))
    shown = ", ".join(classes[:20]) + (", …" if len(classes) > 20 else "")
    return LabelError(
        f"the model does not know the label {found!r} that is given {place(corpus, token, by_line=by_line)}. Known: {shown}.",
        remedy=f"Give a label that it knows, or leave it free ({FREE}).",
        file=corpus.name,
        line=corpus.line_of(token),
    )
