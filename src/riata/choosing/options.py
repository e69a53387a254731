"""The parameters of an estimator, checked and in their right types."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from riata import registry
from riata.choosing.constraints import UNCONSTRAINED, ChosenConstraints, constrained
from riata.choosing.losses import DECODING, LOSS, RISK, check_loss, risk_of
from riata.choosing.passes import OF_TWO_PASSES, ONE_PASS, Passes, check_passes
from riata.choosing.recipe import (
    Choice,
    Recipe,
    check_owner,
    check_read,
    check_searched,
    chosen,
    gives,
    giving,
    preferred,
    recipe_name,
)
from riata.choosing.sample_weight import LARGEST_WEIGHT
from riata.data.types import MARK, UNKNOWN_LABELS, Corpus
from riata.errors import RiataError, SettingError, TemplateError, UnsupportedError, printed
from riata.features import templates as template_language
from riata.features.attributes import Attribute, builtin
from riata.features.frequency import FREQUENCY
from riata.features.lists import WordList, check_lists
from riata.features.templates import (
    ANY_CASE,
    CLASSIFIERS,
    EXACT,
    LABEL,
    NUMBER,
    PREVIOUS,
    SUMMARIES,
    Language,
    Template,
    Use,
    attribute_names,
    language_of,
    list_read,
    placed,
    reads_context,
)
from riata.features.word_vectors import WordVectors, check_vectors
from riata.inference.structure import BEST as HIGHEST
from riata.inference.structure import CHUNK_LABELS, DECODE, Decoder, Risk
from riata.inference.structure import EXACT as BEST
from riata.models.parts import FEWEST_BITS, MOST_BITS
from riata.parallel import THREADS
from riata.settings import Setting, resolve

if TYPE_CHECKING:
    from pathlib import Path


EPOCHS = Setting("epochs", 10, "passes over the data", low=1)
SEED = Setting("seed", 0, "of the order in which sentences are visited", low=0, high=2**63 - 1)
SEEDS = Setting("seeds", 1, "models to train, with seed, seed + 1, … , and to sum into one", low=1, high=1000)
PATIENCE = Setting("patience", 5, "epochs without a better development score before training stops", low=1)


@dataclass(frozen=True)
class Options:
    """What training needs to know. template: None means the task's default, as far as the data have its columns."""

    chunks: bool
    columns: int  # number of columns to predict
    default_template: str
    own_columns: bool  # whether the task makes the columns of its input itself
    template: str | Path | Sequence[Template] | None
    functions: Mapping[str, Attribute]
    lists: Mapping[str, Any]
    vectors: Any  # of words: a path, a dictionary or WordVectors; None: there are none
    cutoff: int
    bits: int | None  # None: exact dictionaries
    stream: bool
    epochs: int
    patience: int | None
    seed: int
    seeds: int
    shards: int
    threads: int | None  # None: as many as there are cores
    settings: Mapping[str, Any]  # of recipe and structure
    risk: Risk | None  # the loss by which outputs are chosen; None: the best outputs are
    dev: float | Corpus | None
    refit: bool
    class_weight: Mapping[str, float] | str | None
    encoding: str
    learn_as: str | None  # None: in the encoding of the data
    strict: bool
    passes: Passes
    choice: Choice
    constrained: ChosenConstraints
    added: tuple[str, ...] = ()  # attributes of context, whose columns come after those of the data

    @property
    def decoder(self) -> Decoder:
        known = {s.name: self.settings[s.name] for s in DECODING if s.name in self.settings}
        return replace(self.choice.decoder, risk=self.risk, **known)

    @property
    def learner(self) -> tuple[Any, ...]:
        """What a learner depends on. If any of it changes, another learner is needed."""
        return (
            self.choice,
            dict(self.settings),
            self.seeds,
            self.shards,
            self.template,
            self.lists,
            self.vectors if isinstance(self.vectors, (str, os.PathLike)) else id(self.vectors),
            self.bits,
            tuple(self.constrained.declared.texts()) if self.constrained.during and self.constrained.declared else (),
        )

    def templates(self, width: int) -> tuple[Any, ...]:
        """The templates for this number of input columns; none if features are given by the user."""
        recipe, language = self.choice.recipe, self._language
        width -= len(self.added)
        if recipe.templates is not None:
            if width == 0:
                raise UnsupportedError(
                    f"The recipe {recipe.name!r} reads words, but the sentences are features already.",
                    remedy="Give words, or use another recipe, such as perceptron.",
                )
            return recipe.templates(width, self.settings)
        if width == 0:
            if self.settings.get(CLASSIFIERS) == PREVIOUS:
                raise UnsupportedError(
                    f"{CLASSIFIERS} is {PREVIOUS!r}, which changes templates, but the sentences are features already.",
                    remedy=f"Give words, or leave out {CLASSIFIERS}.",
                )
            return self._templates_without_words()
        if self.template is None:
            use = Use(self.choice.queue == "exact", self._reads_labels, self.settings)
            default = language.usable(self.default_template, use)
            known_columns = {read.column for one in default for read in one.reads}
            unknown = () if self.own_columns else set(range(width)) - known_columns
            others = language.of_columns(sorted(unknown))
            templates: tuple[Any, ...] = template_language.fitting(default, width) + others
        elif isinstance(self.template, (str, os.PathLike)):
            self._check_named()
            templates = language.load(self.template)
            if self.adapts:
                templates = template_language.fitting(templates, width) or templates
        else:
            templates = tuple(self.template)
        templates = self._in_context(templates, width)
        if self.adapts:
            source = self.default_template if self.template is None else str(self.template)
            templates += tuple(one for name in self.lists for one in language.of_list(f"{EXACT}({name})", source))
        for template in templates:
            if type(template) is not language.template:
                raise SettingError(
                    f"the template '{template}' does not fit the structure {self.choice.structure.name!r}.",
                    remedy=f"{language.parse.__module__}.parse makes those that do.",
                )
        known = {*self.functions, NUMBER, FREQUENCY, *attribute_names(self.lists), *self.added}
        template_language.check(templates, width + len(self.added), known.__contains__, known)
        self._check_lists_are_read(templates)
        return templates if recipe.rewritten is None else recipe.rewritten(templates, self.settings)

    def first_template(self) -> str | Path | Sequence[Template] | None:
        """The template of the first of two passes, without lines that read the labels of the first pass."""
        if self.template is None:
            return None
        given = self._language.load(self.template) if isinstance(self.template, (str, os.PathLike)) else self.template
        left = tuple(template for template in given if not reads_context(template))
        if not left:
            raise TemplateError(
                "every line of the template reads labels of the first pass, which then has nothing to learn from.",
                remedy="Add lines that read words; leave out template for the task's own.",
            )
        return self.template if len(left) == len(given) else left

    def _in_context(self, templates: tuple[Any, ...], width: int) -> tuple[Any, ...]:
        """The templates, with columns for what the second of two passes reads of the first."""
        if self.added and not any(map(reads_context, templates)):
            templates += self._language.of_context(self.added)
        return placed(templates, width, self.added)

    def _check_named(self) -> None:
        """Refuses the name of a built-in template of another structure."""
        structure = self.choice.structure
        known = [one for one in giving(structure.gives) if self._is_builtin(one)]
        if known and structure.name not in known:
            able = [one for one in known if self.choice.fits(registry.get("structure", one))]
            raise TemplateError(
                f"{self.template} is for templates of {known[0]}.",
                remedy=f"Set structure={able[0]!r} (--structure {able[0]})."
                if able
                else f"Leave out template, or use another recipe: {self.choice.recipe.name!r} does not learn {known[0]}.",
            )

    def unread(self, program_columns: Collection[int], width: int) -> list[int]:
        """Columns of the input that a named set of templates, or that of a recipe, does not read. The defaults of tasks read all."""
        if self.choice.recipe.templates is None and (self.template is None or not self.adapts):
            return []
        return [column for column in range(width - len(self.added)) if column not in program_columns]

    @property
    def adapts(self) -> bool:
        """Whether templates are the task's own or a built-in set, of which lines for columns that the data lack are left out."""
        return self.template is None or self._is_builtin(self.choice.structure.name)

    def _is_builtin(self, structure: str) -> bool:
        return language_of(structure).has_set(str(self.template))

    def _templates_without_words(self) -> tuple[Any, ...]:
        structure, language = self.choice.structure, self._language
        if language.without_words is None:
            others = [name for name in giving(structure.gives) if language_of(name).without_words is not None]
            instead = self.choice.offered.instead("structure", lambda piece: piece.name in others)
            if others and not instead:
                instead = f", or use structure={others[0]!r} and another recipe, such as {registry.get('structure', others[0]).recipe}"
            raise UnsupportedError(
                f"The structure {structure.name!r} is scored by templates, which read columns, but the sentences are features already.",
                remedy=f"Give words{instead}.",
            )
        asked = self.template if isinstance(self.template, (list, tuple)) else None
        if asked is not None and not self.lists and not any(one.reads for one in asked):
            return tuple(asked)
        if self.template is not None or self.lists:
            raise UnsupportedError(
                "Templates read columns, but the sentences are features already.",
                remedy="Leave out template and lists; template=[] has no weights of neighbouring labels either.",
            )
        return language.parse(language.without_words)

    @property
    def has_unknown(self) -> bool:
        """Whether labels may be unknown."""
        return MARK.name in self.settings and UNKNOWN_LABELS in self.choice.structure.offers

    @property
    def _reads_labels(self) -> bool:
        """Whether features of earlier labels can be learnt: with exact search and without hashing."""
        recipe = self.choice.recipe
        return recipe.earlier(self.settings) and (recipe.searches or not self.bits)

    @property
    def _language(self) -> Language:
        return language_of(self.choice.structure.name)

    def word_lists(self) -> dict[str, WordList]:
        return {name: WordList.of(name, given) for name, given in self.lists.items()}

    @cached_property
    def word_vectors(self) -> WordVectors | None:
        return None if self.vectors is None else WordVectors.of(self.vectors)

    def _check_lists_are_read(self, templates: Sequence[Template]) -> None:
        read = {list_read(read.attribute) for template in templates for read in template.reads} if self.lists else set()
        for name in self.lists:
            if not {(EXACT, name), (ANY_CASE, name)} & read:
                line = next(str(one) for one in self._language.of_list(f"{EXACT}({name})") if one.reads[0].offset == 0)
                raise SettingError(
                    f"the list {name!r} is given, but no template reads it.",
                    remedy=f"Add a line such as '{line}' to the template, or leave out the list.",
                )


def checked(estimator: Any, *, training: bool = True, goes_on: bool = False, structure: str | None = None) -> Options:
    """The parameters of an estimator as Options. SettingError and related errors name what is wrong.

    goes_on: whether training continues from an existing model. structure: the structure, if it is known and the estimator names none.
    """
    if not isinstance(estimator.settings, (Mapping, type(None))):
        raise SettingError(f"settings is {estimator.settings!r}; expected a dictionary.")
    attributes = _checked_kinds(estimator)
    choice = choice_of(estimator, training=training, goes_on=goes_on, structure=structure)
    recipe, offered = choice.recipe, choice.offered
    if training:
        check_refused(estimator, recipe)
    declared = choice.settings if training else (*choice.settings, *_of_decoding(choice.settings, choice))
    given = estimator.settings or {}
    check_owner(recipe, declared, given, offered)
    check_searched(recipe, given, offered)
    settings = {**recipe.fixed, **resolve(declared, given, f"The recipe {recipe.name!r}")}
    check_read(declared if training else RISK, settings, offered)
    if training:
        check_beside_parameters(estimator, settings)
    risk = None if settings[DECODE] == HIGHEST else risk_of(settings, chunks=estimator.chunks, task=estimator.task_name)
    options = Options(
        chunks=estimator.chunks,
        columns=estimator.outputs,
        default_template=language_of(choice.structure.name).default or estimator.default_template,
        own_columns=estimator.file_format is not None,
        template=estimator.template,
        functions={**builtin(), **attributes},
        lists=estimator.lists or {},
        vectors=estimator.vectors,
        cutoff=int(CUTOFF.parse(estimator.cutoff)),
        bits=bits_of(estimator),
        stream=bool(estimator.stream),
        epochs=recipe.epochs if estimator.epochs is None else int(EPOCHS.parse(estimator.epochs)),
        patience=None if estimator.patience is None else int(PATIENCE.parse(estimator.patience)),
        seed=int(SEED.parse(estimator.seed)),
        seeds=int(SEEDS.parse(estimator.seeds)),
        shards=shards_of(estimator.shards, recipe),
        threads=None if estimator.threads is None else int(THREADS.parse(estimator.threads)),
        settings={name: value for name, value in settings.items() if name not in {setting.name for setting in RISK}},
        risk=risk,
        dev=estimator.dev,
        refit=bool(estimator.refit),
        class_weight=estimator.class_weight,
        encoding=estimator.encoding,
        learn_as=estimator.learn_as,
        strict=bool(estimator.strict),
        passes=_passes(estimator),
        choice=choice,
        constrained=_constrained(estimator, choice, settings, training=training),
    )
    if training:
        if options.passes is not ONE_PASS:
            check_passes(estimator, options.passes, recipe)
        _check_parameters(options)
    return options


def _is_default(estimator: Any, names: Sequence[str]) -> bool:
    """Whether none of these parameters was chosen."""
    defaults = estimator._defaults()
    return all(getattr(estimator, name) == defaults[name] for name in names)


def _checked_kinds(estimator: Any) -> Mapping[str, Attribute]:
    """Refuses parameters of the wrong kind; the attributes of the user."""
    attributes: Mapping[str, Attribute] = estimator.attributes or {}
    check_attributes(attributes)
    if estimator.lists:
        check_lists(estimator.lists)
    check_template(estimator.template)
    check_flags(estimator)
    check_class_weight(estimator.class_weight)
    return attributes


def _passes(estimator: Any) -> Passes:
    return ONE_PASS if _is_default(estimator, OF_TWO_PASSES) else Passes.of(estimator)


def _constrained(estimator: Any, choice: Choice, settings: Mapping[str, Any], *, training: bool) -> ChosenConstraints:
    if _is_default(estimator, ("constraints", "inference")):
        return UNCONSTRAINED
    return constrained(estimator, choice, settings, training=training)


def _of_decoding(declared: Sequence[Setting], choice: Choice) -> tuple[Setting, ...]:
    """What a trained model can be decoded with, by a queue of states, beyond the settings of its recipe."""
    names = {setting.name for setting in declared}
    return tuple(s for s in DECODING if s.name not in names) if choice.queue != BEST.queue else ()


def choice_of(estimator: Any, *, training: bool = True, goes_on: bool = False, structure: str | None = None) -> Choice:
    """The recipe, structure and queue of an estimator. For the parameters see `checked`."""
    prefer = structure or preferred(estimator, goes_on=goes_on or not training)
    choice = chosen(
        recipe_name(estimator), estimator.structure, estimator.queue, estimator.beam, prefer, training=training
    )
    if choice.structure.gives != gives(estimator):
        theirs, ours = map(_in_words, (choice.structure.gives, gives(estimator)))
        raise UnsupportedError(
            f"The structure {choice.structure.name!r} (with the recipe {choice.recipe.name!r}) is for {theirs}; "
            f"the task {estimator.task_name!r} has {ours}.",
            remedy="Leave out the structure, or use another task.",
        )
    if training and estimator.chunks and CHUNK_LABELS not in choice.structure.offers:
        instead = choice.offered.instead("structure", lambda piece: CHUNK_LABELS in piece.offers)
        raise UnsupportedError(
            f"The task {estimator.task_name!r} has chunk labels, and the structure {choice.structure.name!r} does not know which of them "
            "may follow each other.",
            remedy=f"Use another task, such as tag (Tagger){instead}.",
        )
    return choice


def _in_words(outputs: tuple[int, bool]) -> str:
    columns, trees = outputs
    if not columns:
        return "sets of parts, which a riata.Structure describes"
    return "heads and relations" if trees else f"{columns} output column{'s' * (columns != 1)}"


def _check_parameters(options: Options) -> None:
    """Refuses parameters that the structure cannot use, and names a structure for the same outputs that can."""
    structure = options.choice.structure
    if options.vectors is not None:
        check_vectors(options.vectors)
    for name, asked, operation in (
        ("bits", options.bits is not None, "hashed features"),
        ("vectors", options.vectors is not None, "vectors"),
        ("learn_as", options.learn_as is not None, "recoded labels"),
        ("class_weight", options.class_weight is not None, "class weights"),
        ("stream", options.stream, "parts of the data"),
    ):
        if asked and operation not in structure.offers:
            instead = options.choice.offered.instead("structure", lambda piece: operation in piece.offers)  # noqa: B023 (called at once)
            raise UnsupportedError(
                f"{name} is set, which the structure {structure.name!r} cannot do.",
                remedy=f"Leave out {name}{instead}.",
            )


def check_parts(recipe: Recipe, what: str) -> None:
    """Refuses to learn from parts of the data one by one, if the objective is over all data."""
    if recipe.whole:
        raise UnsupportedError(
            f"{what}, but the recipe {recipe.name!r} minimises one objective over all data.",
            remedy="Use fit on all data, or a recipe that learns from one sentence after another, such as perceptron.",
        )


def check_stream(estimator: Any, recipe: Recipe, *, labels: bool, weights: bool) -> None:
    """Refuses, for a training that reads a file in parts, options that need all data at once."""
    check_parts(recipe, "stream=True gives a part of the data at a time")
    for name, given in (("y", labels), ("sample_weight", weights)):
        if given:
            raise UnsupportedError(
                f"stream=True reads sentences and labels from a file, and cannot take {name} from memory.",
                remedy=f"Leave out {name}, or stream.",
            )
    if SHARDS.parse(estimator.shards) != 1:
        raise UnsupportedError(
            f"shards is {estimator.shards}, but stream=True has no more than a part of the data at a time.",
            remedy="Leave out shards, or stream.",
        )
    if CUTOFF.parse(estimator.cutoff) != 1:
        raise UnsupportedError(
            f"cutoff is {estimator.cutoff}, but stream=True learns from n-grams before all of them are counted.",
            remedy="Leave out cutoff, or stream.",
        )


CUTOFF = Setting("cutoff", 1, "leave out n-grams seen less often", low=1)
BITS = Setting(
    "bits", 22, "log2 of the number of weights in the table of hashed features", low=FEWEST_BITS, high=MOST_BITS
)
SHARDS = Setting("shards", 1, "parts of the data to learn from at once, mixed after every epoch", low=1, high=10_000)
UNSET: tuple[Any, ...] = (None, 1, {})  # default values of parameters that a recipe may refuse


def check_refused(estimator: Any, recipe: Recipe) -> None:
    """Refuses parameters that are set but that the recipe does not use."""
    reasons = dict(recipe.refuses)
    if recipe.templates is not None:
        reasons.update(
            dict.fromkeys(
                ("template", "lists", "vectors", "attributes"),
                "it has templates of its own, since its weights are probabilities",
            )
        )
    for name, reason in reasons.items():
        if getattr(estimator, name) not in UNSET:
            raise UnsupportedError(
                f"{name} is set, but means nothing to the recipe {recipe.name!r}: {reason}.",
                remedy=f"Leave out {name}.",
            )


def shards_of(given: Any, recipe: Recipe) -> int:
    shards = int(SHARDS.parse(given))
    if shards > 1 and recipe.whole:
        raise UnsupportedError(
            f"shards is {shards}, but the recipe {recipe.name!r} minimises one objective over all data, which parts of them do not have.",
            remedy="Leave out shards, or use a recipe that learns from one sentence after another, such as mira.",
        )
    if shards > 1 and recipe.searches:
        raise UnsupportedError(
            f"shards is {shards}, but the recipe {recipe.name!r} learns from the states of a search: its learner keeps scaled weights, "
            "counts of steps and features of earlier labels that cannot be mixed with those of others.",
            remedy="Use several seeds; or, on structures with exact search, the recipe perceptron or mira.",
        )
    return shards


def bits_of(estimator: Any) -> int | None:
    if estimator.bits is None:
        return None
    try:
        bits = BITS.parse(estimator.bits)
    except SettingError as error:
        raise SettingError(
            error.message, remedy="It is log2 of the number of weights, which need 4 bytes each; 22 is a good start."
        ) from None
    if CUTOFF.parse(estimator.cutoff) != 1:
        raise SettingError(
            f"cutoff is {estimator.cutoff}, but with bits n-grams are hashed and not counted.",
            remedy="Leave out cutoff, or bits.",
        )
    return int(bits)


def check_flags(estimator: Any) -> None:
    for name, default in estimator._defaults().items():
        if isinstance(default, bool) and not isinstance(getattr(estimator, name), (bool, np.bool_)):
            raise SettingError(f"{name} is {printed(getattr(estimator, name)):.60}; expected True or False.")
    if estimator.encoding != "auto":
        registry.get("encoding", estimator.encoding)
    _check_learn_as(estimator)


def _check_learn_as(estimator: Any) -> None:
    if estimator.learn_as is None:
        return
    if not isinstance(estimator.learn_as, str):
        raise SettingError(
            f"learn_as is {estimator.learn_as!r:.60}; expected the name of a chunk encoding, or None.",
            remedy=f"Choose one of {', '.join(registry.names('encoding'))}.",
        )
    if registry.get("encoding", estimator.learn_as).bare and estimator.encoding != estimator.learn_as:
        raise UnsupportedError(
            f"{estimator.learn_as.upper()} cannot keep two chunks of a type apart that touch, so chunks are not learnt in it.",
            remedy="Choose another learn_as, or leave it out.",
        )
    if not estimator.chunks:
        raise UnsupportedError(
            f"learn_as is {estimator.learn_as!r}, but the task {estimator.task_name!r} has plain labels: there are "
            "no chunks to write in another way.",
            remedy="Leave out learn_as; chunks are for Chunker and EntityRecognizer (tasks chunk and ner).",
        )


def check_template(given: Any) -> None:
    is_source = given is None or isinstance(given, (str, os.PathLike))
    is_list = isinstance(given, (list, tuple)) and all(isinstance(template, Template) for template in given)
    if not is_source and not is_list:
        raise SettingError(
            f"template is {given!r:.60}; expected a name, the path of a file, or templates.",
            remedy="riata.features.templates.parse(text) makes templates.",
        )


def check_class_weight(given: Any) -> None:
    if not isinstance(given, (Mapping, str, type(None))):
        raise SettingError(f'class_weight is {given!r}; expected a dictionary or "balanced".')
    for label, weight in given.items() if isinstance(given, Mapping) else ():
        if not isinstance(weight, Real) or not 0 <= float(weight) <= LARGEST_WEIGHT:
            raise SettingError(
                f"class_weight of {label!r} is {weight!r}; expected a number from 0 to {LARGEST_WEIGHT:g}."
            )


def check_beside_parameters(estimator: Any, settings: Mapping[str, Any]) -> None:
    """Refuses settings that have no effect for the task of the estimator, or beside its other parameters."""
    if settings.get("constrain") and not estimator.chunks:
        raise UnsupportedError(
            f"setting 'constrain' is set, but the task {estimator.task_name!r} has plain labels: every sequence of them is legal.",
            remedy="Leave out constrain.",
        )
    if LOSS in (estimator.settings or {}) or estimator.class_weight is not None:
        check_loss(settings, weighs_classes=estimator.class_weight is not None)
    if settings.get("shuffle") is False and estimator.seeds != 1:
        raise UnsupportedError(
            f"seeds is {estimator.seeds}, but setting 'shuffle' is false: a seed says in which order sentences are visited, so all models "
            "would be the same.",
            remedy="Leave out shuffle, or seeds.",
        )
    if settings.get("record") and estimator.seeds != 1:
        raise UnsupportedError(
            f"setting 'record' keeps the updates of one training for diagnose, but seeds is {estimator.seeds}.",
            remedy="Leave out record, or seeds.",
        )


def check_attributes(attributes: Mapping[str, Attribute]) -> None:
    if not isinstance(attributes, Mapping):
        raise SettingError(f"attributes is {attributes!r:.60}; expected a dictionary from names to functions.")
    for name, function in attributes.items():
        if not callable(function):
            raise SettingError(f"attribute {name!r} is {function!r}; expected a function from a word to a text.")
        if name in builtin() or name in SUMMARIES or not _names_an_attribute(name):
            raise SettingError(
                f"attribute {name!r} has a name that templates use already, or cannot use.",
                remedy="Choose another name: letters, digits and _, not one that `riata pieces` lists.",
            )


def _names_an_attribute(name: str) -> bool:
    """Whether `name[0]` in a template reads the attribute with this name: it is not a column, not number, and not a syntax error."""
    try:
        template = template_language.parse(f"word[0]\n{name}[0]")[-1]
    except RiataError:
        return False
    return name not in (LABEL, NUMBER, FREQUENCY) and [read.attribute for read in template.reads] == [name]
