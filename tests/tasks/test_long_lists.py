"""Lists of the best labellings in bounded memory, and columns of files to predict that are not there."""

import re

import pytest

from riata.errors import SettingError
from riata.estimators import labelled_files as labelled
from riata.estimators import predicting
from samples import INPUTS, as_text, chunker


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    chunker().save("m.riata")
    (tmp_path / "in.txt").write_text(as_text(INPUTS), encoding="utf-8")
    return tmp_path


def test_lists_of_a_batch_are_made_in_parts_that_change_nothing(files, run, monkeypatch):
    expected = run("predict", "--model", "m.riata", "--nbest", "3", "in.txt")
    assert expected[0] == 0
    parts = []
    monkeypatch.setattr(
        labelled, "_alternatives", lambda *a, f=labelled._alternatives: (parts.append(len(a[0])), f(*a))[1]
    )
    monkeypatch.setattr(labelled, "LISTED", 10)
    assert run("predict", "--model", "m.riata", "--nbest", "3", "in.txt") == expected
    assert len(parts) > 1
    assert sum(parts) == len(INPUTS)


def test_a_list_that_would_fill_the_memory_is_refused(files, run, monkeypatch):
    short, long = [INPUTS[0][:1]], [INPUTS[0] * 20]
    assert len(chunker().predict_nbest(short, 2**40)[0]) <= len(chunker().classes_)  # there are no more
    with pytest.raises(
        SettingError, match=r"1,000,000 labellings of a sentence of 80 tokens .*\n.*Ask for 209,715 at most"
    ):
        chunker().predict_nbest(long, 10**6)
    monkeypatch.setattr(predicting, "MOST_LISTED", 100)
    status, _, err = run("predict", "--model", "m.riata", "--nbest", "1000", "in.txt")
    assert (status, re.search(r"in\.txt:\d+: 1,000 labellings", err) is not None) == (2, True)
    assert run("predict", "--model", "m.riata", "--nbest", 10**30, "in.txt")[0] == 2


def test_columns_that_are_named_must_be_there(files, run):
    status, _, err = run("predict", "--model", "m.riata", "--outputs", "9", "in.txt")
    assert (status, "in.txt: column 9 is out of range" in err) == (2, True)
    assert run("predict", "--model", "m.riata", "in.txt")[0] == 0  # those of training may be missing
