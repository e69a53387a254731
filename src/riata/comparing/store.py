"""Finished trainings in a folder, one file each, written whole or not at all."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from riata.data.atomic_file import whole_file
from riata.errors import DataError, SettingError

ENDING = ".cell"


class Store:
    """The file of a cell is a line with the digest of what follows, and its JSON. One that is damaged counts as not there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.damaged: list[str] = []  # files that could not be used
        self._check()

    def get(self, key: str) -> dict[str, Any] | None:
        path = self._path(key)
        try:
            digest, _, body = path.read_bytes().partition(b"\n")
        except FileNotFoundError:
            return None
        except OSError as error:
            raise DataError(f"cannot be read: {error.strerror}.", remedy="Choose another --work.", file=path) from None
        if hashlib.sha256(body).hexdigest().encode() != digest:
            self.damaged.append(path.name)
            return None
        found: dict[str, Any] = json.loads(body)
        return found

    def put(self, key: str, result: dict[str, Any]) -> None:
        body = json.dumps(result).encode()
        try:
            with whole_file(self._path(key)) as file:
                file.write(hashlib.sha256(body).hexdigest().encode() + b"\n" + body)
        except OSError as error:
            reason = error.strerror or str(error)
            raise DataError(
                f"a finished training cannot be kept: {reason}.", remedy="Choose another --work.", file=self.folder
            ) from None

    def forget(self, keys: Iterable[str]) -> None:
        for key in keys:
            with contextlib.suppress(FileNotFoundError):
                self._path(key).unlink()

    def _path(self, key: str) -> Path:
        return self.folder / f"{key}{ENDING}"

    def _check(self) -> None:
        """Finds out before training, not after it, that nothing can be kept."""
        problem = None
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except (FileExistsError, NotADirectoryError):
            problem = "it is no folder"
        except OSError as error:
            problem = error.strerror or str(error)
        if problem is None and not os.access(self.folder, os.W_OK | os.X_OK):
            problem = "it may not be written to"
        if problem is not None:
            raise SettingError(
                f"finished trainings cannot be kept in {str(self.folder)!r}: {problem}.",
                remedy="Choose another folder with --work.",
            )
