"""What many tests say in a line: something is refused, weights are the same, a model comes back from its file."""

import pickle

import pytest

import riata


def refused(error, says, function, *arguments, **options):
    """Calls a function that must raise this error; gives the error. says: a pattern in its message, or "" for any."""
    with pytest.raises(error, match=says or None) as caught:
        function(*arguments, **options)
    return caught.value


def same_weights(found, expected, **within):
    """Of two dictionaries of weights: equal, where a missing weight is zero."""
    for key in {*found, *expected}:
        assert found.get(key, 0.0) == pytest.approx(expected.get(key, 0.0), **(within or {"abs": 1e-6})), key


def stored(estimator, folder):
    """The estimator, saved in a folder and loaded again."""
    estimator.save(folder / "stored.riata")
    return riata.load_model(folder / "stored.riata")


def copies(estimator, folder):
    """The estimator as it comes back from its file, and from pickle."""
    return stored(estimator, folder), pickle.loads(pickle.dumps(estimator))


def texts_of(estimator, *data, **options):
    """Trains, and gives the texts of what training tells."""
    told = []
    estimator.fit(*data, **options, listener=told.append)
    return [event.text for event in told if hasattr(event, "text")]
