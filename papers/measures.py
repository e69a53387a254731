"""What is measured of a trained row."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from papers.reproduction import Trained
from riata.data.encodings.base import OUTSIDE
from riata.data.types import Column, Ids
from riata.models.weights_by_name import by_name
from riata.scoring.evaluation import evaluate_column
from riata.scoring.figures import Sample
from riata.scoring.pairs import evaluate_columns

NEAR = 0.1  # of a score in per cent


def scores(trained: Trained) -> dict[str, Sample]:
    """Times, the epoch that was chosen, and every metric of the task; the sentences of its main one, F1, are kept."""
    return _scores(trained, *_decoded(trained))


def noun_scores(trained: Trained) -> dict[str, Sample]:
    """Of a joint tagger: the same, with the sentences of tag accuracy too and, under `_np`, NP chunks alone,
    every other chunk label being O on both sides.
    """
    predicted, seconds = _decoded(trained)
    tags, chunks = trained.scored.columns[-2:]
    found_tags, found_chunks = trained.estimator.labels.output_columns(predicted)
    starts, document = trained.scored.starts, trained.scored.document
    nouns = evaluate_columns((tags, _nouns(chunks)), (found_tags, _nouns(found_chunks)), starts)
    of_tags = evaluate_column(tags, found_tags.ids, found_tags.alphabet.texts(), starts, chunks=False)
    return {
        **_scores(trained, predicted, seconds),
        "tag_accuracy": Sample.of(replace(of_tags, document=document)),
        **{f"{name}_np": Sample(nouns.metrics[name]) for name in ("accuracy", "joint_accuracy")},
        "f1_np": Sample.of(replace(nouns, document=document)),
    }


def _decoded(trained: Trained) -> tuple[Ids, float]:
    """What the estimator predicts for the sentences scored, and the CPU seconds of it."""
    began = time.thread_time()
    predicted = trained.estimator.predict_ids(trained.scored)
    return predicted, time.thread_time() - began


def _scores(trained: Trained, predicted: Ids, seconds: float) -> dict[str, Sample]:
    evaluation = trained.estimator.evaluate(trained.scored, predicted=predicted)
    return {
        "seconds_train": Sample(trained.seconds),
        "seconds_decode": Sample(seconds),
        "epoch": Sample(trained.estimator.best_epoch_),
        **{name: Sample(value) for name, value in evaluation.metrics.items()},
        "f1": Sample.of(evaluation),
    }


def _nouns(chunks: Column) -> Column:
    kept = Column.of([text if text.endswith("-NP") else OUTSIDE for text in chunks.alphabet.texts()])
    return Column(kept.alphabet, kept.ids[chunks.ids])


def convergence(trained: Trained) -> dict[str, Sample]:
    """Like `scores` and, where there are development data, the first epoch whose score is less than NEAR below the best:
    less of an accident than the best one.
    """
    found = scores(trained)
    by_epoch = [epoch["dev_score"] for epoch in trained.estimator.history_ if not epoch["refit"]]
    if all(score is not None for score in by_epoch):
        near = next(number for number, score in enumerate(by_epoch, 1) if score >= max(by_epoch) - NEAR)
        found["epoch_near"] = Sample(near)
    return found


def accuracy(trained: Trained) -> dict[str, Sample]:
    """Of a tagger: times, the epoch that was chosen, and accuracy with its sentences."""
    predicted, seconds = _decoded(trained)
    return {
        "seconds_train": Sample(trained.seconds),
        "seconds_decode": Sample(seconds),
        "epoch": Sample(trained.estimator.best_epoch_),
        "accuracy": Sample.of(trained.estimator.evaluate(trained.scored, predicted=predicted)),
    }


def scores_by_size(sizes: Sequence[int]) -> Callable[[Trained], dict[str, Sample]]:
    """The task's main score with its sentences, times and the number of weights; and the score after learning in the same way from so many
    sentences, the first ones, by the keys of `size_key`; all of them where there are no more.
    """

    def scores_by_training_size(trained: Trained) -> dict[str, Sample]:
        predicted, seconds = _decoded(trained)
        found = {
            "seconds_train": Sample(trained.seconds),
            "seconds_decode": Sample(seconds),
            "epoch": Sample(trained.estimator.best_epoch_),
            "weights": Sample(by_name(trained.estimator.model_).count()),
            "score": Sample.of(trained.estimator.evaluate(trained.scored, predicted=predicted)),
        }
        for size in sizes:
            found[size_key(size)] = found["score"]
            if size < len(trained.data):
                smaller = trained.estimator.untrained(dev=None, refit=False, epochs=trained.estimator.best_epoch_)
                smaller.fit(trained.data[:size], listener=lambda _: None)
                found[size_key(size)] = Sample.of(smaller.evaluate(trained.scored))
        return found

    # Cells with other sizes are others.
    scores_by_training_size.__name__ = "_".join(["scores_by_training_size", *map(str, sizes)])
    return scores_by_training_size


def size_key(sentences: int) -> str:
    return f"score_{sentences}"


def objectives(passes: Sequence[int]) -> Callable[[Trained], dict[str, Sample]]:
    """Of a max-margin learner: the objective and, where it is known, the relative gap in per cent, after so many passes. A learner that
    has ended before keeps its last ones.
    """

    def objective_by_pass(trained: Trained) -> dict[str, Sample]:
        found = {"seconds_train": Sample(trained.seconds)}
        known = [epoch for epoch in trained.estimator.history_ if epoch["objective"] is not None]
        for most in passes:
            last = [epoch for epoch in known if epoch["epoch"] <= most][-1:]
            for epoch in last:
                found[objective_key(most)] = Sample(epoch["objective"])
                if epoch["gap"] is not None:
                    found[gap_key(most)] = Sample(100 * epoch["gap"])
        return found

    return objective_by_pass


def objective_key(passes: int) -> str:
    return f"objective_{passes}"


def gap_key(passes: int) -> str:
    return f"gap_{passes}"


def bound(trained: Trained) -> dict[str, Sample]:
    """Updates, margins of the final weights (not averaged), and what Theorem 4 makes of them; it has no number without a margin."""
    found = trained.estimator.diagnose(trained.data)
    updates = [epoch["updates"] for epoch in trained.estimator.history_]
    measured = {
        "epochs_needed": Sample(max((at for at, number in enumerate(updates, 1) if number), default=0)),
        "updates_last_epoch": Sample(updates[-1]),
        "updates": Sample(found.updates),
        "survival_margin": Sample(found.survival_margin),
        "margin": Sample(found.update_margin),
        "raw_margin": Sample(found.raw_update_margin),
    }
    theorem = found.bounds["Theorem 4"]
    if theorem.value is not None and theorem.holds:
        measured["bound"] = Sample(theorem.value)
    return measured


def noun_scores_and_beams(beams: Sequence[int]) -> Callable[[Trained], dict[str, Sample]]:
    """Like `noun_scores`, and F1 of the same model under decoding beams, by the keys of `beam_key`; not of a model without a beam."""

    def noun_scores_and_f1_by_beam(trained: Trained) -> dict[str, Sample]:
        found = noun_scores(trained)
        for beam in beams if trained.estimator.beam is not None else ():  # a row without a beam has one score
            evaluation = trained.estimator.set_params(beam=beam).evaluate(trained.scored)
            found[beam_key(beam)] = Sample.of(evaluation)
        return found

    return noun_scores_and_f1_by_beam


def beam_key(beam: int) -> str:
    return f"f1_beam_{beam}"
