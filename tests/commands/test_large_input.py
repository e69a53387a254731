"""A token of 1 MB and a sentence of 100,000 tokens through every command: seconds, not minutes, and no message of a megabyte."""

import time

import pytest

from riata.commands import main
from samples import CHUNKS, as_text

TOKEN = "aB1-é東." * 125_000  # a shape that no run shortens
LONG = [CHUNKS[0][i % 3] for i in range(100_000)]
LABEL = "B-" + "x" * 1_000_000
MOST_SECONDS = 20  # of the CPU; anything quadratic takes hours


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(autouse=True)
def soon():
    began = time.process_time()
    yield
    assert time.process_time() - began < MOST_SECONDS


def run(capsys, *command):
    with pytest.raises(SystemExit) as stopped:
        main(list(command))
    out, err = capsys.readouterr()
    assert stopped.value.code in (0, None), err
    assert len(err) < 10_000
    return out


@pytest.mark.parametrize("search", [(), ("--recipe", "laso-perceptron", "--beam", "3")], ids=["exact", "beam"])
@pytest.mark.parametrize("sentence", [[(TOKEN, "NN", "B-NP"), *CHUNKS[0]], LONG], ids=["1 MB token", "long sentence"])
def test_large_input_goes_through_every_command(folder, capsys, sentence, search):
    (folder / "data.txt").write_text(as_text([*CHUNKS, sentence]))
    (folder / "input.txt").write_text(as_text([[token[:2] for token in sentence]]))
    run(capsys, "train", "chunk", "--train", "data.txt", "--model", "m.riata", "--epochs", "2", *search)
    told = [line.split(" ") for line in run(capsys, "predict", "--model", "m.riata", "input.txt").splitlines()]
    assert [row[0] for row in told[:-1]] == [token[0] for token in sentence]
    assert {row[2] for row in told[:-1]} <= {"B-NP", "I-NP", "B-VP", "I-VP", "B-PP", "I-PP", "O"}
    assert len(run(capsys, "evaluate", "--model", "m.riata", "data.txt")) < 10_000
    assert len(run(capsys, "inspect", "m.riata")) < 100_000
    if not search:
        ranked = run(capsys, "predict", "--model", "m.riata", "--nbest", "2", "input.txt")
        assert ranked.count("# ") == 2


def test_a_label_of_a_megabyte_is_told_in_short(folder, capsys):
    (folder / "data.txt").write_text(as_text([*CHUNKS, [("a", "DT", LABEL)]]))
    run(capsys, "train", "chunk", "--train", "data.txt", "--model", "m.riata", "--epochs", "1")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (f"The DT B-NP\n{TOKEN}\n", "data.txt:2: expected 3 columns"),
        (f"The DT B-NP\ndog NN {TOKEN}\n", "data.txt:2: label 'aB1-é東."),
        ("x" * (17 << 20) + " NN B-NP\n", "data.txt:1: a line is longer than 16 MiB"),
    ],
)
def test_an_error_shows_a_megabyte_in_short(folder, capsys, text, says):
    (folder / "data.txt").write_text(text)
    with pytest.raises(SystemExit) as stopped:
        main(["train", "chunk", "--train", "data.txt", "--model", "m.riata"])
    err = capsys.readouterr().err
    assert stopped.value.code == 2
    assert says in err
    assert len(err) < 1000
