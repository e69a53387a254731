"""python-crfsuite: averaged perceptron, the same template, 10 iterations."""

import tempfile
from pathlib import Path

import pycrfsuite

from benchmarks.contest import Split, conll2000, run, timed
from riata.data.types import Corpus
from riata.features.templates import load

TEMPLATES = [template for template in load("classic") if not template.edge]


def features(corpus: Corpus) -> list[list[list[str]]]:
    """The features of every token as strings, with CRFsuite's marks of the sentence's ends."""
    sentences = []
    for sentence in corpus:
        rows = []
        for t in range(len(sentence)):
            row = ["__BOS__"] * (t == 0) + ["__EOS__"] * (t == len(sentence) - 1)
            for template in TEMPLATES:
                at = [t + read.offset for read in template.reads]
                if all(0 <= i < len(sentence) for i in at):
                    values = [sentence[i][read.column] for i, read in zip(at, template.reads, strict=True)]
                    row.append(f"{template}={'|'.join(values)}")
            rows.append(row)
        sentences.append(rows)
    return sentences


def train(split: Split, path: str) -> None:
    trainer = pycrfsuite.Trainer(algorithm="ap", verbose=False)
    trainer.set_params({"max_iterations": 10})
    for rows, labels in zip(features(split.train), split.train.sentences_of(-1), strict=True):
        trainer.append(rows, labels)
    trainer.train(path)


def tag(split: Split, path: str) -> list[list[str]]:
    tagger = pycrfsuite.Tagger()
    tagger.open(path)
    return [tagger.tag(rows) for rows in features(split.scored)]


def contest(split: Split) -> tuple[list[list[str]], dict[str, float]]:
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "model")
        _, train_seconds = timed(lambda: train(split, path))
        labels, decode_seconds = timed(lambda: tag(split, path))
    return labels, {"seconds_train": train_seconds, "seconds_decode": decode_seconds}


if __name__ == "__main__":
    run(conll2000, contest, chunks=True)
