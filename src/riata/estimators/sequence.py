"""The estimator of sequences: what users call, in the order in which they need it. Each duty has a part that does it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from riata.data.types import PerSentence
from riata.errors import SettingError, UnsupportedError
from riata.estimators.columns import Columns
from riata.estimators.confidence import Confidence
from riata.estimators.evaluating import Evaluating
from riata.estimators.explaining import Explaining
from riata.estimators.fitting import Fitting
from riata.estimators.labels import Has, Labels
from riata.estimators.predicting import Predicting
from riata.params import PARAMETERS, Parameters

if TYPE_CHECKING:
    from pathlib import Path

    from riata.analysis.error_analysis import ErrorAnalysis
    from riata.confidence.calibration import Calibration, CalibrationReport, Reliability, Values
    from riata.data.pairs import PairRecoder
    from riata.data.recoding import Recoder
    from riata.data.running_text import Tokenizer
    from riata.data.types import Ids
    from riata.estimators.constrained import ConstraintReport
    from riata.estimators.found_spans import FoundSpan
    from riata.estimators.input_check import InputCheck
    from riata.estimators.predictions import Predictions
    from riata.explaining.explanation import Explanation
    from riata.explaining.trace import Trace
    from riata.features.templates import Scope
    from riata.inference.kept import Kept
    from riata.inference.structure import Decoder
    from riata.learning.diagnostics import Diagnostics, Run
    from riata.learning.events import Listener
    from riata.models.model import Model
    from riata.scoring.evaluation import Evaluation
    from riata.scoring.search_errors import SearchErrors

Self = TypeVar("Self", bound="SequenceEstimator")  # typing.Self needs Python 3.11


class SequenceEstimator(Parameters):
    __doc__ = (
        f"""One label per token. Subclasses say what the labels are and which template is theirs.\n\n{PARAMETERS}"""
    )

    # Parts: what does the work. Tasks replace those that differ.
    labels = Has(Labels)
    columns = Has(Columns)
    fitting = Has(Fitting)
    predicting = Has(Predicting)
    confidence = Has(Confidence)
    evaluating = Has(Evaluating)
    explaining = Has(Explaining)

    # What is learnt.
    model_: Model
    classes_: list[Any]
    encoding_: str | None  # of chunk labels,
    learnt_as_: str | None  # and the encoding in which they are learnt
    history_: list[dict[str, Any]]
    seconds_: float | None
    inputs_: tuple[int, ...]  # columns that the model reads
    array_width_: int | None  # number of columns of arrays of numbers, if it reads arrays
    outputs_: tuple[int, ...]  # columns of the output in the training data
    format_: str  # of the training data
    names_: tuple[str, ...] = ()  # of the columns of the training data, where they had some
    breadth_: int | None  # number of columns of the training data; None: none after those that were learnt from
    best_epoch_: int
    best_score_: float | None
    facts_: dict[str, Any]
    calibration_: tuple[Calibration, ...] = ()  # one per output; empty: not calibrated
    uncalibrated_: str = ""  # why training did not calibrate the model, if that is known
    first_: SequenceEstimator | None = None  # the first of two passes
    context_: Scope | None = None  # which sentences voted in the second pass
    taggers_: tuple[Any, ...] = ()  # by input column, from the second on, if it tags its words itself
    _exact: Model | None = None  # the model in double precision, if it was learnt so: training goes on from it
    _run: Run | None
    _input: InputCheck | None = None  # None: what training data looked like is not known
    _recoder: Recoder | PairRecoder | None  # from labels that were learnt to classes
    _texts: list[str] | None

    # What is remembered of predictions.
    _searched: tuple[Any, Decoder] | None = None  # the parameters of a search, and the decoder that they choose
    _softens: float | None = None  # the penalty of constraints that have none, at this prediction
    _kept: tuple[Any, Kept] | None = None  # the constraints that are kept, and what they were made of
    _plain_rules: Any = None  # of the fast path: rules,
    _plain_model: Model | None = None  # and the form of the model that keeps others; None: the model itself
    _warned_of: tuple[Model, frozenset[str]] | None = (
        None  # a model, and what users have been warned of about its confidences
    )

    # ---- learn ----

    def fit(
        self: Self,
        X: Any,
        y: Any = None,
        X_dev: Any = None,
        y_dev: Any = None,
        *,
        sample_weight: Any = None,
        listener: Listener | None = None,
        dev: Any = None,
    ) -> Self:
        """Learns from a Corpus (its last column is the output), or from sentences and their labels; with `stream`, from a file.

        A sentence is a list of words, of tuples of columns or of dictionaries of features, or an array of numbers [T, d].
        X_dev, y_dev: development data, instead of the parameter `dev`. listener: is called with what happens; without one, warnings are
        Python's, and a terminal shows every epoch.
        Ctrl-C keeps the model of the last good epoch and raises KeyboardInterrupt.
        """
        if dev is not None:
            raise SettingError(
                "fit has no dev.",
                remedy=f"fit(X, X_dev=data), or the parameter: {type(self).__name__}(dev=data).fit(X).",
            )
        self.fitting.fit(X, y, X_dev, y_dev, sample_weight=sample_weight, listener=listener)
        return self

    def partial_fit(
        self: Self, X: Any, y: Any = None, *, classes: Sequence[str] | None = None, sample_weight: Any = None
    ) -> Self:
        """One epoch over these sentences, whatever `epochs` says, on top of what was learnt before. dev, patience and refit are refused.

        Where other parameters have changed since the last call, learning goes on with them from the present model, as with warm_start.
        Labels are those of the first call and of its `classes`; a label that neither had is refused. Averaging goes on over all calls.
        """
        self.fitting.partial_fit(X, y, classes, sample_weight)
        return self

    # ---- predict ----

    def predict(
        self,
        X: Any,
        *,
        min_confidence: float | None = None,
        given: Any = None,
        text: bool | Tokenizer = False,
        decode: str | None = None,
        constraints: bool | str | float | None = None,
    ) -> Predictions:
        """The labels of every sentence: a list, which notebooks show as labelled text.

        Below min_confidence, from 0 to 1, it abstains: a chunk is left out (O), a tag is None. Refused if the model is not calibrated.
        given: labels that are known, a list per sentence, with None where any will do; the best labelling that has them is found.
        text: X is a list of sentences, each a string, which are split at spaces; or a function from a sentence to its words,
        to split them by.
        decode: how labels are chosen this time (docs/decoding.md): best, marginals or spans; None: as the settings say.
        constraints: whether labels keep the constraints this time (docs/constraints.md); "soft": broken ones cost 1, a number: so much.
        """
        return self.predicting.predict(
            X, min_confidence=min_confidence, given=given, text=text, decode=decode, constraints=constraints
        )

    def predict_single(self, sentence: Any) -> list[Any]:
        """The labels of one sentence."""
        found: list[Any] = self.predict([sentence])[0]
        return found

    def predict_spans(
        self,
        X: Any,
        *,
        tokenizer: Tokenizer | None = None,
        confidence: bool | None = None,
        min_confidence: float | None = None,
    ) -> list[list[FoundSpan]]:
        """The spans of every sentence: start, end, label, text and confidence. Plain tags are spans of one token each.

        X: texts, each a string, or sentences as predict takes them. Places are counted in characters for texts, in tokens otherwise.
        tokenizer: a function from a text to its words; None: words and marks of punctuation. confidence: whether it is to be found;
        None: if the model is calibrated. Spans below min_confidence are left out, as predict does.
        """
        from riata.estimators.found_spans import found_spans

        self._check_fitted()
        if min_confidence is not None:
            self.confidence.check_abstains(min_confidence)
        found = found_spans(self, X, tokenizer, confidence if min_confidence is None else True)
        if min_confidence is None:
            return found
        return PerSentence([span for span in spans if (span.confidence or 0) >= min_confidence] for spans in found)

    def predict_file(
        self,
        source: str | Path,
        target: str | Path,
        *,
        nbest: int | None = None,
        confidence: bool = False,
        min_confidence: float | None = None,
        given: int | None = None,
        given_tags: int | None = None,
        text: bool | Tokenizer = False,
        documents: int | None = None,
    ) -> None:
        """Writes a file with a column of predictions more, as `riata predict` does; each may be compressed (.gz).

        CoNLL-U (.conllu) goes out as CoNLL-U, JSON lines (.jsonl) as JSON lines. text: the file holds a sentence per line, as for
        predict. nbest: every sentence so many times, best labelling first. confidence: one more column with it. Below min_confidence a
        chunk is O, and a tag is _. given: the number of a column that holds labels to keep, _ elsewhere; given_tags: of tags to keep,
        where a parser chooses tags.
        documents: the number of a column that names the document of each sentence; None: lines of the file mark documents.
        """
        from riata.estimators.labelled_files import Additions, GivenColumns

        shown, known = Additions(nbest, confidence, min_confidence), GivenColumns(given, given_tags)
        self.predicting.predict_file(source, target, shown, known, text=text, documents=documents)

    def predict_nbest(
        self, X: Any, k: int, *, probabilities: bool = False, given: Any = None
    ) -> list[list[tuple[list[str], float]]]:
        """The k best labellings of every sentence with their scores, best first; fewer where fewer are legal. The first is predict's.

        probabilities: with these instead of scores, among all legal labellings (see predict_proba).
        They are exact, so they need the queue `exact` and templates that read no label further back than label[-2]. Trees that are built
        by moves are those that the beam has ended with (docs/parsing.md).
        given: as predict takes it; then among labellings that have these labels.
        """
        return self.predicting.predict_nbest(X, k, probabilities=probabilities, given=given)

    def predict_ids(self, X: Any) -> Ids:
        """Labels as numbers, indices of `classes_`, of all tokens in one array."""
        return self.predicting.predict_ids(X)

    def split_text(self, sentences: Any, text: bool | Tokenizer = True) -> list[list[str]]:
        """The words of sentences that are strings: what predict reads and labels with text=True."""
        return self.predicting.split_text(sentences, text)

    def prepare(self) -> None:
        """Folds the model, which otherwise the first prediction does (docs/speed.md)."""
        self.predicting.prepare()

    # ---- how sure it is ----

    def predict_confidence(self, X: Any, *, given: Any = None) -> list[Any]:
        """The confidence of the search in the labels that predict returns, token by token; for several outputs, a tuple per token.

        given: as in predict; confidences are then among outputs that have these labels.
        """
        return self.confidence.predict_confidence(X, given=given)

    def predict_proba(self, X: Any, *, given: Any = None) -> list[Values]:
        """The probability of every label at every token, over all legal labellings: an array [T, classes] per sentence, in the order of
        `classes_`.

        A labelling has the probability exp(score / temperature) / Z, as training calibrates it, or exp(score) / Z without calibration. The
        latter are those that recipes such as crf have learnt (calibrated=False); for other recipes, calibrate first. Needs a chain that
        reads at most two labels back, or segments that read at most one.
        given: as in predict; the probabilities are then among labellings that have these labels.
        """
        return self.confidence.predict_proba(X, given=given)

    def predict_marginals(self, X: Any) -> PerSentence:
        """The probabilities of predict_proba by label: for every sentence a list of dictionaries, one per token."""
        return PerSentence(
            [dict(zip(self.classes_, row, strict=True)) for row in rows.tolist()] for rows in self.predict_proba(X)
        )

    def predict_marginals_single(self, sentence: Any) -> list[dict[Any, float]]:
        """The probability of every label at every token of one sentence."""
        found: list[dict[Any, float]] = self.predict_marginals([sentence])[0]
        return found

    def log_likelihood(self, X: Any, y: Any = None) -> Values:
        """The logarithm of the probability of given labels, sentence by sentence: [S].

        y: the labels; None: those in the data. Probabilities are those of predict_proba and predict_nbest: among all legal labellings of
        the sentence. Labels that are not legal, or that the model does not know, have minus infinity.
        """
        return self.confidence.log_likelihood(X, y)

    def expected_f1(self, X: Any) -> float:
        """The F1 of chunks that the model expects to reach on these sentences if it chooses chunks for that, from 0 to 1.

        It is 2 x right / (found + true), where the numbers of right and of true chunks are expectations. For more than a few sentences,
        this ratio of expectations hardly differs from the expectation of the ratio. It is the largest such number that any labelling of
        all these sentences reaches. decode='spans' with this number as span_cost gives that labelling. The number is found by
        Dinkelbach's iteration: from 1 on, span_cost is set to the ratio that the last value led to, until it no longer changes.
        """
        return self.confidence.expected_f1(X)

    def calibrate(self, X: Any, y: Any = None, *, method: str = "temperature") -> CalibrationReport:
        """Calibrates confidences on sentences that the model was not trained on; reports how far they were off before and after.

        method: temperature, one number that sharpens or flattens them; isotonic, in addition a rising curve, which needs some thousands of
        predictions.
        The calibration is part of the model and its file, in place of the one that training found. Training again replaces it.
        """
        return self.confidence.calibrate(X, y, method=method)

    def reliability(self, X: Any, y: Any = None) -> tuple[Reliability, ...]:
        """How reliable the confidences are on these sentences, output by output: calibration error and Brier score."""
        return self.confidence.reliability(X, y)

    # ---- how good it is ----

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """The task's main score, from 0 to 1: span F1 as conlleval counts it for chunks, accuracy for tags."""
        return self.evaluating.score(X, y, sample_weight)

    def evaluate(self, X: Any, y: Any = None, *, predicted: Ids | None = None) -> Evaluation:
        """Everything about the predictions for these sentences: report per type, metrics in per cent, and intervals, which are over whole
        documents if at least ten are marked.

        predicted: the result of predict_ids for them, if it is known already.
        """
        return self.evaluating.evaluate(X, y, predicted=predicted)

    def search_errors(self, X: Any, y: Any = None, *, predicted: Ids | None = None) -> SearchErrors:
        """The cause of wrong sentences: the search alone, the model alone, or both (docs/learning-to-search.md).

        predicted: as for evaluate.
        """
        return self.evaluating.search_errors(X, y, predicted=predicted)

    def errors(
        self, X: Any, y: Any = None, *, train: Any = None, beams: Sequence[float] = (), examples: int = 1
    ) -> ErrorAnalysis:
        """Where the model goes wrong on these sentences, as `riata errors` shows it (docs/analysis.md).

        train: the training data, to tell seen words from unseen ones. beams: decode with each of these widths too.
        """
        from riata.analysis.error_analysis import error_analysis

        return error_analysis(self, X, y, train=train, beams=beams, examples=examples)

    def constraint_report(self, X: Any) -> ConstraintReport:
        """How the outputs of these sentences are made to keep the constraints, and which of them are broken otherwise."""
        from riata.estimators.constrained import constraint_report

        return constraint_report(self, X)

    # ---- why ----

    def explain(
        self,
        sentence: Any,
        labels: Sequence[Any] | bool | None = None,
        *,
        against: Sequence[Any] | None = None,
        training: bool = False,
    ) -> Explanation:
        """Why one sentence gets its labels: every feature for them or against them, and the search that found them.

        labels: the true labels, or True for those in the data. The predicted labels are compared with `against`; without it, with the truth
        if it is another output, or else with the runner-up. training: show the search as it is in training, with its updates and restarts.
        For a model that decodes exactly, a beam with the same weights is shown; or, of trees that are scored arc by arc, all arcs.
        """
        return self.explaining.explain(sentence, labels, against=against, training=training)

    def trace(
        self,
        sentence: Any,
        labels: Sequence[Any] | bool | None = None,
        *,
        features: bool = False,
        training: bool = True,
    ) -> Trace:
        """The search for one sentence, step by step. sentence: a list of tokens, or a Corpus of one sentence.

        labels: the true labels, or True for those in the data. With them, the search is that of training, as far as the recipe trains with
        the present queue; no weight is changed. training=False: the search continues as in prediction, and shows the first update that
        training would make. features: record the features of every step, with their weights.
        With learn_as, the labels of the trace are those that were learnt. With constraints, it is the search under them (without a narrow
        beam being widened), and shows what they forbid; functions of yours are not asked.
        """
        return self.explaining.trace(sentence, labels, features=features, training=training)

    def diagnose(self, X: Any, y: Any = None, *, beam: float | None = None) -> Diagnostics:
        """The margins of the final weights on these sentences, and what the theory of LaSO says about the training (docs/theory.md).

        Give the training data. beam: the states kept while measuring (None: as in training); float("inf") keeps all of them,
        which is what the bounds need unless training was greedy. Needs a recipe that searches, trained by this object.
        """
        return self.explaining.diagnose(X, y, beam=beam)

    @property
    def state_features_(self) -> dict[tuple[str, str], float]:
        """The weights that are not zero, by feature and label, as learnt: {("word[0]=the", "B-NP"): 2.5}. For segments, by feature and
        type.
        """
        from riata.models.weights_by_name import by_name

        return {(weight.feature, weight.label): weight.weight for weight in by_name(self._check_fitted()).all_weights()}

    @property
    def transition_features_(self) -> dict[tuple[str, str], float]:
        """The weights of pairs of neighbouring labels that are not zero: {("B-NP", "I-NP"): 1.5}. For segments they are features:
        `label[-1]=NP`.
        """
        from riata.models.weights_by_name import by_name

        return by_name(self._check_fitted()).all_transitions()

    # ---- keep ----

    def save(self, path: str | Path) -> None:
        """Writes the model to one file (data only), atomically."""
        from riata.estimators.model_file import save_model

        save_model(self, path)

    def prune(self: Self, share: float = 0.5) -> Self:
        """Drops a share of the weights, from 0 to below 1: those nearest to zero. The file shrinks by about that share.

        Score it on development data afterwards: half of the weights of `mira` seldom change the score (docs/model-file.md). First passes
        and taggers inside are pruned alike. The calibration of training goes, since
        other weights have other confidences: call calibrate after it.

        >>> tagger = riata.Tagger("mira", epochs=2).fit([["a", "b"]], [["X", "Y"]])
        >>> tagger.prune(0.5).predict([["a", "b"]])
        [['X', 'Y']]
        """
        from riata.confidence.calibration import TRAINING
        from riata.models.pruning import pruned

        model = self._check_fitted()
        if any(each.source != TRAINING for each in self.calibration_):
            raise UnsupportedError(
                "The model is calibrated, and other weights have other confidences.",
                remedy="Prune first; then call calibrate again.",
            )
        found = pruned(model, share)
        for inner in (self.first_, *self.taggers_):
            if inner is not None:
                kept, inner.calibration_ = inner.calibration_, ()  # tells which tags are likely, so it stays
                inner.prune(share).calibration_ = kept
        self.model_, self._exact, self._run = found, None, None
        if self.calibration_:
            self.calibration_, self.uncalibrated_ = (), "it was pruned"
        self.__dict__.pop("_partial", None)
        return self

    def __getstate__(self) -> dict[str, Any]:
        """A trained estimator pickles through the format of the model file."""
        if not hasattr(self, "model_"):
            return self.__dict__.copy()
        from riata.estimators.model_file import pickled

        return pickled(self)

    def __setstate__(self, state: dict[str, Any]) -> None:
        if "model" not in state:
            self.__dict__.update(state)
            return
        from riata.estimators.model_file import from_bytes

        loaded = from_bytes(state["model"], using=state["functions"])
        self.__dict__.update({**loaded.__dict__, **state["params"]})

    @property
    def output_(self) -> int:
        """The column of the output, or the last of several."""
        return self.outputs_[-1]

    def _repr_html_(self) -> str:
        from riata.estimators.facts import sequence_facts

        return sequence_facts(self) if hasattr(self, "model_") else super()._repr_html_()
