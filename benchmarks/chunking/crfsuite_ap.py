"""python-crfsuite: averaged perceptron, the same template, 10 iterations."""

import tempfile
from pathlib import Path

import pycrfsuite

from benchmarks import plain
from benchmarks.contest import Split, conll2000, run, timed


def train(split: Split, path: str) -> None:
    trainer = pycrfsuite.Trainer(algorithm="ap", verbose=False)
    trainer.set_params({"max_iterations": 10})
    words, tags, labels = (split.train.sentences_of(column) for column in range(3))
    for sentence, truth in zip(zip(words, tags, strict=True), labels, strict=True):
        trainer.append(plain.classic(*sentence), truth)
    trainer.train(path)


def tag(split: Split, path: str) -> list[list[str]]:
    tagger = pycrfsuite.Tagger()
    tagger.open(path)
    words, tags = (split.scored.sentences_of(column) for column in range(2))
    return [tagger.tag(plain.classic(*sentence)) for sentence in zip(words, tags, strict=True)]


def contest(split: Split) -> tuple[list[list[str]], dict[str, float]]:
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "model")
        _, train_seconds = timed(lambda: train(split, path))
        labels, decode_seconds = timed(lambda: tag(split, path))
    return labels, {"seconds_train": train_seconds, "seconds_decode": decode_seconds}


if __name__ == "__main__":
    run(conll2000, contest, chunks=True)
