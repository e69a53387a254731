"""Downloads data sets whose public files are used unchanged."""

from __future__ import annotations

import hashlib
import http.client
import io
import urllib.error
import urllib.request
import zipfile
import zlib
from pathlib import Path

from riata.data.datasets import DataSet, cache_folder
from riata.errors import DataError

PATIENCE = 60  # seconds without an answer
FAILURES = (  # of the line, the address or the archive (RuntimeError: a packing that zipfile does not know)
    urllib.error.URLError,
    http.client.HTTPException,
    OSError,
    ValueError,
    zipfile.BadZipFile,
    zlib.error,
    RuntimeError,
)


def fetch(data: DataSet) -> list[Path]:
    """The files of a data set, in the cache; md5 sums are checked before a file is kept."""
    if data.folder is not None:
        return [data.path(split) for split in data.files]
    if data.url is None:
        raise DataError(f"the data set {data.name!r} cannot be fetched.", remedy=data.where)
    folder = cache_folder() / data.name
    folder.mkdir(parents=True, exist_ok=True)
    return [_fetch_file(data, split, folder) for split in data.files]


def _fetch_file(data: DataSet, split: str, folder: Path) -> Path:
    file = data.files[split]
    target = folder / file.name
    if not target.exists():
        content = _download(data, file.name)
        found = hashlib.md5(content, usedforsecurity=False).hexdigest()
        if file.md5 is not None and found != file.md5:
            raise DataError(f"{file.name} has md5 {found}, expected {file.md5}; it was not kept.", remedy=data.where)
        part = target.with_suffix(target.suffix + ".part")
        part.write_bytes(content)
        part.replace(target)
    return target


def _download(data: DataSet, name: str) -> bytes:
    """One file: beside others under the address, or a member of the zip archive that the address names."""
    assert data.url is not None
    address = data.url if data.url.endswith(".zip") else f"{data.url}/{name}"
    try:
        with urllib.request.urlopen(address, timeout=PATIENCE) as answer:
            content: bytes = answer.read()
        if not data.url.endswith(".zip"):
            return content
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return _member(archive, name)
    except FAILURES as error:
        raise DataError(f"{address} could not be fetched: {error}.", remedy=data.where) from None


def _member(archive: zipfile.ZipFile, name: str) -> bytes:
    for member in archive.namelist():
        if member.rpartition("/")[2] == name:
            return archive.read(member)
    raise ValueError(f"the archive holds no {name}")
