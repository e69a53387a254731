"""Every public name is in the reference, and has a docstring with an example that runs and prints what it says."""

from __future__ import annotations

import doctest
import re
import sys
from pathlib import Path

import pytest

import riata

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
@pytest.mark.filterwarnings("ignore::riata.RiataWarning")
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


@pytest.mark.parametrize(
    ("name", "page"), [("Chunker", "estimators"), ("Predictor", "problems"), ("Problem", "problems")]
)
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
