"""Data sets: fetched from addresses of files on disk, and found by name."""

import gzip
import hashlib
import http.client
import io
import os
import urllib.request
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

import riata
from checks import refused
from oracle.columns import read_text
from riata import registry
from riata.data.columns import pieces
from riata.data.datasets import DataSet, File, cache_folder
from riata.data.fetch import fetch
from riata.errors import DataError, UnknownNameError

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


# --- data sets by name: where they are looked for, and what is said when they are not there --------------------------
CONTENT = b"a X O\nb Y O\n\nc Z O\n"
CORPORA = DataSet(
    name="little",
    summary="three tokens",
    licence="none",
    files={"train": File("train.txt", hashlib.md5(CONTENT).hexdigest()), "test": File("test.txt")},
    columns=("word", "tag", "chunk"),
    default=("word", "tag"),
    where="Put train.txt into $RIATA_DATA/little.",
)


@pytest.fixture(autouse=True)
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Path]:
    """Two empty folders for data sets: the one that RIATA_DATA names, and the cache."""
    named, cache = tmp_path / "named", tmp_path / "cache"
    monkeypatch.setenv("RIATA_DATA", str(named))
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    return {"named": named, "cache": cache / "riata"}


def put(folder: Path, name: str, content: bytes = CONTENT) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(content)
    return folder / name


def test_the_named_folder_comes_before_the_cache(places: dict[str, Path]) -> None:
    cached = put(places["cache"] / "little", "train.txt")
    assert CORPORA.path("train") == cached
    named = put(places["named"] / "little", "train.txt.gz", gzip.compress(CONTENT))
    assert CORPORA.path("train") == named
    plain = put(places["named"] / "little", "train.txt")
    assert CORPORA.path("train") == plain


def test_without_a_named_folder_only_the_cache_is_looked_in(
    places: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    put(places["named"] / "little", "train.txt")
    for unset in (lambda: monkeypatch.delenv("RIATA_DATA"), lambda: monkeypatch.setenv("RIATA_DATA", "")):
        unset()
        assert CORPORA.folders() == [places["cache"] / "little"]
        refused(DataError, "", CORPORA.path, "train")
        monkeypatch.setenv("RIATA_DATA", str(places["named"]))


def test_the_cache_is_in_the_home_folder_unless_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache_folder() == tmp_path / ".cache" / "riata"


def test_a_folder_with_the_name_of_the_file_is_not_the_file(places: dict[str, Path]) -> None:
    (places["named"] / "little" / "train.txt").mkdir(parents=True)
    cached = put(places["cache"] / "little", "train.txt")
    assert CORPORA.path("train") == cached


def test_an_absent_set_says_what_to_put_where(places: dict[str, Path]) -> None:
    caught = refused(DataError, "", CORPORA.path, "train")
    for part in (
        "'little' is not here",
        str(places["named"] / "little"),
        str(places["cache"] / "little"),
        CORPORA.where,
    ):
        assert part in str(caught)


@pytest.mark.parametrize("name", [n for n in registry.names("data set") if registry.get("data set", n).folder is None])
def test_every_set_that_is_absent_tells_its_files_and_folder(name: str) -> None:
    data = registry.get("data set", name)
    assert f"$RIATA_DATA/{name}" in refused(DataError, "", riata.load, name).remedy
    assert data.name == name
    assert set(data.default) <= set(data.columns)
    assert all(file.md5 is not None and len(file.md5) == 32 for file in data.files.values())


@pytest.mark.parametrize("packed", [False, True])
def test_verify_compares_the_plain_content_with_its_sum(places: dict[str, Path], packed: bool) -> None:
    folder, name = places["named"] / "little", "train.txt.gz" if packed else "train.txt"
    put(folder, name, gzip.compress(CONTENT) if packed else CONTENT)
    CORPORA.verify("train")
    changed = CONTENT + b"\n"
    path = put(folder, name, gzip.compress(changed) if packed else changed)
    caught = refused(DataError, "", CORPORA.verify, "train")
    found, expected = hashlib.md5(changed).hexdigest(), hashlib.md5(CONTENT).hexdigest()
    for part in (str(path), f"md5 is {found}", f"expected {expected}", "again"):
        assert part in str(caught)


def test_a_file_without_a_published_sum_passes(places: dict[str, Path]) -> None:
    put(places["named"] / "little", "test.txt", b"anything")
    CORPORA.verify("test")


@pytest.mark.parametrize("method", ["path", "verify"])
def test_an_unknown_split_is_named_with_the_nearest(method: str) -> None:
    with pytest.raises(UnknownNameError, match=r"split of little 'trian'. Did you mean 'train'\? Known: test, train"):
        getattr(CORPORA, method)("trian")


def test_load_gives_the_columns_by_name_and_the_default_ones_unless_told(places: dict[str, Path]) -> None:
    put(places["named"] / "conll2000", "train.txt.gz", gzip.compress(CONTENT))
    assert [list(s) for s in riata.load("conll2000")] == [[("a", "X", "O"), ("b", "Y", "O")], [("c", "Z", "O")]]
    assert [list(s) for s in riata.load("conll2000", "train", ["tag", "word"])] == [
        [("X", "a"), ("Y", "b")],
        [("Z", "c")],
    ]


def test_load_reads_conllu_sets_as_such(places: dict[str, Path]) -> None:
    line = "\t".join(["1", "a", "_", "DET", "DT", *["_"] * 5])
    put(places["named"] / "ud-en-ewt", "en_ewt-ud-dev.conllu", f"# c\n1-2{line[1:]}\n{line}\n\n".encode())
    assert [list(s) for s in riata.load("ud-en-ewt", "dev")] == [[("a", "DT")]]
    assert [list(s) for s in riata.load("ud-en-ewt", "dev", ["form", "upos"])] == [[("a", "DET")]]


def test_unknown_sets_splits_and_columns_are_named(places: dict[str, Path]) -> None:
    put(places["named"] / "conll2000", "train.txt")
    refused(UnknownNameError, r"data set 'conll200'. Did you mean 'conll2000'\?.*embedded", riata.load, "conll200")
    refused(UnknownNameError, r"split of conll2000 'dev'. Known: test, train", riata.load, "conll2000", "dev")
    with pytest.raises(UnknownNameError, match=r"column of conll2000 'tags'. Did you mean 'tag'\?"):
        riata.load("conll2000", "train", ["word", "tags"])


def test_a_file_with_another_number_of_columns_is_refused(places: dict[str, Path]) -> None:
    path = put(places["named"] / "conll2000", "train.txt", b"a X\n")
    caught = refused(DataError, r"expected 3 columns \(word tag chunk\), found 2", riata.load, "conll2000")
    assert caught.file == str(path)


def test_the_embedded_set_is_in_the_package_whatever_the_folders_say(places: dict[str, Path]) -> None:
    put(places["named"] / "embedded", "train.conll", b"not this one\n")
    data = registry.get("data set", "embedded")
    assert data.path("train").parent.name == "embedded"
    assert data.path("train").is_relative_to(Path(riata.__file__).parent)
    assert riata.load("embedded", "train").width == 3
    assert riata.load("embedded", "train", data.columns).width == 4


# The corpora themselves, where there are any.
WHERE = os.environ.get("RIATA_DATA")
SIZES = {
    ("conll2000", "train"): (8936, 211727),  # Tjong Kim Sang & Buchholz 2000
    ("conll2000", "test"): (2012, 47377),
    ("ocr-letters", "train"): (626, 4617),
    ("ocr-letters", "test"): (6251, 47535),
}
SPLITS = [
    (n, s)
    for n in registry.names("data set")
    if registry.get("data set", n).folder is None
    for s in registry.get("data set", n).files
]


@pytest.mark.slow
@pytest.mark.corpus
@pytest.mark.parametrize(("name", "split"), SPLITS)
def test_a_corpus_is_the_published_one_and_reads_as_the_twin_reads_it(
    name: str, split: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not WHERE:
        pytest.skip("RIATA_DATA names no folder with corpora")
    monkeypatch.setenv("RIATA_DATA", WHERE)
    data = registry.get("data set", name)
    try:
        path = data.path(split)
    except DataError:
        pytest.skip(f"{name} is not in RIATA_DATA")
    data.verify(split)
    corpus = riata.load(name, split, data.columns)
    assert SIZES.get((name, split), (len(corpus), corpus.tokens)) == (len(corpus), corpus.tokens)
    if data.reader is not None:  # a layout of its own
        return
    text = b"".join(pieces(path)).decode()
    if data.conllu:
        lines = [line for line in text.split("\n") if not line.startswith("#")]
        text = "\n".join(line for line in lines if not line or line.split("\t")[0].isdigit())
    sentences, _ = read_text(text)
    assert [list(sentence) for sentence in corpus] == [[row for row, _ in sentence] for sentence in sentences]


def test_a_set_in_a_folder_of_its_own_needs_no_other(tmp_path: Path) -> None:
    put(tmp_path / "own", "train.txt")
    assert replace(CORPORA, folder=tmp_path / "own").path("train") == tmp_path / "own" / "train.txt"


def test_letters_are_read_word_by_word_and_dealt_out(places: dict[str, Path]) -> None:
    def lines(word: int, fold: int, letters: str) -> str:
        pixels = "\t".join(str((word + j) % 2) for j in range(128))
        return "".join(f"0\t{letter}\t-1\t{word}\t1\t{fold}\t{pixels}\n" for letter in letters)

    words = [(n, 0, "ab"[: 1 + n % 2]) for n in range(12)] + [(12, 3, "xyz")]
    content = "".join(lines(*word) for word in words)
    path = put(places["named"] / "ocr-letters", "letter.data", content.encode())
    train, test = (riata.load("ocr-letters", split) for split in ("train", "test"))
    assert ["".join(letter for _, letter in word) for word in train][:4] == ["a", "a", "ab", "ab"]  # words 0, 10, 1, 11
    assert [row for word in test for row in word] == [("01" * 64, letter) for letter in "xyz"]
    path.write_bytes(content.encode() + b"1\ta\t-1\n")
    refused(DataError, "expected 134 columns, found 3", riata.load, "ocr-letters", "train")
