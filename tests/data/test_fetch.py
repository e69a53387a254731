"""Fetching, from addresses of files on disk: what is kept, what is not, and what is said."""

import hashlib
import http.client
import io
import urllib.request
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from checks import refused
from riata import registry
from riata.data.datasets import DataSet, File
from riata.data.fetch import fetch
from riata.errors import DataError

CONTENTS = {"train.txt": b"a X\n", "test.txt": b"b Y\n"}
DATA = DataSet(
    name="little",
    summary="two tokens",
    licence="none",
    files={name.split(".")[0]: File(name, hashlib.md5(text).hexdigest()) for name, text in CONTENTS.items()},
    columns=("word", "tag"),
    default=("word", "tag"),
    where="Put train.txt and test.txt into $RIATA_DATA/little.",
)


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("RIATA_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "riata" / "little"


def folder_with(tmp_path: Path, contents: dict[str, bytes]) -> DataSet:
    folder = tmp_path / "public"
    folder.mkdir()
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    return replace(DATA, url=folder.as_uri())


def archive_with(tmp_path: Path, contents: dict[str, bytes]) -> DataSet:
    path = tmp_path / "public.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in contents.items():
            archive.writestr(name, content)
    return replace(DATA, url=path.as_uri())


def kept(cache: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in cache.iterdir()} if cache.exists() else {}


def test_files_of_a_folder_are_fetched_into_the_cache(tmp_path: Path, cache: Path) -> None:
    data = folder_with(tmp_path, CONTENTS)
    assert fetch(data) == [cache / "train.txt", cache / "test.txt"]
    assert kept(cache) == CONTENTS
    assert data.path("test") == cache / "test.txt"
    data.verify("train")


@pytest.mark.parametrize("folder", ["", "corpus/", "a/b/"])
def test_members_of_an_archive_are_fetched_wherever_they_stand_in_it(tmp_path: Path, cache: Path, folder: str) -> None:
    members = {f"{folder}not-train.txt": b"no", **{folder + name: text for name, text in CONTENTS.items()}}
    fetch(archive_with(tmp_path, members))
    assert kept(cache) == CONTENTS


def test_what_is_in_the_cache_is_not_fetched_again(tmp_path: Path, cache: Path) -> None:
    fetch(folder_with(tmp_path, CONTENTS))
    (tmp_path / "public" / "train.txt").unlink()
    (cache / "test.txt").unlink()
    fetch(replace(DATA, url=(tmp_path / "public").as_uri()))
    assert kept(cache) == CONTENTS


@pytest.mark.parametrize("source", [folder_with, archive_with])
def test_a_file_with_the_wrong_sum_is_not_kept(tmp_path: Path, cache: Path, source) -> None:
    wrong = b"something else\n"
    prefix = "x/" if source is archive_with else ""
    data = source(tmp_path, {f"{prefix}train.txt": CONTENTS["train.txt"], f"{prefix}test.txt": wrong})
    caught = refused(DataError, "", fetch, data)
    for part in ("test.txt", hashlib.md5(wrong).hexdigest(), DATA.files["test"].md5, "not kept", DATA.where):
        assert part in str(caught)
    assert kept(cache) == {"train.txt": CONTENTS["train.txt"]}


def test_a_file_without_a_published_sum_is_kept(tmp_path: Path, cache: Path) -> None:
    data = replace(folder_with(tmp_path, {"train.txt": b"anything"}), files={"train": File("train.txt")})
    fetch(data)
    assert kept(cache) == {"train.txt": b"anything"}


def assert_refused(data: DataSet, *parts: str) -> None:
    caught = refused(DataError, "", fetch, data)
    for part in (*parts, DATA.where):
        assert part in str(caught)


@pytest.mark.parametrize(
    "url",
    ["file:///nowhere/at/all", "file:///nowhere/at/all.zip", "bogus://x", "no address", "http://[::1", "http://a b/c"],
)
def test_an_address_that_gives_nothing_is_named(url: str, cache: Path) -> None:
    assert_refused(replace(DATA, url=url), url, "could not be fetched")
    assert kept(cache) == {}


def test_an_archive_without_the_file_says_so(tmp_path: Path) -> None:
    data = archive_with(tmp_path, {"x/other.txt": b"", "x/not-train.txt": b""})
    assert_refused(data, "could not be fetched", "the archive holds no train.txt")


@pytest.mark.parametrize("damage", ["not a zip", "cut", "packed data", "checksum"])
def test_a_damaged_archive_is_refused(tmp_path: Path, cache: Path, damage: str) -> None:
    text = CONTENTS["train.txt"] * 100
    data = replace(archive_with(tmp_path, {"x/train.txt": text}), files={"train": File("train.txt")})
    path = tmp_path / "public.zip"
    content = bytearray(path.read_bytes())
    packed = 30 + len("x/train.txt")  # the local header of a member, then its name, then its data
    if damage == "not a zip":
        content[:] = b"<html>Sorry</html>"
    elif damage == "cut":
        del content[len(content) // 2 :]
    elif damage == "packed data":
        content[packed : packed + 4] = b"\xff\xff\xff\xff"
    else:
        central = bytes(content).index(b"PK\x01\x02")
        content[central + 16] ^= 1
    path.write_bytes(content)
    assert_refused(data, path.as_uri(), "could not be fetched")
    assert kept(cache) == {}


def test_an_answer_cut_short_is_refused(monkeypatch: pytest.MonkeyPatch, cache: Path) -> None:
    class Answer(io.BytesIO):
        def read(self, *_: object) -> bytes:
            raise http.client.IncompleteRead(b"a", 3)

    monkeypatch.setattr(urllib.request, "urlopen", lambda *_, **__: Answer())
    assert_refused(
        replace(DATA, url="https://example.org/little"), "https://example.org/little/train.txt", "IncompleteRead"
    )
    assert kept(cache) == {}


def test_a_set_that_may_not_be_fetched_says_what_to_put_where(cache: Path) -> None:
    assert_refused(DATA, "'little' cannot be fetched")
    assert not cache.exists()


def test_the_embedded_set_is_there_already() -> None:
    data = registry.get("data set", "embedded")
    assert fetch(data) == [data.path("train"), data.path("test")]
