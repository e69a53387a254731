"""The estimators: scikit-learn's conventions, what goes in, what comes out, and what is refused."""

import inspect
import pickle
import subprocess
import sys
import textwrap
import threading
import warnings

import numpy as np
import pytest

import riata
from checks import refused, stored
from riata import Chunker, EntityRecognizer, RiataWarning, Tagger
from riata.errors import (
    DataError,
    LabelError,
    NotFittedError,
    RiataError,
    SettingError,
    UnknownNameError,
    UnsupportedError,
)
from riata.estimators.model_file import to_bytes
from riata.features.templates import parse
from riata.learning.development import parted
from riata.learning.events import Epoch, Note, ignore
from samples import (
    CHUNKS,
    FEATURES,
    INPUTS,
    LABELLERS,
    TAGS,
    UNSEEN,
    WORDS,
    as_text,
    chunker,
    embedded,
    feature_tagger,
    for_rows,
    tagger,
    treebank,
)

EVERY_TASK = pytest.mark.parametrize("estimator", [task.estimator for task in LABELLERS.values()], ids=LABELLERS)


def of_the_task(estimator):
    """Training data that suit the task: trees, chunk labels, or plain ones."""
    if estimator.trees:
        return [list(sentence) for sentence in treebank(4)]
    return CHUNKS if estimator.chunks else [[(word, tag) for word, tag, _ in sentence] for sentence in CHUNKS]


def inputs_and_labels(estimator):
    """The same with the outputs apart: labels, or pairs of them."""
    data, n = of_the_task(estimator), estimator.outputs
    labels = [[token[-1] if n == 1 else token[-n:] for token in sentence] for sentence in data]
    return [[token[:-n] for token in sentence] for sentence in data], labels


# --- conventions -------------------------------------------------------------------------------------------------------
@EVERY_TASK
def test_the_constructor_only_stores(estimator):
    values = {name: object() for name in estimator().get_params()}
    made = estimator(**values)
    assert vars(made) == values
    for name, value in values.items():
        assert getattr(made, name) is value
    assert made.get_params() == values
    written = inspect.signature(Chunker).parameters.values()
    assert {each.name for each in written if each.kind is not each.VAR_KEYWORD} <= set(values)


@EVERY_TASK
def test_fitting_adds_attributes_that_end_in_an_underscore_and_changes_no_parameter(estimator):
    made = estimator(epochs=2)
    before = dict(vars(made))
    assert made.fit(of_the_task(estimator)) is made
    assert {name: value for name, value in vars(made).items() if name in before} == before
    added = set(vars(made)) - set(before)
    assert all(name.endswith("_") or name.startswith("_") for name in added)
    assert {"model_", "classes_", "inputs_", "outputs_", "best_epoch_", "history_"} <= added


@EVERY_TASK
def test_an_estimator_that_was_not_fitted_says_so(estimator):
    for use in (
        lambda e: e.predict(WORDS),
        lambda e: e.score(CHUNKS),
        lambda e: e.evaluate(CHUNKS),
        lambda e: e.save("x"),
    ):
        refused(NotFittedError, f"This {estimator.__name__} has not been trained yet", use, estimator())
    assert issubclass(NotFittedError, (ValueError, AttributeError))  # as scikit-learn's own


@EVERY_TASK
def test_the_repr_shows_what_differs_from_the_defaults(estimator):
    assert repr(estimator()) == f"{estimator.__name__}()"
    assert repr(estimator(epochs=3, encoding="iob1")) == f"{estimator.__name__}(epochs=3, encoding='iob1')"


def test_an_unknown_parameter_is_refused_with_the_nearest_one_and_nothing_is_set():
    made = Tagger()
    with pytest.raises(UnknownNameError, match=r"Unknown parameter of Tagger 'epoch'\. Did you mean 'epochs'"):
        made.set_params(seed=5, epoch=3)
    assert made.get_params() == Tagger().get_params()
    assert made.set_params(seed=5, epochs=3) is made
    assert (made.seed, made.epochs) == (5, 3)


def test_riata_works_without_scikit_learn():
    program = f"""
        import sys
        for name in ("sklearn", "joblib", "pandas"):
            sys.modules[name] = None
        import pickle, riata, riata.commands.train, warnings
        warnings.simplefilter("ignore")
        model = riata.Tagger(epochs=2).fit({WORDS!r}, {TAGS!r})
        assert pickle.loads(pickle.dumps(model)).predict({WORDS!r}) == model.predict({WORDS!r})
        assert model.score({WORDS!r}, {TAGS!r}) > 0.5
        print("fine", [m for m in sys.modules if m.startswith("sklearn.")])
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, timeout=120)
    assert done.stdout == "fine []\n", done.stderr


def test_training_starts_without_what_only_diagnoses_need():
    program = "import riata, riata.commands.train, sys; riata.Chunker; print([m for m in sys.modules if m.startswith('scipy')])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert done.stdout == "[]\n", done.stderr


# --- with scikit-learn -------------------------------------------------------------------------------------------------
@EVERY_TASK
def test_clones_have_the_parameters_and_not_the_model(estimator):
    base = pytest.importorskip("sklearn.base")
    weight = {"class_weight": {"O": 0.5}} if estimator.chunks and estimator.outputs == 1 else {"settings": {}}
    fitted = estimator(epochs=2, **weight).fit(of_the_task(estimator))
    twin = base.clone(fitted)
    assert type(twin) is estimator
    assert twin.get_params() == fitted.get_params()
    assert not hasattr(twin, "model_")


def test_an_estimator_with_development_data_can_be_cloned_copied_and_pickled():
    base = pytest.importorskip("sklearn.base")
    dev = embedded(split="test")[:5]
    made = Chunker(epochs=1, dev=dev).fit(embedded()[:20])
    for twin in (base.clone(made), pickle.loads(pickle.dumps(made))):
        assert list(twin.dev) == list(dev)
    assert to_bytes(base.clone(made).fit(embedded()[:20])) == to_bytes(made)


def test_a_grid_search_over_epochs_finds_and_refits_the_best():
    selection = pytest.importorskip("sklearn.model_selection")
    data = embedded(("word", "tag"))[:60]
    words, tags = data.sentences_of(0), data.sentences_of(1)
    search = selection.GridSearchCV(Tagger(), {"epochs": [1, 6]}, cv=3, error_score="raise").fit(words, tags)
    by_hand = []
    for epochs in (1, 6):
        scores = []
        for train, test in selection.KFold(3).split(words):
            model = Tagger(epochs=epochs).fit([words[i] for i in train], [tags[i] for i in train])
            scores.append(model.score([words[i] for i in test], [tags[i] for i in test]))
        by_hand.append(np.mean(scores))
    assert list(search.cv_results_["mean_test_score"]) == pytest.approx(by_hand)
    assert search.best_params_ == {"epochs": [1, 6][int(np.argmax(by_hand))]}
    best = Tagger(**search.best_params_).fit(words, tags)
    assert search.predict(words) == best.predict(words)


def test_parameters_from_numpy_work_in_a_search():
    selection = pytest.importorskip("sklearn.model_selection")
    search = selection.GridSearchCV(Tagger(), {"epochs": np.arange(1, 3)}, cv=2, error_score="raise", n_jobs=1)
    search.fit(WORDS, TAGS)
    assert pickle.loads(pickle.dumps(search)).predict(WORDS) == search.predict(WORDS)


def test_cross_validation_takes_lists_and_a_corpus():
    selection = pytest.importorskip("sklearn.model_selection")
    data = embedded(("word", "tag"))[:45]
    from_lists = selection.cross_val_score(
        Tagger(epochs=2), data.sentences_of(0), data.sentences_of(1), cv=3, error_score="raise"
    )
    from_corpus = selection.cross_val_score(Tagger(epochs=2), data, cv=3, error_score="raise")
    assert list(from_corpus) == list(from_lists)
    assert all(0.3 < score < 1 for score in from_lists)


def test_pipelines_end_in_an_estimator():
    pipeline = pytest.importorskip("sklearn.pipeline")
    preprocessing = pytest.importorskip("sklearn.preprocessing")
    lower = preprocessing.FunctionTransformer(lambda X: [[word.lower() for word in sentence] for sentence in X])
    made = pipeline.Pipeline([("nothing", "passthrough"), ("lower", lower), ("tagger", Tagger())])
    made.set_params(tagger__epochs=2).fit(WORDS, TAGS)
    lowered = [[word.lower() for word in sentence] for sentence in WORDS]
    alone = Tagger(epochs=2).fit(lowered, TAGS)
    assert made.predict(WORDS) == alone.predict(lowered)
    assert made.score(WORDS, TAGS) == alone.score(lowered, TAGS)


def test_scikit_learn_knows_what_is_fitted():
    validation = pytest.importorskip("sklearn.utils.validation")
    from sklearn.exceptions import NotFittedError as TheirNotFittedError

    validation.check_is_fitted(tagger())
    refused(TheirNotFittedError, "", validation.check_is_fitted, Tagger())


# --- what goes in, what comes out --------------------------------------------------------------------------------------
@EVERY_TASK
def test_predictions_have_the_shape_of_the_input(estimator):
    model = estimator(epochs=1).fit(of_the_task(estimator))
    inputs, _ = inputs_and_labels(estimator)
    probe = [inputs[0], [], inputs[1][:1], [], inputs[2]]
    found = model.predict(probe)
    assert [len(labels) for labels in found] == [len(sentence) for sentence in probe]
    kind = str if estimator.outputs == 1 else tuple
    assert all(type(label) is kind for labels in found for label in labels)
    known = [label[-1] if estimator.trees else label for labels in found for label in labels]
    assert all(label in model.classes_ for label in known)


@EVERY_TASK
def test_the_score_is_the_main_metric_of_evaluate(estimator):
    model = estimator(epochs=1).fit(of_the_task(estimator)[:2])
    data = of_the_task(estimator)
    X, y = inputs_and_labels(estimator)
    main = "las" if estimator.trees else "f1" if estimator.chunks else "accuracy"
    assert model.score(data) == model.score(X, y) == pytest.approx(model.evaluate(data).metrics[main] / 100)
    assert model.evaluate(X, y).metrics == model.evaluate(data).metrics
    if not estimator.chunks:
        flat = [(a, b) for p, g in zip(model.predict(X), y, strict=True) for a, b in zip(p, g, strict=True)]
        as_text = (lambda pair: tuple(map(str, pair))) if estimator.trees else str
        assert model.score(X, y) == pytest.approx(np.mean([as_text(a) == as_text(b) for a, b in flat]))


def test_a_sentence_of_weight_two_counts_twice():
    model = Tagger(epochs=1).fit(WORDS[:2], TAGS[:2])
    doubled = model.score([*WORDS, WORDS[3]], [*TAGS, TAGS[3]])
    assert model.score(WORDS, TAGS, sample_weight=[1, 1, 1, 2]) == pytest.approx(doubled)
    assert doubled != model.score(WORDS, TAGS)
    refused(DataError, "expected one number for each of 4", model.score, WORDS, TAGS, sample_weight=[1])


def test_a_file_lists_and_tuples_say_the_same(tmp_path):
    (tmp_path / "train.txt").write_text(as_text(), encoding="utf-8")
    from_file = Chunker(epochs=2).fit(riata.read_columns(tmp_path / "train.txt"))
    from_tuples = Chunker(epochs=2).fit(CHUNKS)
    from_lists = Chunker(epochs=2).fit(INPUTS, [[token[2] for token in sentence] for sentence in CHUNKS])
    assert from_file.predict(INPUTS) == from_tuples.predict(INPUTS) == from_lists.predict(INPUTS)
    parts = [e.model_.to_parts() for e in (from_file, from_tuples, from_lists)]
    for header, arrays in parts[1:]:
        assert header == parts[0][0]
        for name, array in arrays.items():
            np.testing.assert_array_equal(array, parts[0][1][name])


def test_the_output_column_may_be_there_or_not_and_further_columns_do_not_matter():
    expected = chunker().predict(INPUTS)
    assert chunker().predict(CHUNKS) == expected
    assert chunker().predict([[(*token, "extra") for token in sentence] for sentence in CHUNKS]) == expected


def test_columns_are_found_by_their_place_in_the_file(tmp_path):
    """Trained on columns 2 and 0 of a file, a model reads columns 2 and 0 of the next one, with or without the others."""
    wide = [[("_", word, tag, "_", chunk) for word, tag, chunk in sentence] for sentence in CHUNKS]
    (tmp_path / "wide.txt").write_text(as_text(wide), encoding="utf-8")
    corpus = riata.read_columns(tmp_path / "wide.txt")
    model = Chunker(epochs=3).fit(corpus.select([1, 2, 4]))
    assert (model.inputs_, model.output_) == ((1, 2), 4)
    assert (
        model.predict(corpus) == model.predict(corpus.select([2, 1])) == Chunker(epochs=3).fit(CHUNKS).predict(CHUNKS)
    )
    assert "1, 2" in refused(DataError, "the model reads column 2", model.predict, corpus.select([0, 1])).remedy


def test_too_few_columns_are_refused():
    refused(DataError, "the model reads column 1, but the data have only 1 column", chunker().predict, WORDS)
    refused(DataError, "scoring needs the output column", chunker().score, INPUTS)
    refused(DataError, "at least one input column and the output column; found 1", Tagger().fit, WORDS)
    refused(DataError, "2 columns, the training data 3", Chunker(dev=INPUTS).fit, CHUNKS)


def test_dictionaries_of_features_and_words_are_not_confused():
    assert feature_tagger().predict(FEATURES)[0] == TAGS[0]
    refused(DataError, "reads dictionaries of features; found words", feature_tagger().predict, WORDS)
    refused(DataError, "the model reads column 0", tagger().predict, FEATURES)
    refused(UnsupportedError, "Templates read columns", Tagger(template="tag").fit, FEATURES, TAGS)
    refused(DataError, "output column", Tagger().fit, FEATURES)


def test_a_feature_of_value_nan_is_refused_when_learning_and_when_predicting():
    broken = [[{**token, "length": float("nan")} for token in sentence] for sentence in FEATURES]
    for use in (lambda: Tagger().fit(broken, TAGS), lambda: feature_tagger().predict(broken)):
        refused(DataError, "'length' has the value nan; expected a finite number", use)


def test_dictionaries_as_words_learn_what_words_learn():
    """A template of one word says the same as a dictionary with that word in it."""
    words = Tagger(epochs=4, template=parse("word[0]\nedge")).fit(WORDS, TAGS)
    dictionaries = Tagger(epochs=4).fit([[{"w": word} for word in sentence] for sentence in WORDS], TAGS)
    probe = WORDS + UNSEEN
    assert dictionaries.predict([[{"w": word} for word in sentence] for sentence in probe]) == words.predict(probe)


def test_labels_may_come_as_arrays():
    expected = tagger().predict(UNSEEN)
    arrays = [np.array(labels) for labels in TAGS]
    jagged = np.empty(len(TAGS), object)
    jagged[:] = [np.array(labels) for labels in TAGS]
    tuples = tuple(tuple(labels) for labels in TAGS)
    for labels in (arrays, jagged, tuples):
        assert Tagger("perceptron", epochs=3).fit(WORDS, labels).predict(UNSEEN) == expected
    assert (
        Tagger("perceptron", epochs=3).fit([np.array(s) for s in WORDS], TAGS).predict([np.array(s) for s in UNSEEN])
        == expected
    )


@for_rows(
    "X, y, says",
    (WORDS, TAGS[:-1], "3 lists of labels for 4 sentences"),
    (WORDS, [TAGS[0][:-1], *TAGS[1:]], "sentence 0 has 4 tokens and 3 labels"),
    (WORDS, [[1] * len(s) for s in WORDS], "a label is 1"),
    (WORDS, "DT NN", "labels"),
    (WORDS, 5, "labels"),
    ([], [], "no tokens"),
    ([[], []], [[], []], "no tokens"),
    ("the dog", TAGS, "found str"),
    (["the dog"], TAGS, "expected a list of tokens"),
    ([{"word": "the"}, {"word": "dog"}], TAGS, "sentence 0 is a dict; expected a list of tokens"),
    ([{"the", "dog"}], TAGS, "sentence 0 is a set; expected a list of tokens"),
    (None, TAGS, "found NoneType"),
    ([["a", 5]], [["A", "B"]], "token 5"),
    ([["a", ("b", "c")]], [["A", "B"]], "2 columns"),
)
def test_what_is_no_training_data_is_refused(X, y, says):
    refused(DataError, says, Tagger().fit, X, y)


# --- parameters --------------------------------------------------------------------------------------------------------
@for_rows(
    "params, says",
    ({"recipe": "perceptrn"}, "Unknown recipe 'perceptrn'. Did you mean 'perceptron'"),
    ({"recipe": ["perceptron"]}, "Unknown recipe"),
    ({"structure": "chains"}, "Did you mean 'chain'"),
    ({"queue": "exakt"}, "Did you mean 'exact'"),
    ({"beam": 5}, "has no beam"),
    ({"epochs": 0}, "'epochs' has the value 0; expected a whole number of at least 1"),
    ({"epochs": 1.5}, "'epochs' has the value 1.5"),
    ({"epochs": True}, "'epochs' has the value True"),
    ({"epochs": float("nan")}, "'epochs' has the value nan"),
    ({"cutoff": 0}, "'cutoff'"),
    ({"seed": -1}, "'seed'"),
    ({"seed": 2**63}, "'seed'"),
    ({"patience": 0}, "'patience'"),
    ({"settings": {"averag": True}}, "Unknown setting 'averag'. Did you mean 'average'"),
    ({"settings": {"average": "perhaps"}}, "'average' has the value 'perhaps'; expected true or false"),
    ({"settings": {"precision": "half"}}, "expected one of single, double"),
    ({"settings": 5}, "expected a dictionary"),
    ({"class_weight": "balance"}, "Did you mean 'balanced'"),
    ({"class_weight": {"NX": 2.0}}, "Unknown label in class_weight 'NX'. Did you mean 'NN'"),
    ({"class_weight": {"NN": -1.0}}, "class_weight of 'NN' is -1.0"),
    ({"class_weight": {"NN": float("inf")}}, "class_weight of 'NN' is inf"),
    ({"class_weight": {"NN": "two"}}, "class_weight of 'NN' is 'two'; expected a number"),
    ({"class_weight": 2}, "class_weight is 2; expected a dictionary"),
    ({"dev": 0.0}, "between 0 and 1"),
    ({"dev": 1.0}, "between 0 and 1"),
    ({"dev": float("nan")}, "between 0 and 1"),
    ({"template": "chunks"}, "Unknown template 'chunks'. Did you mean 'chunk'"),
    ({"attributes": {"f": "not a function"}}, "expected a function"),
    ({"attributes": {"lower": str.upper}}, "a name that templates use already"),
    ({"attributes": {"word": str.upper}}, "a name that templates use already"),
    ({"attributes": {"x3": str.upper}}, "a name that templates use already"),
    ({"attributes": {"number": str.upper}}, "a name that templates use already"),
    ({"attributes": {"a b": str.upper}}, "cannot use"),
    ({"attributes": {"": str.upper}}, "cannot use"),
    ids=str,
)
def test_wrong_parameters_are_refused_when_fitting(params, says):
    assert says in str(refused((SettingError, UnsupportedError), "", Tagger(**params).fit, WORDS, TAGS))


def test_numbers_may_come_as_text_or_numpy():
    expected = to_model_bytes(Tagger(epochs=2, seed=3, cutoff=1).fit(WORDS, TAGS))
    for kind in (str, float, np.int64, np.float64):
        made = Tagger(epochs=kind(2), seed=kind(3), cutoff=kind(1)).fit(WORDS, TAGS)
        assert to_model_bytes(made) == expected


def to_model_bytes(estimator):
    _, arrays = estimator.model_.to_parts()
    return {name: array.tobytes() for name, array in arrays.items()}


def test_large_seeds_are_all_different():
    seeds = [0, 2**53, 2**53 + 1, 2**63 - 1]
    data = embedded(("word", "tag"))[:40]
    models = [to_model_bytes(Tagger(epochs=1, seed=seed).fit(data)) for seed in seeds]
    assert all(a != b for i, a in enumerate(models) for b in models[:i])


def test_the_users_attributes_are_used_and_their_errors_told():
    def ends(word):
        return word[-1]

    template = parse("ends[0]\nedge")
    model = Tagger(epochs=5, template=template, attributes={"ends": ends}).fit(WORDS, TAGS)
    ends_only = [[word[-1] for word in sentence] for sentence in WORDS]
    plain = Tagger(epochs=5, template=parse("word[0]\nedge")).fit(ends_only, TAGS)
    assert model.predict(UNSEEN) == plain.predict([[word[-1] for word in sentence] for sentence in UNSEEN])
    refused(RiataError, "Unknown attribute 'ends'", Tagger(template=template).fit, WORDS, TAGS)

    def fails(word):
        raise RuntimeError("oh")

    with pytest.raises(DataError, match="attribute 'fails' failed on 'The'"):
        Tagger(template=parse("fails[0]"), attributes={"fails": fails}).fit(WORDS, TAGS)


def test_tags_that_are_no_chunk_tags_are_refused_with_the_way_out():
    for estimator in (Chunker, EntityRecognizer):
        assert "Tagger" in refused(LabelError, "label 'DT' is no chunk label", estimator().fit, WORDS, TAGS).remedy


ILLEGAL = [[("a", "O"), ("b", "I-NP"), ("c", "I-NP")], [("a", "B-NP"), ("b", "I-VP")], [("a", "B-NP"), ("c", "I-NP")]]


def test_illegal_tags_are_read_as_conlleval_does_or_refused():
    with pytest.raises(LabelError, match="label 'I-NP' follows 'O', which is illegal in IOB2"):
        Chunker(encoding="iob2", strict=True).fit(ILLEGAL)
    with pytest.warns(RiataWarning, match="Illegal tags in <memory>: 2"):
        repaired = Chunker(encoding="iob2").fit(ILLEGAL)
    legal = [[("a", "O"), ("b", "B-NP"), ("c", "I-NP")], [("a", "B-NP"), ("b", "B-VP")], ILLEGAL[2]]
    assert to_model_bytes(repaired) == to_model_bytes(Chunker(encoding="iob2").fit(legal))


def test_strict_looks_at_the_development_data_too():
    with pytest.raises(LabelError, match="illegal in IOB2"):
        Chunker(encoding="iob2", strict=True, dev=ILLEGAL).fit([[("a", "B-NP"), ("b", "I-NP")]])


# --- learning in steps -------------------------------------------------------------------------------------------------
def test_development_data_choose_the_epoch_and_patience_ends_training():
    told = []
    data = embedded()
    model = Chunker(epochs=30, patience=2, dev=0.2, seed=1).fit(data, listener=told.append)
    epochs = [event for event in told if isinstance(event, Epoch)]
    scores = [event.dev_score for event in epochs]
    assert model.best_score_ == max(scores)
    assert model.best_epoch_ == 1 + int(np.argmax(scores))
    assert len(epochs) == model.best_epoch_ + 2 < 30
    learnt, held_out = parted(data, 0.2, ignore)
    assert model.score(held_out) == pytest.approx(model.best_score_ / 100)
    until = Chunker(epochs=model.best_epoch_, seed=1).fit(learnt)
    assert until.predict(data) == model.predict(data)


def test_refitting_trains_on_everything_for_the_best_number_of_epochs():
    data = embedded()[:80]
    model = Chunker(epochs=6, dev=0.25, refit=True).fit(data)
    plain = Chunker(epochs=model.best_epoch_).fit(data)
    assert model.predict(embedded(split="test")) == plain.predict(embedded(split="test"))
    assert model.best_score_ is not None


def test_a_warm_start_goes_on_and_a_cold_one_begins_anew():
    data = embedded()[:60]
    cold = Chunker(epochs=1).fit(data)
    again = to_model_bytes(Chunker(epochs=1).fit(data))
    assert to_model_bytes(cold.fit(data)) == again
    assert to_model_bytes(cold.set_params(warm_start=True).fit(data)) != again


def test_going_on_with_other_columns_or_labels_is_refused():
    model = Chunker(epochs=1, warm_start=True).fit(CHUNKS)
    narrow = [[(word, chunk) for word, _, chunk in sentence] for sentence in CHUNKS]
    for use in (model.fit, model.partial_fit, Chunker(epochs=1).partial_fit(CHUNKS).partial_fit):
        refused(DataError, "1 input columns; the model that training goes on from reads 2", use, narrow)
    refused(LabelError, "label 'B-XP' is unknown", model.fit, [[("a", "b", "B-XP")]])


def test_two_partial_fits_are_one_epoch_over_both_parts():
    data = embedded(("word", "tag"))[:30]
    words, tags = data.sentences_of(0), data.sentences_of(1)
    in_order = {"settings": {"shuffle": False}}
    whole = Tagger(epochs=1, **in_order).fit([*words, *words], [*tags, *tags])
    parts = Tagger(**in_order).partial_fit(words, tags).partial_fit(words, tags)
    assert to_model_bytes(parts) == to_model_bytes(whole)


def test_a_partial_fit_after_a_fit_goes_on_from_the_fit():
    data = embedded(("word", "tag"))
    model = Tagger(epochs=1).partial_fit(data[:5], classes=sorted(set(data.columns[-1].texts())))
    model.fit(data[5:])
    fresh = Tagger(epochs=1).fit(data[5:])
    assert to_model_bytes(model.partial_fit(data[60:70])) == to_model_bytes(fresh.partial_fit(data[60:70]))


def test_a_model_in_use_does_not_change_when_training_goes_on():
    data = embedded(("word", "tag"))
    model = Tagger().partial_fit(data[:20], classes=sorted(set(data.columns[-1].texts())))
    kept = model.model_
    before = kept.predict(model.columns.input_columns(data)).tolist()
    model.partial_fit(data[20:60])
    assert kept.predict(model.columns.input_columns(data)).tolist() == before
    assert model.predict_ids(data).tolist() != before


def test_what_was_learnt_is_told():
    told = []
    Tagger(epochs=2, dev=0.25).fit(WORDS, TAGS, listener=told.append)
    assert [event.epoch for event in told if isinstance(event, Epoch)] == [1, 2]
    notes = [event.text for event in told if isinstance(event, Note)]
    assert any("held out" in note for note in notes)
    assert any("fewer than 5 times" in note for note in notes)
    with pytest.warns(RiataWarning, match="fewer than 5 times"):
        Tagger(epochs=1).fit(WORDS, TAGS)


def test_an_interrupt_keeps_the_last_good_epoch():
    data = embedded()[:60]

    def stop_in_epoch_three(event):
        if isinstance(event, Epoch) and event.epoch == 3:
            raise KeyboardInterrupt

    model = Chunker(epochs=10)
    refused(KeyboardInterrupt, "", model.fit, data, listener=stop_in_epoch_three)
    assert model.best_epoch_ == 3
    assert to_model_bytes(model) == to_model_bytes(Chunker(epochs=3).fit(data))


def test_an_interrupt_before_the_first_epoch_ends_leaves_what_was_there():
    data = embedded()[:60]

    def stop(event):
        if not isinstance(event, (Epoch, Note)):
            raise KeyboardInterrupt

    fresh, fitted = Chunker(), Chunker(epochs=1).fit(data)
    before = to_model_bytes(fitted)
    for model in (fresh, fitted):
        refused(KeyboardInterrupt, "", model.fit, data, listener=stop)
    assert not hasattr(fresh, "model_")
    assert to_model_bytes(fitted) == before


# --- using a model from several threads ---------------------------------------------------------------------------------
def test_threads_may_share_a_predictor():
    model = pickle.loads(pickle.dumps(Chunker(epochs=2).fit(embedded()[:100])))
    probes = [embedded(split="test")[i::4] for i in range(4)]
    expected = [model.predict(probe) for probe in probes]
    found = [[] for _ in probes]
    start = threading.Barrier(4)

    def work(i):
        start.wait()
        for _ in range(20):
            found[i].append(model.predict(probes[i]))

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for i in range(4):
        assert found[i] == [expected[i]] * 20


def test_predicting_changes_nothing():
    before = to_bytes(tagger())
    tagger().predict([[f"unseen{i}"] for i in range(1000)])
    assert to_bytes(tagger()) == before


def test_nothing_to_label_gives_nothing():
    tagger = Tagger(epochs=1).fit(WORDS, TAGS)
    assert tagger.predict([]) == []
    assert tagger.predict([[], []]) == [[], []]


def test_a_corpus_without_sentences_is_refused():
    refused(DataError, "no tokens", Chunker().fit, riata.load("embedded", "train")[0:0])


@pytest.mark.parametrize("classes", ["PERSON", [1, 2]])
def test_classes_must_be_labels(classes):
    refused(SettingError, "classes is", Tagger().partial_fit, WORDS, TAGS, classes=classes)


@pytest.mark.parametrize(
    "params", [{"encoding": "zz"}, {"strict": "no"}, {"template": 3}, {"template": [1]}, {"attributes": 3}], ids=str
)
def test_parameters_of_a_wrong_kind_are_refused(params):
    refused(SettingError, "", Tagger(**params).fit, WORDS, TAGS)


def test_a_loaded_model_has_a_short_repr(tmp_path):
    assert len(repr(stored(Chunker(epochs=1).fit(riata.load("embedded", "train")), tmp_path))) < 200


def test_a_model_too_large_to_load_is_refused_before_training(monkeypatch):
    monkeypatch.setattr("riata.models.parts.MOST_MEMORY", 1000)
    refused(DataError, "GiB of weights", Tagger(epochs=1).fit, WORDS, TAGS)


def test_fit_has_no_dev():
    with pytest.raises(SettingError, match="fit has no dev") as caught:
        riata.Tagger().fit(WORDS, TAGS, dev=(WORDS, TAGS))
    assert "X_dev=" in caught.value.remedy


def test_one_sentence_of_tuples_is_not_taken_for_several():
    sentence = [("the", "DT"), ("dogs", "NN"), ("bark", "VB")]
    chunker = Chunker(epochs=1).fit(CHUNKS)
    with pytest.raises(DataError, match="every sentence is a tuple of 2 texts, as a token is") as caught:
        chunker.predict(sentence)
    assert "[X]" in caught.value.remedy
    tagger = Tagger(epochs=1).fit(WORDS, TAGS)
    labels = sorted({tag for tags in TAGS for tag in tags})[:2]
    with pytest.warns(RiataWarning, match="a tuple of 2 texts, the last of which is a label"):
        tagger.predict([("the", labels[0]), ("dogs", labels[1])])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tagger.predict([["the", labels[0]], ["dogs", labels[1]]])
        tagger.predict([("the", "dogs"), ("a", "dog")])
