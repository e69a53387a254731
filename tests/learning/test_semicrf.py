"""The recipe semicrf as a user meets it: it learns, goes on from other models, and says what it cannot do."""

from itertools import pairwise

import numpy as np
import pytest

import riata
from riata import Chunker, RiataWarning, Tagger
from riata.errors import UnsupportedError
from riata.structures.segments.templates import parse
from samples import CHUNKS, INPUTS, TAGS, WORDS, as_text, embedded, quietly

SMALL = parse("inside word[0]\ninside tag[0]\nfirst tag[-1]\nlast tag[1]\nsequence tag[0]\nlength\nlabel[-1]")


def trained(recipe="semicrf", data=None, **given):
    return quietly(
        Chunker(recipe, **{"template": SMALL, "threads": 1, **given}), embedded()[:120] if data is None else data
    )


def flat(made):
    return made.model_.weights.flat()


def test_it_learns_to_chunk_and_survives_a_file(tmp_path):
    made, test = trained(), embedded(split="test")[:40]
    assert made.model_.structure == "segments"
    assert made.score(test) > 0.9
    losses = [epoch["objective"] for epoch in made.history_]
    assert all(after <= before * (1 + 1e-5) for before, after in pairwise(losses))  # single precision
    assert losses[-1] < losses[0] / 4
    assert len(losses) < 1000  # it stops by itself
    made.save(tmp_path / "m.riata")
    assert riata.load_model(tmp_path / "m.riata").predict(test) == made.predict(test)
    assert made.search_errors(test).search == 0


def test_threads_change_nothing_and_crf_on_segments_is_the_same():
    few = {"data": embedded()[:60], "epochs": 12}
    one = trained(threads=1, **few)
    assert flat(trained(threads=3, **few)).tobytes() == flat(one).tobytes()
    assert flat(trained("crf", structure="segments", **few)).tobytes() == flat(one).tobytes()


def test_where_it_starts_makes_no_difference():
    """The objective is convex: from other weights it comes to the same."""
    tight, data = {"gain_tolerance": 1e-7, "precision": "double"}, embedded()[:25]
    cold = trained(data=data, settings=tight)
    warm = trained("laso-alma", data, queue="exact", epochs=2, settings={"precision": "double"})
    quietly(warm.set_params(recipe="semicrf", warm_start=True, epochs=1000, settings=tight), data)
    ends = [made.history_[-1]["objective"] for made in (cold, warm)]
    assert ends[0] == pytest.approx(ends[1], rel=1e-4)
    assert warm.history_[0]["objective"] < cold.history_[0]["objective"]


def test_settings_of_the_prior():
    data = embedded()[:40]
    loose, tight, sparse, every = (
        trained(data=data, epochs=60, settings=chosen)
        for chosen in ({"c2": 0.01}, {"c2": 10.0}, {"c1": 1.0, "c2": 0.0}, {"pairs": "all"})
    )
    assert np.linalg.norm(flat(tight)) < np.linalg.norm(flat(loose)) / 2
    assert 0 < np.count_nonzero(flat(sparse)) < np.count_nonzero(flat(loose)) / 4
    assert np.count_nonzero(flat(every)) > 2 * np.count_nonzero(flat(loose))
    assert every.score(data) > 0.95


def test_weights_of_sentences():
    data = embedded()[:40]
    prior = {"c2": 0.1}
    weighted = quietly(Chunker("semicrf", template=SMALL, settings=prior), data, sample_weight=[2.0] * 20 + [0.0] * 20)
    again = quietly(Chunker("semicrf", template=SMALL, settings=prior), data, sample_weight=[1.0] * 20 + [0.0] * 20)
    assert not np.allclose(flat(weighted), flat(again))
    halved = quietly(
        Chunker("semicrf", template=SMALL, settings={"c2": 0.2}), data, sample_weight=[2.0] * 20 + [0.0] * 20
    )
    assert halved.predict(data) == again.predict(data)
    assert halved.history_[-1]["objective"] == pytest.approx(2 * again.history_[-1]["objective"], rel=1e-3)


def test_segments_that_are_too_long_are_told_of():
    with pytest.warns(RiataWarning, match="more than 1 tokens: 3.*left out"):
        made = Chunker("semicrf", template=SMALL, settings={"longest": 1}).fit(CHUNKS)
    assert all(not tag.startswith("I-") for tags in made.predict(INPUTS) for tag in tags)


def test_plain_labels():
    made = quietly(Tagger("semicrf"), WORDS, TAGS)
    assert made.predict(WORDS) == TAGS


def test_what_it_cannot_do_is_refused(tmp_path):
    data = embedded()[:10]
    path = tmp_path / "train.txt"
    path.write_text(as_text(), encoding="utf-8")
    with pytest.raises(UnsupportedError, match=r"needs whole segments .*; the structure 'chain'"):
        Chunker("semicrf", structure="chain").fit(data)
    with pytest.raises(UnsupportedError, match=r"needs exact search: 'label\[-2\]' reads further back"):
        Chunker("semicrf", template=parse("inside word[0]\nlabel[-2]")).fit(data)
    with pytest.raises(UnsupportedError, match="the queue exact"):
        Chunker("semicrf", queue="beam", beam=5).fit(data)
    for name, given in {"shards": 2, "seeds": 2, "bits": 12, "learn_as": "bioes"}.items():
        with pytest.raises(UnsupportedError, match=name):
            Chunker("semicrf", **{name: given}).fit(data)
    with pytest.raises(UnsupportedError, match="stream"):
        Chunker("semicrf", stream=True).fit(path)
    with pytest.raises(UnsupportedError, match="minimises one objective over all data"):
        Chunker("semicrf").partial_fit(data)
    with pytest.raises(UnsupportedError, match="class_weight"):
        quietly(Chunker("semicrf", class_weight={"O": 2.0}), data)


@pytest.mark.parametrize("recipe", ["semicrf", "perceptron"])
def test_it_can_be_explained(recipe):
    made = trained(recipe, CHUNKS, structure="segments", epochs=3)
    explained = made.explain(INPUTS[0], [chunk for _, _, chunk in CHUNKS[0]])
    assert explained.trace.queue == "beam" and "decodes exactly" in explained.note


def test_it_can_be_compared():
    recipes = ["semicrf:c2=1", "perceptron"]
    done = riata.compare(recipes, embedded()[:60], task="chunk", parameters={"epochs": 3}, folds=2, isolated=False)
    assert "semicrf:c2=1" in str(done)
