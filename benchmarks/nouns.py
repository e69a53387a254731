"""Tags with base noun phrases, the task of Sutton, Rohanimanesh & McCallum (2004): words alone are the input, all other chunks are O.

`python -m benchmarks.nouns` compares a factorial CRF with a cascade, on CoNLL-2000 development data, and draws
docs/factorial.svg. The cascade: a chain CRF that tags words, then a chain CRF that chunks words with their tags. The second learns
from the true tags, without jackknifing, and reads those that the first predicts.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.contest import Split, conll2000, metrics_of, report, timed
from riata import Chunker, JointTagger, Tagger
from riata.data.types import Column, Corpus
from riata.scoring.pairs import evaluate_columns

SIZES = (223, 447, 894, 2234)  # sentences, as in the paper, which also has 670 and 8936
C2, STEPS = 0.1, 100  # the prior, and steps of L-BFGS, of all models that are compared
RESULT = Path(__file__).parent / "results" / "nouns.json"
PICTURE = Path(__file__).parents[1] / "docs" / "factorial.svg"

Answer = tuple[tuple[Column, Column], float]  # tags and chunk labels; CPU seconds of training


def only_nouns(corpus: Corpus) -> Corpus:
    """The corpus with all chunk labels but those of NP replaced by O."""
    chunks = corpus.columns[-1]
    kept = Column.of([text if text.endswith("-NP") else "O" for text in chunks.alphabet.texts()])
    return replace(corpus, columns=(*corpus.columns[:-1], Column(kept.alphabet, kept.ids[chunks.ids])))


def factorial(train: Corpus, scored: Corpus, c2: float = C2, steps: int = STEPS) -> Answer:
    """Chunks are learnt as BIOES."""
    made = JointTagger("crf", structure="factorial", learn_as="bioes", epochs=steps, settings={"c2": c2})
    _, seconds = timed(lambda: made.fit(train, listener=lambda event: None))
    tags, chunks = made.labels.output_columns(made.predict_ids(scored))
    return (tags, chunks), seconds


def cascade(train: Corpus, scored: Corpus) -> Answer:
    tagger = Tagger("crf", epochs=STEPS, settings={"c2": C2})
    chunker = Chunker("crf", learn_as="bioes", epochs=STEPS, settings={"c2": C2})

    def learn() -> None:
        tagger.fit(train.select([0, 1]), listener=lambda event: None)
        chunker.fit(train, listener=lambda event: None)

    _, seconds = timed(learn)
    found = tagger.predict(scored.select([0]))
    chunks = chunker.predict(_with_tags(scored, found))
    return (_column(found), _column(chunks)), seconds


def _with_tags(corpus: Corpus, tags: list[Any]) -> list[list[tuple[str, str]]]:
    return [[(token[0], tag) for token, tag in zip(s, of, strict=True)] for s, of in zip(corpus, tags, strict=True)]


def _column(labels: list[Any]) -> Column:
    return Column.of([label for sentence in labels for label in sentence])


def metrics(scored: Corpus, found: tuple[Column, Column]) -> dict[str, float]:
    evaluation = evaluate_columns((scored.columns[-2], scored.columns[-1]), found, scored.starts)
    return {**evaluation.metrics}


def nouns(final: bool) -> Split:
    split = conll2000(final)
    return Split(only_nouns(split.train), only_nouns(split.scored))


def contest(contestant: Callable[[Corpus, Corpus], Answer]) -> None:
    """Prints one JSON object, as contestants of `benchmarks.run` do."""
    split = nouns("--final" in sys.argv)
    found, seconds = contestant(split.train, split.scored)
    evaluation = evaluate_columns((split.scored.columns[-2], split.scored.columns[-1]), found, split.scored.starts)
    report(split, **metrics_of(evaluation), seconds_train=seconds, seconds_decode=0.0)


def main() -> None:
    split = nouns(final=False)
    rows = []
    for size in SIZES:
        for name, contestant in (("factorial", factorial), ("cascade", cascade)):
            found, seconds = contestant(split.train[:size], split.scored)
            rows.append({"sentences": size, "model": name, "seconds": seconds, **metrics(split.scored, found)})
            print(rows[-1], flush=True)
    RESULT.write_text(json.dumps(rows, indent=1) + "\n")
    draw(rows)


def draw(rows: list[dict[str, Any]]) -> None:
    from riata.showing.plotting import canvas, save

    figure = canvas(7, 3)
    titles = {"f1": "F1 of noun phrases", "joint_accuracy": "both labels right, %"}
    for axes, (key, title) in zip(figure.subplots(1, 2), titles.items(), strict=True):
        for name, mark in (("factorial", "o-"), ("cascade", "s--")):
            of = [row for row in rows if row["model"] == name]
            axes.plot([row["sentences"] for row in of], [row[key] for row in of], mark, label=name)
        axes.set_xscale("log")
        sizes = np.array(sorted({row["sentences"] for row in rows}))
        axes.set_xticks(sizes, [f"{size:,}" for size in sizes])
        axes.minorticks_off()
        axes.set_xlabel("sentences to learn from")
        axes.set_title(title, fontsize=9)
        axes.grid(alpha=0.3)
        axes.legend(fontsize=8)
    save(figure, PICTURE)


if __name__ == "__main__":
    main()
