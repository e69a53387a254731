"""Learning curves: how a score grows with the training data, the beam or the epochs."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from numbers import Real
from pathlib import Path
from typing import Any

import numpy as np

from riata.analysis.outputs import check_sequences
from riata.choosing.options import EPOCHS, choice_of
from riata.data.memory import as_corpus
from riata.data.types import Corpus
from riata.errors import DataError, RiataWarning, SettingError, UnknownNameError
from riata.learning.development import parted
from riata.learning.events import Listener, Note, ignore
from riata.scoring.evaluation import Evaluation
from riata.scoring.figures import Figure, Sample
from riata.showing.notebook import page
from riata.showing.plotting import canvas, check, save
from riata.showing.table import Cell, Table, as_text

BY = ("size", "beam", "epoch")
SIZES = (0.1, 0.2, 0.5, 1.0)
BEAMS = (1, 2, 5, 10)
HELD_OUT = 0.1  # of the training data, where there are no test data


@dataclass(frozen=True, eq=False)
class CurvePoint:
    """One point of a curve, over seeds. Scores are in per cent."""

    at: float  # sentences, the beam, or the epoch
    sentences: int  # learnt from
    tokens: int  # mean over seeds
    score: Figure  # the main score on the test data
    train: Figure  # and on what was learnt from
    metrics: dict[str, float]  # on the test data, means over seeds
    seconds: float  # of training, mean over seeds

    @property
    def interval(self) -> tuple[float, float]:
        """95 %: over seeds, where there are several, else over test sentences or documents."""
        low, high = self.score.interval or (self.score.mean, self.score.mean)
        return low, high

    def to_dict(self) -> dict[str, Any]:
        return {
            "at": "inf" if math.isinf(self.at) else self.at,
            "sentences": self.sentences,
            "tokens": self.tokens,
            "metrics": self.metrics,
            "interval": list(self.interval),
            "scores": self.score.values,
            "train": self.train.mean,
            "seconds_train": self.seconds,
        }


@dataclass(frozen=True, eq=False)
class LearningCurve:
    """Points of a curve, in order. `str()` and notebooks show it; `to_dict()` is ready for JSON; `plot` draws it."""

    by: str  # size, beam or epoch
    task: str
    recipe: str
    structure: str
    test: str  # what was scored
    score: str  # the name of the main score
    seeds: int
    points: tuple[CurvePoint, ...]
    resampled: str = "sentences"  # of the test data, in words: what intervals are over, with one seed

    def to_dict(self) -> dict[str, Any]:
        names = ("by", "task", "recipe", "structure", "test", "score", "seeds", "resampled")
        return {**{name: getattr(self, name) for name in names}, "points": [point.to_dict() for point in self.points]}

    def table(self) -> Table:
        first = {"size": "sentences", "beam": "beam", "epoch": "epoch"}[self.by]
        rows: list[tuple[Cell, ...]] = []
        for point in self.points:
            low, high = point.interval
            at: Cell = "inf" if math.isinf(point.at) else int(point.at)
            size = (point.tokens,) if self.by == "size" else ()
            rows.append((at, *size, point.score.mean, low, high, point.train.mean, point.seconds))
        sizes = ("tokens",) if self.by == "size" else ()
        columns = (first, *sizes, self.score, "from", "to", "on training data", "s")
        note = f"{self.score} on {self.test}, with 95 % intervals over {self.over}"
        return Table(f"{self.recipe} on {self.structure}, by {self.by}", columns, rows, note)

    @property
    def over(self) -> str:
        """What intervals are over, in words."""
        return f"{self.seeds} seeds" if self.seeds > 1 else f"test {self.resampled}"

    def plot(self, path: str | Path) -> None:
        """Draws it to a file, .svg or .png. Needs matplotlib, the extra `plots`."""

        plot(self, Path(path))

    def __str__(self) -> str:
        return as_text(self.table())

    def __rich__(self) -> Any:
        return self.table()

    def _repr_html_(self) -> str:
        return page(self.table().to_html())


@dataclass(frozen=True, eq=False)
class Trained:
    """One training of one seed, done and scored."""

    at: float
    seed: int
    data: Corpus
    evaluation: Evaluation
    train: float
    seconds: float


Watch = Callable[[Trained], None]


def learning_curve(
    estimator: Any,
    train: Any,
    test: Any = None,
    *,
    by: str = "size",
    at: Sequence[float] | None = None,
    seeds: int = 1,
    listener: Listener = ignore,
    watch: Watch | None = None,
) -> LearningCurve:
    """Trains copies of an estimator and scores each on the same test data; the estimator itself is left as it is.

    train, test: corpora, or sentences of columns, with the labels last. Without test data the last tenth of the training data is held out.
    by: "size", parts of the training data, each within the next, drawn by the seed; "beam", trained and decoded with it; "epoch".
    at: fractions of the training data or numbers of sentences (a number above 1), or widths of beams; epochs are 1, 2,
    … up to the estimator's.
    seeds: trainings of every point, with seeds from the estimator's on. listener: hears what trainings on all data tell. watch: is called
    with every training that is done.

    >>> train = riata.load("embedded", "train")
    >>> curve = riata.learning_curve(riata.Chunker(epochs=2), train[:200], train[200:], at=[50, 200])
    >>> [point.sentences for point in curve.points]
    [50, 200]
    """
    check_sequences([estimator])
    if by not in BY:
        raise UnknownNameError.of("kind of curve", by, BY)
    if isinstance(seeds, bool) or not isinstance(seeds, int) or seeds < 1:
        raise SettingError(f"seeds is {seeds!r}; expected a whole number of at least 1.")
    learn, score = _split(as_corpus(train), test)
    points = points_of(by, at, len(learn), estimator)
    done: dict[float, list[Trained]] = {point: [] for point in points}
    for seed in range(estimator.seed, estimator.seed + seeds):
        for trained in _trainings(estimator, by, points, learn, score, seed, listener):
            done[trained.at].append(trained)
            if watch is not None:
                watch(trained)
    choice = choice_of(estimator)
    name = {"f1": "F1"}.get(main := done[points[0]][0].evaluation.main, main)
    return LearningCurve(
        by,
        estimator.task_name,
        choice.recipe.name,
        choice.structure.name,
        Path(score.name).name if test is not None else _end_in_words(learn, score),
        name,
        seeds,
        tuple(_point(point, done[point]) for point in points),
        str(done[points[0]][0].evaluation.units),
    )


def points_of(by: str, at: Sequence[float] | None, sentences: int, estimator: Any) -> list[float]:
    """Where the curve is measured, in ascending order: numbers of sentences, beams or epochs."""
    if by == "epoch":
        if at is not None:
            raise SettingError(
                "a curve by epoch has a point after every epoch.", remedy="Set the epochs of the estimator instead."
            )
        return [float(k) for k in range(1, _epochs(estimator) + 1)]
    given = list((SIZES if by == "size" else BEAMS) if at is None else at)
    if not given or not all(isinstance(x, Real) and not isinstance(x, bool) and x > 0 for x in given):
        raise SettingError(f"at is {given!r:.60}; expected numbers above 0.")
    if by == "size":
        return sorted({float(_size(x, sentences)) for x in given})
    return sorted(set(given))  # which the estimator checks


def _epochs(estimator: Any) -> int:
    if estimator.epochs is not None:
        return int(EPOCHS.parse(estimator.epochs))
    recipe = choice_of(estimator).recipe
    if recipe.whole:  # up to a thousand, each of which would be a training
        raise SettingError(
            f"the recipe {recipe.name!r} goes on until nothing changes; a curve by epoch needs to know how far.",
            remedy="Set the epochs, such as 20.",
        )
    return int(recipe.epochs)


def _size(size: float, sentences: int) -> int:
    """A fraction of all sentences, or a number of them."""
    if size <= 1:
        return max(1, round(size * sentences))
    if size != int(size) or size > sentences:
        raise SettingError(
            f"a size is {size:g}, of {sentences:,} sentences to learn from.",
            remedy="Give a fraction from 0 to 1, or a whole number of sentences that there are.",
        )
    return int(size)


def _split(train: Corpus, test: Any) -> tuple[Corpus, Corpus]:
    if test is not None:
        return train, as_corpus(test)
    if len(train) < 2:
        raise DataError(
            "one sentence cannot be both learnt from and scored.", remedy="Give test data.", file=train.name
        )
    return parted(train, HELD_OUT, ignore)


def _end_in_words(learn: Corpus, score: Corpus) -> str:
    end = "the last tenth" if learn.document is None else f"the last {len(score):,} sentences"
    return f"{end} of {Path(learn.name).name}"


def _trainings(
    estimator: Any, by: str, points: Sequence[float], learn: Corpus, score: Corpus, seed: int, listener: Listener
) -> Iterator[Trained]:
    """All of one seed. Parts of the data keep their order, so that all of them together are the data as they are."""
    order = np.random.default_rng(seed).permutation(len(learn))

    def made(**changed: Any) -> Any:
        return type(estimator)(**{**estimator.get_params(deep=False), "seed": seed, **changed})

    in_one_training = (
        estimator.own_structure is None
        and estimator.dev is None
        and estimator.passes == 1
        and not choice_of(estimator).recipe.whole
    )
    if by == "epoch" and in_one_training:
        twin, seconds = made(), 0.0
        for point in points:
            began = time.perf_counter()
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always", RiataWarning)
                twin.partial_fit(learn)
            seconds += time.perf_counter() - began
            for warning in caught:
                listener(Note(str(warning.message), warning=True))
            yield _scored(twin, point, seed, learn, score, seconds)
        return
    for point in points:
        data = learn[np.sort(order[: int(point)])] if by == "size" else learn
        # A joint model counts words anew in every partial_fit, and some learners and development data do not go with it: their epochs are
        # trainings of their own.
        twin = made(**({"beam": point} if by == "beam" else {"epochs": int(point)} if by == "epoch" else {}))
        twin.fit(data, listener=listener if len(data) == len(learn) else ignore)
        yield _scored(twin, point, seed, data, score, twin.seconds_)


def _scored(estimator: Any, at: float, seed: int, data: Corpus, score: Corpus, seconds: float) -> Trained:
    return Trained(at, seed, data, estimator.evaluate(score), estimator.evaluate(data).score, seconds)


def _point(at: float, trained: Sequence[Trained]) -> CurvePoint:
    samples = [Sample.of(one.evaluation) for one in trained]
    metrics = [one.evaluation.metrics for one in trained]
    return CurvePoint(
        at,
        len(trained[0].data),
        round(float(np.mean([one.data.tokens for one in trained]))),
        Figure(tuple(samples)),
        Figure.of(*(one.train for one in trained)),
        {name: float(np.mean([each[name] for each in metrics])) for name in metrics[0]},
        float(np.mean([one.seconds for one in trained])),
    )


BLUE, GREY = "tab:blue", "0.5"


def plot(curve: LearningCurve, path: Path) -> None:
    """Scores with their intervals as a band, and those on the training data; sizes are drawn to scale, beams side by side."""
    check(path, "plot")
    figure = canvas(7, 4.5)
    axes = figure.subplots()
    low, high = np.array([point.interval for point in curve.points]).T
    to_scale = curve.by != "beam"
    x = np.array([point.tokens if curve.by == "size" else point.at for point in curve.points], float)
    at = x if to_scale else np.arange(len(x), dtype=float)
    scores = [point.score.mean for point in curve.points]
    axes.fill_between(at, low, high, color=BLUE, alpha=0.2, linewidth=0, label="95 % interval")
    axes.plot(at, scores, "o-", color=BLUE, label="test data")
    for i in (0, len(scores) - 1) if len(scores) > 1 else (0,):
        axes.annotate(
            f"{scores[i]:.1f}", (at[i], scores[i]), (0, -14), textcoords="offset points", ha="center", fontsize=9
        )
    axes.plot(at, [point.train.mean for point in curve.points], "s--", color=GREY, markersize=4, label="training data")
    if len(x) == 1 or not to_scale:
        names = ["inf" if math.isinf(value) else f"{value:,.0f}" for value in x]
        axes.set_xticks(at, names)
    elif curve.by == "epoch":
        axes.xaxis.get_major_locator().set_params(integer=True)
    else:
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
        axes.set_xlim(left=0)
    axes.set_xlabel({"size": "tokens of training data", "beam": "beam", "epoch": "epoch"}[curve.by])
    axes.set_ylabel(f"{curve.score}, %")
    over = curve.over
    axes.set_title(
        f"{curve.recipe} on {curve.structure}: {curve.score} on {curve.test}\n(interval over {over})", fontsize=10
    )
    axes.grid(alpha=0.3)
    axes.legend(fontsize=9)
    save(figure, path)
