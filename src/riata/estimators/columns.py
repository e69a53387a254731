"""Which column is what: inputs, outputs and gold labels, in training data and in other data."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from riata.data.memory import as_corpus, label_column, with_column
from riata.data.types import Column, Corpus, check_kind
from riata.errors import DataError, SettingError, UnsupportedError
from riata.estimators.labels import Part
from riata.estimators.notes import warn_text

if TYPE_CHECKING:
    from riata.data.formats.base import ColumnName, FileFormat
    from riata.features.templates import Scope
    from riata.inference.rules.slots import LabelNames, Slots

ANY_WIDTH = 1 << 30  # number of columns of a file whose columns were named


class Columns(Part):
    """Finds the columns that the model reads, the columns that it predicts, and the columns of gold labels.

    `sentences` makes a corpus of what users give. `data_columns` are those of the data that are read, `own_columns` those of one pass (with
    tags of the model's own), `input_columns` those of both. Predicting._at_once goes round all of this with plain lists.
    """

    def sentences(self, X: Any) -> Corpus:
        """The sentences as a Corpus. Tokens that are lists contain columns or names of features, as in training."""
        return self.numbered(as_corpus(X, names=not self.estimator.inputs_ and self.estimator.array_width_ is None))

    def check_is_no_sentence(self, X: list[Any]) -> None:
        """Refuses one sentence that is not in a list where that is certain, and warns where it is likely: every item is like a token."""
        inputs = len(self.estimator.inputs_)
        if not all(type(item) is tuple and all(isinstance(text, str) for text in item) for item in X):
            return
        remedy = "If these tuples are the tokens of one sentence, put them into a list: [X]."
        if inputs > 1 and all(len(item) == inputs for item in X):
            raise DataError(f"every sentence is a tuple of {inputs} texts, as a token is.", remedy=remedy)
        labels = {item[-1] for item in X if len(item) == inputs + 1}
        if len(labels) > 1 and labels <= {*self.estimator.classes_} and all(len(item) == inputs + 1 for item in X):
            warn_text(f"Every sentence is a tuple of {inputs + 1} texts, the last of which is a label. {remedy}")

    def input_columns(self, corpus: Corpus) -> Corpus:
        """The columns that the model reads; with two passes, including those of the first pass. The output column may be missing."""
        inputs = self.own_columns(corpus)
        if self.estimator.first_ is None:
            return inputs
        from riata.estimators.two_passes import and_context

        return and_context(self.estimator, inputs)

    def first_labels(self, corpus: Corpus) -> tuple[str, ...] | None:
        """The labels that the first of two passes gives to all tokens; None if there is one pass."""
        context = self.seen_whole(corpus).context
        return None if context is None else tuple(context[0].texts())

    def seen_whole(self, corpus: Corpus) -> Corpus:
        """The corpus with the votes of all its sentences about each other, of which slices keep their part."""
        if self.estimator.first_ is None:
            return corpus
        from riata.estimators.two_passes import with_context

        return with_context(self.estimator, corpus)

    def scope(self) -> Scope:
        """Which sentences vote about a sentence in the second pass: as in training, unless parameters have been set since."""
        from riata.choosing.passes import Passes
        from riata.features.templates import Scope

        if self.estimator.context_ is None:
            self.estimator._check_fitted()
            raise UnsupportedError(
                "The model has one pass, which reads a sentence alone.", remedy="Train with passes=2."
            )
        passes = Passes.of(self.estimator)
        return Scope(passes.context or self.estimator.context_.mode, passes.window)

    @property
    def fewest_inputs(self) -> int:
        """How many input columns are needed, whatever the template reads."""
        return 0

    def tagger_counts(self) -> set[int]:
        """How many taggers a model file of it may contain."""
        return {0}

    def slots_of(self, corpus: Corpus, names: LabelNames) -> Sequence[Slots]:
        """The slots of sentences, for constraints that depend on the input. Tasks whose slots are no tokens override it."""
        from riata.inference.kept import token_slots

        return token_slots(corpus, names)

    @property
    def needed(self) -> tuple[int, ...]:
        """The columns of the training data that other data must have, too."""
        found: tuple[int, ...] = self.estimator.inputs_
        return found

    @property
    def tags_read(self) -> str | None:
        """Whose tags a trained parser reads: own, given or joint; None: no parser, or it reads words alone."""
        return None

    def chosen_tags(self) -> tuple[str, ...]:
        """The tags that it chooses among while it finds the output, if it does so."""
        return ()

    def tagged(self, corpus: Corpus) -> Corpus:
        """The corpus with the tags that the model gives its words first, if it does so."""
        return corpus

    def before_lists(self, corpus: Corpus) -> Corpus:
        """The corpus with all that is known of its tags before lists of the best outputs are found."""
        return self.tagged(corpus)

    def with_listed_tags(self, repeated: Corpus, tags: Column) -> Corpus:
        """Sentences that are written once for each of their best outputs, with the tags of these outputs. Only for joint tags."""
        raise NotImplementedError

    def own_columns(self, corpus: Corpus) -> Corpus:
        """The columns that the model reads in one pass."""
        return self.data_columns(corpus)

    def data_columns(self, corpus: Corpus) -> Corpus:
        """The columns of the data that the model reads.

        In a file of the same format as the training data, they are the columns with the same numbers; in other data, the first columns.
        """
        same = corpus.format == self.estimator.format_
        wanted = self.needed if same else tuple(range(len(self.needed)))
        if not self.estimator.inputs_:
            check_kind(corpus, self.estimator.array_width_, words=False)
        here = corpus.origins if same else tuple(range(corpus.width))
        if missing := sorted(set(wanted) - set(here)):
            raise DataError(
                f"the model reads column {missing[0]}, but the data have only {corpus.width} column{'s' * (corpus.width != 1)}.",
                remedy=f"Give the same input columns as in training: {', '.join(map(str, wanted))}.",
                file=corpus.name,
            )
        if self.estimator.inputs_:
            check_kind(corpus, self.estimator.array_width_, words=True)
        found = corpus.select(list(map(here.index, wanted)))
        self.look(found)
        return found

    def look(self, inputs: Corpus) -> None:
        """Compares input with the training data. inputs: the columns whose profile is known."""
        if self.estimator._input is not None and self.estimator.check_input:
            self.estimator._input.look(inputs, self.estimator)

    def known_width(self, format: str) -> int:
        """How many columns data of this format may have: as many as the training data, or else the inputs and outputs."""
        inputs, outputs, breadth = self.estimator.inputs_, self.estimator.outputs_, self.estimator.breadth_
        if format != self.estimator.format_:
            return len(inputs) + len(outputs)
        return int(max([breadth or 0, *(column + 1 for column in (*inputs, *outputs))]))

    def reading(
        self, inputs: Sequence[ColumnName] | None, outputs: Sequence[ColumnName] | None, *, format: FileFormat
    ) -> Any:
        """The same trained model for files in which other columns are its inputs and outputs; None: the columns do not change."""
        from riata.data.formats.base import column_number

        made, same = self.estimator.twin(), format.name == self.estimator.format_
        known = (("inputs", inputs, len(self.estimator.inputs_)), ("outputs", outputs, self.estimator.outputs))
        for kind, names, number in known:
            if names is not None and len(names) != number:
                raise SettingError(f"the model has {number} {kind}; --{kind} names {len(names)}.")
        read = inputs if inputs is not None else self.estimator.inputs_ if same else range(len(self.estimator.inputs_))
        names = made.names_ = self._known_names(read, outputs, same=same) if format.open else format.fields
        made.inputs_ = tuple(column_number(name, names) for name in read)
        if outputs is not None:
            made.outputs_ = tuple(column_number(name, names) for name in outputs)
        elif not same:
            made.outputs_ = (-1,) * self.estimator.outputs
        if min((*made.inputs_, *(made.outputs_ if outputs else ())), default=0) < 0:
            raise SettingError("columns of a file to predict are counted from 0.")
        made.format_, made.breadth_ = format.name, ANY_WIDTH
        return made

    def _known_names(
        self, inputs: Iterable[ColumnName], outputs: Sequence[ColumnName] | None, *, same: bool
    ) -> tuple[str, ...]:
        """The columns of files in which these are read, where columns have names of their own."""
        named = [name for name in (*inputs, *(outputs or ())) if isinstance(name, str)]
        return tuple(dict.fromkeys([*(self.estimator.names_ if same else ()), *named]))

    def numbered(self, corpus: Corpus) -> Corpus:
        """A corpus of columns with names of their own, with the numbers that these columns had in the training data."""
        names = self.estimator.names_
        if not names or not corpus.names or corpus.names[: len(names)] == names:
            return corpus
        known = (*names, *(name for name in corpus.names if name not in names))
        origins = tuple(known.index(corpus.names[i]) if i >= 0 else i for i in corpus.origins)
        return replace(corpus, names=known, origin=origins, breadth=len(known))

    def scored_columns(self, corpus: Corpus) -> Corpus:
        """The columns that the model reads and, last, the gold output: the column of training, or else the last column."""
        inputs = self.input_columns(corpus)
        same = corpus.format == self.estimator.format_ and self.estimator.output_ in corpus.origins
        gold = corpus.origins.index(self.estimator.output_) if same else corpus.width - 1
        if corpus.origins[gold] in inputs.origins:
            raise DataError(
                f"scoring needs the output column, but the data have only the inputs ({corpus.width} columns).",
                remedy="Score a file that holds the gold labels too.",
                file=corpus.name,
            )
        return with_column(inputs, corpus.columns[gold])

    def with_output(self, X: Any, y: Any = None, *, unknown: bool = False) -> Corpus:
        """The data with the output as the last column or columns. unknown: whether labels may be None."""
        corpus = X if isinstance(X, Corpus) else as_corpus(X)
        if y is not None:
            return with_column(corpus, label_column(y, corpus, unknown=unknown))
        if corpus.width + corpus.is_wordless < 2:
            raise DataError(
                f"training needs at least one input column and the output column; found {corpus.width}.",
                remedy="Give the labels as y, or as the last column.",
                file=corpus.name,
            )
        return corpus

    def scored_data(self, X: Any, y: Any = None) -> Corpus:
        """The data with their output, as `evaluate` takes them."""
        return self.with_output(X, y)

    def development(self, dev: Any) -> Any:
        """The parameter `dev` in the form of the data that are learnt from."""
        return dev

    def with_gold(self, X: Any, y: Any) -> Corpus:
        """The columns that the model reads and, last, the gold labels, from the data or from y."""
        corpus = self.sentences(X)
        data = (
            self.scored_columns(corpus)
            if y is None
            else with_column(self.input_columns(corpus), label_column(y, corpus))
        )
        if self.estimator.chunks:
            from riata.learning.labels import refuse_plain_tags

            refuse_plain_tags(data, self.estimator.encoding_, among_chunks=False)
        return data

    def gold_columns(self, data: Corpus) -> Sequence[Column]:
        """The gold labels of data that `with_gold` returned, one column per output."""
        return data.columns[-1:]

    def knowing(self, X: Any, given: Any) -> Corpus:
        """The corpus with the given labels as known labels."""
        from riata.estimators.given_labels import knowing

        return knowing(self.estimator, X, given)
