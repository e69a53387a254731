"""Parameters of estimators in scikit-learn's conventions, without importing scikit-learn."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping, Sequence, Sized
from functools import cache
from inspect import Parameter, cleandoc
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from riata import registry
from riata.data.formats.base import TAGGING, Roles
from riata.data.types import Corpus
from riata.errors import NotFittedError, SettingError, UnknownNameError, UnsupportedError, printed
from riata.settings import Setting

if TYPE_CHECKING:
    from pathlib import Path

    from riata.features.attributes import Attribute
    from riata.features.templates import Template
    from riata.features.word_vectors import WordVectors
    from riata.showing.table import Cell


INSIDE = (
    "__"  # separates a parameter that is a dictionary from the key of an entry, as in scikit-learn's nested parameters
)

Self = TypeVar("Self", bound="Params")  # typing.Self needs Python 3.11


class Params:
    """get_params, set_params and a readable repr, from the signature of `__init__`, which only stores.

    Settings of recipes may be named like parameters. They are entries of the parameter `settings`, where all code reads them.
    """

    _internal: frozenset[str] = frozenset({"changed_params"})  # names without an underscore that are internal to Riata
    _own_settings: tuple[Setting, ...] = ()  # settings that are of no recipe or structure
    _remedy_unfitted = "Call fit, or riata.load_model(path)."
    settings: Mapping[str, Any] | None = None

    def _store_settings(self, settings: Mapping[str, Any] | None, named: Mapping[str, Any]) -> None:
        """named: keywords of `__init__` that are no parameters. Recipes check settings when they are used, in `fit`."""
        self._check_settings_exist(named)
        self.settings = with_named(settings, named)

    def __setattr__(self, name: str, value: Any) -> None:
        """A setting by its name, `chunker.c2 = 1`, is the entry of `settings`, as in set_params."""
        plain = name.startswith("_") or name.endswith("_") or name in self._defaults() or hasattr(type(self), name)
        if plain or name not in self._names_of_settings():
            object.__setattr__(self, name, value)
        else:
            self.set_params(**{name: value})

    def __getattr__(self, name: str) -> Any:
        """The value of a setting that was given."""
        if not name.startswith("_") and name in (given := self.__dict__.get("settings") or {}):
            return given[name]
        return object.__getattribute__(self, name)  # raises what was raised before

    @classmethod
    @cache
    def _defaults(cls) -> dict[str, Any]:
        """The defaults of all parameters, including those that `__init__` passes on to the base class."""
        found: dict[str, Any] = {}
        for base in cls.__mro__[: cls.__mro__.index(Params)]:
            if "__init__" in vars(base):
                signature = inspect.signature(vars(base)["__init__"]).parameters.values()
                own = {p.name: p.default for p in signature if p.kind is not p.VAR_KEYWORD}
                found = {name: found.get(name, default) for name, default in own.items()} | found
                if len(own) == len(signature):
                    break
        del found["self"]
        return found

    @classmethod
    def _param_names(cls) -> list[str]:
        return list(cls._defaults())

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Every parameter by name; deep: the entries of dictionaries too, settings={"c2": 1} as `settings__c2` and as `c2`."""
        found = {name: getattr(self, name) for name in self._param_names()}
        return {**found, **_entries(found), **self._named_settings()[0]} if deep else found

    def set_params(self: Self, **params: Any) -> Self:
        """Changes parameters by name. `c2` and `settings__c2` are the entry c2 of the dictionary `settings`, the rest of which stays."""
        known = self._param_names()
        changed = {name: value for name, value in params.items() if name in known}
        for name, value in params.items():
            of, inside, entry = name.partition(INSIDE)
            if inside and isinstance(inner := getattr(self, of, None), Params):  # an estimator in an estimator
                inner.set_params(**{entry: value})
            elif inside and of in known:
                changed[of] = {**_dictionary(of, changed.get(of, getattr(self, of))), entry: value}
            elif inside:
                raise self._unknown(name)
        named = {name: value for name, value in params.items() if name not in known and INSIDE not in name}
        self._check_settings_exist(named)
        if named:
            settings = _dictionary("settings", changed.get("settings", self.settings))
            asked = {*(params.get("settings") or ()), *(name.partition(INSIDE)[2] for name in params)}
            differ = {name: value for name, value in named.items() if name in asked and settings[name] != value}
            with_named(settings, differ)  # refuses names with two values
            changed["settings"] = {**settings, **named}
        for name, value in changed.items():
            setattr(self, name, value)
        return self

    @classmethod
    @cache
    def _names_of_settings(cls) -> frozenset[str]:
        """The settings of all recipes and structures, and of decoding."""
        from riata.choosing.losses import DECODING, RISK

        recipes = registry.all_of("recipe").values()
        searched = [recipe.searched for recipe in recipes if recipe.searched is not None]
        pieces = (*recipes, *searched, *registry.all_of("structure").values())
        settings = (*DECODING, *RISK, *cls._own_settings, *(setting for piece in pieces for setting in piece.settings))
        return frozenset(setting.name for setting in settings)

    def _check_settings_exist(self, names: Iterable[str]) -> None:
        for name in names:
            if name not in self._names_of_settings():
                raise self._unknown(name)

    def _unknown(self, name: str) -> UnknownNameError:
        """The refusal of a parameter, with the parameters and the settings of the recipe."""
        recipe = getattr(self, "recipe", None) or getattr(self, "default_recipe", None)
        declared = registry.get("recipe", recipe).settings if recipe in registry.names("recipe") else ()
        known = {*self._param_names(), *(setting.name for setting in (*declared, *self._own_settings))}
        return UnknownNameError.of(f"parameter of {type(self).__name__}", name, known)

    def _named_settings(self) -> tuple[dict[str, Any], dict[Any, Any]]:
        """The settings that can be named like parameters, and others, which no recipe has."""
        given = self.settings if isinstance(self.settings, Mapping) else {}
        known = self._names_of_settings() if given else frozenset()
        return {k: v for k, v in given.items() if k in known}, {k: v for k, v in given.items() if k not in known}

    def _check_fitted(self) -> Any:
        """What has been learnt; an error before training."""
        if (model := getattr(self, "model_", None)) is None:
            raise NotFittedError(f"This {type(self).__name__} has not been trained yet.", remedy=self._remedy_unfitted)
        return model

    def changed_params(self) -> dict[str, Any]:
        """The parameters that do not have their default value."""
        defaults = self._defaults()
        return {k: v for k, v in self.get_params(deep=False).items() if v is not defaults[k] and v != defaults[k]}

    def __dir__(self) -> list[str]:
        """What users are meant to call and to read: of a trained estimator what it has learnt, too."""
        names = {name for name in object.__dir__(self) if not name.startswith("_")} - self._internal
        return sorted(name for name in names if not name.endswith("_") or hasattr(self, "model_"))

    def __repr__(self) -> str:
        shown = self.changed_params()
        if isinstance(self.settings, Mapping):
            named, others = self._named_settings()
            shown = {
                **{k: v for k, v in shown.items() if k != "settings"},
                **({"settings": others} if others else {}),
                **named,
            }
        return f"{type(self).__name__}({', '.join(f'{k}={short(v)}' for k, v in shown.items())})"

    def _repr_html_(self) -> str:
        """What notebooks show of an estimator that is not trained."""

        return parameters(self)

    def __sklearn_tags__(self) -> Any:
        """What scikit-learn asks before a search or a pipeline. Imported only when scikit-learn itself calls it."""
        from sklearn.utils import InputTags, Tags, TargetTags

        return Tags(
            estimator_type=None,
            target_tags=TargetTags(required=False),
            input_tags=InputTags(two_d_array=False, string=True),
        )


def with_named(settings: Mapping[str, Any] | None, named: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The dictionary `settings` with settings that are named like parameters; a name that is given both ways is refused."""
    if not named:
        return settings
    settings = _dictionary("settings", settings)
    both = sorted(set(settings) & set(named))
    if both:
        raise SettingError(
            f"setting {both[0]!r} is given twice: {printed(settings[both[0]]):.60} in settings, and {printed(named[both[0]]):.60} "
            "as a parameter.",
            remedy="Leave out one of them.",
        )
    return {**settings, **named}


def _entries(params: Mapping[str, Any]) -> dict[str, Any]:
    return {
        f"{name}{INSIDE}{key}": entry
        for name, value in params.items()
        if isinstance(value, (Mapping, Params))
        for key, entry in (value.get_params(deep=False) if isinstance(value, Params) else value).items()
    }


def _dictionary(name: str, value: Any) -> Mapping[str, Any]:
    if value is not None and not isinstance(value, Mapping):
        raise SettingError(
            f"{name} is {printed(value):.60}, which has no entries to set; expected a dictionary or None."
        )
    return value or {}


def short(value: object) -> str:
    """The repr of a value, shortened if it is long."""
    text = printed(value)
    if len(text) <= 60:
        return text
    return f"<{type(value).__name__} of {len(value)}>" if isinstance(value, Sized) else f"{text[:57]}..."


def parameters(estimator: Params) -> str:
    """The parameters as a notebook shows them; those that differ from their defaults come first."""
    from riata.showing.notebook import page
    from riata.showing.table import Table

    defaults = estimator._defaults()
    given = estimator.changed_params()
    rows: list[tuple[Cell, ...]] = [(name, short(value), _default(defaults[name])) for name, value in given.items()]
    rows += [(name, short(value), "") for name, value in estimator.get_params(deep=False).items() if name not in given]
    title = f"{type(estimator).__name__}, not trained yet"
    return page(Table(title, ("parameter", "value", "default"), rows).to_html())


def _default(value: Any) -> str:
    return "" if value is Parameter.empty else short(value)


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


def preset_of(estimator: type[Any], name: str, given: Mapping[str, Any]) -> dict[str, Any]:
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
