"""Lists of candidates: whole outputs for one input, with what is known of each."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riata.data.json_lines.reading import Numbered, objects
from riata.errors import DataError, printed

Named = Mapping[str, float]  # features by name
KEYS = ("output", "score", "features", "loss")


@dataclass(frozen=True)
class Candidate:
    """A whole output. score: of the model that proposed it. features: by name. loss: how wrong it is; None: not known.

    >>> riata.Candidate("a cat", 2.0, {"words": 2}, loss=0.0).output
    'a cat'
    """

    output: Any
    score: float = 0.0
    features: Named = field(default_factory=dict)
    loss: float | None = None


@dataclass(frozen=True, eq=False)
class Listed:
    """The candidates for one input, best first by the scores of the model that proposed them."""

    tokens: Any  # the input: of sentences, a tuple of columns per token
    outputs: Sequence[Any]
    scores: NDArray[np.float64]
    losses: NDArray[np.float64] | None = None  # None: not known
    given: Sequence[Named] = ()  # features from outside, per candidate
    features: Sequence[Named] = ()  # those that are learnt from, per candidate
    places: Sequence[int] = ()  # the numbers of the candidates in the list from outside

    def __len__(self) -> int:
        return len(self.outputs)

    @property
    def target(self) -> int:
        """The number of the first candidate of least loss."""
        assert self.losses is not None
        return int(np.argmin(self.losses))


def read_lists(path: str | Path) -> list[list[Candidate]]:
    """Lists of candidates from JSON lines: in each an object {"candidates": [{"output": …, "score": …, "features": …, "loss": …}]}.

    score: of the model that proposed it. features: an object with numbers, or a list of names. loss: how wrong it is. Only the output is
    needed. Candidates are ranked by their scores; equal ones stay in their order.

    >>> from pathlib import Path
    >>> _ = Path("lists.jsonl").write_text('{"candidates": [{"output": "a cat", "score": 2, "loss": 0}]}')
    >>> riata.read_lists("lists.jsonl")[0][0].score
    2.0
    """
    return [candidates_in(one, path) for batch in objects(path) for one in batch]


def candidates_in(one: Numbered, path: str | Path) -> list[Candidate]:
    try:
        found = one.fields.get("candidates")
        if not isinstance(found, list):
            raise DataError('expected an object with a list "candidates".')
        return [_candidate(each) for each in found]
    except DataError as error:
        raise error.located(path, one.line) from None


def _candidate(each: Any) -> Candidate:
    if not isinstance(each, dict) or "output" not in each:
        raise DataError(f'a candidate is {printed(each):.60}; expected an object with "output".')
    if unknown := set(each) - set(KEYS):
        raise DataError(
            f"a candidate has {min(unknown)!r:.40}; expected {', '.join(KEYS)}.",
            remedy='Put what is known of it into its "features".',
        )
    loss = each.get("loss")
    features = named(each.get("features", {}), "features of a candidate")
    return Candidate(
        each["output"],
        _number(each.get("score", 0.0), "score"),
        features,
        None if loss is None else _number(loss, "loss"),
    )


def _number(value: Any, what: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float, np.number)) or not math.isfinite(value):
        raise DataError(f"the {what} of a candidate is {printed(value):.40}; expected a finite number.")
    return float(value)


def named(found: Any, what: str) -> dict[str, float]:
    """Features as users write them: names, (name, value) pairs, or a dictionary."""
    pairs: Iterable[Any]
    if isinstance(found, Mapping):
        pairs = found.items()
    elif isinstance(found, Iterable) and not isinstance(found, (str, bytes)):
        pairs = ((one, 1.0) if isinstance(one, str) else one for one in found)
    else:
        raise DataError(f"the {what} are {printed(found):.60}; expected names, (name, value) pairs, or a dictionary.")
    made: dict[str, float] = {}
    for pair in pairs:
        if not isinstance(pair, (tuple, list)) or len(pair) != 2 or not isinstance(pair[0], str):
            raise DataError(f"among the {what} is {printed(pair):.60}; expected a name, or a (name, value) pair.")
        value = float(pair[1]) if isinstance(pair[1], bool) else _number(pair[1], f"feature {pair[0]!r:.40}")
        made[pair[0]] = made.get(pair[0], 0.0) + value
    return made


def listed(candidates: Any, n: int, *, losses: bool) -> Listed:
    """A list from outside, checked. losses: whether every candidate must have one."""
    found = (
        list(candidates) if isinstance(candidates, Iterable) and not isinstance(candidates, (str, Mapping)) else None
    )
    if found is None or not all(isinstance(each, Candidate) for each in found):
        raise DataError(
            f"list {n} is {printed(candidates):.60}; expected a list of riata.Candidate.",
            remedy="riata.read_lists(path) makes them of JSON lines.",
        )
    if not found:
        raise DataError(f"list {n} has no candidates.", remedy="Leave it out, or give at least one.")
    try:
        scores = np.array([_number(each.score, "score") for each in found])
        given = [named(each.features, "features of a candidate") for each in found]
        known = [each.loss for each in found]
        if losses and None in known:
            raise DataError(
                "a candidate has no loss, from which the reranker could learn.", remedy="Give every candidate one."
            )
        counted = None if None in known else np.array([_number(loss, "loss") for loss in known])
        if counted is not None and counted.min() < 0:
            raise DataError(f"the loss of a candidate is {counted.min():g}; expected a number of at least 0.")
    except DataError as error:
        raise error.located(f"list {n}") from None
    order = np.argsort(-scores, kind="stable")
    return Listed(
        None,
        [found[i].output for i in order],
        scores[order],
        None if counted is None else counted[order],
        [given[i] for i in order],
        places=order.tolist(),
    )
