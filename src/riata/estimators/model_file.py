"""Estimators to model files and back: what they all have in common, and the estimators of sequences."""

from __future__ import annotations

import json
import math
import zlib
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeGuard

from riata import registry
from riata._core import unbounded
from riata.errors import ModelFileError, RiataError, UnsupportedError
from riata.estimators.constrained import ROLE, constraints_in, stored_constraints
from riata.estimators.input_check import check_of, restored, stored
from riata.estimators.predicting import asked_of_search
from riata.estimators.sequence import SequenceEstimator
from riata.features.attributes import Attribute, builtin
from riata.features.templates import SUMMARIES, Scope, names
from riata.features.templates import functions as context_functions
from riata.inference.structure import Decoder, StructureKind
from riata.models import container
from riata.models.container import FORMAT, PROBLEM, SETTING, STRUCTURE, TAGGER, qualified_name

if TYPE_CHECKING:
    from pathlib import Path

    from riata.confidence.calibration import Calibration
    from riata.data.encodings.base import Tags
    from riata.models.model import Model
    from riata.problems.predictor import Predictor


FIRST = "first"  # where a model file stores the first of two passes,
TAGGERS = "taggers"  # and the taggers of a model with tags of its own
# Parameters that are not stored themselves, but as their results, if there are any.
NOT_STORED = (
    "attributes",
    "bits",
    "calibrated",
    "check_input",
    "constraints",
    "lists",
    "stream",
    "template",
    "threads",
    "vectors",
    "warm_start",
)


def save_model(estimator: SequenceEstimator | Predictor, path: str | Path) -> None:
    container.write(path, to_bytes(estimator))


def load_model(path: str | Path, using: Iterable[Any] = ()) -> Any:
    """A trained estimator from its file: a Tagger, a Chunker, a JointTagger, an EntityRecognizer or a Predictor.

    Nothing in the file is executed or imported. A model that uses code of yours (attributes, a kernel, a Problem) names it, and `using`
    must supply every piece: `load_model("m.riata", using=[vowels])`, `load_model("p.riata", using=[MyProblem()])`;
    a single one may stand alone.

    >>> riata.Tagger(epochs=2).fit([["a", "b"]], [["X", "Y"]]).save("tagger.riata")
    >>> riata.load_model("tagger.riata").predict([["b", "a"]])
    [['X', 'Y']]
    """
    try:
        return _estimator(*container.read(path), using)
    except (RiataError, MemoryError) as error:
        raise _as_model_error(error).located(path) from None


def load_labeller(path: str | Path) -> Any:
    """The model of a file as it labels sentences: of a reranker, its base with the choice from lists."""
    return labeller(load_model(path))


def labeller(found: Any) -> Any:
    return vars(found).get("ranked_") or found


def from_bytes(content: bytes | memoryview, using: Iterable[Any] = ()) -> Any:
    try:
        return _estimator(*container.unpack(memoryview(content)), using)
    except (RiataError, MemoryError) as error:
        raise _as_model_error(error) from None


def to_bytes(estimator: SequenceEstimator | Predictor) -> bytes:
    if not isinstance(estimator, SequenceEstimator):
        from riata.problems import model_file, structure_file

        file: Any = structure_file if hasattr(estimator, "structure") else model_file
        content: bytes = file.to_bytes(estimator)
        return content
    return container.pack(*_parts(estimator))


def _parts(estimator: SequenceEstimator) -> tuple[dict[str, Any], container.Arrays]:
    """Header and arrays of a model file; those of the first of two passes are stored in it under a separate name."""
    model = estimator._check_fitted()
    from riata.choosing.options import checked

    # Refuses parameters that were set since training and could not be loaded.
    options = checked(estimator, training=False)
    if options.choice.structure.name != model.structure:
        raise UnsupportedError(
            f"the structure is {options.choice.structure.name!r} now, but the model was trained with {model.structure!r}.",
            remedy="Set it as it was, or train anew.",
        )
    header, arrays = model.to_parts()
    constraints, of_constraints = ([], {}) if estimator.constraints is None else stored_constraints(estimator)
    functions = {**user_functions(model), **of_constraints}
    header |= {
        "format": FORMAT,
        "task": estimator.task_name,
        "params": _storable(estimator),
        "functions": _qualified_names(functions),
        **({"constraints": constraints} if constraints else {}),
        "inputs": list(estimator.inputs_),
        "array_width": estimator.array_width_,
        "output": list(estimator.outputs_) if estimator.outputs > 1 else estimator.output_,
        "source": estimator.format_,
        **({"names": list(estimator.names_)} if estimator.names_ else {}),
        **({} if estimator.breadth_ is None else {"breadth": estimator.breadth_}),
        "encoding": estimator.encoding_,
        "learnt_as": estimator.learnt_as_,
        **({"calibration": [each.to_dict() for each in estimator.calibration_]} if estimator.calibration_ else {}),
        **({"uncalibrated": estimator.uncalibrated_} if estimator.uncalibrated_ else {}),
        **({"profile": stored(estimator._input.profile)} if estimator._input is not None else {}),
        "training": {
            **estimator.facts_,
            "best_epoch": estimator.best_epoch_,
            "best_score": None if estimator.best_score_ is None else float(estimator.best_score_),
        },
    }
    header |= _stored_search(estimator, header)
    if estimator.first_ is not None:
        assert estimator.context_ is not None
        header["context"] = list(estimator.context_)
        header[FIRST], first = _parts(estimator.first_)
        arrays |= {f"{FIRST}/{name}": array for name, array in first.items()}
    if estimator.taggers_:
        header[TAGGERS] = []
    for number, tagger in enumerate(estimator.taggers_):
        inner, found = _parts(tagger)
        header[TAGGERS].append(inner)
        arrays |= {f"{TAGGERS}/{number}/{name}": array for name, array in found.items()}
    return header, arrays


def _stored_search(estimator: SequenceEstimator, header: dict[str, Any]) -> dict[str, Any]:
    """The queue and the beam, and that the parameters were found to go together: loading need not look at their recipe."""
    from riata.choosing.recipe import recipe_name

    found, own_templates = (
        estimator.predicting.search(),
        registry.get("recipe", recipe_name(estimator)).templates is not None,
    )
    if own_templates or found != Decoder(found.queue, found.beam):
        return {}
    stored = {"queue": found.queue, **({} if found.beam == unbounded else {"beam": found.beam})}
    return {SEARCH: {**stored, "checked": digest({**header, SEARCH: stored})}}


def pickled(estimator: SequenceEstimator) -> dict[str, Any]:
    """What a pickle of a trained estimator holds."""
    functions = [*user_functions(estimator.model_).values(), *stored_constraints(estimator)[1].values()]
    return {"params": estimator.get_params(deep=False), "model": to_bytes(estimator), "functions": functions}


def user_functions(model: Model) -> dict[str, Any]:
    """The functions of a model that are not Riata's own, by their role: attributes, and values of settings."""
    from riata.features.expressions import Expression

    functions = model.features.functions
    names = {name for name in functions if not isinstance(functions[name], Expression)} - {*builtin(), *SUMMARIES}
    return {**{name: functions[name] for name in sorted(names)}, **model.outputs.functions()}


def _qualified_names(functions: Mapping[str, Attribute]) -> dict[str, str]:
    named = {name: qualified_name(function) for name, function in functions.items()}
    for name, qualified in named.items():
        others = [other for other in named if named[other] == qualified and functions[other] is not functions[name]]
        if others:
            raise UnsupportedError(
                f"the attributes {name!r} and {others[0]!r} are different functions of one name, {qualified}; "
                "a model file tells functions apart by name.",
                remedy="Write each with `def` at the top of a module.",
            )
    return named


def _storable(estimator: SequenceEstimator) -> dict[str, Any]:
    """The parameters that are plain values. Corpora, templates and functions are stored as their results."""
    from riata.choosing.passes import OF_TWO_PASSES
    from riata.choosing.recipe import recipe_name

    params = {}
    for name, value in estimator.get_params(deep=False).items():
        if name in NOT_STORED or (name == "dev" and not isinstance(value, (int, float))):
            continue
        if name in OF_TWO_PASSES and estimator.first_ is None:
            continue
        if name == "inference" and estimator.constraints is None:  # says nothing without constraints
            continue
        # A function is stored by its name, as one of the model's functions.
        params[name] = {k: v for k, v in value.items() if not callable(v)} if isinstance(value, Mapping) else value
    if estimator.first_ is not None:
        params["passes"] = 2  # whatever was set since training
    return {**params, "recipe": recipe_name(estimator)}


def _predictor(header: dict[str, Any], arrays: container.Arrays, functions: dict[str, Any]) -> Predictor:
    """Of a problem or a structure of the user's."""
    from riata.problems import model_file, structure_file

    task = header["task"]
    if set(functions) != {task}:
        raise ModelFileError("the model's functions are inconsistent")
    read: Any = model_file.from_parts if task == PROBLEM else structure_file.from_parts
    predictor: Predictor = read(header, arrays, functions[task])
    return predictor


def _estimator(header: dict[str, Any], arrays: container.Arrays, using: Iterable[Any]) -> SequenceEstimator | Predictor:
    task = header.get("task")
    if header.get("format") != FORMAT or task not in (PROBLEM, STRUCTURE, *registry.names("task")):
        raise ModelFileError(
            "the file holds no model that this Riata knows.", remedy="Update Riata, or train the model again."
        )
    of_class = None if task in (PROBLEM, STRUCTURE) else registry.get("task", task).estimator
    if hasattr(of_class, "from_parts"):  # its models are no models of sentences
        return of_class.from_parts(header, arrays, using)  # type: ignore[no-any-return, union-attr]
    functions = functions_in(header, using)
    if task in (PROBLEM, STRUCTURE):
        return _predictor(header, arrays, functions)
    of_settings = {role: functions.pop(role) for role in list(functions) if role.startswith(SETTING)}
    of_constraints = {role: functions.pop(role) for role in list(functions) if role.startswith(ROLE)}
    functions = {**expressions_in(header), **functions}
    estimator = _unfitted(header, functions, {role.removeprefix(SETTING): found for role, found in of_settings.items()})
    if "constraints" in header:
        estimator.constraints = constraints_in(header, of_constraints)
    first = _first_pass(header, arrays, using, estimator)
    structure = structure_in(header, estimator)
    search = search_in(header, structure.queues)
    outputs = registry.of_structure("outputs", structure.name)
    context = names(chunks=estimator.chunks) if first is not None else ()
    of_context = context_functions(context) if context else {}
    known = {**builtin(), **functions, **of_settings, **of_context}
    model = outputs.from_parts(header, arrays, known)
    estimator.labels.set_model(model, tags_in(header, model))
    inputs = inputs_in(header, model, context, estimator.columns.fewest_inputs)
    if first is not None and first.inputs_ != inputs:
        raise ModelFileError("the two passes of the model read different columns")
    features = model.features
    context_ = None if first is None else Scope(*scope_in(header))
    estimator.__dict__.update(inputs_=inputs, first_=first, context_=context_)
    estimator.__dict__.update(
        taggers_=_taggers(header, arrays, using, estimator),
        array_width_=array_width_in(header),
        outputs_=outputs_in(header, estimator.outputs),
        format_=source_in(header),
        names_=names_in(header),
        breadth_=breadth_in(header),
        template=features.templates if inputs and (search or _takes_templates(estimator)) else None,
        bits=features.bits or None,
        lists={name: words.texts() for name, words in features.lists.items()} or None,
        vectors=features.vectors,
        calibration_=calibration_in(header, estimator.outputs),
        uncalibrated_=uncalibrated_in(header),
        **training_in(mapping_in(header, "training")),
        _input=check_of(restored(header.get("profile"))),
        _searched=None if search is None else (asked_of_search(estimator), search),
    )
    estimator.predicting.decoder()  # refuses parameters that cannot be combined
    return estimator


def _takes_templates(estimator: SequenceEstimator) -> bool:
    """Whether the recipe can be trained again with templates: one that has its own refuses others."""
    from riata.choosing.recipe import recipe_name

    return registry.get("recipe", recipe_name(estimator)).templates is None


def _first_pass(header: dict[str, Any], arrays: container.Arrays, using: Iterable[Any], estimator: Any) -> Any:
    """The first of two passes; None if there is one pass."""
    if (FIRST in header) != (estimator.passes == 2):
        raise ModelFileError("the model's passes are inconsistent")
    if FIRST not in header:
        return None
    inner = mapping_in(header, FIRST)
    if inner.get("task") != header["task"] or FIRST in inner:
        raise ModelFileError("the model's first pass is inconsistent")
    return _estimator(inner, _under(FIRST, arrays), using)


def _taggers(
    header: dict[str, Any], arrays: container.Arrays, using: Iterable[Any], estimator: Any
) -> tuple[SequenceEstimator, ...]:
    """The taggers of a model with tags of its own: one for every input after the words."""
    found = header.get(TAGGERS, [])
    if not isinstance(found, list) or len(found) not in estimator.columns.tagger_counts():
        raise ModelFileError("the model's taggers are inconsistent")
    taggers = []
    for number, inner in enumerate(found):
        if not isinstance(inner, dict) or inner.get("task") != TAGGER or TAGGERS in inner or FIRST in inner:
            raise ModelFileError("the model's taggers are inconsistent")
        tagger: Any = _estimator(inner, _under(f"{TAGGERS}/{number}", arrays), using)
        taggers.append(tagger)
    return tuple(taggers)


def _under(name: str, arrays: container.Arrays) -> container.Arrays:
    """The arrays of a model that is stored in another one."""
    return {key.removeprefix(f"{name}/"): array for key, array in arrays.items() if key.startswith(f"{name}/")}


def _unfitted(header: dict[str, Any], functions: dict[str, Attribute], settings: dict[str, Any]) -> SequenceEstimator:
    """functions: attributes; settings: those whose values are functions."""
    params = mapping_in(header, "params")
    cls: type[SequenceEstimator] = registry.get("task", header["task"]).estimator
    unknown = set(params) - (set(cls._param_names()) - set(NOT_STORED))
    if unknown:
        raise ModelFileError(f"the model's parameter {min(unknown)!r} is unknown")
    if not isinstance(params.get("recipe"), str):
        raise ModelFileError("the model's parameter 'recipe' is inconsistent")
    if not isinstance(params.get("dev", 0.1), (int, float, type(None))):
        raise ModelFileError("the model's parameter 'dev' is inconsistent")
    if settings:
        params = {**params, "settings": {**mapping_in(params, "settings"), **settings}}
    estimator = cls(**{**params, "attributes": functions or None})
    if not is_checked(header):
        from riata.choosing.options import checked

        checked(estimator, training=False, structure=structure_named(header))
    return estimator


def functions_in(header: dict[str, Any], using: Iterable[Any]) -> dict[str, Any]:
    """The user's code that the model names, by its role in the model."""
    wanted = mapping_in(header, "functions")
    supplied: dict[str, Any] = {}
    for function in using if isinstance(using, Iterable) else [using]:
        if supplied.setdefault(qualified_name(function), function) is not function:
            raise UnsupportedError(
                f"`using` holds two things of one name, {qualified_name(function)}.", remedy="Supply the right one."
            )
    missing = sorted({str(qualified) for qualified in wanted.values()} - set(supplied))
    if missing:
        raise ModelFileError(
            f"the model uses code that is not stored in it: {', '.join(missing)}.",
            remedy=f"Supply them: riata.load_model(path, using=[{', '.join(name.rpartition('.')[2] for name in missing)}]).",
        )
    if wanted and set(wanted) & set(builtin()):
        raise ModelFileError("the model's functions are inconsistent")
    return {name: supplied[qualified] for name, qualified in wanted.items()}


def _as_model_error(error: RiataError | MemoryError) -> ModelFileError:
    """Any error inside a model file is an error of the file."""
    if isinstance(error, MemoryError):
        return ModelFileError(
            "the model asks for more memory than there is.", remedy="Free some, or train a smaller model."
        )
    if isinstance(error, ModelFileError):
        return error
    if isinstance(error, UnsupportedError):
        return ModelFileError(error.message, remedy=error.remedy)
    return ModelFileError(f"the model is inconsistent: {error.message}", remedy="Train the model again.")


SEARCH = "search"  # where a model file stores how outputs are searched
LONGEST_REASON = 1000  # characters


def training_in(training: dict[str, Any]) -> dict[str, Any]:
    """What an estimator says of its training."""
    score, counts, name = training.get("best_score"), training.get("label_counts"), training.get("name")
    epoch, sentences, tokens = (training.get(key) for key in ("best_epoch", "sentences", "tokens"))
    chosen, recipe = training.get("chosen", {}), training.get("recipe")
    if (
        not (_is_count(epoch) and _is_count(sentences) and _is_count(tokens))
        or not (isinstance(counts, dict) and all(_is_count(count) for count in counts.values()))
        or not isinstance(name, str)
        or not (isinstance(chosen, dict) and all(_is_real(value) for value in chosen.values()))
        or not (score is None or _is_real(score))
        or not (recipe is None or recipe in registry.names("recipe"))
    ):
        raise ModelFileError("the model's facts about its training are inconsistent")
    facts = {"name": name, "sentences": sentences, "tokens": tokens, "label_counts": counts}
    facts |= {name: value for name, value in (("recipe", recipe), ("chosen", chosen)) if value}
    # The seconds are not stored, so that the same seed gives the same bytes.
    return {"best_epoch_": epoch, "best_score_": score, "seconds_": None, "facts_": facts, "history_": []}


def breadth_in(header: dict[str, Any]) -> int | None:
    breadth = header.get("breadth")
    if breadth is not None and not _is_count(breadth):
        raise ModelFileError("the model's number of columns is inconsistent")
    return breadth


def _is_count(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 63


def _is_real(value: object) -> bool:
    return isinstance(value, float) and math.isfinite(value)


def expressions_in(header: dict[str, Any]) -> dict[str, Attribute]:
    """The attributes that are defined by their names, such as regular expressions."""
    attributes = header.get("attributes")
    pairs = attributes if isinstance(attributes, list) else []
    names = [pair[0] for pair in pairs if isinstance(pair, list) and pair and isinstance(pair[0], str)]
    if not any(name.startswith("match") for name in names):
        return {}
    from riata.features.expressions import expressions

    return dict(expressions(names))


def mapping_in(header: dict[str, Any], key: str) -> dict[str, Any]:
    value = header.get(key)
    if not isinstance(value, dict):
        raise ModelFileError(f"the model's {key} are missing or inconsistent")
    return value


def scope_in(header: dict[str, Any]) -> tuple[str, int]:
    """Which sentences vote about a sentence in the second pass: the mode, and the number of sentences of a window."""
    from riata.features.templates import MODES

    found = header.get("context")
    if not isinstance(found, list) or len(found) != 2:
        raise ModelFileError("the model's context is missing or inconsistent")
    mode, window = found
    if not isinstance(mode, str) or mode not in MODES or not _is_count(window) or window == 0:
        raise ModelFileError("the model's context is missing or inconsistent")
    return str(mode), window


def inputs_in(header: dict[str, Any], model: Model, context: Sequence[str], fewest: int) -> tuple[int, ...]:
    """context: attributes that a first pass adds as columns after these. fewest: how many the task needs."""
    inputs = header.get("inputs")
    if not isinstance(inputs, list) or len(inputs) < fewest or not all(_is_count(i) and i < 1 << 31 for i in inputs):
        raise ModelFileError("the model's inputs are missing or inconsistent")
    program = model.features.program
    at = {name: len(inputs) + i for i, name in enumerate(context)}
    reads = [*program.attributes, *((read.attribute, read.column) for read in program.numbers)]
    if any(column != at[name] if name in at else column >= len(inputs) + model.features.made for name, column in reads):
        raise ModelFileError("the model's templates read columns that it does not have")
    return tuple(inputs)


def array_width_in(header: dict[str, Any]) -> int | None:
    width = header.get("array_width")
    if width is not None and not _is_count(width):
        raise ModelFileError("the model's array_width is inconsistent")
    return width


def outputs_in(header: dict[str, Any], number: int) -> tuple[int, ...]:
    """One column is a number, several are a list."""
    output = header.get("output")
    found = output if isinstance(output, list) and number > 1 else [output]
    if len(found) != number or not all((_is_count(column) and column < 1 << 31) or column == -1 for column in found):
        raise ModelFileError("the model's output is missing or inconsistent")
    return tuple(found)


def calibration_in(header: dict[str, Any], number: int) -> tuple[Calibration, ...]:
    found = header.get("calibration", [])
    if not isinstance(found, list) or len(found) not in (0, number):
        raise ModelFileError("the model's calibration is inconsistent")
    if not found:
        return ()
    from riata.confidence.calibration import Calibration

    return tuple(map(Calibration.from_dict, found))


def uncalibrated_in(header: dict[str, Any]) -> str:
    """Why the model is not calibrated; empty: it is, or this is not known."""
    reason = header.get("uncalibrated", "")
    if not isinstance(reason, str) or len(reason) > LONGEST_REASON:
        raise ModelFileError("the model's calibration is inconsistent")
    return reason


def structure_named(header: dict[str, Any]) -> Any:
    """The structure that a model file names. Files of chains name none."""
    return header.get("structure", "chain")


def structure_in(header: dict[str, Any], estimator: SequenceEstimator) -> StructureKind:
    """The structure, checked: a task with one output cannot have a model with two, nor the other way round."""
    name = structure_named(header)
    kind: StructureKind | None = (
        registry.get("structure", name) if isinstance(name, str) and name in registry.names("structure") else None
    )
    if kind is None or (kind.columns, kind.trees) != (estimator.outputs, estimator.trees):
        raise ModelFileError("the model's structure is inconsistent")
    return kind


def digest(header: dict[str, Any]) -> int:
    """Of what is checked before a model file is written: parameters, and how outputs are searched."""
    found = [header.get(name) for name in ("task", "structure", "params", SEARCH)]
    return zlib.crc32(json.dumps(found, sort_keys=True, default=container.plain).encode())


def is_checked(header: dict[str, Any]) -> bool:
    """Whether the parameters are those that were checked when the file was written."""
    found = header.get(SEARCH)
    if not isinstance(found, dict):
        return False
    return found.get("checked") == digest({**header, SEARCH: {k: v for k, v in found.items() if k != "checked"}})


def search_in(header: dict[str, Any], queues: frozenset[str]) -> Decoder | None:
    """How outputs are searched; None: the parameters say. queues: those that can search the structure."""
    found = header.get(SEARCH)
    if found is None:
        return None
    queue, beam = (found.get("queue"), found.get("beam")) if isinstance(found, dict) else (None, None)
    if isinstance(queue, str) and queue in queues:
        if beam is None:
            return Decoder(queue)
        if registry.get("queue", queue).has_beam and _is_count(beam) and 0 < beam <= unbounded:
            return Decoder(queue, beam)
    raise ModelFileError("the model's search is inconsistent")


def source_in(header: dict[str, Any]) -> str:
    source = header.get("source")
    if source not in ("memory", *registry.names("format")):
        raise ModelFileError("the model's source is missing or inconsistent")
    return str(source)


def names_in(header: dict[str, Any]) -> tuple[str, ...]:
    """The names of the columns of the training data; empty where they had none."""
    names = header.get("names", [])
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names) or len(set(names)) < len(names):
        raise ModelFileError("the model's names of columns are inconsistent")
    return tuple(names)


def tags_in(header: dict[str, Any], model: Model) -> Tags | None:
    from riata.data.encodings.base import Tags

    name = header.get("encoding")
    if name is None and header.get("learnt_as") is None:
        return None
    names: tuple[Any, Any] = (name, header.get("learnt_as", name))
    for given in names:
        if given not in registry.names("encoding"):
            raise ModelFileError(f"the model's encoding {given!r} is unknown")
    tags = Tags(registry.get("encoding", names[0]), registry.get("encoding", names[1]))
    if names[0] != names[1] and not all(map(tags.learnt.is_tag, model.outputs.chunk_labels())):
        raise ModelFileError("the model's labels are not tags of the encoding that it was learnt in")
    return tags
