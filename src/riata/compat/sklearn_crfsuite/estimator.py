"""sklearn_crfsuite.CRF."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from riata.compat.pycrfsuite import CrfsuiteTagger, CrfsuiteTrainer, ParsedDump
from riata.compat.sklearn_crfsuite.metrics import flat_accuracy_score
from riata.compat.training_log import Info
from riata.errors import DataError, NotFittedError, SettingError
from riata.estimators.model_file import from_bytes, to_bytes
from riata.params import Params

_NAMES = {  # of parameters that the trainer calls otherwise
    "min_freq": "feature.minfreq",
    "all_possible_states": "feature.possible_states",
    "all_possible_transitions": "feature.possible_transitions",
    "calibration_eta": "calibration.eta",
    "calibration_rate": "calibration.rate",
    "calibration_samples": "calibration.samples",
    "calibration_candidates": "calibration.candidates",
    "calibration_max_trials": "calibration.max_trials",
    "pa_type": "type",
}
# Parameters that the trainer does not have.
_OWN = {"algorithm", "verbose", "model_filename", "keep_tempfiles", "trainer_cls"}


class LinePerIterationTrainer(CrfsuiteTrainer):
    """A trainer that prints a line for every iteration."""

    def message(self, message: str) -> None:
        pass

    def on_iteration(self, log: str, info: Info) -> None:
        print(f"Iter {info['num']:<3} time={info['time']:<5.2f} loss={info['loss']:<8.2f}")


class CRF(Params):
    """The estimator of sklearn-crfsuite, with all its parameters. None: the default of the algorithm.

    Models are files of Riata; with model_filename, one of CRFsuite is read too. There are no temporary files to keep.

    >>> crf = CRF(algorithm="lbfgs", c2=0.1).fit([[{"w": "the"}, {"w": "dog"}]], [["DT", "NN"]])
    >>> crf.predict_single([{"w": "dog"}])
    ['NN']
    """

    training_log_: Any = None
    _tagger: CrfsuiteTagger | None = None

    def __init__(
        self,
        algorithm: str | None = None,
        min_freq: float | None = None,
        all_possible_states: bool | None = None,
        all_possible_transitions: bool | None = None,
        c1: float | None = None,
        c2: float | None = None,
        max_iterations: int | None = None,
        num_memories: int | None = None,
        epsilon: float | None = None,
        period: int | None = None,
        delta: float | None = None,
        linesearch: str | None = None,
        max_linesearch: int | None = None,
        calibration_eta: float | None = None,
        calibration_rate: float | None = None,
        calibration_samples: float | None = None,
        calibration_candidates: int | None = None,
        calibration_max_trials: int | None = None,
        pa_type: int | None = None,
        c: float | None = None,
        error_sensitive: bool | None = None,
        averaging: bool | None = None,
        variance: float | None = None,
        gamma: float | None = None,
        verbose: bool = False,
        model_filename: str | None = None,
        keep_tempfiles: bool = False,
        trainer_cls: type[CrfsuiteTrainer] | None = None,
    ) -> None:
        given = locals()
        for name in self._param_names():
            setattr(self, name, given[name])

    def fit(self, X: Any, y: Any, X_dev: Any = None, y_dev: Any = None) -> CRF:
        """Learns from sentences. X_dev, y_dev: sentences that the model is scored on at the end."""
        params = self.get_params(deep=False)
        if (X_dev is None) != (y_dev is None):
            raise SettingError("X_dev and y_dev go together.", remedy="Pass both, or none.")
        kind = params["trainer_cls"] or LinePerIterationTrainer
        chosen = {
            _NAMES.get(name, name): value for name, value in params.items() if name not in _OWN and value is not None
        }
        trainer = kind(algorithm=params["algorithm"], params=chosen, verbose=params["verbose"])
        for group, (xs, ys) in enumerate(((X, y), (X_dev, y_dev))):
            sentences, labels = list(() if xs is None else xs), list(() if ys is None else ys)
            if len(sentences) != len(labels):
                raise DataError(f"found {len(sentences):,} sentences and labels of {len(labels):,}; expected as many.")
            for sentence, each in zip(sentences, labels, strict=True):
                trainer.append(sentence, each, group)
        trainer.train(params["model_filename"] or "", holdout=-1 if X_dev is None else 1)
        trained: Any = getattr(trainer, "trained", None)
        if trained is None:
            raise SettingError(
                "trainer_cls is no subclass of riata.compat.pycrfsuite.Trainer.", remedy="Derive it from that one."
            )
        self._tagger, self.training_log_ = CrfsuiteTagger.of(trained), trainer.logparser
        return self

    def predict(self, X: Any) -> Any:
        """The labels of sentences, as an array of lists."""
        return np.array([self.predict_single(sentence) for sentence in X], dtype=object)

    def predict_single(self, xseq: Any) -> list[str]:
        """The labels of one sentence."""
        return self._needed().tag(xseq)

    def predict_marginals(self, X: Any) -> Any:
        """The probabilities of labels, by label for every token, as an array of lists."""
        return np.array([self.predict_marginals_single(sentence) for sentence in X], dtype=object)

    def predict_marginals_single(self, xseq: Any) -> list[dict[str, float]]:
        """The probabilities of labels of one sentence, by label for every token."""
        tagger = self._needed()
        tagger.set(xseq)
        found: list[dict[str, float]] = tagger.estimator.predict_marginals_single(tagger._items)
        return found

    def score(self, X: Any, y: Any) -> float:
        """The share of tokens with the right label."""
        return flat_accuracy_score(y, self.predict(X))

    def _needed(self) -> CrfsuiteTagger:
        tagger = self.tagger_
        if tagger is None:
            name = self.get_params(deep=False)["model_filename"]
            there = "" if name is None else f", and there is no file {str(name)!r}"
            raise NotFittedError(
                f"This CRF has not been trained yet{there}.", remedy="Call fit, or give the model_filename of a model."
            )
        return tagger

    @property
    def tagger_(self) -> CrfsuiteTagger | None:
        """The tagger; None before training, unless model_filename names a model."""
        name = self.get_params(deep=False)["model_filename"]
        if self._tagger is None and name is not None and Path(name).exists():
            self._tagger = CrfsuiteTagger()
            self._tagger.open(name)
        return self._tagger

    @property
    def _info(self) -> ParsedDump | None:
        return None if self.tagger_ is None else self.tagger_.info()

    @property
    def classes_(self) -> list[str] | None:
        return None if self.tagger_ is None else self.tagger_.labels()

    @property
    def size_(self) -> int | None:
        """The size of the model's file, in bytes."""
        return None if self.tagger_ is None else len(to_bytes(self.tagger_.estimator))

    @property
    def attributes_(self) -> list[str] | None:
        """The names of features that have weights."""
        return None if (info := self._info) is None else list(info.attributes)

    @property
    def num_attributes_(self) -> int | None:
        return None if (info := self._info) is None else len(info.attributes)

    @property
    def state_features_(self) -> dict[tuple[str, str], float] | None:
        """Weights by feature and label."""
        return None if (info := self._info) is None else info.state_features

    @property
    def transition_features_(self) -> dict[tuple[str, str], float] | None:
        """Weights by label before and label."""
        return None if (info := self._info) is None else info.transitions

    def __getstate__(self) -> dict[str, Any]:
        tagger = self._tagger
        return {**self.__dict__, "_tagger": None if tagger is None else to_bytes(tagger.estimator)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        content = state.get("_tagger")
        self.__dict__.update({**state, "_tagger": None if content is None else CrfsuiteTagger.of(from_bytes(content))})
