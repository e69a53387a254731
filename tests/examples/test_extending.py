"""The worked examples of examples/extending/README.md: a learner, a loss and a structure are added to a copy of the sources as new files.

The copy is built in build/extending without optimisation, which takes minutes the first time and seconds when little has changed since.
The core's own tests are built with it, examples included.
"""

import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

fcntl = pytest.importorskip("fcntl")  # of Linux and macOS
ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples" / "extending"
KINDS = ("learner", "loss", "structure")
BUILD = ROOT / "build" / "extending"
SOURCES = ("pyproject.toml", "CMakeLists.txt", "README.md", "LICENSE", "native", "src")
UNOPTIMISED = ("cmake.build-type=None", "cmake.define.RIATA_UNOPTIMISED=ON", "cmake.define.RIATA_NATIVE_TESTS=ON")


def files_of(folder):
    """All files of a folder, by their paths from there."""
    paths = (path for path in folder.rglob("*") if path.is_file() and path.suffix not in (".pyc", ".pyi", ".so"))
    return {str(path.relative_to(folder)): path for path in sorted(paths)}


def sources():
    """The files that a build reads, by their paths from the root."""
    found = {}
    for name in SOURCES:
        place = ROOT / name
        found |= {f"{name}/{path}": file for path, file in files_of(place).items()} if place.is_dir() else {name: place}
    return found


def digests(files):
    return {name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in files.items()}


def make_alike(folder, files):
    """Gives a folder these files and no others. One that has not changed keeps its time, so that it is not built again."""
    there = digests(files_of(folder))
    for name in set(there) - set(files):
        (folder / name).unlink()
    for name, digest in digests(files).items():
        if there.get(name) != digest:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(files[name], folder / name)


def run(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, timeout=3600, **options)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    return done.stdout


def install(source, target):
    """Builds and installs into a folder. The tools of the build are those of this environment, or pip gets them."""
    tools = all(importlib.util.find_spec(name) for name in ("nanobind", "scikit_build_core"))
    options = [part for setting in (*UNOPTIMISED, f"build-dir={BUILD / 'objects'}") for part in ("-C", setting)]
    options += ["--no-build-isolation"] if tools else []
    shutil.rmtree(target, ignore_errors=True)
    run(sys.executable, "-m", "pip", "install", "--no-deps", "--target", target, *options, source, cwd=BUILD)


@pytest.fixture(scope="module")
def extended():
    """A folder with the package, examples included; digests of the sources before and after these were added."""
    BUILD.mkdir(parents=True, exist_ok=True)
    with (BUILD / "lock").open("w") as lock:  # tests of this file may run in several processes
        fcntl.flock(lock, fcntl.LOCK_EX)
        source, target = BUILD / "source", BUILD / "site"
        files = sources()
        before = digests(files)
        added = {name: path for kind in KINDS for name, path in files_of(EXAMPLES / kind).items()}
        make_alike(source, {**added, **files})
        install(source, target)
        yield target, before, digests(files_of(source))


def asked(target, code):
    """What a program prints, as JSON, that imports the extended package."""
    environment = {**os.environ, "PYTHONPATH": str(target), "PYTHONWARNINGS": "ignore"}
    return json.loads(run(sys.executable, "-c", code, env=environment, cwd=target))


def test_the_readme_names_every_file_of_the_examples():
    text = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    for kind in KINDS:
        assert f"examples/extending/{kind}" in text
        for name in files_of(EXAMPLES / kind):
            assert f"`{name}`" in text


def test_the_examples_have_files_of_their_own_alone():
    for kind in KINDS:
        assert not [name for name in files_of(EXAMPLES / kind) if (ROOT / name).exists()]
    assert len(files_of(EXAMPLES / "learner")) == 2
    assert len(files_of(EXAMPLES / "loss")) == 2


@pytest.mark.slow
def test_adding_the_examples_changes_no_other_file(extended):
    _, before, after = extended
    assert {name: digest for name, digest in after.items() if name in before} == before
    assert sorted(set(after) - set(before)) == sorted(name for kind in KINDS for name in files_of(EXAMPLES / kind))


@pytest.mark.slow
def test_the_core_passes_its_own_tests_with_the_examples(extended):
    tests = list((ROOT / "native" / "tests").glob("test_*.cpp"))
    assert len(tests) > 10
    for test in tests:
        run(BUILD / "objects" / test.stem)


LEARNER = """
import json, riata
data, other = (riata.load("embedded", "train", ("word", "tag"))[part] for part in (slice(0, 200), slice(200, 300)))
scores = {}
for structure in ("chain", "segments"):
    tagger = riata.Tagger("margin-perceptron", structure=structure, epochs=3, settings={"margin": 2.0}).fit(data)
    scores[structure] = tagger.score(other)
plain = riata.Tagger("perceptron", epochs=3).fit(data)
none = riata.Tagger("margin-perceptron", epochs=3, settings={"margin": 0.0}).fit(data)
same = plain.model_.weights.flat().tolist() == none.model_.weights.flat().tolist()
print(json.dumps({"scores": scores, "same": same}))
"""


@pytest.mark.slow
def test_the_learner_learns_chains_and_segments(extended):
    found = asked(extended[0], LEARNER)
    assert min(found["scores"].values()) > 0.7
    assert found["same"]  # without a margin it is the perceptron


LOSS = """
import json, riata
data, other = (riata.load("embedded", "train", ("word", "tag", "chunk"))[part] for part in (slice(0, 200), slice(200, 300)))
scores = {}
for structure in ("chain", "segments"):
    chunker = riata.Chunker("crf-tempered", structure=structure, epochs=30, settings={"c2": 0.1}).fit(data)
    scores[structure] = chunker.score(other)
crf = riata.Chunker("crf", epochs=30, settings={"c2": 0.1}).fit(data)
tempered = riata.Chunker("crf-tempered", epochs=30, settings={"c2": 0.1}).fit(data)
same = crf.model_.weights.flat().tolist() == tempered.model_.weights.flat().tolist()
print(json.dumps({"scores": scores, "same": same}))
"""


@pytest.mark.slow
def test_the_loss_is_learnt_on_chains_and_segments(extended):
    found = asked(extended[0], LOSS)
    assert min(found["scores"].values()) > 0.7
    assert not found["same"]


STRUCTURE = """
import itertools, json, random, riata
draw = random.Random(1)
class Summary(riata.Structure):
    solver, count = "selection", 2
    def parts(self, x): return range(len(x))
    def features(self, x, part): return [x[part], f"place={min(part, 3)}"]
def text():
    x = [draw.choice("abcdefgh") for _ in range(draw.randint(3, 7))]
    return x, sorted(sorted(range(len(x)), key=lambda part: (x[part], part))[:2])  # the first two letters of the alphabet
(X, Y), (words, truth) = (tuple(zip(*(text() for _ in range(n)))) for n in (200, 60))
found = {}
for recipe, settings in (("perceptron", {}), ("mira", {"k": 2}), ("margin-perceptron", {"margin": 3.0}), ("crf", {"c2": 0.1}), ("m3n", {})):
    summary = riata.Predictor(Summary(), recipe, settings=settings).fit(X, Y)
    found[recipe] = {"score": summary.score(words, truth), "two": all(len(set(parts)) == 2 for parts in summary.predict(words))}
found["best"] = [len(lists) for lists in summary.predict_nbest(words[:5], 30)]
found["expected"] = [len(list(itertools.combinations(x, 2))) for x in words[:5]]
crf = riata.Predictor(Summary(), "crf", c2=0.1).fit(X, Y)
found["sums"] = [sum(shares.values()) for shares in crf.predict_proba(words[:5])]
crf.save("summary.riata")
loaded = riata.load_model("summary.riata", using=[Summary])
found["same"] = loaded.predict(words) == crf.predict(words) and loaded.model_.structure == "selection"
try:
    riata.Predictor(Summary()).fit([["a"]], [[0]])
except riata.errors.DataError as error:
    found["refused"] = error.message
print(json.dumps(found))
"""


@pytest.mark.slow
def test_the_structure_is_learnt_listed_summed_and_saved(extended):
    found = asked(extended[0], STRUCTURE)
    for recipe in ("perceptron", "mira", "margin-perceptron", "crf", "m3n"):
        assert found[recipe]["two"]
        assert found[recipe]["score"] > 0.85
    assert found["best"] == [min(30, every) for every in found["expected"]]
    assert found["sums"] == pytest.approx([2.0] * 5)
    assert found["same"]
    assert "2 parts are to be chosen of 1" in found["refused"]
