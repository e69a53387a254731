"""JointTagger: pairs in and out, files, saved and loaded, from the command line, with everything it refuses."""

import json
import pickle

import numpy as np
import pytest

import riata
from checks import refused, stored
from learning.test_seeds import sum_by_hand
from mangling import mangled_arrays, mangled_bytes, mangled_header, mangled_places, try_mangled
from riata import Chunker, JointTagger, registry
from riata.commands import main
from riata.data.columns import write_columns
from riata.errors import (
    DataError,
    LabelError,
    ModelFileError,
    RiataError,
    SettingError,
    TemplateError,
    UnsupportedError,
)
from riata.estimators.model_file import from_bytes, to_bytes
from riata.features import templates
from riata.models.weights_by_name import by_name
from riata.structures.joint import templates as joint
from samples import for_rows

TEMPLATE = """tag word[0]
tag suffix3[0]
tag tag[-1]
tag tag[-2] tag[-1]
chunk tag[0]
chunk tag[0] tag[1]
chunk chunk[-1] tag[0]
chunk chunk[-1]
chunk tag[0] word[0]"""


@pytest.fixture(scope="module")
def data():
    train, test = riata.load("embedded", "train")[:100], riata.load("embedded", "test")[:40]
    return train.select([0, 1, 2]), test.select([0, 1, 2])


@pytest.fixture(scope="module")
def made(data):
    return tagger().fit(data[0])


def tagger(recipe="max-violation", template=TEMPLATE, **params):
    given = {"template": joint.parse(template), "epochs": 4, "beam": 3, **params}
    return JointTagger(recipe, **given)


def without_ahead():
    return "\n".join(line for line in TEMPLATE.splitlines() if "tag[1]" not in line)


def words(corpus):
    return [[token[0] for token in sentence] for sentence in corpus]


def pairs(corpus):
    return [[(token[1], token[2]) for token in sentence] for sentence in corpus]


@pytest.mark.parametrize("recipe", ["laso-alma", "laso-perceptron", "early", "max-violation", "standard"])
def test_it_learns_tags_and_chunks(data, recipe):
    train, test = data
    made = tagger(recipe, epochs=20 if recipe == "early" else 8).fit(train)
    metrics = made.evaluate(train).metrics
    assert set(metrics) == {"precision", "recall", "f1", "accuracy", "tag_accuracy", "joint_accuracy"}
    assert metrics["f1"] > 90
    assert metrics["tag_accuracy"] > 95
    assert metrics["joint_accuracy"] <= min(metrics["tag_accuracy"], metrics["accuracy"])
    assert made.score(test) > 0.55
    errors = made.search_errors(test)
    assert errors.test == "truth"
    assert errors.wrong == errors.search + errors.model + errors.ties > 0
    assert (errors.both, errors.lucky) == (None, None)  # the best output is not known


def test_the_metrics_are_those_of_the_columns(data, made):
    _, test = data
    found = [pair for sentence in made.predict(test) for pair in sentence]
    gold = [pair for sentence in pairs(test) for pair in sentence]
    metrics = made.evaluate(test).metrics
    assert metrics["tag_accuracy"] == pytest.approx(
        100 * np.mean([a[0] == b[0] for a, b in zip(found, gold, strict=True)])
    )
    assert metrics["joint_accuracy"] == pytest.approx(100 * np.mean([a == b for a, b in zip(found, gold, strict=True)]))
    assert metrics["accuracy"] == pytest.approx(100 * np.mean([a[1] == b[1] for a, b in zip(found, gold, strict=True)]))
    assert made.evaluate(words(test), pairs(test)).metrics == metrics
    assert made.score(test) == pytest.approx(metrics["f1"] / 100)


def test_lists_give_what_a_corpus_gives(data, made):
    train, test = data
    from_lists = tagger().fit(words(train), pairs(train))
    found = made.predict(test)
    assert from_lists.predict(words(test)) == found == made.predict(words(test))
    assert {type(pair) for sentence in found for pair in sentence} == {tuple}
    assert {pair for sentence in found for pair in sentence} <= set(made.classes_)
    assert made.predict([]) == []
    assert made.predict([[], []]) == [[], []]
    assert [len(sentence) for sentence in made.predict([["Zyxst"], ["a", "dog"]])] == [1, 2]


@pytest.mark.parametrize("encoding", sorted(registry.names("encoding")))
def test_every_encoding_is_legal_in_and_out(data, encoding):
    train, test = data
    iob2, other = registry.get("encoding", "iob2"), registry.get("encoding", encoding)

    def rewritten(corpus):
        chunks = [other.encode(iob2.spans([c for _, c in one]), len(one)) for one in pairs(corpus)]
        return [list(zip([t for t, _ in one], c, strict=True)) for one, c in zip(pairs(corpus), chunks, strict=True)]

    made = tagger(encoding=encoding).fit(words(train), rewritten(train))
    assert made.encoding_ == encoding
    chunks = [[chunk for _, chunk in sentence] for sentence in made.predict(words(test))]
    for tags in chunks:
        texts = sorted(set(tags))
        ids = np.array([texts.index(tag) for tag in tags], np.int32)
        assert not len(other.violations(texts, ids, np.array([0, len(tags)])))
    assert made.score(words(test), rewritten(test)) > 0.55


def test_it_comes_back_from_its_file_and_from_pickle(data, made, tmp_path):
    _, test = data
    made.save(tmp_path / "m.riata")
    loaded = riata.load_model(tmp_path / "m.riata")
    for twin in (loaded, pickle.loads(pickle.dumps(made))):
        assert twin.predict(test) == made.predict(test)
        assert twin.classes_ == made.classes_
        assert twin.encoding_ == "iob2"
        assert twin.search_errors(test) == made.search_errors(test)
        assert twin.evaluate(test).metrics == made.evaluate(test).metrics
    loaded.save(tmp_path / "again.riata")
    assert (tmp_path / "again.riata").read_bytes() == (tmp_path / "m.riata").read_bytes()


@pytest.mark.parametrize("mangled", [mangled_bytes, mangled_header, mangled_places, mangled_arrays])
def test_mangled_files_are_refused_or_work(mangled):
    small = riata.load("embedded", "train")[:12].select([0, 1, 2])
    content = to_bytes(tagger(epochs=1).fit(small))

    def check(found):
        try:
            loaded = from_bytes(found)
        except ModelFileError:
            return False
        try:
            loaded.predict([["The", "dog", "barks"]])
        except RiataError:
            return False
        return True

    try_mangled(mangled, content, check, times=120, most_mb=300)


@for_rows(
    "name",
    "rows/slots",
    "rows/ngrams",
    "rows/values",
    "weights/steps",
    "dictionary/tags",
    "dictionary/new",
    "family/0/values",
)
def test_broken_arrays_are_refused(made, name):

    header, arrays = made.model_.to_parts()
    functions = made.model_.features.functions
    assert made.model_.outputs.from_parts(header, arrays, functions).labels == made.model_.labels
    for broken in (arrays[name][:-1], np.full_like(arrays[name], 255), np.zeros(3)):
        refused(RiataError, "", made.model_.outputs.from_parts, header, {**arrays, name: broken}, functions)
    for key, value in [
        ("tags", []), ("chunks", ["O", "O"]), ("chunks", ["x"]), ("chunk_encoding", "none"), ("lookahead", 1), ("dictionary", -1),
        ("templates", ["word[0]"]), ("templates", ["tag chunk[-1]"]),
    ]:  # fmt: skip
        refused(RiataError, "", made.model_.outputs.from_parts, {**header, key: value}, arrays, functions)


def test_a_file_of_another_task_is_refused(made, data):
    from riata.models import container

    header, arrays = container.unpack(memoryview(to_bytes(made)))
    for task in ("tag", "chunk"):
        refused(ModelFileError, "", from_bytes, container.pack({**header, "task": task}, arrays))
    chunker = Chunker(epochs=1).fit(data[0])
    header, arrays = container.unpack(memoryview(to_bytes(chunker)))
    refused(ModelFileError, "", from_bytes, container.pack({**header, "task": "joint"}, arrays))


def test_training_goes_on(data):
    train, test = data
    once = tagger(epochs=2, settings={"shuffle": False}).fit(train)
    # Which words seen twice as often pass in the second call.
    part = tagger(settings={"shuffle": False, "dictionary": 10})
    again = tagger(settings={"shuffle": False})
    part.partial_fit(train)
    again.partial_fit(train)
    counts = dict(again.model_.features.dictionary.counts)
    again.partial_fit(train)
    assert {key: 2 * count for key, count in counts.items()} == again.model_.features.dictionary.counts
    assert part.score(train) > 0.5
    before = once.score(train)
    assert once.set_params(warm_start=True).fit(train).score(train) > before
    refused(SettingError, "lookahead", once.set_params(settings={"lookahead": False}).fit, train)
    with pytest.raises(SettingError, match="templates"):
        once.set_params(settings=None, template=joint.parse("tag word[0]\nchunk tag[0]")).fit(train)
    assert len(once.predict(test)) == len(test)


def test_new_words_and_labels_come_with_partial_fit(data):
    train, _ = data
    made, classes = tagger(), tagger(epochs=1).fit(train).classes_
    made.partial_fit(train[:40], classes=classes)
    for _ in range(5):
        made.partial_fit(train[40:])
    assert made.score(train[40:]) > 0.8
    refused(LabelError, "unknown", made.partial_fit, [["new"]], [[("NEW", "O")]])
    refused(SettingError, "pairs", tagger().partial_fit, train, classes=["NN"])
    refused(LabelError, "no chunk label", tagger().partial_fit, train, classes=[("NN", "xyz")])


def test_sentence_weights(data):
    train, _ = data
    half = np.array([1.0] * 50 + [0.0] * 50)
    weighted = tagger().fit(train, sample_weight=half)
    assert weighted.score(train[:50]) > weighted.score(train[50:])


def test_dev_data_and_refit(data):
    train, test = data
    made = tagger(dev=0.2, refit=True, patience=2).fit(train)
    assert made.best_score_ > 50
    assert tagger(dev=test, refit=True).fit(train).best_score_ > 50
    for width in (1, 2):
        refused(DataError, "column", tagger(dev=test.select(range(width))).fit, train)


def test_look_ahead_or_not(data):
    train, test = data
    plain = tagger(template=without_ahead() + "\ntag chunk[-1]", settings={"lookahead": False}).fit(train)
    assert plain.score(test) > 0.6
    refused(TemplateError, r"tag\[1\].*look-ahead", tagger(settings={"lookahead": False}).fit, train)
    refused(TemplateError, r"chunk\[-1\].*decided together", tagger(template="tag chunk[-1]").fit, train)
    for ahead in (True, False):
        default = JointTagger(epochs=2, settings={"lookahead": ahead}).fit(train[:40])
        lines = [str(template) for template in default.model_.features.templates]
        assert any("tag[1]" in line.split()[1:] for line in lines) == ahead
        assert ("tag chunk[-1]" in lines) != ahead


def test_the_dictionary(data):
    train, test = data
    free = tagger(settings={"dictionary": 0}).fit(train)
    strict = tagger(settings={"dictionary": 1}).fit(train)
    seen = {}
    for sentence in train:
        for word, tag, _ in sentence:
            seen.setdefault(word, set()).add(tag)
    found = [
        (word, tag)
        for x, y in zip(words(test), strict.predict(test), strict=True)
        for word, (tag, _) in zip(x, y, strict=True)
    ]
    assert all(tag in seen[word] for word, tag in found if word in seen)
    assert free.predict(test) != strict.predict(test)


@pytest.mark.parametrize("queue", ["greedy", "best-first", "depth-first", "breadth-first"])
def test_other_queues(data, made, queue):
    short = [x[:3] for x in words(data[1])[:5]]
    twin = pickle.loads(pickle.dumps(made)).set_params(queue=queue, beam=None)
    assert [len(y) for y in twin.predict(short)] == [len(x) for x in short]
    if queue == "greedy":
        assert twin.predict(data[1]) == twin.set_params(queue="beam", beam=1).predict(data[1])


@for_rows("given", {"bits": 20}, {"queue": "exact", "beam": None}, {"recipe": "perceptron", "beam": None})
def test_what_it_cannot_do_is_refused(data, given):
    refused(UnsupportedError, "", tagger(**given).fit, data[0])


def test_more_that_is_refused(data, made):
    train, test = data
    refused(UnsupportedError, "'joint'", made.predict_nbest, test, 2)
    refused(UnsupportedError, "class_weight is set", tagger(class_weight="balanced").fit, train)
    refused(UnsupportedError, "features already", tagger().fit, [[{"a": 1.0}]], [[("N", "O")]])
    refused(UnsupportedError, "2 output columns", Chunker("early", structure="joint").fit, train)
    refused(UnsupportedError, "1 output column;", tagger(structure="chain").fit, train)
    with pytest.raises(SettingError, match="does not fit the structure 'joint'"):
        JointTagger(template=templates.parse("word[0]")).fit(train)
    refused(SettingError, "does not fit the structure 'chain'", Chunker(template=joint.parse("tag word[0]")).fit, train)


@for_rows(
    "y, what",
    ([["NN"]], "pair"), ([[("NN",)]], "pair"), ([[("NN", 3)]], "string"), ([[("NN", "O"), ("NN", "O")]], "1 tokens and 2"),
    ([], "0 lists"), ("NN", "str"), ([3], "int"), ([[("N\tN", "O")]], "tab"), ([[("NN", "xyz")]], "no chunk label"),
)  # fmt: skip
def test_bad_labels_are_refused(y, what):
    refused((DataError, LabelError), what, tagger().fit, [["dog"]], y)


def test_too_few_columns(data, made):
    refused(DataError, "found 2 columns", tagger().fit, data[0].select([0, 1]))
    refused(DataError, "scoring needs", made.evaluate, data[1].select([0]))


def test_the_heaviest_features_have_names(made):
    found = by_name(made.model_).heaviest(10_000)
    assert set(found) == {*made.model_.outputs.tags, *made.model_.outputs.chunks}
    names = {weight.feature for weights in found.values() for weight in weights}
    assert {"chunk tag[0]=NN", "chunk chunk[-1]=_B-1", "tag tag[-2]=_B-1 tag[-1]=_B-1"} <= names
    assert any(name.startswith("chunk tag[0]=DT tag[1]=") for name in names)
    assert any(name.startswith("tag word[0]=") for name in names)
    weights = made.model_.weights.flat()
    shown = sorted(abs(weight.weight) for each in found.values() for weight in each)
    assert shown == pytest.approx(sorted(np.abs(weights[weights != 0]).tolist()))


def test_lists_and_more_columns(data):
    train, _ = data
    more = [[(word, word[-1], tag, chunk) for word, tag, chunk in sentence] for sentence in train]
    inputs, gold = [[t[:2] for t in s] for s in more], [[t[2:] for t in s] for s in more]
    given = tagger(template=TEMPLATE + "\ntag x1[0]\nchunk list(month)[0]", lists={"month": ["May", "June"]})
    made = given.fit(inputs, gold)
    assert "tag x1[0]" in [str(template) for template in made.model_.features.templates]
    assert from_bytes(to_bytes(made)).predict(inputs) == made.predict(inputs)
    listed = JointTagger(epochs=1, lists={"month": ["May"]}).fit(train[:20])
    assert any("list(month)" in str(template) for template in listed.model_.features.templates)


def run(capsys, *arguments, code=0):
    assert (refused(SystemExit, "", main, [*map(str, arguments)]).code or 0) == code
    return capsys.readouterr()


def test_from_the_command_line(data, tmp_path, capsys):
    for name, corpus in zip(("train", "test"), data, strict=True):
        write_columns(corpus, tmp_path / f"{name}.txt")
    write_columns(data[1].select([0]), tmp_path / "bare.txt")
    (tmp_path / "mine.joint").write_text(TEMPLATE)
    model, test = tmp_path / "m.riata", tmp_path / "test.txt"
    given = [
        "--recipe",
        "laso-alma",
        "--beam",
        3,
        "--epochs",
        3,
        "--template",
        tmp_path / "mine.joint",
        "--set",
        "dictionary=3",
    ]
    trained = run(
        capsys, "train", "joint", "--train", tmp_path / "train.txt", "--dev", test, "--model", model, *given, "--json"
    ).out
    assert json.loads(trained)["metrics"]["f1"] > 50
    facts = json.loads(run(capsys, "evaluate", "--model", model, test, "--json").out)
    assert (facts["task"], facts["structure"], facts["recipe"]) == ("joint", "joint", "laso-alma")
    assert set(facts["metrics"]) == {"precision", "recall", "f1", "accuracy", "tag_accuracy", "joint_accuracy"}
    assert "tag accuracy" in run(capsys, "evaluate", "--model", model, test).out
    full, bare = (run(capsys, "predict", "--model", model, tmp_path / name).out for name in ("test.txt", "bare.txt"))
    rows, short = (
        [line.split() for line in text.splitlines() if line and "DOCSTART" not in line] for text in (full, bare)
    )
    assert {len(row) for row in rows} == {5}
    assert [[row[0], *row[3:]] for row in rows] == short
    (tmp_path / "found.txt").write_text(bare)
    scored = json.loads(
        run(capsys, "evaluate", "--gold", test, "--predicted", tmp_path / "found.txt", "--task", "joint", "--json").out
    )
    assert scored["metrics"] == pytest.approx(facts["metrics"])
    assert "chunk chunk[-1]=" in run(capsys, "inspect", model).out
    assert list(json.loads(run(capsys, "inspect", model, "--json", "--label", "NN").out)["heaviest"]) == ["NN"]
    run(capsys, "train", "joint", "--train", tmp_path / "train.txt", "--model", model, "--resume", "--epochs", 1)
    assert "lookahead" in run(capsys, "pieces", "joint").out
    answer = run(capsys, "train", "joint", "--train", tmp_path / "bare.txt", "--model", tmp_path / "n.riata", code=2)
    assert "input column" in answer.err
    answer = run(capsys, "train", "joint", "--train", test, "--outputs", 2, "--model", tmp_path / "n.riata", code=2)
    assert "2 output columns" in answer.err


def test_seeds_are_summed_into_one_model(data):
    """By name, since rows that read outputs come in an order of their own; threads change nothing."""

    def trained(seed=4, **params):
        return tagger(seed=seed, **params).fit(data[0][:40])

    def named(estimator):
        found = by_name(estimator.model_).heaviest(10**6)
        return {(weight.feature, label): weight.weight for label, weights in found.items() for weight in weights}

    parts = [named(trained(seed=seed)) for seed in (4, 5)]
    whole = trained(seeds=2, threads=1)
    assert to_bytes(trained(seeds=2, threads=2)) == to_bytes(whole)
    summed = named(whole)
    assert summed.keys() == parts[0].keys() | parts[1].keys()
    assert len(summed) > max(map(len, parts))
    assert summed == pytest.approx(sum_by_hand(parts), abs=1e-4)


def test_chunks_are_learnt_in_another_encoding_and_given_in_that_of_the_data(data, tmp_path):
    """As if the data had been written so, and the predictions written back."""
    iob2, bioes = (registry.get("encoding", name) for name in ("iob2", "bioes"))

    def rewritten(sentence):
        chunks = [chunk for _, _, chunk in sentence]
        return [(w, t, c) for (w, t, _), c in zip(sentence, bioes.encode(iob2.spans(chunks), len(chunks)), strict=True)]

    made = tagger(learn_as="bioes", dev=data[1]).fit(data[0])
    by_hand = tagger(dev=[rewritten(s) for s in data[1]]).fit([rewritten(s) for s in data[0]])
    assert (made.encoding_, made.learnt_as_) == ("iob2", "bioes")
    assert made.best_score_ == by_hand.best_score_
    found, expected = made.predict(words(data[1])), by_hand.predict(words(data[1]))
    assert [iob2.spans([c for _, c in s]) for s in found] == [bioes.spans([c for _, c in s]) for s in expected]
    assert [[t for t, _ in s] for s in found] == [[t for t, _ in s] for s in expected]
    assert {pair for sentence in found for pair in sentence} <= set(made.classes_)
    assert made.score(data[1]) == by_hand.score([rewritten(s) for s in data[1]])
    assert made.search_errors(data[1]) == by_hand.search_errors([rewritten(s) for s in data[1]])
    loaded = stored(made, tmp_path)
    assert loaded.predict(words(data[1])) == found
    assert loaded.set_params(warm_start=True).fit(data[0]).learnt_as_ == "bioes"
    refused(SettingError, "learn_as", loaded.set_params(learn_as=None).fit, data[0])
    parts = tagger(learn_as="bioes", dev=None)
    parts.partial_fit(data[0][:50], classes=[("NN", "B-XX")]).partial_fit(data[0][:50])
    assert ("NN", "I-XX") in parts.classes_
