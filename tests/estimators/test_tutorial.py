"""sklearn-crfsuite's tutorial, as docs/coming-from.md has it, on the tutorial's own corpus and beside the original.

On the embedded corpus, tests/docs runs it.
"""

from __future__ import annotations

import os
import re
import warnings
from pathlib import Path
from typing import Any

import pytest

import riata

pytest.importorskip("sklearn")
PAGE = Path(__file__).parent.parent.parent / "docs" / "coming-from.md"
SIZES = {"train": 80, "testa": 60}  # sentences; testa is development data


@pytest.fixture(scope="module")
def blocks() -> list[str]:
    """The python blocks of its section, with slices of the Spanish corpus instead of the embedded one."""
    if not (Path(os.environ.get("RIATA_DATA", "")) / "conll2002-es").is_dir():
        pytest.skip("RIATA_DATA does not name a folder with conll2002-es")

    def spanish(match: re.Match[str]) -> str:
        split = {"train": "train", "test": "testa"}[match[1]]
        return f'riata.load("conll2002-es", "{split}")[:{SIZES[split]}]'

    section = PAGE.read_text(encoding="utf-8").split("\n## sklearn-crfsuite\n")[1].split("\n## ")[0]
    found = re.findall(r"^```python\n(.*?)^```", section, re.MULTILINE | re.DOTALL)
    return [re.sub(r'riata\.load\("embedded", "(\w+)", columns\)', spanish, block) for block in found]


def run(blocks: list[str]) -> dict[str, Any]:
    names: dict[str, Any] = {"__name__": "__main__"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", riata.RiataWarning)  # rare labels
        for block in blocks:
            exec(compile(block, str(PAGE), "exec"), names)
    return names


def test_every_line_of_the_tutorial_runs_on_its_own_corpus(
    blocks: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    names = run(blocks)
    assert len(names["train_sents"]) == SIZES["train"]
    assert set(names["rs"].best_params_) == {"c1", "c2"}
    assert names["crf"].settings == {"pairs": "transitions", **names["rs"].best_params_}
    assert len(names["y_cv"]) == SIZES["train"]
    shown = capsys.readouterr().out
    likely, unlikely = shown.split("Top likely transitions:")[1].split("Top unlikely transitions:")
    assert re.search(r"^B-PER +-> I-PER +\d", likely, re.MULTILINE)
    assert re.search(r"^O +-> I-\w+ +-\d", unlikely, re.MULTILINE)
    assert re.search(r"^\d\.\d+ B-\w+ +word", shown.split("Top positive:")[1], re.MULTILINE)


def test_the_same_settings_give_nearly_the_labels_that_sklearn_crfsuite_gives(blocks: list[str]) -> None:
    sklearn_crfsuite = pytest.importorskip("sklearn_crfsuite")
    names = run(blocks[:4])  # up to the first training
    theirs = sklearn_crfsuite.CRF(
        algorithm="lbfgs", c1=0.1, c2=0.1, max_iterations=100, all_possible_transitions=True
    ).fit(names["X_train"], names["y_train"])
    found, expected = names["crf"].predict(names["X_test"]), theirs.predict(names["X_test"])
    assert riata.metrics.flat_accuracy_score(expected, found) > 0.98
