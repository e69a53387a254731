"""python-crfsuite's classes, in front of Riata's models: `from riata.compat import pycrfsuite`.

Taggers read CRFsuite's model files and Riata's; trainers write Riata's.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from riata.compat.algorithms import ALGORITHMS, algorithm_named, parameters_of, value_of
from riata.compat.training_log import Info, TrainingLog
from riata.data.named_features import Given, counted
from riata.errors import DataError, LabelError, RiataError, UnsupportedError, printed
from riata.estimators.model_file import from_bytes, save_model, to_bytes
from riata.estimators.notes import warn_text
from riata.learning.events import Epoch, Event, Note

if TYPE_CHECKING:
    from riata.estimators.sequence import SequenceEstimator

__all__ = ["CRFSUITE_VERSION", "BaseTrainer", "CRFSuiteError", "ItemSequence", "ParsedDump", "Tagger", "Trainer"]

CRFSUITE_VERSION = "0.12"  # whose parameters and files these are
CRFSuiteError = RiataError
Items = list[Any]  # of a sentence: dictionaries of features or lists of names


class ClosedTaggerError(RiataError, ValueError, RuntimeError):
    """A tagger that is asked before a model is opened, or after it is closed."""


class UnknownLabelError(LabelError, RuntimeError):
    """A label that the model does not know, which python-crfsuite refuses by a RuntimeError."""


class BadTypeError(DataError, TypeError):
    """Items or labels of another type, which python-crfsuite refuses by a TypeError."""


class ItemSequence:
    """The features of a sentence, read once.

    >>> ItemSequence([["foo"], {"bar": {"baz": 1}}]).items()
    [{'foo': 1.0}, {'bar:baz': 1.0}]
    """

    def __init__(self, pyseq: Iterable[Any]) -> None:
        given = Given.of([items_of(pyseq)], "<memory>")
        names, bounds = given.alphabet.texts(), given.starts.tolist()
        self._items: Items = [{} for _ in bounds[1:]]
        for item, low, high in zip(self._items, bounds[:-1], bounds[1:], strict=True):
            for id_, value in zip(given.ids[low:high].tolist(), given.values[low:high].tolist(), strict=True):
                item[names[id_]] = item.get(names[id_], 0.0) + value

    def items(self) -> Items:
        return self._items

    def __len__(self) -> int:
        return len(self._items)

    def __repr__(self) -> str:
        return f"<ItemSequence of size {len(self)}>"


def items_of(sequence: Iterable[Any]) -> Items:
    """Dictionaries and lists as they are; other tokens, such as tuples and the keys of a dictionary, as lists of names."""
    if isinstance(sequence, ItemSequence):
        return sequence.items()
    if isinstance(sequence, str):
        raise DataError(
            f"the sentence is the text {sequence!r:.60}.", remedy="Give a list with the features of each token."
        )
    return [item if type(item) in (dict, list) else _item(item) for item in sequence]


def _item(item: Any) -> Any:
    if isinstance(item, str):
        raise DataError(
            f"a token is the text {item!r:.60}.", remedy="Give its features: {'word': 'dog'} or ['word=dog']."
        )
    if isinstance(item, (Mapping, set, frozenset)):
        return item
    if not isinstance(item, Iterable):
        raise BadTypeError(
            f"a token is {printed(item):.60}; expected its features, as a dictionary or a list of names."
        )
    return list(item)


def _check_types(items: Items, labels: Sequence[Any]) -> None:
    names = (name for item in items for name in item)
    for what, texts in (("label", labels), ("feature", names)):
        for text in texts:
            if not isinstance(text, (str, bytes)):
                raise BadTypeError(f"a {what} is {printed(text):.60}; expected a text.")
    try:
        Given.of([items], "<memory>")
    except DataError as error:
        raise BadTypeError(error.message, remedy=error.remedy) from None


@dataclass
class ParsedDump:
    """What a model has learnt, by name. labels, attributes: numbers as text."""

    header: dict[str, str] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)
    attributes: dict[str, str] = field(default_factory=dict)
    transitions: dict[tuple[str, str], float] = field(default_factory=dict)
    state_features: dict[tuple[str, str], float] = field(default_factory=dict)

    @classmethod
    def of(cls, model: SequenceEstimator) -> ParsedDump:
        found = cls(transitions=model.transition_features_, state_features=model.state_features_)
        found.labels = {label: str(i) for i, label in enumerate(model.classes_)}
        found.attributes = {
            name: str(i) for i, name in enumerate(dict.fromkeys(name for name, _ in found.state_features))
        }
        sizes = {"features": len(found.state_features) + len(found.transitions), "labels": len(found.labels)}
        sizes["attrs"] = len(found.attributes)
        found.header = {"size": str(len(to_bytes(model))), **{f"num_{name}": str(size) for name, size in sizes.items()}}
        return found

    def lines(self) -> Iterable[str]:
        """As `crfsuite dump` writes them."""
        yield from ("FILEHEADER = {", *(f"  {name}: {value}" for name, value in self.header.items()), "}", "")
        for title, entries in (("LABELS", self.labels), ("ATTRIBUTES", self.attributes)):
            yield from (f"{title} = {{", *(f"  {int(number):5}: {name}" for name, number in entries.items()), "}", "")
        for kind, title, weights in ((1, "TRANSITIONS", self.transitions), (0, "STATE_FEATURES", self.state_features)):
            yield from (f"{title} = {{", *(f"  ({kind}) {a} --> {b}: {w:f}" for (a, b), w in weights.items()), "}", "")


class CrfsuiteTagger:
    """Labels sentences by a model of CRFsuite or of Riata.

    >>> trainer = Trainer("lbfgs", {"c2": 0.1}, verbose=False)
    >>> trainer.append([["w=the"], ["w=dog"]], ["DT", "NN"])
    >>> trainer.train("m.riata")
    >>> with Tagger().open("m.riata") as tagger:
    ...     tagger.tag([["w=the"], ["w=dog"]])
    ['DT', 'NN']
    """

    def __init__(self) -> None:
        self._model: SequenceEstimator | None = None
        self._items: Items = []
        self._rows: list[dict[str, float]] | None = None  # probabilities of labels of _items, once they are asked for

    @classmethod
    def of(cls, model: SequenceEstimator) -> CrfsuiteTagger:
        """A tagger of a trained estimator."""
        if model.inputs_ or model.array_width_ is not None:
            raise UnsupportedError(
                "the model reads columns; taggers of pycrfsuite give it features by name.",
                remedy="Use riata.load_model.",
            )
        made = cls()
        made._model = model.twin(check_input=False)  # tokens may lack any feature
        return made

    def open(self, name: str | Path) -> Any:
        """Reads a model file. The result may be used in a with statement, which closes the tagger."""
        return self._read(Path(name).read_bytes(), str(name))

    def open_inmemory(self, value: bytes) -> Any:
        """Reads the content of a model file."""
        return self._read(value, "<memory>")

    def _read(self, content: bytes, name: str) -> Any:
        from riata.importing.estimator import import_bytes
        from riata.importing.formats.crfsuite import MAGIC

        try:
            found = import_bytes(content, name, task="tag") if content.startswith(MAGIC) else from_bytes(content)
            self._model = CrfsuiteTagger.of(found)._model
        except RiataError as error:
            raise error.located(name) from None
        self._items, self._rows = [], None
        return closing(self)

    def close(self) -> None:
        self._model = None

    @property
    def estimator(self) -> SequenceEstimator:
        """The estimator of Riata behind the tagger."""
        if self._model is None:
            raise ClosedTaggerError("the tagger has no model.", remedy="Call open(path).")
        return self._model

    def labels(self) -> list[str]:
        return list(self.estimator.classes_)

    def set(self, xseq: Iterable[Any]) -> None:
        """Sets the sentence that tag(), probability() and marginal() are about."""
        self._items, self._rows = items_of(xseq), None

    def tag(self, xseq: Iterable[Any] | None = None) -> list[str]:
        """The best labels of the sentence; None: of the one that was set."""
        if xseq is not None:
            self.set(xseq)
        found: list[str] = self.estimator.predict([self._items])[0]
        return found

    def probability(self, yseq: Sequence[str]) -> float:
        """The probability of the labels of the sentence that was set."""
        for label in yseq:
            self._check_known(label)
        return math.exp(self.estimator.log_likelihood([self._items], [list(yseq)])[0])

    def marginal(self, y: str, pos: int) -> float:
        """The probability of a label at a position of the sentence that was set."""
        if self._rows is None:
            self._rows = self.estimator.predict_marginals_single(self._items)
        if not 0 <= pos < len(self._rows):
            raise DataError(
                f"there is no position {pos} in the sentence that was set, which has {len(self._rows)} tokens.",
                remedy="Positions count from 0.",
            )
        self._check_known(y)
        return self._rows[pos][y]

    def _check_known(self, label: str) -> None:
        if label not in self.estimator.classes_:
            raise UnknownLabelError(
                f"the model does not know the label {label!r}.", remedy="labels() lists the labels."
            )

    def info(self) -> ParsedDump:
        """The weights by name."""
        return ParsedDump.of(self.estimator)

    def dump(self, filename: str | Path | None = None) -> None:
        """Writes the weights as text; None: to standard output."""
        text = "\n".join([*self.info().lines(), ""])
        if filename is None:
            sys.stdout.write(text)
        else:
            Path(filename).write_text(text, encoding="utf-8")


class BaseTrainer:
    """Collects sentences, and trains a model on them.

    algorithm: lbfgs, l2sgd, ap or pa. verbose: whether to print messages.
    """

    verbose: bool = True
    trained: SequenceEstimator | None = None  # by the last call of train()

    def __new__(cls, *_: Any, **__: Any) -> Any:
        made = super().__new__(cls)  # subclasses may have an __init__ that does not call this one
        made._algorithm, made._params, made._data = "lbfgs", {}, []
        made.logparser = None
        return made

    _algorithm: str
    _params: dict[str, Any]
    _data: list[tuple[Items, list[str], int]]  # items, labels and group of each sentence
    logparser: TrainingLog | None

    def __init__(
        self, algorithm: str | None = None, params: Mapping[str, Any] | None = None, verbose: bool = True
    ) -> None:
        self.verbose = verbose
        if algorithm is not None:
            self.select(algorithm)
        self.set_params(params or {})

    def message(self, message: str) -> None:
        """Takes the lines of the log; subclasses may do something else than to print them."""
        if self.verbose:
            print(message, end="")

    def append(self, xseq: Iterable[Any], yseq: Sequence[str], group: int = 0) -> None:
        """Adds a sentence. group: a number by which train() may hold it out."""
        items = [item if isinstance(item, Mapping) else counted(item) for item in items_of(xseq)]
        if len(items) != len(yseq):
            raise DataError(f"the numbers of items and labels differ: {len(items)} and {len(yseq)}.")
        _check_types(items, yseq)
        self._data.append((items, list(yseq), group))

    def clear(self) -> None:
        """Forgets all sentences."""
        self._data.clear()

    def select(self, algorithm: str, type: str = "crf1d") -> None:
        """Chooses the algorithm; parameters get its defaults."""
        if type != "crf1d":
            raise UnsupportedError(f"type is {type!r}; expected 'crf1d'.")
        self._algorithm, self._params = algorithm_named(algorithm), {}

    def params(self) -> list[str]:
        """The names of the parameters of the algorithm."""
        return list(ALGORITHMS[self._algorithm])

    def set_params(self, params: Mapping[str, Any]) -> None:
        for name, value in params.items():
            self.set(name, value)

    def get_params(self) -> dict[str, Any]:
        return {name: self.get(name) for name in self.params()}

    def set(self, name: str, value: Any) -> None:
        self._params[name] = value_of(self._algorithm, name, value)

    def get(self, name: str) -> Any:
        default = value_of(self._algorithm, name, getattr(ALGORITHMS[self._algorithm].get(name), "default", None))
        return self._params.get(name, default)

    def help(self, name: str) -> str:
        self.get(name)  # refuses unknown names
        return ALGORITHMS[self._algorithm][name].help

    def train(self, model: str | Path, holdout: int = -1) -> None:
        """Trains, and writes the model to a file; an empty name: no file. holdout: the group that is not learnt from, but scored."""
        from riata.tasks.tag import Tagger as Estimator

        parameters, idle = parameters_of(self._algorithm, self._params)
        if idle:
            warn_text(f"These parameters have no effect on Riata's {self._algorithm}: {', '.join(idle)}.")
        self.logparser = log = TrainingLog()
        self._tell(f"Feature generation\ntype: CRF1d\n{self._chosen()}\n")
        learnt = [(items, labels) for items, labels, group in self._data if group != holdout]

        def listen(event: Event) -> None:
            if isinstance(event, Epoch):
                text = log.add(event)
                self._tell(text)
                self._iteration(text, log.iterations[-1])
            elif isinstance(event, Note):
                self._tell(f"{event.text}\n")

        # Marginals are those of CRFsuite, which calibrates nothing.
        made = Estimator(**parameters, calibrated=False)
        found = made.fit([x for x, _ in learnt], [y for _, y in learnt], listener=listen)
        self.trained, log.training_seconds = found, found.seconds_
        held = [(items, labels) for items, labels, group in self._data if group == holdout and items]
        if held and log.iterations:
            self._tell(log.add_scores([y for _, y in held], found.predict([x for x, _ in held])))
        if str(model):
            save_model(found, model)
        self._tell(f"Total seconds required for training: {found.seconds_:.3f}\n")

    def _chosen(self) -> str:
        return "".join(f"{name}: {value}\n" for name, value in self.get_params().items())

    def _tell(self, text: str) -> None:
        assert self.logparser is not None
        for line in text.splitlines(keepends=True):
            self.logparser.log.append(line)
            self.message(line)

    def _iteration(self, log: str, info: Info) -> None:
        pass


class CrfsuiteTrainer(BaseTrainer):
    """A trainer that subclasses may listen to, iteration by iteration."""

    def on_iteration(self, log: str, info: Info) -> None:
        """Is called if verbose. log: the lines of the iteration, which message() has had; info: what they say."""

    def _iteration(self, log: str, info: Info) -> None:
        if self.verbose:
            self.on_iteration(log, info)


def __dir__() -> list[str]:
    return __all__


Tagger, Trainer = CrfsuiteTagger, CrfsuiteTrainer  # as python-crfsuite calls them
