"""Learns to predict a structure of the user's own."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from riata import registry
from riata.choosing.sample_weight import sentence_weights
from riata.errors import AsInterrupt, DataError, UnsupportedError, WithinMemory
from riata.learning.development import check_given_once
from riata.learning.events import Listener, Note, listening, warn
from riata.learning.fit import Fit
from riata.params import Params
from riata.problems.parts import PartCorpora, corpora_of
from riata.problems.structure import Structure
from riata.problems.structure_options import options_of, recipe_of

if TYPE_CHECKING:
    from riata.models.model import Model
    from riata.problems.parts_explained import PartsExplained

Self = TypeVar("Self", bound="StructurePredictor")  # typing.Self needs Python 3.11

UNKNOWN: Any = object()  # in place of a true output, which may be anything
UNCALIBRATED = (
    "the recipe {!r} learns no probabilities: those of its scores may be far too flat or too sharp. calibrate(X, Y) on data that were "
    "not learnt from mends that; the recipe crf learns them."
)


class StructurePredictor(Params):
    """Learns a `riata.Structure`, in scikit-learn's conventions: weights of the features of parts, by any recipe that fits.

    `riata.Predictor(structure, ...)` makes one.

    recipe: None is mira, or perceptron for a structure that defines `best`. settings: of the recipe, by name; they may be named like
    parameters, too: StructurePredictor(structure, "crf", c2=0.1). dev: a pair (X, Y), or the fraction of the training data (its end) that
    is held out to choose the epoch, by F1 of parts. patience: stop after so many epochs without a better score. refit: then train again
    on all data for that many epochs. threads: of recipes that look at all data in every step; None: as many as there are cores.

    >>> class Best(riata.Structure):
    ...     solver = "list"
    ...     def parts(self, x): return x
    ...     def features(self, x, word): return [f"length={len(word)}"]
    ...
    >>> riata.Predictor(Best(), "crf", c2=1).fit([["a", "bb"], ["cc", "d"]], ["bb", "cc"]).predict([["x", "yy"]])
    ['yy']
    """

    model_: Model
    history_: list[dict[str, Any]]
    facts_: dict[str, Any]
    _remedy_unfitted = "Call fit, or riata.load_model(path, using=[structure])."
    best_epoch_: int
    best_score_: float | None
    temperature_: float | None  # that calibrate has found; None: not calibrated

    def __init__(
        self,
        structure: Structure,
        recipe: str | None = None,
        epochs: int | None = None,
        seed: int = 0,
        settings: Mapping[str, Any] | None = None,
        *,
        dev: float | tuple[Iterable[Any], Iterable[Any]] | None = None,
        patience: int | None = None,
        refit: bool = False,
        threads: int | None = None,
        **named: Any,
    ) -> None:
        self.structure = structure
        self.recipe = recipe
        self.epochs = epochs
        self.seed = seed
        self._store_settings(settings, named)
        self.dev = dev
        self.patience = patience
        self.refit = refit
        self.threads = threads

    # --- learning -----------------------------------------------------------------------------------------------

    def fit(
        self: Self,
        X: Iterable[Any],
        Y: Iterable[Any] | None = None,
        X_dev: Iterable[Any] | None = None,
        Y_dev: Iterable[Any] | None = None,
        *,
        sample_weight: Any = None,
        listener: Listener | None = None,
    ) -> Self:
        """Learns from inputs and their true outputs. X_dev, Y_dev: development data, instead of the parameter `dev`.

        sample_weight: one number per example. listener: is called with what happens (riata.learning.events); without one, warnings are
        Python's, and a terminal shows every epoch. Ctrl-C keeps the model of the last good epoch and raises KeyboardInterrupt.
        """
        tell, parts = listening(listener), self._parts
        dev: Any = self.dev
        if check_given_once(X_dev, Y_dev, dev, ("X_dev", "Y_dev")):
            dev = (X_dev, Y_dev)
        if isinstance(dev, (tuple, list)):
            of_dev, true_of_dev = dev if len(dev) == 2 else (dev, None)
            dev = parts.corpus(*parts.paired(of_dev, true_of_dev, ("X of dev", "Y of dev")))[0]
        options = options_of(self, dev)
        inputs, outputs = parts.paired(X, Y)
        weights = sentence_weights(sample_weight, len(inputs), "example")
        data, _ = parts.corpus(inputs, outputs)
        if not data.tokens:
            raise DataError("there is nothing to learn from: no input has a part.")
        with AsInterrupt(), WithinMemory():
            outcome, _ = Fit(options, None, None, tell).run(data, weights)
        if outcome.model is not None:
            chosen = {"chosen": dict(outcome.chosen)} if outcome.chosen else {}
            facts = {
                "examples": len(inputs),
                "parts": data.tokens,
                "epochs": outcome.best_epoch,
                "recipe": recipe_of(self),
                **chosen,
            }
            self.__dict__.update(
                model_=outcome.model.rounded(None),
                history_=[epoch.__dict__ for epoch in outcome.history],
                facts_=facts,
                best_epoch_=outcome.best_epoch,
                best_score_=outcome.best_score,
                temperature_=None,
            )
        if outcome.interrupted:
            raise KeyboardInterrupt
        return self

    def calibrate(self: Self, X: Iterable[Any], Y: Iterable[Any]) -> Self:
        """Finds the temperature under which the true outputs of these data, which were not learnt from, are most probable."""
        from scipy.optimize import minimize_scalar

        self._check_sums()
        inputs, outputs = self._parts.paired(X, Y)
        corpus, _ = self._parts.corpus(inputs, outputs)
        rows = self._scores(corpus)
        truths = [np.flatnonzero(row) for row in corpus_rows(corpus, corpus.columns[-1].ids)]

        def surprise(log_temperature: float) -> float:
            at = math.exp(log_temperature)
            each = zip(corpus.output_sets, rows, truths, strict=True)
            return float(sum(kind.sums(row / at)[0] - row[truth].sum() / at for kind, row, truth in each))

        found = minimize_scalar(surprise, bounds=(math.log(1e-4), math.log(1e4)), method="bounded")
        self.temperature_ = math.exp(found.x)
        return self

    # --- predicting ---------------------------------------------------------------------------------------------

    def predict(self, X: Iterable[Any]) -> list[Any]:
        """The best output of every input."""
        inputs = self._parts.inputs(X)
        model, (corpus, parts) = self._check_fitted(), self._corpus(inputs)
        codes = corpus_rows(corpus, model.decode(model.instances(corpus)))
        return [self._output(x, of, np.flatnonzero(row)) for x, of, row in zip(inputs, parts, codes, strict=True)]

    def predict_nbest(self, X: Iterable[Any], k: int, *, probabilities: bool = False) -> list[list[tuple[Any, float]]]:
        """The k best outputs of every input, best first, with their scores or probabilities; fewer if there are fewer."""
        from riata.inference.chain import K

        k = int(K.parse(k))
        self._check_lists()
        inputs = self._parts.inputs(X)
        corpus, parts = self._corpus(inputs)
        at = self._temperature() if probabilities else 1.0
        found = []
        for x, of, kind, row in zip(inputs, parts, corpus.output_sets, self._scores(corpus), strict=True):
            log_z = kind.sums(row / at)[0] if probabilities else 0.0
            best = [(self._output(x, of, numbers), score) for numbers, score in kind.best(row, max(k, 2))[:k]]
            found.append([(output, math.exp(score / at - log_z) if probabilities else score) for output, score in best])
        return found

    def predict_confidence(self, X: Iterable[Any], *, parts: bool = False) -> list[Any]:
        """The probability of what predict gives: of every output a number; with parts, a dictionary with one for each of its parts."""
        at = self._temperature()
        corpus, names = self._corpus(self._parts.inputs(X))
        found: list[Any] = []
        for of, kind, row in zip(names, corpus.output_sets, self._scores(corpus), strict=True):
            [(numbers, score)], (log_z, shares) = kind.best(row), kind.sums(row / at)
            each = {of[number]: float(shares[number]) for number in numbers}
            found.append(each if parts else min(1.0, math.exp(score / at - log_z)))
        return found

    def predict_proba(self, X: Iterable[Any]) -> list[dict[Any, float]]:
        """The probability of every part of every input, over all outputs."""
        at = self._temperature()
        corpus, parts = self._corpus(self._parts.inputs(X))
        shares = [kind.sums(row / at)[1] for kind, row in zip(corpus.output_sets, self._scores(corpus), strict=True)]
        return [dict(zip(of, share.tolist(), strict=True)) for of, share in zip(parts, shares, strict=True)]

    def score_parts(self, X: Iterable[Any]) -> list[NDArray[np.float64]]:
        """The score of every part of every input, in the order of `parts`."""
        return self._scores(self._corpus(self._parts.inputs(X))[0])

    def log_likelihood(self, X: Iterable[Any], Y: Iterable[Any]) -> NDArray[np.float64]:
        """log P of every true output; of one that the structure does not have, it means nothing."""
        inputs, outputs = self._parts.paired(X, Y)
        at = self._temperature()
        corpus, _ = self._parts.corpus(inputs, outputs)
        rows, codes = self._scores(corpus), corpus_rows(corpus, corpus.columns[-1].ids)
        found = [
            (row[code > 0].sum() / at - kind.sums(row / at)[0]) if len(row) else 0.0
            for kind, row, code in zip(corpus.output_sets, rows, codes, strict=True)
        ]
        return np.array(found)

    def sample(self, X: Iterable[Any], n: int = 1, seed: int = 0) -> list[list[Any]]:
        """n outputs of every input, drawn by their probabilities. The same seed draws the same."""
        at = self._temperature()
        inputs = self._parts.inputs(X)
        corpus, parts = self._corpus(inputs)
        drawn = (
            kind.draw(row / at, n, (seed << 20) + s)
            for s, (kind, row) in enumerate(zip(corpus.output_sets, self._scores(corpus), strict=True))
        )
        return [[self._output(x, of, one) for one in some] for x, of, some in zip(inputs, parts, drawn, strict=True)]

    def score(self, X: Iterable[Any], Y: Iterable[Any], sample_weight: Any = None) -> float:
        """F1 over the parts of all outputs; with the solver "list", how many are right."""
        inputs, outputs = self._parts.paired(X, Y)
        weights = sentence_weights(sample_weight, len(inputs), "example")
        weights = weights if len(weights) else np.ones(len(inputs))
        if not weights.any():
            raise DataError("sample_weight is 0 for every example.", remedy="Give some a weight above 0.")
        model, (corpus, _) = self._check_fitted(), self._parts.corpus(inputs, outputs)
        truth, found = corpus.columns[-1].ids, model.decode(model.instances(corpus.select(())))
        each = np.repeat(weights, np.diff(corpus.starts))
        right, of_both = (each * (truth & found)).sum(), (each * (truth + found)).sum()
        return float(2 * right / of_both) if of_both else 1.0

    # --- looking inside -----------------------------------------------------------------------------------------

    def explain(self, x: Any, y: Any = UNKNOWN, *, against: Any = UNKNOWN) -> PartsExplained:
        """Why one input gets its output: the parts that it has and another output has not, and the reverse, with their features.

        It is compared with `against`; without it with the true output y, where that is another one, or else with the runner-up.
        """
        from riata.problems.parts_explained import explained

        return explained(self, x, *(None if output is UNKNOWN else (output,) for output in (y, against)))

    def weights(self) -> dict[str, float]:
        """Every weight that is not zero, by the name of its feature."""
        from riata.models.weights_by_name import by_name

        return {weight.feature: weight.weight for weight in by_name(self._check_fitted()).all_weights()}

    # --- keeping ------------------------------------------------------------------------------------------------

    def save(self, path: str | Path) -> None:
        """Writes the model to one file (data only), atomically. The structure is stored by name: load_model(path, using=[structure])."""
        from riata.problems.structure_file import save

        save(self, path)

    def __getstate__(self) -> dict[str, Any]:
        """A trained predictor pickles through the format of the model file; recordings are made anew."""
        if not hasattr(self, "model_"):
            return {name: value for name, value in self.__dict__.items() if name != "_kept"}
        from riata.problems.structure_file import to_bytes

        return {"model": to_bytes(self), "structure": self.structure, "params": self.get_params(deep=False)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        if "model" not in state:
            self.__dict__.update(state)
            return
        from riata.problems.structure_file import from_bytes

        loaded = from_bytes(state["model"], state["structure"])
        self.__dict__.update({**loaded.__dict__, **state["params"]})

    @property
    def _parts(self) -> PartCorpora:
        kept: PartCorpora | None = self.__dict__.get("_kept")
        if kept is None or kept.structure is not self.structure:
            kept = self._kept = corpora_of(self.structure)
        return kept

    def _corpus(self, inputs: list[Any]) -> tuple[Any, list[list[Any]]]:
        self._check_fitted()
        return self._parts.corpus(inputs)

    def _scores(self, corpus: Any) -> list[NDArray[np.float64]]:
        """The scores of the parts of every input."""
        model = self._check_fitted()
        weights: Any = model.weights
        return corpus_rows(corpus, weights.scores(model.instances(corpus)))

    def _output(self, x: Any, parts: list[Any], numbers: Iterable[int]) -> Any:
        return self.structure.output(x, [parts[number] for number in numbers])

    def _temperature(self) -> float:
        """What scores are divided by; warns once where nothing says that they are logarithms of probabilities."""
        self._check_fitted()
        self._check_sums()
        trained = self.facts_["recipe"]
        if self.temperature_ is None and not registry.get("recipe", trained).probabilistic:
            warn(Note(f"Probabilities: {UNCALIBRATED.format(trained)}", warning=True, once=f"uncalibrated {id(self)}"))
        return self.temperature_ or 1.0

    def _check_sums(self) -> None:
        if "expectations" not in self._offers:
            raise self._refused("probabilities are sums over all outputs")

    def _check_lists(self) -> None:
        if "k best" not in self._offers:
            raise self._refused("the k best outputs are needed")

    @property
    def _offers(self) -> frozenset[str]:
        offers: frozenset[str] = registry.get("structure", self._check_fitted().structure).offers
        return offers

    def _refused(self, what: str) -> UnsupportedError:
        name = type(self.structure).__name__
        return UnsupportedError(
            f"{what}; {name} only has best(x, scores).",
            remedy="Write recursion(x, tape, part), from which they follow.",
        )


def corpus_rows(corpus: Any, values: NDArray[Any]) -> list[NDArray[Any]]:
    """Values of parts, input by input."""
    return np.split(values, corpus.starts[1:-1]) if len(corpus.starts) > 1 else []
