"""What `dir` shows of an estimator is what the documentation lists, and nothing else."""

import re
from pathlib import Path

import pytest

import riata

PAGE = Path(__file__).parent.parent.parent / "docs" / "estimators.md"


def listed(section: str) -> set[str]:
    """The names in the first column of a section's table."""
    text = PAGE.read_text(encoding="utf-8").split(f"## {section}\n")[1].split("\n## ")[0]
    rows = re.findall(r"^\| (`.*?) \|", text, re.MULTILINE)
    return {name for row in rows for name in re.findall(r"`(\w+)", row)}


@pytest.fixture(scope="module")
def chunker() -> riata.Chunker:
    return riata.Chunker(epochs=1).fit(riata.load("embedded", "train"))


def test_dir_shows_parameters_methods_and_what_was_learnt(chunker: riata.Chunker) -> None:
    parameters = set(chunker.get_params(deep=False))
    assert set(dir(chunker)) == parameters | listed("What it does") | listed("What it has learnt")
    assert set(dir(riata.Chunker())) == parameters | listed("What it does")


def test_all_that_is_shown_is_there_and_documented(chunker: riata.Chunker) -> None:
    for name in dir(chunker):
        assert getattr(chunker, name, self := object()) is not self
    for name in listed("What it does"):
        assert (getattr(riata.Chunker, name).__doc__ or "").strip(), name


def test_nothing_private_is_shown_of_other_estimators_either() -> None:
    for estimator in (riata.Tagger(), riata.EntityRecognizer(), riata.JointTagger()):
        assert "fit" in dir(estimator)
        assert not [name for name in dir(estimator) if name.startswith("_") or name.endswith("_")]
