"""joblib keeps models, and runs them in other processes."""

import pytest

from riata import Tagger
from samples import TAGS, UNSEEN, WORDS

joblib = pytest.importorskip("joblib", reason="joblib is not installed: pip install joblib")


def test_a_model_is_dumped_and_loaded(tmp_path):
    model = Tagger("perceptron", epochs=3).fit(WORDS, TAGS)
    joblib.dump(model, tmp_path / "m.joblib", compress=3)
    loaded = joblib.load(tmp_path / "m.joblib")
    assert loaded.predict(UNSEEN) == model.predict(UNSEEN)
    assert loaded.get_params() == model.get_params()


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_sentences_are_labelled_in_parallel(backend):
    model = Tagger("perceptron", epochs=3).fit(WORDS, TAGS)
    parts = joblib.Parallel(n_jobs=2, backend=backend)(joblib.delayed(model.predict)([s]) for s in UNSEEN)
    assert [labels for part in parts for labels in part] == model.predict(UNSEEN)
