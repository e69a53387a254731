"""Ctrl-C at every moment of a training: the estimator is as it was before, or as it should be after."""

import random
import signal
import sys
import time

import pytest

from checks import refused
from python_problems import TAGS as VOWELS
from python_problems import WORDS as LETTERS
from python_problems import Tagging
from riata import Chunker, JointTagger, Predictor, Tagger
from riata.errors import AsInterrupt, NotFittedError
from riata.features.templates import parse
from samples import CHUNKS, INPUTS, TAGS, WORDS

FILES = ("estimators/fitting.py", "estimators/trained.py", "tasks/joint.py", "problems/predictor.py")


def in_riata(frame, files):
    return frame.f_code.co_filename.replace("\\", "/").endswith(files)


def interrupted_at(moment, work, files=FILES):
    """Runs work and raises KeyboardInterrupt at its so-many-th line in these files; whether that came."""
    seen = 0

    def trace(frame, event, argument):
        nonlocal seen
        if not in_riata(frame, files):
            return None
        if event == "line":
            seen += 1
            if seen == moment:
                raise KeyboardInterrupt
        return trace

    sys.settrace(trace)
    try:
        work()
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(None)
    return False


def check_whole(estimator, data, expected):
    """Not fitted at all, or fitted so that everything works."""
    state = {name for name in vars(estimator) if name.endswith("_")}
    if not hasattr(estimator, "model_"):
        assert state == set()
        refused(NotFittedError, "", estimator.predict, data)
        return
    assert state == expected
    assert len(estimator.predict(data)) == len(data)
    repr(estimator)


ESTIMATORS = {
    "Tagger": (lambda: Tagger(epochs=1, template=parse("word[0]\nedge"), threads=1), (WORDS, TAGS), WORDS),
    "Chunker": (lambda: Chunker(epochs=2, template=parse("word[0]\nedge"), dev=0.3, threads=1), (CHUNKS,), INPUTS),
    "JointTagger": (lambda: JointTagger(epochs=1, threads=1), (CHUNKS,), WORDS),
    "Predictor": (lambda: Predictor(Tagging(), epochs=1), (LETTERS, VOWELS), LETTERS),
}


@pytest.mark.parametrize("name", ESTIMATORS)
def test_an_interrupt_at_any_line_of_fit_leaves_no_estimator_half_set(name):
    make, data, inputs = ESTIMATORS[name]
    expected = {attribute for attribute in vars(make().fit(*data)) if attribute.endswith("_")}
    moment = 1
    while interrupted_at(moment, lambda: estimator.fit(*data)) if (estimator := make()) else False:
        check_whole(estimator, inputs, expected)
        moment += 1
    assert moment > 20
    check_whole(estimator, inputs, expected)


def test_an_interrupt_at_any_line_of_a_second_fit_leaves_the_first_or_the_second():
    make, data, inputs = ESTIMATORS["Tagger"]
    moment, more = 1, True
    while more:
        tagger = make().fit([["a", "b"]], [["A", "B"]])
        before = dict(vars(tagger))
        more = interrupted_at(moment, lambda fitted=tagger: fitted.fit(*data))
        assert vars(tagger) == before or set(tagger.classes_) == {tag for tags in TAGS for tag in tags}
        assert len(tagger.predict(inputs)) == len(inputs)
        moment += 1
    assert moment > 20


@pytest.mark.parametrize("structure", ["chain", "segments"])
def test_a_huge_list_of_the_best_is_interrupted_within_a_sentence(structure):
    chunker = Chunker("perceptron", structure=structure, epochs=1).fit(CHUNKS)
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    began = time.perf_counter()
    try:
        with pytest.raises(KeyboardInterrupt):
            chunker.predict_nbest([INPUTS[0][:1] * 60], 250_000)  # as many as may be asked for
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert time.perf_counter() - began < 5


def test_signals_at_random_moments_of_fit_leave_no_estimator_half_set():
    make = ESTIMATORS["Chunker"][0]
    words = [[(f"w{(7 * s + t) % 400}", "X", "B-NP" if t % 3 else "O") for t in range(12)] for s in range(60)]
    began = time.perf_counter()
    fitted = make().set_params(threads=2).fit(words)
    longest, expected = time.perf_counter() - began, {n for n in vars(fitted) if n.endswith("_")}
    rng, came = random.Random(0), 0
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        for _ in range(25):
            estimator = make().set_params(threads=2)
            try:
                signal.setitimer(signal.ITIMER_REAL, rng.uniform(0.0005, longest))
                estimator.fit(words)
            except KeyboardInterrupt:
                came += 1
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
            check_whole(estimator, [[("w1", "X"), ("w2", "X")]], expected)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert came > 0


def test_an_interrupt_that_became_an_error_of_a_lock_is_one_again():
    with pytest.raises(KeyboardInterrupt), AsInterrupt():
        try:
            raise KeyboardInterrupt
        finally:
            raise RuntimeError("cannot release un-acquired lock")
    with pytest.raises(RuntimeError, match="mine"), AsInterrupt():
        raise RuntimeError("mine")
