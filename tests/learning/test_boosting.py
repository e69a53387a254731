"""Sequence boosting: round by round as the paper's algorithm on lists of all outputs, and what its bounds promise."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import strategies as st

import riata
from checks import refused, stored
from oracle.boosting import EQUAL, Boosting
from riata import Chunker, RiataError, Tagger, _core
from riata.data.memory import as_corpus
from riata.errors import SettingError, UnsupportedError
from riata.features.attributes import builtin
from riata.features.compile import Features
from riata.features.templates import parse
from riata.inference.rules.legality import Legality
from riata.models.model import Model
from riata.structures.chain.model import ChainOutputs
from riata.structures.chain.names import name_of
from samples import CHUNKS, FEATURES, TAGS, for_rows, tried

LABELS = ("X", "Y", "Z")
TEMPLATES = (
    "word[0]\nedge",
    "word[-1]\nword[0]\nedge",
    "word[0]\nedge\nedge word[0]",
    "word[0]\nedge word[-1]",
    "word[0]",
)
NOTHING = np.empty(0)


class Case:
    """A small corpus; the same for the core, and as lists of all outputs. names: features of tokens are named, with values of any sign."""

    def __init__(self, seed, template, *, sentences=4, names=False, weights=(), longest=4, kinds="abc"):
        rng = np.random.default_rng(seed)
        lengths = rng.integers(1, longest + 1, sentences)
        self.words = [[str(rng.choice(list(kinds))) for _ in range(n)] for n in lengths]
        self.gold = [rng.integers(0, 3, n).tolist() for n in lengths]
        self.template = template
        self.named = None
        if names:
            values = [-1.5, -1.0, 0.5, 1.0, 1.0, 2.0]
            self.named = [[{w: float(rng.choice(values)), "bias": 1.0} for w in s] for s in self.words]
            self.template = "edge"
        self.weights = np.array(weights, np.float64)
        self.features = Features(parse(self.template), builtin(), {})
        self.instances = self.features.extend(as_corpus(self.named or self.words), 1, 1)
        self.instances.set_labels(np.concatenate(self.gold).astype(np.int32), len(LABELS))
        self.outputs = ChainOutputs(LABELS, Legality.free(len(LABELS)))

    def booster(self, *, over="corpus", cap=1.0, single=False, start=None):
        kind = _core.Booster if single else _core.Booster64
        self.blank = start or Model.blank(self.features, self.outputs, single=single)
        return kind(self.blank.weights, self.features.index, self.instances, self.weights, over == "corpus", cap)

    def name(self, booster, place):
        return name_of(self.blank, booster.model().place(self.features.index, int(place)))

    def counts(self, number, labels):
        """How often each (feature, label or pair of labels) occurs in one output, by the names that models show."""
        words = self.words[number]
        found = {}

        def add(feature, label, value=1.0):
            found[feature, label] = found.get((feature, label), 0.0) + value

        for t, label in enumerate(labels):
            pair = f"{LABELS[labels[t - 1]]} -> {LABELS[label]}"
            if self.named:
                for name, value in self.named[number][t].items():
                    add(name, LABELS[label], value)
            for line in self.template.splitlines():
                edge, read = line.startswith("edge"), line.removeprefix("edge").strip()
                if edge and t == 0:
                    continue
                if not read:
                    add("edge", pair)
                    continue
                before = read == "word[-1]"
                word = words[t - before] if t - before >= 0 else "_B-1"
                add(f"{'edge ' if edge else ''}{read}={word}", pair if edge else LABELS[label])
        return found

    def twin(self, places, **options):
        """places: the features, in the order of the core."""
        column = {name: k for k, name in enumerate(places)}
        outputs, truths = [], []
        for number, gold in enumerate(self.gold):
            rows = list(itertools.product(range(len(LABELS)), repeat=len(gold)))
            matrix = np.zeros((len(rows), len(places)))
            for row, labels in enumerate(rows):
                for name, value in self.counts(number, labels).items():
                    if name in column:
                        matrix[row, column[name]] = value
            outputs.append(matrix)
            truths.append(rows.index(tuple(gold)))
        return Boosting(outputs, truths, self.weights if len(self.weights) else None, **options)


def places_of(case, booster):
    """The names of the features that the truth has, in the order of their places in the core."""
    names = [case.name(booster, place) for place in booster.places()]
    assert set(names) == {name for number, gold in enumerate(case.gold) for name in case.counts(number, gold)}
    return names


cases = st.builds(
    Case,
    st.integers(0, 10**6),
    st.sampled_from(TEMPLATES),
    names=st.booleans(),
    weights=st.sampled_from([(), (0.5, 2.0, 0.0, 1.0)]),
)
overs, caps = st.sampled_from(["corpus", "sentences"]), st.sampled_from([0.1, 1.0, 5.0])


@tried(60, cases, overs, caps)
def test_every_round_is_that_of_the_paper(case, over, cap):
    booster = case.booster(over=over, cap=cap)
    names = places_of(case, booster)
    twin = case.twin(names, cap=cap, over=over)
    assert booster.features == len(names)
    for _ in range(12):
        loss, (_, bounds) = twin.loss(), twin.bounds()
        if loss < 1e-4:
            return  # 1 - P has lost too many digits for a comparison
        found = booster.run(1)
        if not len(found["places"]):
            assert bounds.min() > 1 - 1e-9
            return
        chosen = names.index(case.name(booster, found["places"][0]))
        gain = 1 - bounds
        best = np.flatnonzero(gain >= gain.max() * (1 - 100 * EQUAL))
        assert chosen in best  # and, of equal ones, the first:
        assert chosen == np.flatnonzero(gain >= gain.max() * (1 - EQUAL))[0] or len(best) > 1
        done = twin.round(chosen)
        assert found["steps"][0] == pytest.approx(done.step, rel=1e-6, abs=1e-9)
        assert found["bounds"][0] == pytest.approx(np.log(done.bound * loss), rel=1e-9, abs=1e-9)
        assert found["objectives"][0] == pytest.approx(np.log(done.loss), rel=1e-8, abs=1e-8)
        assert found["objectives"][0] <= found["bounds"][0] + 1e-9
        counted = twin.may[:, chosen] & (twin.weights > 0)
        assert found["sentences"][0] == counted.sum()


@pytest.mark.parametrize("over", ["corpus", "sentences"])
def test_equal_features_are_chosen_in_the_order_of_their_places(over):
    """Two words that occur in sentences that are alike have equal bounds in every round, but for rounding."""
    case = Case(0, "word[0]\nedge")
    case.words, case.gold = [["c", "a"], ["c", "b"]] * 3, [[2, 0], [2, 0]] * 3
    case.features = Features(parse(case.template), builtin(), {})
    case.instances = case.features.extend(as_corpus(case.words), 1, 1)
    case.instances.set_labels(np.concatenate(case.gold).astype(np.int32), len(LABELS))
    booster = case.booster(over=over, cap=0.5)
    names = places_of(case, booster)
    twin = case.twin(names, cap=0.5, over=over)
    for _ in range(10):
        found = booster.run(1)
        assert names.index(case.name(booster, found["places"][0])) == twin.round().feature


@tried(
    40,
    st.integers(0, 10**6),
    st.sampled_from(TEMPLATES),
    st.booleans(),
    overs,
    st.sampled_from([0.01, 1.0, 20.0]),
    st.booleans(),
)
def test_no_bound_is_violated_and_the_loss_falls(seed, template, names, over, cap, single):
    case = Case(seed, template, names=names, sentences=12, longest=9, kinds="abcdef")
    booster = case.booster(over=over, cap=cap, single=single)
    before = np.inf
    found = booster.run(80)
    rounding = 1e-5 if single else 1e-8  # posteriors are kept in single precision; 1 - P is small in the end
    assert (found["objectives"] <= found["bounds"] + rounding).all()
    for objective, bound in zip(found["objectives"], found["bounds"], strict=True):
        assert bound < before + rounding
        before = objective
    assert (np.abs(found["steps"]) <= cap).all()


@pytest.mark.parametrize("over", ["corpus", "sentences"])
def test_totals_that_are_kept_up_to_date_are_those_of_a_new_start(over):
    for seed in range(5):
        case = Case(seed, TEMPLATES[seed % 5], sentences=20, longest=8, kinds="abcdefghijkl")
        booster = case.booster(over=over)
        booster.run(60)
        again = case.booster(over=over, start=case.blank.with_weights(booster.model()))
        one, other = booster.run(1), again.run(1)
        assert one["places"] == other["places"]
        assert one["objectives"] == pytest.approx(other["objectives"], rel=1e-9)
        assert one["bounds"] == pytest.approx(other["bounds"], rel=1e-9)


@pytest.mark.parametrize("over", ["corpus", "sentences"])
def test_threads_change_nothing(over):
    for seed in range(3):
        case = Case(seed, TEMPLATES[seed], sentences=40, longest=12, kinds="abcdefgh")
        runs = []
        for threads in (1, 2, 5):
            booster = case.booster(over=over, single=seed == 0)
            runs.append([(name, column.tolist()) for name, column in booster.run(50, threads).items()])
        assert runs[0] == runs[1] == runs[2]


def test_sentences_of_weight_0_do_not_count_and_weights_are_repetitions():
    data = [sentence for sentence in CHUNKS for _ in range(2)]
    weights = [0.0, 2.0] * len(CHUNKS)
    rounds = {"rounds": 20, "precision": "double"}
    some = Chunker("boost", epochs=1, settings=rounds).fit(data, sample_weight=weights)
    both = Chunker("boost", epochs=1, settings=rounds).fit(data)
    for a, b in zip(some.history_[0]["rounds"], both.history_[0]["rounds"], strict=True):
        assert a.step == pytest.approx(b.step) and a.objective == pytest.approx(b.objective)
        assert 2 * a.sentences == b.sentences


def test_long_sentences_of_many_labels_do_not_overflow():
    """At the start, 1 / P is the number of labels to the power of the length: 45 to the power of 200, and more."""
    draw = np.random.default_rng(0)
    labels = [f"L{k}" for k in range(45)]
    words = [[str(draw.integers(0, 60)) for _ in range(n)] for n in (200, 400, 3, 50)]
    tags = [[labels[int(word) % 45] for word in sentence] for sentence in words]
    tags[2] = [labels[0]] * 3
    for bound in ("sentences", "corpus"):
        model = Tagger("boost", epochs=3, settings={"rounds": 40, "bound": bound, "cap": 5.0}).fit(words, tags)
        rounds = [event for epoch in model.history_ for event in epoch["rounds"]]
        assert rounds[0].bound < 400 * np.log(45) + 0.1
        assert all(np.isfinite(event.objective) for event in rounds)
        assert rounds[-1].objective < rounds[0].objective - 100
        assert all(event.objective <= event.bound + 1e-5 for event in rounds)


def test_only_chosen_weights_are_stored():
    train = riata.load("embedded", "train", ("word", "tag", "chunk"))[:80]
    model = Chunker("boost", epochs=4, settings={"rounds": 25}).fit(train)
    used = model.history_[-1]["weights"]
    packed = model.model_.to_parts()[1]
    stored = sum(int(np.count_nonzero(array)) for array in packed.values() if array.dtype.kind == "f")
    assert 0 < stored == used <= 100
    assert [len(epoch["rounds"]) for epoch in model.history_] == [25] * 4


def test_it_learns_is_saved_and_its_probabilities_are_those_of_its_scores(tmp_path):
    train = riata.load("embedded", "train", ("word", "tag", "chunk"))[:150]
    model = Chunker("boost", epochs=10, settings={"rounds": 100}).fit(train)
    assert model.score(train) > 0.9
    again = stored(model, tmp_path)
    assert again.predict(train) == model.predict(train)
    marginals = again.predict_marginals(train[:2])
    assert all(sum(token.values()) == pytest.approx(1) for sentence in marginals for token in sentence)


def test_patience_and_dev_choose_the_epoch():
    train = riata.load("embedded", "train", ("word", "tag", "chunk"))[:150]
    model = Chunker("boost", epochs=40, patience=2, dev=0.2, settings={"rounds": 20}).fit(train)
    scores = [epoch["dev_score"] for epoch in model.history_]
    assert len(scores) < 40 and model.best_epoch_ == int(np.argmax(scores)) + 1
    assert len(scores) == model.best_epoch_ + 2


def test_it_ends_when_there_is_nothing_left_to_learn():
    model = Tagger("boost", epochs=100).fit([["a", "b"]] * 3, [["X", "Y"]] * 3)
    assert len(model.history_) < 100
    assert model.predict([["a", "b"]]) == [["X", "Y"]]


def test_it_ends_in_the_round_in_which_the_loss_is_gone():
    """Further rounds would follow rounding errors."""
    X, y = [["a", "b"], ["b", "a", "c"], ["c"]] * 20, [["X", "Y"], ["Y", "X", "Z"], ["Z"]] * 20
    tagger = Tagger("boost", template=parse("word[0]\nedge")).fit(X, y)
    objectives = [done.objective for epoch in tagger.history_ for done in epoch["rounds"]]
    assert objectives[-1] <= math.log(1e-9 * len(X)) < objectives[-2]


def test_features_with_values_and_arrays_are_learnt():
    model = Tagger("boost", epochs=3, settings={"rounds": 30}).fit(FEATURES, TAGS)
    assert model.score(FEATURES, TAGS) > 0.9
    arrays = [np.array([[len(token["word"]), token["title"], -1.0] for token in s], float) for s in FEATURES]
    assert Tagger("boost", epochs=1, settings={"rounds": 30}).fit(arrays, TAGS).predict(arrays)


def test_training_goes_on_from_a_model():
    train = riata.load("embedded", "train", ("word", "tag", "chunk"))[:60]
    whole = Chunker("boost", epochs=4, settings={"rounds": 10}).fit(train)
    parts = Chunker("boost", epochs=2, warm_start=True, settings={"rounds": 10}).fit(train)
    parts.fit(train)
    assert parts.history_[-1]["objective"] == pytest.approx(whole.history_[-1]["objective"], rel=1e-4)
    from_crf = Chunker("crf", epochs=20, warm_start=True, settings={"c2": 1.0}).fit(train)
    from_crf.set_params(recipe="boost", epochs=1, settings={"rounds": 10})
    assert from_crf.fit(train).history_[-1]["objective"] < whole.history_[0]["objective"]


@for_rows(
    "options, error, text",
    ({"template": parse("word[0]\nlabel[-2] label[-1]")}, UnsupportedError, "reads earlier labels"),
    ({"template": parse("word[0]\nlabel[-1] word[0]")}, UnsupportedError, "reads earlier labels"),
    ({"structure": "segments"}, UnsupportedError, "single weights"),
    ({"bits": 12}, SettingError, "bits"),
    ({"class_weight": "balanced"}, SettingError, "class_weight"),
    ({"settings": {"cap": 0.0}}, SettingError, "cap"),
    ({"settings": {"rounds": 0}}, SettingError, "rounds"),
)
def test_what_it_refuses(options, error, text):
    refused((error, UnsupportedError), text, Chunker("boost", **options).fit, CHUNKS)


def test_an_interrupt_leaves_the_weights_of_the_last_complete_epoch():
    case = Case(3, TEMPLATES[0], sentences=30, longest=10, kinds="abcdef")
    booster = case.booster()
    booster.run(5)
    before = booster.model().pack(case.features.index)["transition"][2].tolist(), booster.used

    def stop(done):
        if done > 3:
            raise KeyboardInterrupt

    refused(KeyboardInterrupt, "", booster.run, 10**6, 1, stop)
    after = booster.model().pack(case.features.index)["transition"][2].tolist()
    assert after == before[0]
    refused(RiataError, "broken off", booster.run, 1)


@pytest.mark.parametrize("dictionary", [0, 2])
def test_the_objective_is_that_of_the_probabilities_of_the_model(dictionary):
    """Also within a dictionary of words, which limits the outputs that are summed over."""
    train = riata.load("embedded", "train", ("word", "tag"))[:60]
    chosen = {"rounds": 40, "precision": "double", "dictionary": dictionary}
    model = Tagger("boost", epochs=2, template=parse("word[0]\nword[-1]\nedge"), settings=chosen).fit(train)
    loss = np.expm1(-np.asarray(model.log_likelihood(train))).sum()
    assert model.history_[-1]["objective"] == pytest.approx(np.log(loss), rel=1e-6)
    rounds = [event for epoch in model.history_ for event in epoch["rounds"]]
    assert all(event.objective <= event.bound + 1e-9 for event in rounds)
