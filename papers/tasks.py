"""The tasks that papers report on, as they are done here: an estimator, and the columns it reads and writes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from riata.features.templates import parse
from riata.scoring.figures import Sample
from riata.tasks.chunk import Chunker
from riata.tasks.joint import JointTagger
from riata.tasks.ner import EntityRecognizer
from riata.tasks.tag import Tagger


@dataclass(frozen=True)
class Trial:
    """One training of a row that makes or reads its data itself."""

    setting: Mapping[str, Any]  # of the row
    seed: int
    epochs: int  # at most
    quick: bool
    final: bool  # whether test data are scored, instead of development data
    tell: Callable[[str], None]  # says where the training is; raises KeyboardInterrupt to end it


@dataclass(frozen=True)
class Task:
    name: str
    make: Callable[..., Any]  # an untrained estimator, from its parameters; of a task with trials, not called
    columns: tuple[str, ...]  # of the data set, and of the embedded corpus
    data: str = "conll2000"  # empty: the data are made up, or `own`
    test: str = "test"  # the part of the data set that --final scores
    train: str = "train"  # the part that is learnt from
    dev: str = ""  # the part that is development data; without one, the last tenth of what is learnt from
    quick_columns: tuple[str, ...] = ()  # of the embedded corpus, if others than `columns`
    # What is measured of one training, by key of a column, for tasks whose data are no columns. None: the estimator learns a corpus.
    trial: Callable[[Trial], Mapping[str, Sample]] | None = None
    own: str = ""  # the data that trials read themselves


SEGMENTS = Task(
    "chunking by segments",
    partial(Chunker, structure="segments"),
    ("word", "tag", "chunk"),
)

# Words are the input; an operator gives a word its tag and its chunk label. Rows name the features, and say whether there is look-ahead.
JOINT = Task("joint tagging and chunking", JointTagger, ("word", "tag", "chunk"))

ENTITIES = Task("entities", EntityRecognizer, ("word", "tag", "entity"), "conll2002-es", "testb")
# Development data are testa, as in the shared task: every model learns from all of train.
SPANISH = replace(ENTITIES, name="entities, dev is testa", dev="testa")

PENN = Task("Penn tags", Tagger, ("form", "xpos"), "ud-en-ewt", dev="dev", quick_columns=("word", "tag"))


PIXELS = 128  # of a bitmap


def letter_tagger(*, neighbours: bool = True, places: bool = True, **parameters: Any) -> Tagger:
    """Reads the black pixels of a letter; with `places`, whether it is the word's first or last; with `neighbours`, the letter before."""
    pixels = {f"pixel{j}": partial(_pixel, j) for j in range(PIXELS)}
    of_places = ["bias[0]", "bias[-1]", "bias[1]"] if places else []
    lines = [*(f"{name}[0]" for name in pixels), *of_places, *(["edge"] if neighbours else [])]
    return Tagger(template=parse("\n".join(lines)), attributes=pixels, **parameters)


def _pixel(j: int, bitmap: str) -> str | None:
    """Character j of a text, unless it is 0."""
    return bitmap[j : j + 1].strip("0") or None


LETTERS = Task("letters", letter_tagger, ("bitmap", "letter"), "ocr-letters", quick_columns=("word", "tag"))
LETTERS_LARGE = replace(LETTERS, name="letters, large", train="train-large", test="test-large")
