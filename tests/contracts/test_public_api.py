"""What `import riata` gives and loads: little in a fresh process, all public names and nothing else, each with an example that runs."""

import ast
import doctest
import re
import subprocess
import sys
from pathlib import Path

import pytest

import riata
from checks import stored
from riata import Chunker, RiataError, RiataWarning, Tagger
from riata.models.model import StoredWeights
from samples import CHUNKS, INPUTS, TAGS, WORDS, for_rows

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
    model = Tagger(epochs=2).fit(WORDS * 3, TAGS * 3)
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
    model = Chunker(epochs=2, constraints=[rule]).fit(CHUNKS)
    loaded = stored(model, tmp_path)
    assert loaded.predict(INPUTS) == model.predict(INPUTS)
    assert all(sum(label.startswith("B-NP") for label in labels) <= 1 for labels in loaded.predict(INPUTS))


# --- what `import riata` gives, and nothing else ---------------------------------------------------------------------
PACKAGE = Path(riata.__file__).parent
INITS = sorted(PACKAGE.rglob("__init__.py"))


def test_all_is_sorted_and_importable():
    assert riata.__all__ == sorted(riata.__all__)
    assert len(set(riata.__all__)) == len(riata.__all__)
    for name in riata.__all__:
        assert getattr(riata, name) is not None


def test_there_are_no_public_names_but_those_of_all_and_submodules():
    """In a fresh interpreter, since other tests import more submodules."""
    program = "import riata, types; print(*[n for n, v in vars(riata).items() if not isinstance(v, types.ModuleType)])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    public = {name for name in done.stdout.split() if not name.startswith("_")}
    assert public == {"TYPE_CHECKING", "annotations"}  # names are imported when first used
    assert set(dir(riata)) == {*riata.__all__, "__version__"}


def test_every_public_thing_has_a_docstring():
    for name in riata.__all__:
        assert (getattr(riata, name).__doc__ or "").strip(), name


def test_every_error_is_a_riata_error_with_a_place_in_the_tree():
    classes = [v for v in vars(riata.errors).values() if isinstance(v, type) and issubclass(v, Exception)]
    classes.remove(RiataWarning)  # which stops nothing
    assert len(classes) > 5
    for cls in classes:
        assert issubclass(cls, RiataError)
        assert cls.__name__ in riata.errors.__doc__


@pytest.mark.parametrize("path", INITS, ids=lambda path: str(path.parent.relative_to(PACKAGE.parent)))
def test_init_files_only_export(path):
    """Imports, a docstring, __all__ and the version; the package itself imports its names when first used."""
    lazy = ("__getattr__", "__dir__") if path.parent == PACKAGE else ()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        is_docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        named = ("__all__", "__version__", "TYPE_CHECKING")
        is_name = isinstance(node, ast.Assign) and node.targets[0].id in named
        is_lazy = isinstance(node, ast.FunctionDef) and node.name in lazy
        is_typing = isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        is_import = isinstance(node, (ast.Import, ast.ImportFrom))
        assert is_import or is_docstring or is_name or is_lazy or (is_typing and lazy), ast.unparse(node)


def test_the_version_is_that_of_the_package():
    from importlib.metadata import version

    assert riata.__version__ == version("riata")
    changes = Path(__file__).parents[2] / "CHANGELOG.md"
    assert f"## [{riata.__version__}]" in changes.read_text(encoding="utf-8")


def test_the_package_is_typed():
    assert (PACKAGE / "py.typed").exists()
    assert (PACKAGE / "_core.pyi").read_text(encoding="utf-8").strip()


# --- every public name is in the reference, and has a docstring with an example that runs and prints what it says ----
API = Path(__file__).parents[2] / "docs" / "api"
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def public() -> list[str]:
    """Names of riata, and of its modules for users."""
    modules = {"constraints": riata.constraints.__all__, "metrics": riata.metrics.__all__}
    errors = [
        name for name, value in vars(riata.errors).items() if isinstance(value, type) and issubclass(value, Exception)
    ]
    modules["errors"] = [name for name in errors if name not in riata.__all__]
    return [*riata.__all__, *(f"{module}.{name}" for module, names in modules.items() for name in names)]


def found(name: str) -> object:
    value: object = riata
    for part in name.split("."):
        value = getattr(value, part)
    return value


@pytest.mark.parametrize("name", public())
def test_every_public_name_has_an_example_that_prints_what_it_says(name, tmp_path, monkeypatch):
    value = found(name)
    home = value if not hasattr(value, "__module__") else sys.modules[value.__module__]
    examples = doctest.DocTestParser().get_doctest(value.__doc__ or "", {**vars(home), "riata": riata}, name, None, 0)
    assert examples.examples, f"riata.{name} has no example in its docstring"
    monkeypatch.chdir(tmp_path)
    report: list[str] = []
    doctest.DocTestRunner(optionflags=OPTIONS).run(examples, out=report.append)
    assert not report, "".join(report)


def test_every_public_name_is_on_one_page_of_the_reference():
    pages = "\n".join(page.read_text(encoding="utf-8") for page in sorted(API.glob("*.md")))
    shown = re.findall(r"^\.\. auto\w+:: riata\.([\w.]+)$", pages, re.MULTILINE)
    assert sorted(shown) == sorted(public())


@for_rows("name, page", ("Chunker", "estimators"), ("Predictor", "problems"), ("Problem", "problems"))
def test_every_public_method_is_in_the_reference_and_described(name, page):
    cls = getattr(riata, name)
    hidden = getattr(cls, "_internal", ())
    methods = [m for m in dir(cls) if not m.startswith("_") and m not in hidden and callable(getattr(cls, m))]
    text = (API / f"{page}.md").read_text(encoding="utf-8")
    listed = re.search(rf"riata\.{name}\n +:members: (.+)", text)
    assert listed is not None
    assert sorted(listed[1].split(", ")) == sorted(methods)
    assert all(getattr(cls, method).__doc__ for method in methods)
    used = text.split("## Every method")[1]
    assert name == "Problem" or not [method for method in methods if f".{method}(" not in used], "without an example"
