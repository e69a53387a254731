"""Probabilities and weights by the names of labels and features."""

from itertools import pairwise

import pytest

import riata
from checks import refused
from riata.errors import NotFittedError, UnsupportedError
from riata.models.weights_by_name import by_name

CORPUS = riata.load("embedded", "train")[:60]
X = [[{"word": word.lower(), "tag": tag, "bias": 0.5} for word, tag, _ in sentence] for sentence in CORPUS]
Y = CORPUS.sentences_of(2)


@pytest.fixture(scope="module")
def crf() -> riata.Chunker:
    return riata.Chunker("crf", epochs=10).fit(X, Y)


def test_marginals_are_the_probabilities_by_label(crf: riata.Chunker) -> None:
    for sentence, rows in zip(crf.predict_marginals(X[:5]), crf.predict_proba(X[:5]), strict=True):
        for found, row in zip(sentence, rows, strict=True):
            assert list(found) == crf.classes_
            assert list(found.values()) == pytest.approx(row.tolist())
    assert crf.predict_marginals_single(X[0]) == crf.predict_marginals(X[:1])[0]
    assert crf.predict_single(X[0]) == crf.predict(X[:1])[0]
    assert crf.predict_marginals([[]]) == [[]]


def test_the_weights_by_name_add_up_to_the_score_of_a_labelling(crf: riata.Chunker) -> None:
    state, transition = crf.state_features_, crf.transition_features_
    for sentence, found in zip(X, crf.predict_nbest(X, 2), strict=True):
        for labels, score in found:
            names = [[(f"word:{t['word']}", 1.0), (f"tag:{t['tag']}", 1.0), ("bias", t["bias"])] for t in sentence]
            total = sum(
                state.get((name, label), 0.0) * value
                for features, label in zip(names, labels, strict=True)
                for name, value in features
            )
            total += sum(transition.get(pair, 0.0) for pair in pairwise(labels))
            assert total == pytest.approx(score, abs=1e-4)


def test_no_weight_is_zero_and_every_label_is_a_class(crf: riata.Chunker) -> None:
    assert all(crf.state_features_.values())
    assert all(crf.transition_features_.values())
    assert {label for _, label in crf.state_features_} <= set(crf.classes_)
    assert len(crf.state_features_) + len(crf.transition_features_) == by_name(crf.model_).count()


def test_templates_give_features_names_too() -> None:
    chunker = riata.Chunker(epochs=2).fit(CORPUS)
    assert any(name == "word[0]=the" for name, _ in chunker.state_features_)
    segments = riata.Chunker("laso-perceptron", epochs=1).fit(CORPUS)
    assert {label for _, label in segments.state_features_} <= {
        "NP",
        "VP",
        "PP",
        "ADJP",
        "ADVP",
        "SBAR",
        "PRT",
        *"O",
    } | {
        "CONJP",
        "INTJ",
    }
    assert segments.transition_features_ == {}


def test_weights_without_names_are_refused_and_an_untrained_estimator_says_so() -> None:
    hashed = riata.Chunker(epochs=1, bits=16).fit(CORPUS)
    with pytest.raises(UnsupportedError, match="hashed"):
        _ = hashed.state_features_
    for name in ("state_features_", "transition_features_"):
        refused(NotFittedError, "", getattr, riata.Chunker(), name)
        assert not hasattr(riata.Chunker(), name)


def test_an_imported_model_has_the_weights_that_the_other_tool_shows(tmp_path) -> None:
    sklearn_crfsuite = pytest.importorskip("sklearn_crfsuite")
    path = tmp_path / "model.crfsuite"
    theirs = sklearn_crfsuite.CRF(max_iterations=10, model_filename=str(path), all_possible_transitions=True).fit(X, Y)
    ours = riata.import_model(path)
    for name in ("state_features_", "transition_features_"):
        known = {key: weight for key, weight in getattr(theirs, name).items() if weight}
        found = getattr(ours, name)
        assert {key for key, weight in known.items() if abs(weight) > 1e-5} <= set(found)
        assert all(weight == pytest.approx(known.get(key, 0.0), abs=2e-6) for key, weight in found.items())
    expected = theirs.predict_marginals(X[:3])
    for sentence, other in zip(ours.predict_marginals(X[:3]), expected, strict=True):
        for found, their in zip(sentence, other, strict=True):
            assert found == pytest.approx(their, abs=1e-4)
