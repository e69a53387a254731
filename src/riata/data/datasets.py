"""Data sets by name: looked for in $RIATA_DATA, then in the user's cache, then in the package."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from riata import registry
from riata.data.columns import pieces, read
from riata.data.types import Corpus
from riata.errors import DataError, UnknownNameError


@dataclass(frozen=True)
class File:
    """One file of a data set: its names (plain, or with .gz) and the md5 sum of its plain content."""

    name: str
    md5: str | None = None


@dataclass(frozen=True)
class DataSet:
    name: str
    summary: str
    licence: str
    files: Mapping[str, File]  # split -> file
    columns: tuple[str, ...]  # names of the columns of a file
    default: tuple[str, ...]  # those that load gives unless told; the last is the output
    where: str  # how to get the files, for sets that cannot be fetched
    url: str | None = None  # of the folder that holds the files, or of a zip archive; None: not to be fetched
    conllu: bool = False
    format: str | None = None  # of its files, for tasks that read no other
    reader: Callable[[Path, str], Corpus] | None = None  # of a file in a layout of its own: from its path and a split
    folder: Path | None = None  # inside the package, for the embedded corpus

    def path(self, split: str) -> Path:
        """The file of a split, wherever it is found first."""
        if split not in self.files:
            raise UnknownNameError.of(f"split of {self.name}", split, self.files)
        for folder in self.folders():
            for suffix in ("", ".gz"):
                path = folder / f"{self.files[split].name}{suffix}"
                if path.is_file():
                    return path
        raise DataError(
            f"the data set {self.name!r} is not here: looked in {', '.join(map(str, self.folders()))}.",
            remedy=self.where,
        )

    def folders(self) -> list[Path]:
        if self.folder is not None:
            return [self.folder]
        named = os.environ.get("RIATA_DATA")
        return ([Path(named) / self.name] if named else []) + [cache_folder() / self.name]

    @property
    def dev(self) -> str | None:
        """The split for development, where there is one."""
        return next((split for split in ("dev", "testa") if split in self.files), None)

    @property
    def test(self) -> str:
        """The split that is scored last, and seldom."""
        return next(split for split in ("test", "testb") if split in self.files)

    def columns_for(self, outputs: Sequence[Sequence[str]]) -> tuple[str, ...] | None:
        """The columns of a task whose outputs have these names, each with its alternatives; None where one is missing."""
        found = [next((name for name in names if name in self.columns), None) for names in outputs]
        if not found or None in found:
            return None
        inputs = [column for column in self.default[:-1] if column not in found]
        return (*inputs, *(name for name in found if name is not None))

    def verify(self, split: str) -> None:
        """Compares the file with the published md5 sum."""
        path = self.path(split)
        expected = self.files[split].md5
        if expected is None:
            return
        digest = hashlib.md5(usedforsecurity=False)
        for piece in pieces(path):
            digest.update(piece)
        if digest.hexdigest() != expected:
            raise DataError(
                f"md5 is {digest.hexdigest()}, expected {expected}.",
                remedy="Get the file again.",
                file=path,
            )


def cache_folder() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "riata"


def load(name: str, split: str = "train", columns: Sequence[str] | None = None) -> Corpus:
    """A data set's split as a corpus: `riata.load("conll2000", "train")`. `riata data list` shows what there is.

    columns: which columns to give, by name; the last one is the output.

    >>> corpus = riata.load("embedded", "train", ("word", "tag"))
    >>> corpus[0][0]
    ('Harwick', 'NNP')
    """
    if isinstance(name, str) and name not in registry.names("data set") and ("." in name or "/" in name):
        raise DataError(
            f"load knows data sets by name, and {name!r} looks like a file.",
            remedy="Use riata.load_model(path) for a model, or riata.read_columns(path) for a file of columns.",
        )
    data: DataSet = registry.get("data set", name)
    chosen = tuple(columns or data.default)
    for column in chosen:
        if column not in data.columns:
            raise UnknownNameError.of(f"column of {name}", column, data.columns)
    path = data.path(split)
    corpus = read(path, conllu=data.conllu) if data.reader is None else data.reader(path, split)
    if corpus.width != len(data.columns):
        raise DataError(
            f"expected {len(data.columns)} columns ({' '.join(data.columns)}), found {corpus.width}.", file=corpus.name
        )
    return corpus.select([data.columns.index(column) for column in chosen])
