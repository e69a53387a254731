"""The models that are served, by name. A model is replaced when its file has changed, and requests never wait for that."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator, Sequence
from http import HTTPStatus
from pathlib import Path
from threading import Lock

from riata.errors import ModelFileError, RiataError, SettingError, UnknownNameError
from riata.serving.refusal import HttpRefusal
from riata.serving.served import Served

LOG = logging.getLogger("riata.serving")


class Shelf:
    """files: paths by name. split: from a text to its words. check_input: whether it is compared with the training data."""

    def __init__(
        self, files: dict[str, Path], split: Callable[[str], Sequence[str]] = str.split, *, check_input: bool = True
    ) -> None:
        self._files, self._split, self._check_input, self._lock = files, split, check_input, Lock()
        self._seen = {name: _stamp(path) for name, path in files.items()}
        self._models = {name: self._served(name, path) for name, path in files.items()}
        self.reloads, self.failures = 0, 0

    def __iter__(self) -> Iterator[Served]:
        return iter(self._models.values())

    def __len__(self) -> int:
        return len(self._models)

    def _served(self, name: str, path: Path) -> Served:
        return Served(name, path, self._split, check_input=self._check_input)

    def get(self, name: str | None) -> Served:
        """The model of this name; None: the first one."""
        if name is None:
            return next(iter(self._models.values()))
        found = self._models.get(name)
        if found is None:
            error = UnknownNameError.of("model", name, self._models)
            raise HttpRefusal(HTTPStatus.NOT_FOUND, error.message)
        return found

    def reload(self, *, changed_only: bool = False) -> None:
        """Reads model files again. A file that cannot be used leaves the model that was there."""
        with self._lock:
            for name, path in self._files.items():
                stamp = _stamp(path)
                if changed_only and (stamp is None or stamp == self._seen[name]):
                    continue
                self._seen[name] = stamp
                try:
                    _check_regular(path)
                    made = self._served(name, path)
                    self._models[name] = made  # one assignment: requests see the one or the other
                except RiataError as error:
                    self.failures += 1
                    LOG.error("The model %s stays as it was: %s", name, error)
                else:
                    self.reloads += 1
                    LOG.info("Loaded the model %s again, version %s.", name, self._models[name].version)


def files_of(given: Sequence[str]) -> dict[str, Path]:
    """`NAME=PATH` or `PATH`, whose name is that of the file without its ending."""
    found: dict[str, Path] = {}
    for text in given:
        name, equals, path = text.partition("=")
        if not equals or os.path.exists(text):
            name, path = Path(text).name.partition(".")[0], text
        if not name or not path:
            raise SettingError(
                f"--model {text!r} has no name or no file.", remedy="Write --model NAME=FILE, or --model FILE."
            )
        if name in found:
            raise SettingError(f"two models have the name {name!r}.", remedy=f"Name one of them: --model OTHER={path}.")
        found[name] = Path(path)
    return found


def _check_regular(path: Path) -> None:
    """To read a pipe or a device would wait for ever, and nothing would be loaded again."""
    if path.exists() and not path.is_file() and not path.is_dir():
        raise ModelFileError("this is no regular file.", file=path)


def _stamp(path: Path) -> tuple[int, int, int] | None:
    """Changes when the file is written or replaced; None: it is not there."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
