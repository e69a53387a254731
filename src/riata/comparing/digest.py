"""What a finished training depends on, as one digest: the data, the program, the parameters and the files they name."""

from __future__ import annotations

import hashlib
import json
import pickle
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import riata
from riata import _core
from riata.comparing.plan import Cell, Plan
from riata.data.propositions import RoleCorpus
from riata.data.types import Corpus
from riata.errors import UnsupportedError
from riata.inference.constraints.base import Constraint

NAME_FILES = ("template", "lists", "vectors")  # parameters that may be names of files


@cache
def program() -> str:
    """Of Riata itself: a training of another version, or of changed code, is another training."""
    digest = hashlib.sha256()
    package = Path(riata.__file__).parent
    for path in [*sorted(path for path in package.rglob("*") if path.suffix in SOURCES), Path(_core.__file__)]:
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


SOURCES = (".py", ".template", ".segments", ".joint")


def of_corpus(corpus: Corpus) -> str:
    digest = hashlib.sha256(np.ascontiguousarray(corpus.starts).tobytes())
    for column in corpus.columns:
        digest.update("\n".join(column.texts()).encode("utf-8", "surrogatepass") + b"\0")
    for named in (corpus.given, corpus.vectors):
        if named is not None:
            digest.update(pickle.dumps(named))
    digest.update(repr((corpus.format, corpus.origins)).encode())
    if corpus.document is not None:  # which decides what is held out
        digest.update(np.unique(corpus.document, return_inverse=True)[1].astype(np.int32).tobytes())
    if isinstance(corpus, RoleCorpus):
        digest.update(repr(corpus.propositions).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


class Keys:
    """The keys of a plan's cells."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        scheme = [part.tolist() for part in plan.folds] if plan.test is None else of_corpus(plan.test)
        self.data = _digest(of_corpus(plan.data), scheme, program())

    def of(self, cell: Cell) -> str:
        estimator = self._plan.estimator(cell)
        params = {
            name: _plain(value, files=name in NAME_FILES) for name, value in estimator.get_params(deep=False).items()
        }
        return _digest(self.data, type(estimator).__name__, params, cell.fold)


def _digest(*parts: Any) -> str:
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:32]


def _plain(value: Any, *, files: bool = False) -> Any:
    """A value as JSON; a file as its content."""
    if isinstance(value, Path) or (files and isinstance(value, str) and Path(value).is_file()):
        return {"file": hashlib.sha256(Path(value).read_bytes()).hexdigest(), "name": str(value)}
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, Corpus):
        return of_corpus(value)
    if isinstance(value, Mapping):
        return {str(key): _plain(each, files=files) for key, each in value.items()}
    if isinstance(value, Sequence):
        return [_plain(each) for each in value]
    if hasattr(value, "reads"):  # a template
        return [type(value).__name__, str(value)]
    if isinstance(value, Constraint):  # one with a function of the user's is never kept
        return repr(value)
    raise UnsupportedError(
        f"trainings with {value!r:.60} among their parameters cannot be kept: nobody could tell whether it has changed.",
        remedy="Leave out work.",
    )
