"""Models that read earlier labels, as a user meets them: names of weights, traces, diagnosis, search errors."""

import json

import pytest

import riata
from checks import refused
from oracle import features as oracle_features
from oracle.perceptron import score
from packed_weights import weights_of
from riata import Chunker
from riata.entry import main
from riata.features.attributes import builtin
from riata.features.templates import parse
from riata.models.weights_by_name import by_name
from samples import CHUNKS, INPUTS, history_chunker


def run(capsys, *arguments):
    assert refused(SystemExit, "", main, [str(argument) for argument in arguments]).code == 0
    return capsys.readouterr().out


@pytest.fixture
def saved(tmp_path):
    history_chunker().save(tmp_path / "m.riata")
    (tmp_path / "test.txt").write_text("".join("".join(" ".join(t) + "\n" for t in s) + "\n" for s in CHUNKS))
    return tmp_path


# --- names -----------------------------------------------------------------------------------------------------------
def as_text(key):
    """The name that a weight of tests/oracle has for people: (feature, label)."""
    (template, values), labels = key
    (parsed,) = parse(template)
    before = ["_B-1" if label is None else label for label in labels[:-1]]
    reads = [f"label[{o}]={label}" for o, label in zip(parsed.labels, before, strict=True)]
    reads += [f"{read}={value[1]}" for read, value in zip(parsed.reads, values, strict=True)]
    return " ".join(reads), labels[-1]


def test_every_weight_has_its_name():
    model = history_chunker().model_
    expected = {as_text(key): w for key, w in weights_of(model).items() if "label" in key[0][0]}
    found = {
        (weight.feature, weight.label): weight.weight
        for weights in by_name(model).heaviest(10**6).values()
        for weight in weights
        if "label" in weight.feature
    }
    assert found == expected
    assert any(name.startswith("label[-2]=B-NP label[-1]=I-NP") for name, _ in found)
    assert any(name.startswith("label[-1]=") and "word[0]=" in name for name, _ in found)
    assert any("label[-3]=_B-1 label[-1]=_B-1 tag[-1]=_B-1 tag[0]=" in name for name, _ in found)


def test_inspect_names_them(saved, capsys):
    facts = json.loads(run(capsys, "inspect", saved / "m.riata", "--top", 1000, "--json"))
    shown = {(name, label): weight for label, some in facts["heaviest"].items() for name, weight in some}
    for key, weight in weights_of(history_chunker().model_).items():
        if "label" in key[0][0]:
            assert shown[as_text(key)] == pytest.approx(weight)
    assert "label[-2] label[-1]" in facts["templates"]
    assert "label[-1]=" in run(capsys, "inspect", saved / "m.riata", "--top", 50)


def test_a_trace_names_the_features_of_every_step():
    chunker = history_chunker()
    weights = {as_text(key): w for key, w in weights_of(chunker.model_).items() if "label" in key[0][0]}
    for labels in (None, [label for _, _, label in CHUNKS[0]]):
        trace = chunker.trace(INPUTS[0], labels, features=True)
        for number, node in list(enumerate(trace.nodes))[1:]:
            path = ["_B-1"] * 3 + list(trace.path(number))
            word, t = INPUTS[0][node.depth - 1][0], node.depth + 2
            named = {f.name: f for f in node.features if "label" in f.name}
            assert f"label[-2]={path[t - 2]} label[-1]={path[t - 1]}" in named
            assert f"label[-1]={path[t - 1]} word[0]={word}" in named
            assert len(named) == 3
            for name, feature in named.items():
                assert feature.label == node.action
                assert feature.weight == pytest.approx(weights.get((name, node.action), 0.0))
            parent = trace.nodes[node.parent]
            if labels is None:
                steps = sum(f.value * f.weight for f in node.features)
                assert node.score == pytest.approx(parent.score + steps, abs=1e-4)


def test_diagnose_measures_them():
    diagnosis = history_chunker().diagnose(CHUNKS)
    assert "updates" in str(diagnosis)


# --- search errors ---------------------------------------------------------------------------------------------------
def chunker(template, beam=1, **params):
    made = Chunker("early", beam=beam, epochs=2, template=parse(template), **params)
    return made.fit(riata.load("embedded", "train", ("word", "tag", "chunk"))[:80])


TEST = riata.load("embedded", "test", ("word", "tag", "chunk"))[:40]


def by_definition(made, exact):
    """Counts of (wrong, search, ties), from scores over dictionaries. exact: labels to compare with, or None for the truth."""
    named = weights_of(made.model_)
    templates = made.model_.features.templates
    wrong = search = ties = 0
    found, gold = made.predict(TEST), TEST.sentences_of(-1)
    sentences = [
        list(zip(*columns, strict=True)) for columns in zip(TEST.sentences_of(0), TEST.sentences_of(1), strict=True)
    ]
    for i, sentence in enumerate(sentences):
        if found[i] == gold[i]:
            continue
        wrong += 1
        inputs = oracle_features.inputs(sentence, templates, builtin())
        mine, best = score(named, inputs, found[i]), score(named, inputs, (exact or gold)[i])
        truth = score(named, inputs, gold[i])
        search += best > mine + 1e-4
        ties += best <= mine + 1e-4 and abs(truth - mine) <= 1e-4
    return wrong, search, ties


def test_where_exact_search_is_cheap_its_argmax_decides():
    made = chunker("word[0]\ntag[0]\nlabel[-2] label[-1]\nlabel[-1] tag[0]")
    errors = made.search_errors(TEST)
    exact = made.set_params(queue="exact", beam=None).predict(TEST)
    assert made.search_errors(TEST).search == 0
    made.set_params(queue=None, beam=1)
    assert errors.test == "exact"
    assert (errors.wrong, errors.search + errors.both, errors.ties) == by_definition(made, exact)
    assert errors.search + errors.both > 0
    assert errors.search + errors.both + errors.model + errors.ties == errors.wrong


def test_where_it_is_not_the_score_of_the_truth_decides(monkeypatch):
    template = "word[0]\ntag[0]\nlabel[-2] label[-1]\nlabel[-1] tag[0]"
    cheap = chunker(template).search_errors(TEST)
    monkeypatch.setattr("riata.structures.chain.model.MOST_STATES", 1000)
    made = chunker(template)
    errors = made.search_errors(TEST)
    assert errors.test == "truth"
    assert (errors.wrong, errors.search, errors.ties) == by_definition(made, None)
    assert errors.search + errors.model + errors.ties == errors.wrong
    assert 0 < errors.search <= cheap.search + cheap.both  # it finds some of the search errors, never more


def test_far_labels_are_evaluated_in_no_time_and_the_test_is_told(tmp_path, capsys):
    made = chunker("word[0]\ntag[0]\nlabel[-6] label[-1]\nedge", beam=3)
    made.save(tmp_path / "m.riata")
    riata.write_columns(TEST, tmp_path / "test.txt")
    told = run(capsys, "evaluate", "--model", tmp_path / "m.riata", tmp_path / "test.txt")
    assert "exact search is too costly" in told
    facts = json.loads(run(capsys, "evaluate", "--model", tmp_path / "m.riata", tmp_path / "test.txt", "--json"))
    assert facts["errors"]["test"] == "truth"
    chunker("word[0]\nedge").save(tmp_path / "m.riata")
    assert "exact search is too costly" not in run(
        capsys, "evaluate", "--model", tmp_path / "m.riata", tmp_path / "test.txt"
    )
