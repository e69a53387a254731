"""Matchers to model files and back: the weights of features of links and, beside them, the template and what it reads of words."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from riata.errors import ModelFileError, RiataError
from riata.estimators.model_file import functions_in
from riata.inference.matching import rooms
from riata.matching.corpora import LinkStructure
from riata.matching.counts import WordTable
from riata.matching.language import PairTemplate
from riata.matching.search import LinkSearch, LinkSearcher
from riata.models import container
from riata.models.container import FORMAT, Arrays, qualified_name
from riata.problems import model_file as problem_file
from riata.problems import structure_file

NOT_STORED = ("template", "features", "bitext", "aligners", "part")  # the template is stored as that of the model
LEARNT, FEATURES = "learnt", "features"


def to_bytes(matcher: Any) -> bytes:
    learnt = matcher._check_fitted()
    structure: Any = learnt.structure
    own = structure.own
    header = {
        "format": FORMAT,
        "task": matcher.task_name,
        "params": matcher.stored_params(),
        "functions": {} if own is None else {FEATURES: qualified_name(own)},
        "template": None if structure.template is None else str(structure.template),
        "fertility": structure.fertility,
        "costs": structure.costs,
        "width": structure.width,
        "searched": isinstance(learnt, LinkSearcher),
    }
    content = learnt.to_bytes() if isinstance(learnt, LinkSearcher) else structure_file.to_bytes(learnt)
    arrays: Arrays = {LEARNT: np.frombuffer(content, np.uint8)}
    if structure.words is not None:
        arrays |= structure.words.to_arrays()
    return container.pack(header, arrays)


def with_model(
    cls: Any, params: Mapping[str, Any], header: dict[str, Any], arrays: Arrays, using: Iterable[Any]
) -> Any:
    """A matcher of these parameters, with what its file holds. Raises a RiataError on anything inconsistent."""
    functions, template, costs = functions_in(header, using), header.get("template"), header.get("costs")
    low, high = costs if isinstance(costs, list) and len(costs) == 2 else (math.nan, math.nan)
    width = header.get("width")
    if (
        not all(isinstance(cost, (int, float)) and cost >= 0 for cost in (low, high))
        or set(functions) != ({FEATURES} if template is None else set())
        or LEARNT not in arrays
        or not (width is None or (type(width) is int and width >= 0))
    ):
        raise ModelFileError("the matcher's features are inconsistent")
    own = functions.get(FEATURES)
    try:
        parsed = None if template is None else PairTemplate.parse(template)
        made = cls(**{**params, "settings": params["settings"] or None, "template": template, "features": own})
    except (RiataError, TypeError, AttributeError) as error:
        raise ModelFileError(f"the matcher's params are inconsistent: {error}") from None
    words = WordTable.from_arrays(arrays) if parsed is not None and parsed.reads_words else None
    structure = LinkStructure(
        fertility=rooms(header.get("fertility")),
        costs=(float(low), float(high)),
        template=parsed,
        words=words,
        own=own,
        width=width,
    )
    content = arrays[LEARNT].tobytes()
    if header.get("searched"):
        predictor = problem_file.from_parts(*container.unpack(memoryview(content)), LinkSearch(structure.costs))
        made.learnt_ = LinkSearcher(structure, predictor)
    else:
        made.learnt_ = structure_file.from_bytes(content, structure)
    return made
