"""The header of a model file, part by part: its facts about an estimator of sequences, or ModelFileError if they are impossible."""

from __future__ import annotations

import json
import math
import zlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeGuard

from riata import registry
from riata._core import unbounded
from riata.errors import ModelFileError
from riata.features.attributes import Attribute
from riata.models import container

if TYPE_CHECKING:
    from riata.confidence.calibration import Calibration
    from riata.data.recoding import Tags
    from riata.estimators.sequence import SequenceEstimator
    from riata.inference.decoder import Decoder
    from riata.models.model import Model

SEARCH = "search"  # where a model file stores how outputs are searched
LONGEST_REASON = 1000  # characters


def restore_training(estimator: SequenceEstimator, training: dict[str, Any]) -> None:
    score, counts, name = training.get("best_score"), training.get("label_counts"), training.get("name")
    epoch, sentences, tokens = (training.get(key) for key in ("best_epoch", "sentences", "tokens"))
    chosen = training.get("chosen", {})
    if (
        not (_is_count(epoch) and _is_count(sentences) and _is_count(tokens))
        or not (isinstance(counts, dict) and all(_is_count(count) for count in counts.values()))
        or not isinstance(name, str)
        or not (isinstance(chosen, dict) and all(_is_real(value) for value in chosen.values()))
        or not (score is None or _is_real(score))
    ):
        raise ModelFileError("the model's facts about its training are inconsistent")
    estimator.best_epoch_ = epoch
    estimator.best_score_ = score
    estimator.seconds_ = None  # not stored, so that the same seed gives the same bytes
    estimator.facts_ = {"name": name, "sentences": sentences, "tokens": tokens, "label_counts": counts}
    if chosen:
        estimator.facts_["chosen"] = chosen
    estimator.history_ = []


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
    from riata.features.context_names import MODES

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


def structure_in(header: dict[str, Any], estimator: SequenceEstimator) -> str:
    """The structure, checked: a task with one output cannot have a model with two, nor the other way round."""
    name = structure_named(header)
    if (
        not isinstance(name, str)
        or name not in registry.names("structure")
        or registry.get("structure", name).gives != (estimator.outputs, estimator.trees)
    ):
        raise ModelFileError("the model's structure is inconsistent")
    return str(name)


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


def search_in(header: dict[str, Any], structure: str) -> Decoder | None:
    """How outputs are searched; None: the parameters say."""
    from riata.inference.decoder import Decoder

    found = header.get(SEARCH)
    if found is None:
        return None
    queue, beam = (found.get("queue"), found.get("beam")) if isinstance(found, dict) else (None, None)
    if isinstance(queue, str) and queue in registry.get("structure", structure).queues:
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
    from riata.data.recoding import Tags

    name = header.get("encoding")
    if name is None and header.get("learnt_as") is None:
        return None
    names: tuple[Any, Any] = (name, header.get("learnt_as", name))
    for given in names:
        if given not in registry.names("encoding"):
            raise ModelFileError(f"the model's encoding {given!r} is unknown")
    tags = Tags(*(registry.get("encoding", given) for given in names))
    if tags.recoded and not all(map(tags.learnt.is_tag, model.outputs.chunk_labels())):
        raise ModelFileError("the model's labels are not tags of the encoding that it was learnt in")
    return tags
