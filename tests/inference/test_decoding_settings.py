"""Settings of decoding that act on a trained model, whichever recipe trained it."""

import pytest

import riata
from riata.errors import SearchError, SettingError, UnknownNameError
from samples import CHUNKS


@pytest.fixture(scope="module")
def fitted():
    return riata.Chunker("perceptron", epochs=3, threads=1).fit(CHUNKS * 9)


def test_settings_of_queues_act_on_a_model_that_learnt_by_exact_search(fitted, tmp_path):
    beam = riata.Chunker("perceptron", epochs=3, threads=1).fit(CHUNKS * 9)
    beam.set_params(queue="beam", beam=3, settings={"merge": False, "max_nodes": 5000})
    assert not beam.predicting.decoder().merge and beam.predicting.decoder().max_nodes == 5000
    beam.save(tmp_path / "m.riata")
    assert riata.load_model(tmp_path / "m.riata").predict(CHUNKS) == beam.predict(CHUNKS)
    beam.set_params(settings={"max_nodes": 3})
    with pytest.raises(SearchError, match="made 3 nodes"):
        beam.predict(CHUNKS)


def test_exact_search_has_none_of_them(fitted):
    fitted.set_params(settings={"max_nodes": 10})
    try:
        with pytest.raises(UnknownNameError, match="max_nodes"):
            fitted.predict_ids(CHUNKS)
    finally:
        fitted.set_params(settings={})


@pytest.mark.parametrize("value", [True, b"1"])
def test_a_truth_value_is_no_number(value):
    with pytest.raises(SettingError, match="expected a number"):
        riata.Chunker("winnow", settings={"c": value}).fit(CHUNKS)
