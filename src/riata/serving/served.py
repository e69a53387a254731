"""One model that is served, as its file was at one moment."""

from __future__ import annotations

import hashlib
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Sequence
from http import HTTPStatus
from pathlib import Path
from threading import Lock
from typing import Any

from riata import registry
from riata.choosing.recipe import recipe_name
from riata.constraints import parse
from riata.data.encodings.base import OUTSIDE
from riata.errors import RiataError, UnsupportedError
from riata.estimators.constrained import switched
from riata.inference.structure import EXACT
from riata.serving.answering import Answering
from riata.serving.asking import Ask, Question
from riata.serving.refusal import HttpRefusal, Limits
from riata.showing.sentences import hue_of

VARIANTS = 32  # that are kept: a model with another beam, or with other constraints
LONG = 100  # tokens of a sentence whose tree takes long
PROBE = "riata"  # a word to ask a new model about


class Served:
    """A model, ready to predict. Requests that have it keep it, also when the file has changed since.

    split: from a text to its words.
    """

    def __init__(self, name: str, path: Path, split: Callable[[str], Sequence[str]], *, check_input: bool) -> None:
        from riata.estimators.model_file import from_bytes, labeller
        from riata.models.container import content_of

        self.name, self.path, self._split = name, path, split
        content = content_of(path)
        try:
            loaded = labeller(from_bytes(content))
        except RiataError as error:
            raise error.located(path) from None
        self.version = hashlib.sha256(content).hexdigest()[:12]
        self.size = len(content)
        self.loaded = time.time()
        self.estimator = _by_position(loaded, path)
        if not check_input:
            self.estimator.set_params(check_input=False)
        if self.estimator._input is not None:
            self.estimator._input.served = True
        self.columns = len(self.estimator.columns.needed)
        self.own = Answering(self.estimator)
        self._cubic = bool(self.estimator.trees) and self.estimator.predicting.decoder().queue == EXACT.queue
        self._variants: OrderedDict[Any, Answering] = OrderedDict()
        self._lock = Lock()
        self.estimator.prepare()
        self.offers = self._offers()

    @property
    def alone(self) -> bool:
        """Whether a request must be predicted alone: with two passes, its sentences say something about each other."""
        return self.estimator.first_ is not None

    def is_slow(self, question: Question) -> bool:
        """Whether labels take long: exact search for trees takes a time that grows with the third power of the length."""
        return self._cubic and max(map(len, question.sentences)) > LONG

    def check_length(self, question: Question, limits: Limits) -> None:
        """Refuses details of trees that would take minutes."""
        longest = max(map(len, question.sentences))
        if self._cubic and not question.plain and longest > limits.detailed:
            raise HttpRefusal(
                HTTPStatus.UNPROCESSABLE_ENTITY,
                f"a sentence has {longest:,} tokens; for more than its tree alone, at most {limits.detailed:,} are allowed.",
            )

    def split(self, texts: list[str]) -> list[list[str]]:
        return [list(self._split(text)) for text in texts]

    def variant(self, ask: Ask) -> Answering:
        """The model with the beam, the decoding and the constraints of a request."""
        constraints = tuple(ask.constraints) if isinstance(ask.constraints, list) else ask.constraints
        key = (ask.beam, ask.decode, type(constraints), constraints)
        if key == (None, None, type(None), None):
            return self.own
        with self._lock:
            if key in self._variants:
                self._variants.move_to_end(key)
                return self._variants[key]
        made = Answering(self._changed(ask, constraints))
        with self._lock:
            self._variants[key] = made
            if len(self._variants) > VARIANTS:
                self._variants.popitem(last=False)
        return made

    def _changed(self, ask: Ask, constraints: Any) -> Any:
        from riata.choosing.losses import DECODE, changed

        made = self.estimator
        if isinstance(constraints, tuple):
            made = made.twin(constraints=[parse(text) for text in constraints], inference="after")
        elif constraints is not None:
            made = switched(made, constraints)
        if ask.beam is not None:
            made = made.twin(queue="beam", beam=ask.beam)
        if ask.decode is not None:
            made = made.twin(settings=changed(made.settings, {DECODE.name: ask.decode}))
        made.predicting.decoder()  # refuses what does not go together
        return made

    def _offers(self) -> dict[str, bool]:
        """What can be asked of the model: tried, with one word."""
        from riata.explaining.explain import searching

        if not self.columns:
            return dict.fromkeys(("nbest", "confidence", "beam", "trace", "constraints"), False)
        asked_of = self.estimator.twin(check_input=False)
        probe = [[PROBE if self.columns == 1 else (PROBE,) * self.columns]]
        tried = {
            "nbest": lambda: asked_of.predict_nbest(probe, 1),
            "confidence": lambda: asked_of.predict_confidence(probe),
            "beam": lambda: asked_of.twin(queue="beam", beam=2).predict(probe),
            "trace": lambda: searching(asked_of)[0].trace(probe[0]),
            "constraints": lambda: asked_of.twin(constraints=[parse(self._harmless())]).predict(probe),
        }
        return {name: _works(asked) for name, asked in tried.items()}

    def _harmless(self) -> str:
        """A constraint that every output keeps."""
        return f"at_most({len(self.estimator.classes_) + 1000}, {self.labels()[0]!r})"

    def labels(self) -> list[str]:
        """The labels that constraints may name, types of chunks or tags, the most frequent ones of training first."""
        from riata.data.encodings.base import split_tag

        estimator, counts = self.estimator, Counter[str]()
        for each in estimator.classes_:
            text = each if isinstance(each, str) else each[-1]
            label = split_tag(text)[1] or text if estimator.chunks else text
            counts[label] += estimator.facts_["label_counts"].get(text, 0)
        if estimator.chunks:
            counts.pop(OUTSIDE, None)
        return [label for label, _ in counts.most_common()] or [OUTSIDE]

    def _shown_labels(self) -> set[str]:
        """All that may stand beside words: the labels, and of pairs the first ones too."""
        return {*self.labels(), *(each[0] for each in self.estimator.classes_ if not isinstance(each, str))}

    def facts(self) -> dict[str, Any]:
        estimator, decoder = self.estimator, self.estimator.predicting.decoder()
        constraints = [] if estimator.constraints is None else [repr(each) for each in estimator.constraints]
        return {
            "name": self.name,
            "task": estimator.task_name,
            "version": self.version,
            "recipe": recipe_name(estimator),
            "structure": estimator.model_.structure,
            "columns": self.columns,
            "outputs": list(self.own.names),
            "labels": self.labels(),
            "hues": {label: hue_of(label) for label in self._shown_labels()},
            "trees": bool(estimator.trees),
            "queue": decoder.queue,
            "beam": None if decoder.queue == EXACT.queue else decoder.beam,
            "constraints": constraints,
            "calibrated": bool(estimator.confidence.believable),
            "offers": self.offers,
            "megabytes": round(self.size / 1e6, 3),
            "sentences": estimator.facts_["sentences"],
        }


def _works(asked: Callable[[], object]) -> bool:
    try:
        asked()
    except RiataError:
        return False
    return True


def _by_position(estimator: Any, path: Path) -> Any:
    """The model for rows that have its input columns and no others, whatever files it was trained on."""
    if (
        getattr(estimator, "task_name", None) is None
        or getattr(estimator, "own_files", False)
        or estimator.file_format is not None
    ):
        raise UnsupportedError(
            "the server predicts tags, chunks, entities and trees; this model needs more than tokens.",
            remedy="Use it in a program: riata.load_model(path).",
            file=path,
        )
    if estimator.array_width_ is not None:
        raise UnsupportedError(
            "the model reads arrays of numbers, and cannot be asked over HTTP.",
            remedy="Use it in a program: riata.load_model(path).",
            file=path,
        )
    if not estimator.inputs_:
        return estimator
    return estimator.columns.reading(
        tuple(range(len(estimator.inputs_))), None, format=registry.get("format", "columns")
    )
