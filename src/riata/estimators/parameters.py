"""The parameters of estimators of sequences."""

from __future__ import annotations

from inspect import cleandoc
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from riata import registry
from riata.data.formats.base import TAGGING, Roles
from riata.data.types import Corpus
from riata.errors import UnknownNameError, UnsupportedError
from riata.params import Params, with_named

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from riata.features.attributes import Attribute
    from riata.features.templates import Template
    from riata.features.word_vectors import WordVectors

Self = TypeVar("Self", bound="Parameters")  # typing.Self needs Python 3.11

PARAMETERS = """Parameters, all of which have defaults:

- recipe: the learner. None: the one that the task prefers, which `riata pieces` names.
- structure, queue, beam: what is searched, and how. None: what the recipe prefers.
- template: a named set, a file, or templates. None: the task's own.
- attributes: your own functions of a word, by name.
- lists: words and phrases by name, each a file (an entry per line) or entries. Templates read them as list(NAME)[0].
- vectors: of words, beside what templates read: a file of word2vec, GloVe or fastText, a dictionary, or riata.WordVectors.
- cutoff: n-grams that occur less often are left out.
- bits: no dictionaries are kept; features are hashed into a table of 2^bits weights.
- stream: fit takes the path of a file and reads it in parts in every epoch.
- epochs, seed, settings: options of the learner. Settings may be named like parameters, too: c2=1 is settings={"c2": 1}.
- seeds: the number of models that are trained, with seed, seed + 1, …, and summed into one.
- shards: the number of parts of the data that are learnt at once. The weights are mixed after every epoch.
- threads: how many work at once (None: all cores). The model does not depend on it.
- dev: a corpus, or the fraction of the training data (its end) that is held out to choose the epoch.
- patience: training stops after so many epochs without a better score.
- refit: then train again on all data, for the best number of epochs.
- class_weight: weights by label, or "balanced".
- encoding: the encoding of chunk labels ("auto" finds it). learn_as: another encoding to learn them in, which the output does not show.
- strict: illegal tags are refused instead of read as conlleval reads them, and so is input that is unlike the training data.
- check_input: whether input of a trained model is compared with the training data (docs/errors.md).
- calibrated: whether training also finds a temperature that makes confidences believable (docs/confidence.md).
- warm_start: fit goes on from the present model.
- passes: 2 trains a second model, which reads the labels of a first, here and where the same words occur again.
- folds: how many models label sentences that they have not seen, for the second pass to learn from.
- first: the recipe of the first pass, with its own defaults. None: that of the second.
- context: where the second pass looks for the same words: "document", "window" (the sentences before, as many as `window`), or "file".
  None: documents where they are marked, else a window.
- constraints: rules that outputs keep, from riata.constraints or as text.
- inference: whether constraints are kept "after" learning, by predictions; "during" it, too; or not at all ("none").
"""


def documented(text: str, example: str) -> str:
    """The docstring of an estimator: what it does, its parameters, and an example."""
    return f"{cleandoc(text)}\n\n{PARAMETERS}\nExample:\n\n{cleandoc(example)}\n"


# Attributes that the rest of Riata uses: `dir` leaves them out, and they may change.
FACTS = (
    "chunks",
    "default_recipe",
    "default_template",
    "exact_structure",
    "fields",
    "file_format",
    "outputs",
    "own_structure",
    "search_structure",
    "task_name",
    "trees",
    "without_column",
)
PARTS = ("labels", "columns", "fitting", "predicting", "confidence", "evaluating", "explaining")
OTHERS = ("breadth_", "changed_params", "declared_constraints", "format_", "names_", "output_", "twin", "untrained")


class Parameters(Params):
    """The parameters of estimators, and what subclasses define for their task."""

    _internal = frozenset((*FACTS, *PARTS, *OTHERS))
    task_name: str
    chunks: bool  # whether labels are chunk labels, scored by span F1; otherwise plain labels and accuracy
    default_template: str
    search_structure: str | None = None  # the structure that recipes that search prefer to their own,
    exact_structure: str | None = None  # and the structure that other recipes prefer to their own
    outputs = 1  # number of columns to predict
    trees = False  # whether these are heads and relations
    fields: ClassVar[Roles] = TAGGING  # what is read of CoNLL-U
    file_format: str | None = None  # the format of its files, where they are neither columns nor CoNLL-U
    without_column: ClassVar[str] = ""  # what else helps where a column of the input says nothing
    own_structure: str | None = None  # the structure of the task, whatever the recipe prefers
    default_recipe = "mira"  # if nothing determines the structure
    presets: ClassVar[dict[str, dict[str, Any]]] = {  # parameters by what matters most: time, or the score
        "fast": {"epochs": 5},
        "best": {"epochs": 20, "seeds": 5},
    }

    def __init__(
        self,
        recipe: str | None = None,
        *,
        structure: str | None = None,
        queue: str | None = None,
        beam: float | None = None,
        template: str | Path | Sequence[Template] | None = None,
        attributes: Mapping[str, Attribute] | None = None,
        lists: Mapping[str, str | Path | Sequence[str]] | None = None,
        vectors: str | Path | Mapping[str, Sequence[float]] | WordVectors | None = None,
        cutoff: int = 1,
        bits: int | None = None,
        stream: bool = False,
        epochs: int | None = None,
        seed: int = 0,
        seeds: int = 1,
        shards: int = 1,
        threads: int | None = None,
        settings: Mapping[str, Any] | None = None,
        dev: float | Corpus | None = None,
        patience: int | None = None,
        refit: bool = False,
        class_weight: Mapping[str, float] | str | None = None,
        encoding: str = "auto",
        learn_as: str | None = None,
        strict: bool = False,
        check_input: bool = True,
        calibrated: bool = True,
        warm_start: bool = False,
        passes: int = 1,
        context: str | None = None,
        window: int = 100,
        folds: int = 5,
        first: str | None = None,
        constraints: Sequence[Any] | None = None,
        inference: str = "after",
        **named: Any,
    ) -> None:
        self.recipe: str | None = recipe
        self.structure = structure
        self.queue = queue
        self.beam = beam
        self.template = template
        self.attributes = attributes
        self.lists = lists
        self.vectors = vectors
        self.cutoff = cutoff
        self.bits = bits
        self.stream = stream
        self.epochs = epochs
        self.seed = seed
        self.seeds = seeds
        self.shards = shards
        self.threads = threads
        self._store_settings(settings, named)
        self.dev = dev
        self.patience = patience
        self.refit = refit
        self.class_weight = class_weight
        self.encoding = encoding
        self.learn_as = learn_as
        self.strict = strict
        self.check_input = check_input
        self.calibrated = calibrated
        self.warm_start = warm_start
        self.passes = passes
        self.context = context
        self.window = window
        self.folds = folds
        self.first = first
        self.constraints = constraints
        self.inference = inference

    @classmethod
    def preset(cls: type[Self], name: str, **parameters: Any) -> Self:
        """An estimator for what matters most: "fast" learns in little time, "best" scores highest in what was compared (docs/defaults.md).

        parameters: others, or in place of those of the preset.
        """
        return cls(**preset_of(cls, name, parameters))

    def declared_constraints(self) -> Any:
        """The constraints that outputs keep. Tasks may have a word for constraints of their own."""
        return self.constraints

    def untrained(self: Self, **params: Any) -> Self:
        """A new estimator with the same parameters, except these."""
        return type(self)(**self.get_params(deep=False)).set_params(**params)

    def twin(self: Self, **params: Any) -> Self:
        """The same trained model with other parameters; nothing is copied."""
        made = type(self).__new__(type(self))
        made.__dict__.update(self.__dict__)
        return made.set_params(**params)


def refused_by(recipe: str) -> Mapping[str, str]:
    """The parameters that a recipe does not use, with the reasons; none for an unknown recipe, which is refused elsewhere."""
    found: Mapping[str, str] = registry.get("recipe", recipe).refuses if recipe in registry.names("recipe") else {}
    return found


def preset_of(estimator: type[Parameters], name: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters of a preset, replaced by the given ones: settings one by one; for another recipe, none of the preset's.

    A preset with a parameter that the recipe does not use is refused.
    """
    if name not in estimator.presets:
        raise UnknownNameError.of("preset", name, estimator.presets)
    preset = estimator.presets[name]
    known = estimator._param_names()
    named = {name: value for name, value in given.items() if name not in known}
    given = {name: value for name, value in given.items() if name in known}
    if named:
        given["settings"] = with_named(given.get("settings"), named)
    recipe = given.get("recipe") or preset.get("recipe") or estimator.default_recipe
    for parameter, reason in refused_by(recipe).items():
        if parameter in preset and parameter not in given:
            raise UnsupportedError(
                f"the preset {name!r} sets {parameter}, which means nothing to the recipe {recipe!r}: {reason}.",
                remedy="Leave out the preset, or use another recipe.",
            )
    found = {**preset, **given}
    if "settings" in preset:
        same = found["recipe"] == preset["recipe"]
        found["settings"] = {**(preset["settings"] if same else {}), **(given.get("settings") or {})}
    return found
