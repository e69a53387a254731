"""What does it give to learn crossing arcs as they are? The systems arc-hybrid and swap on UD Hungarian Szeged, with tags of our own.

    python -m benchmarks.crossing_arcs                         scores development data
    python -m benchmarks.crossing_arcs --tags tags.json        keeps the tags of the training data, or takes those that were kept
    python -m benchmarks.crossing_arcs --final                 scores test data, which is put on record

A tagger gives part of speech and morphology as one tag. Training data are tagged in ten blocks of sentences, each by a tagger that has not
seen it; the data have no marks of documents. The parsers read word, part of speech, part of speech with the features that say most about
relations, and all features. They differ in the system alone.
"""

from __future__ import annotations

import argparse
import itertools
import json
import time
from pathlib import Path
from typing import Any

import riata
from riata.data.documents import blocks
from riata.data.types import Corpus
from riata.measuring import provenance as log
from riata.measuring.provenance import about
from riata.scoring.significance import paired_test

DATA = "ud-hu-szeged"
FOLDS = 10
BETWEEN = "|"  # part of speech and morphology
TELLING = ("Case", "VerbForm", "PronType")  # the features of the second tag
POSSESSED = "Number[psor]"
SETTINGS: dict[str, Any] = {"recipe": "max-violation", "beam": 16, "epochs": 15, "seed": 1}
SYSTEMS = ("arc-hybrid", "swap")

Tags = list[list[str]]


def read(split: str) -> Corpus:
    return riata.load(DATA, split, columns=("form", "upos", "feats", "head", "deprel"))


def sentences(corpus: Corpus) -> list[list[tuple[str, ...]]]:
    tokens = list(zip(*(column.texts() for column in corpus.columns), strict=True))
    starts = corpus.starts.tolist()
    return [tokens[low:high] for low, high in itertools.pairwise(starts)]


def words(data: list[list[tuple[str, ...]]]) -> list[list[str]]:
    return [[token[0] for token in sentence] for sentence in data]


def true_tags(data: list[list[tuple[str, ...]]]) -> Tags:
    return [[BETWEEN.join(token[1:3]) for token in sentence] for sentence in data]


def tagger(data: list[list[tuple[str, ...]]]) -> riata.Tagger:
    return riata.Tagger("mira", epochs=10).fit(words(data), true_tags(data), listener=lambda _: None)


def jackknifed(corpus: Corpus) -> Tags:
    data = sentences(corpus)
    tags: Tags = [[] for _ in data]
    for fold in blocks(corpus, FOLDS):
        held_out = fold.tolist()
        known = set(held_out)
        model = tagger([sentence for i, sentence in enumerate(data) if i not in known])
        found = model.predict(words([data[i] for i in held_out]))
        for i, labels in zip(held_out, found, strict=True):
            tags[i] = list(labels)
    return tags


def training_tags(corpus: Corpus, path: Path | None) -> Tags:
    if path is not None and path.exists():
        kept: Tags = json.loads(path.read_text())
        return kept
    tags = jackknifed(corpus)
    if path is not None:
        path.write_text(json.dumps(tags, ensure_ascii=False))
    return tags


def inputs(data: list[list[tuple[str, ...]]], tags: Tags) -> list[list[tuple[str, ...]]]:
    return [
        [(token[0], *columns(tag)) for token, tag in zip(sentence, labels, strict=True)]
        for sentence, labels in zip(data, tags, strict=True)
    ]


def columns(tag: str) -> tuple[str, str, str]:
    upos, _, feats = tag.partition(BETWEEN)
    values = dict(part.split("=", 1) for part in feats.split(BETWEEN) if "=" in part)
    telling = "".join(values.get(name, "") for name in TELLING) + ("P" if POSSESSED in values else "")
    return upos, f"{upos}.{telling}", upos + feats


def trees(data: list[list[tuple[str, ...]]]) -> list[list[tuple[int, str]]]:
    return [[(int(token[3]), token[4]) for token in sentence] for sentence in data]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--final", action="store_true", help="score test data, and keep a record of it")
    parser.add_argument("--tags", type=Path, help="file that keeps the tags of the training data")
    options = parser.parse_args()
    split = "test" if options.final else "dev"
    train, judged = sentences(read("train")), sentences(read(split))
    tags = training_tags(read("train"), options.tags)
    found = [list(labels) for labels in tagger(train).predict(words(judged))]
    pairs = [pair for one, other in zip(found, true_tags(judged), strict=True) for pair in zip(one, other, strict=True)]
    right = [100 * sum(a.split(BETWEEN)[:n] == b.split(BETWEEN)[:n] for a, b in pairs) / len(pairs) for n in (1, None)]
    print(f"{split}: upos {right[0]:.2f}, upos and feats {right[1]:.2f}", flush=True)
    scored = {}
    for system in SYSTEMS:
        began = time.process_time()
        learner = riata.DependencyParser(**SETTINGS, structure="transitions", settings={"system": system}, tags="given")
        learner.fit(inputs(train, tags), trees(train), listener=lambda _: None)
        seconds = time.process_time() - began
        scored[system] = learner.evaluate(inputs(judged, found), trees(judged))
        figures = ", ".join(f"{name} {value:.2f}" for name, value in scored[system].metrics.items())
        print(f"{system}: {figures}; {seconds:.0f} s of CPU", flush=True)
    one, other = scored["swap"], scored["arc-hybrid"]
    print(f"p {paired_test(one.statistic, one.resampled, other.resampled).p_value:.4f}")
    if options.final:
        facts = {**about(), "question": "crossing arcs", "data": f"{DATA} test"}
        log.append(
            [{**facts, "contestant": system, "metrics": dict(s.metrics)} for system, s in scored.items()], log.place()
        )


if __name__ == "__main__":
    main()
