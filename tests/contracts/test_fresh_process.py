"""What a process loads that only loads a model and labels a sentence: little."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import riata
from riata.models.folded import StoredWeights
from samples import CHUNKS, INPUTS, TAGS, WORDS, quietly

PROGRAM = """
import sys
import riata
model = riata.load_model(sys.argv[1])
print(model.predict([["The", "dog", "barks"]]))
print(*sys.modules)
"""
NOT_NEEDED = {"scipy", "rich", "click", "sklearn", "pathlib", "urllib", "html", "tempfile", "importlib.resources"}
NOT_READ = {
    f"riata.{name}" for name in ("public", "explaining", "scoring", "commands", "comparing", "problems", "showing")
}


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    path = tmp_path_factory.mktemp("start") / "tagger.riata"
    model = quietly(riata.Tagger(epochs=2), WORDS * 3, TAGS * 3)
    model.save(path)
    return path, model


def test_a_fresh_process_imports_little_to_label_a_sentence(saved):
    path, model = saved
    done = subprocess.run([sys.executable, "-c", PROGRAM, str(path)], capture_output=True, text=True, check=True)
    labels, modules = done.stdout.splitlines()
    assert ast.literal_eval(labels) == model.predict([["The", "dog", "barks"]])
    loaded = set(modules.split())
    assert not loaded & (NOT_NEEDED | NOT_READ)
    assert sum(name.startswith("riata") for name in loaded) < 125


def test_every_public_name_comes_from_the_place_that_public_imports_it_from():
    from riata import public
    from riata.places import place_of

    for name in riata.__all__:
        assert getattr(riata, name) is getattr(public, name)
        assert (place_of(name) or "").startswith("riata")
    assert place_of("nothing") is None
    text = Path(public.__file__).read_text(encoding="utf-8")
    assert set(riata.__all__) == {
        a.name for n in ast.walk(ast.parse(text)) if isinstance(n, ast.ImportFrom) for a in n.names
    }


def test_the_first_sentences_do_not_unpack_the_weights(saved):
    path, model = saved
    loaded = riata.load_model(path)
    assert loaded.predict(WORDS) == model.predict(WORDS)
    assert isinstance(loaded.model_.held, StoredWeights)
    assert "weights" not in vars(loaded.model_)
    many = WORDS * 300
    assert loaded.predict(many) == model.predict(many)
    assert "weights" in vars(loaded.model_)


def test_the_first_sentences_keep_constraints(tmp_path):
    rule = riata.constraints.at_most(1, "NP")
    model = quietly(riata.Chunker(epochs=2, constraints=[rule]), CHUNKS)
    model.save(tmp_path / "c.riata")
    loaded = riata.load_model(tmp_path / "c.riata")
    assert loaded.predict(INPUTS) == model.predict(INPUTS)
    assert all(sum(label.startswith("B-NP") for label in labels) <= 1 for labels in loaded.predict(INPUTS))
