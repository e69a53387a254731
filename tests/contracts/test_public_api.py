"""What `import riata` gives, and nothing else."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import riata

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
    classes.remove(riata.RiataWarning)  # which stops nothing
    assert len(classes) > 5
    for cls in classes:
        assert issubclass(cls, riata.RiataError)
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
