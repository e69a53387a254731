"""JointTagger on the structure `factorial`: exact learning of tags and chunk labels that are scored in pairs."""

import numpy as np
import pytest

from checks import refused
from oracle.factorial import marginals
from riata import JointTagger
from riata.data.encodings.base import spans_of
from riata.errors import DataError, ModelFileError, TemplateError, UnsupportedError
from riata.estimators.model_file import from_bytes, to_bytes
from riata.features.templates import language_of
from riata.inference.structure import EXACT
from riata.models import container
from riata.structures.factorial.templates import parse
from riata.structures.joint import templates as joint
from samples import embedded, for_each

DATA = embedded(("word", "tag", "chunk"))[:60]
LINES = "tag word[0]\ntag tag[-1]\nchunk word[0]\nchunk chunk[-1]\nchunk tag[0]\nchunk tag[0] word[0]"


def tagger(recipe="crf", **parameters):
    settings = parameters.pop("settings", {})
    if recipe == "crf":
        settings = {"c2": 0.1, **settings}
    return JointTagger(recipe, structure="factorial", template=parse(LINES), settings=settings, **parameters)


@pytest.mark.parametrize("recipe", ["perceptron", "mira", "crf"])
def test_a_model_is_learnt_saved_and_loaded(recipe):
    made = tagger(recipe, epochs=20).fit(DATA)
    assert made.evaluate(DATA).metrics["joint_accuracy"] > 80
    loaded = from_bytes(to_bytes(made))
    assert loaded.predict(DATA) == made.predict(DATA)
    assert loaded.predict_nbest(DATA[:3], 4) == made.predict_nbest(DATA[:3], 4)


def test_the_first_of_the_best_is_the_best_and_scores_fall():
    made = tagger(epochs=20).fit(DATA)
    best = made.predict(DATA[:5])
    for labels, found in zip(best, made.predict_nbest(DATA[:5], 5), strict=True):
        scores = [score for _, score in found]
        assert list(map(tuple, found[0][0])) == list(map(tuple, labels))
        assert scores == sorted(scores, reverse=True)
        assert len({tuple(map(tuple, one)) for one, _ in found}) == len(found)


def test_chunk_labels_are_legal():
    made = tagger(epochs=2).fit(DATA)
    for sentence in made.predict(embedded(("word", "tag", "chunk"))[60:120]):
        before = "O"
        for _, chunk in sentence:
            assert not chunk.startswith("I-") or before[2:] == chunk[2:]
            before = chunk


def test_probabilities_are_those_of_enumeration():
    small = [[("a", "N", "B-X"), ("b", "V", "I-X"), ("c", "N", "O")], [("b", "V", "O"), ("a", "N", "B-X")]]
    made = JointTagger("crf", structure="factorial", template=parse(LINES), settings={"c2": 0.5}).fit(small)
    outputs, flat = made.model_.outputs, made.model_.weights.flat()
    starts, _ = made.model_.weights.rows()
    bounds = sorted([*starts, len(flat)])
    features = made.model_.features
    words = ["a", "b", "c"]
    tags, chunks = len(outputs.tags), len(outputs.chunks)

    def rows(slot, left, labels):
        width = -(-labels // 8) * 8
        end = bounds[bounds.index(starts[slot]) + 1]
        return flat[starts[slot] : end].reshape(-1, left, width)[:, :, :labels].astype(float)

    index = {text: i for i, text in enumerate(features.alphabets[0].texts())}
    of_word = {
        word: next(k for k, v in enumerate(features.index.pairs(0)[1]) if v == 16 + index[word]) for word in words
    }
    ids = [of_word[word] for word in words]
    node = [rows(0, 1, tags)[ids, 0], rows(2, 1, chunks)[ids, 0]]
    legal = np.where(np.array(outputs.encoding.allowed(outputs.chunks)[2]).reshape(chunks, chunks), 0, -np.inf)
    start, end = (np.where(np.array(flags), 0, -np.inf) for flags in outputs.encoding.allowed(outputs.chunks)[:2])
    node[1][0] += start
    node[1][-1] += end
    within = [rows(1, tags, tags)[0], rows(3, chunks, chunks)[0] + legal]
    between = {(0, 1): rows(4, tags, chunks)[0] + rows(5, tags, chunks)[ids]}
    log_z, expected = marginals(node, within, between)
    found = np.array([[row[label] for label in outputs.labels] for row in _rows(made, [words])]).reshape(
        3, tags, chunks
    )
    assert found.sum(axis=2) == pytest.approx(expected[0], abs=1e-5)
    assert found.sum(axis=1) == pytest.approx(expected[1], abs=1e-5)
    assert np.isfinite(log_z)


def _rows(made, sentences):
    """Dictionaries from pairs, as texts with a tab, to probabilities, token by token."""
    corpus = made.columns.sentences([[(word,) for word in sentence] for sentence in sentences])
    probabilities, _ = made.model_.probabilities(made.columns.input_columns(corpus), 1.0)
    return [dict(zip(made.model_.labels, row, strict=True)) for row in probabilities]


def test_confidences_are_those_of_enumeration():
    """Of a tag, its share of all outputs; of a chunk label, the share of its chunk, or of O."""
    small = [[("a", "N", "B-X"), ("b", "V", "I-X"), ("c", "N", "O")], [("b", "V", "O"), ("a", "N", "B-X")]]
    made = JointTagger("crf", structure="factorial", template=parse(LINES), settings={"c2": 0.5}).fit(small)
    for words in (["a", "b", "c"], ["b"], ["c", "a", "b", "b"]):
        every = made.predict_nbest([[(word,) for word in words]], 100_000)[0]
        share = np.exp([score for _, score in every] - np.logaddexp.reduce([score for _, score in every]))
        found = every[0][0]
        corpus = made.columns.input_columns(made.columns.sentences([[(word,) for word in words]]))
        _, confidences = made.model_.confidences(corpus, EXACT, [1.0], chunks=True)
        for t in range(len(words)):
            tag = sum(p for (output, _), p in zip(every, share, strict=True) if output[t][0] == found[t][0])
            chunk = sum(p for (output, _), p in zip(every, share, strict=True) if unit(output, t) == unit(found, t))
            assert confidences[0, :, t] == pytest.approx([tag, chunk], abs=1e-5)


def unit(output, t):
    """The chunk that a token is in, or the label O with its place."""
    spans = spans_of([chunk for _, chunk in output])
    return next((span for span in spans if span[0] <= t < span[1]), t)


def test_threads_do_not_change_the_model():
    one, three = (to_bytes(tagger(epochs=8, threads=n).fit(DATA)) for n in (1, 3))
    assert one == three


def test_single_and_double_precision_learn_nearly_the_same():
    single, double = (tagger(epochs=200, settings={"precision": p}).fit(DATA[:20]) for p in ("single", "double"))
    assert single.history_[-1]["objective"] == pytest.approx(double.history_[-1]["objective"], rel=1e-3)


@pytest.mark.parametrize("sums", ["loopy", "trp"])
def test_approximate_sums_say_so_and_learn_something_near(sums):
    told = []
    near = tagger(epochs=10, settings={"sums": sums, "c2": 1.0})
    near.fit(DATA[:15], listener=lambda event: told.append(getattr(event, "text", "")))
    assert any("approximate" in (text or "") for text in told)
    exact = tagger(epochs=10, settings={"c2": 1.0}).fit(DATA[:15])
    assert near.history_[-1]["objective"] == pytest.approx(exact.history_[-1]["objective"], rel=0.05)
    assert near.history_[-1]["objective"] != exact.history_[-1]["objective"]


def test_approximate_sums_are_refused_where_nothing_is_summed():
    refused(UnsupportedError, "sums over none", tagger("perceptron", settings={"sums": "trp"}).fit, DATA)


@for_each(line=["chunk tag[-1]", "chunk tag[-1] tag[0]", "tag tag[-2]", "tag chunk[-1]", "chunk chunk[-1] tag[0]"])
def test_templates_that_read_more_than_a_pair_are_refused(line):
    refused(TemplateError, "scores together", parse, f"tag word[0]\n{line}")
    with pytest.raises(TemplateError, match="scores together"):
        tagger().set_params(template=joint.parse(f"tag word[0]\n{line}")).fit(DATA)


@pytest.mark.parametrize("name", ["joint2005", "joint2005-paper"])
def test_built_in_sets_can_be_read(name):
    assert len(language_of("factorial").load(name)) > 40


def test_too_many_combinations_are_refused():
    wide = [[(f"w{i}", f"T{i}", f"B-{i}") for i in range(300)]]
    refused(DataError, r"90,300 combinations(?s:.)*structure='joint'", tagger().fit, wide)


def test_recipes_that_search_are_refused():
    refused(UnsupportedError, "a search space", tagger("max-violation").fit, DATA)


def test_weights_have_names():
    made = tagger(epochs=10).fit(DATA)
    tags, chunks = made.model_.outputs.tags, made.model_.outputs.chunks
    from riata.models.weights_by_name import by_name

    found = by_name(made.model_).heaviest(3)
    assert set(found) == {*tags, *chunks}
    names = {weight.feature.split()[0] for weights in found.values() for weight in weights}
    assert names == {"tag", "chunk"}
    assert any("tag[0]=" in weight.feature for label in chunks for weight in by_name(made.model_).heaviest(500)[label])


def test_files_that_make_no_sense_are_refused():
    header, arrays = container.unpack(to_bytes(tagger(epochs=2).fit(DATA)))
    for change in (
        {"tags": ["A", "A"]},
        {"chunks": ["B-X"]},
        {"chunk_encoding": "iob9"},
        {"templates": ["tag tag[-2]"]},
    ):
        refused(ModelFileError, "", from_bytes, container.pack({**header, **change}, arrays))


def test_on_the_command_line(run, tmp_path):
    train, model = tmp_path / "train.txt", tmp_path / "m.riata"
    train.write_text("".join("".join(f"{' '.join(token)}\n" for token in sentence) + "\n" for sentence in DATA))
    given = ("--structure", "factorial", "--recipe", "crf", "--set", "c2=0.1", "--epochs", "20", "--json")
    out = run.ok("train", "joint", "--train", train, "--model", model, *given)
    assert '"structure": "factorial"' in out
    assert run("evaluate", "--model", model, train)[0] == 0
    assert run("inspect", model)[0] == 0
