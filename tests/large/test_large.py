"""What only shows on large inputs: long sentences, many labels, long streams."""

import subprocess
import sys

import numpy as np
import pytest

import riata
from riata import Chunker, Tagger

pytestmark = pytest.mark.slow


def made_corpus(sentences: int, length: int, labels: int, seed: int) -> list[list[tuple[str, str]]]:
    """Words whose label follows from the word and its predecessor."""
    random = np.random.default_rng(seed)
    numbers = random.integers(0, 500, size=(sentences, length))
    return [
        [(f"w{n}", f"L{(n + (row[i - 1] if i else 0)) % labels}") for i, n in enumerate(row)]
        for row in numbers.tolist()
    ]


def test_a_sentence_of_two_hundred_thousand_tokens_is_labelled_like_short_ones():
    """Trained on alone it would teach little: one update then moves every weight by what 200,000 tokens add up to."""
    short, long = made_corpus(1000, 100, 5, seed=1), made_corpus(1, 200_000, 5, seed=2)
    tagger = Tagger(epochs=5).fit(short)
    other = made_corpus(2000, 100, 5, seed=3)
    assert tagger.score(long) == pytest.approx(tagger.score(other), abs=0.02)
    Tagger(epochs=1).fit(long)


def test_a_thousand_labels_are_learnt():
    corpus = made_corpus(300, 20, 1000, seed=2)
    tagger = Tagger(template=riata.features.templates.parse("word[0]\nword[-1] word[0]"), epochs=3)
    assert tagger.fit(corpus).score(corpus) > 0.9


def test_predicting_a_long_stream_takes_constant_memory(tmp_path):
    model = tmp_path / "m.riata"
    Chunker(epochs=2).fit(riata.load("embedded", "train")).save(model)
    text = tmp_path / "sentences.txt"
    riata.write_columns(riata.load("embedded", "test"), text)
    peaks = [_peak_of_streaming(model, text.read_bytes(), times) for times in (50, 1500)]
    assert peaks[1] < peaks[0] * 1.3


def _peak_of_streaming(model, block: bytes, times: int) -> int:
    """Peak memory of a process that predicts a block of text so many times over."""
    code = (
        "import resource, sys; from riata.commands import main\n"
        "try: main(['predict', '--model', sys.argv[1], '-'])\n"
        "finally: print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(model)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    assert process.stdin is not None and process.stderr is not None
    for _ in range(times):
        process.stdin.write(block)
    process.stdin.close()
    peak = int(process.stderr.read().split()[-1])
    assert process.wait() == 0
    return peak
