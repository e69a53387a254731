"""Learning to search a problem of the user's own: what is learnt, and that it is what a native space learns."""

import random

import numpy as np
import pytest

import riata
from checks import refused
from python_problems import (
    RECIPES,
    TAGS,
    WORDS,
    Keyed,
    KeyedSet,
    LeftToRight,
    Observing,
    Tagging,
    WordSet,
    with_weights,
)
from riata import Predictor, Problem, RiataWarning, _core
from riata.data.memory import as_corpus
from riata.errors import DataError, SearchError, SettingError
from riata.features.attributes import builtin
from riata.features.compile import Features
from riata.features.templates import parse
from riata.problems.options import declared
from samples import for_each, for_rows


# --- learning -----------------------------------------------------------------------------------------------------------
@for_each(queue=["beam", "greedy", "best-first"], recipe=RECIPES)
def test_the_example_of_the_contract_learns(recipe, queue):
    model = Predictor(Tagging(), recipe=recipe, queue=queue, epochs=10, seed=0).fit(WORDS, TAGS)
    assert model.score(WORDS, TAGS) == 1
    assert model.predict(["lean"]) == [["C", "V", "V", "C"]]


@for_each(step=["perceptron", "alma", "mira"], update=["mean", "queue", "best", "loss-weighted"])
def test_settings_override_the_recipe(update, step):
    model = Predictor(Tagging(), settings={"update": update, "step": step}, epochs=10).fit(WORDS, TAGS)
    assert model.score(WORDS, TAGS) == 1


def test_observing_learns_too_and_names_its_weights():
    data = [list("xyzzy"), list("zyx"), list("xxz")]
    truth = [["ABC"["xyz".index(c)] for c in x] for x in data]
    model = Predictor(Observing(), epochs=10).fit(data, truth)
    assert model.predict([list("zzyx")]) == [["C", "C", "B", "A"]]
    weights = model.weights()
    assert weights["w=x", "A"] > 0 > weights["w=x", "B"]
    assert 0 not in weights.values()


def test_features_and_observe_add_up():
    class Both(Observing):
        def features(self, x, s, a):
            return [("twice", 2.0)] if a == "B" else ()

    weights = {("w=x", "A"): 1.0, "twice": 0.4}
    assert with_weights(Both(), weights).predict(["x"]) == [["A"]]
    assert with_weights(Both(), {**weights, "twice": 0.6}).predict(["x"]) == [["B"]]


def test_names_alone_and_names_with_an_action_are_different_weights():
    weights = {"w=x": 5.0, ("w=x", "B"): 1.0}
    assert with_weights(Observing(), weights).predict(["x"]) == [["B"]]


@pytest.mark.parametrize("give", [dict, lambda pairs: iter(pairs.items()), lambda pairs: tuple(pairs.items())])
def test_values_come_as_pairs_or_as_a_dictionary(give):
    class Valued(Observing):
        def observe(self, x, s):
            return give({"size": float(x[len(s)]), "bias": 1})

    data, truth = [[3.0], [-2.0], [1.0], [-5.0]], [["B"], ["A"], ["B"], ["A"]]
    model = Predictor(Valued(), epochs=20).fit(data, truth)
    assert model.predict([[0.7], [-9.0]]) == [["B"], ["A"]]


def test_the_same_seed_gives_the_same_weights_and_another_one_another_order():
    first, again, other = (Predictor(Tagging(), seed=seed, epochs=2).fit(WORDS, TAGS) for seed in (3, 3, 4))
    assert first.weights() == again.weights() != other.weights()


def test_averaged_weights_are_the_mean_of_the_snapshots():
    def last(count):  # after `count` examples in the order of the data
        options = {"average": False, "shuffle": False}
        return Predictor(Tagging(), "laso-perceptron", epochs=1, settings=options).fit(WORDS[:count], TAGS[:count])

    mean = Predictor(Tagging(), "laso-perceptron", epochs=1, settings={"shuffle": False}).fit(WORDS, TAGS).weights()
    snapshots = [{}] + [last(count).weights() for count in range(1, len(WORDS) + 1)]
    for name in set().union(*snapshots):
        assert mean.get(name, 0) == pytest.approx(sum(w.get(name, 0) for w in snapshots) / len(snapshots))


def test_a_loss_makes_the_score():
    class Lossy(Tagging):
        def loss(self, x, y, y_hat):
            return sum(a != b for a, b in zip(y, y_hat, strict=True)) / max(len(x), 1)

    model = Predictor(Lossy(), epochs=10).fit(WORDS, TAGS)
    assert model.score(["ab"], [["V", "V"]]) == 0.5
    assert Predictor(Tagging(), epochs=10).fit(WORDS, TAGS).score(["ab"], [("V", "C")]) == 1


def test_output_makes_the_prediction():
    class Joined(Tagging):
        def output(self, x, s, path):
            assert tuple(path) == s
            return "".join(path)

    assert Predictor(Joined(), epochs=10).fit(WORDS, TAGS).predict(["banana"]) == ["CVCVCV"]


# --- the same as a native space -------------------------------------------------------------------------------------------
def native_chain(sentences, tags, labels, orders, settings):
    """Predictions of the native chain with words -1..1, a bigram and label pairs."""
    features = Features(parse("word[-1]\nword[0]\nword[1]\nword[0] word[1]\nedge"), builtin())
    corpus = as_corpus(sentences)
    features.extend(corpus)
    instances = features.instances(corpus)
    instances.set_labels(np.array([labels.index(tag) for s in tags for tag in s], np.int32), len(labels))
    free = [np.ones(size, np.uint8) for size in (len(labels), len(labels), len(labels) ** 2)]
    trainer = _core.OnlineTrainer64("search", _core.ChainWeights64(len(labels), *free), settings)
    for order in orders:
        trainer.epoch(features.index, instances, None, order, np.empty(0), np.empty(0))
    found = trainer.averaged().decode(features.index, instances, settings)
    each = iter([labels[i] for i in found])
    return [[next(each) for _ in s] for s in sentences], trainer.stats()


class PythonChain(Keyed):
    """The same in Python."""

    def observe(self, x, s):
        t, padded = len(s), ["_B", *x, "_E"]
        before, word, after = padded[t : t + 3]
        return [f"-1={before}", f"0={word}", f"1={after}", f"0 1={word} {after}"] + [f"y={label}" for label in s[-1:]]


@pytest.mark.parametrize("beam", [1, 2, 5, 100, None])
@for_rows(
    "when, update, step",
    ("laso", "best", "perceptron"),
    ("laso", "mean", "perceptron"),
    ("laso", "mean", "alma"),
    ("laso", "loss-weighted", "mira"),
    ("early", "best", "perceptron"),
    ("max-violation", "best", "perceptron"),
    ("standard", "best", "perceptron"),
)
def test_a_chain_in_python_predicts_what_the_native_chain_predicts(when, update, step, beam):
    narrow = beam is not None and beam <= 5
    corpus = riata.load("embedded", "train", ("word", "tag"))[: 30 if narrow else 8]
    sentences, tags = corpus.sentences_of(0), corpus.sentences_of(1)
    labels = tuple(sorted({tag for sentence in tags for tag in sentence}))
    chosen = {"when": when, "update": update, "step": step}
    model = Predictor(PythonChain(labels), beam=beam, epochs=3, seed=7, settings=chosen).fit(sentences, tags)
    orders = [_core.shuffled(len(sentences), 7, epoch) for epoch in (1, 2, 3)]
    settings = (
        {s.name: s.default for s in declared("laso-alma")} | {"queue": "beam", "beam": beam or _core.unbounded} | chosen
    )
    native, stats = native_chain(sentences, tags, labels, orders, settings)
    assert model.predict(sentences) == native
    assert model.stats_["updates"] == stats["updates"]
    assert model.stats_["largest_difference"] == pytest.approx(stats["largest_difference"])


# --- many right ways, and none ------------------------------------------------------------------------------------------------
@for_each(recipe=RECIPES, problem=[WordSet(), KeyedSet()])
def test_sets_with_many_right_orders_are_learnt(problem, recipe):
    draw = random.Random(0)
    data = [draw.sample("abcdefgh", draw.randint(1, 6)) for _ in range(60)]
    truth = [frozenset(x) & set("aceg") for x in data]
    model = Predictor(problem, recipe, epochs=10).fit(data, truth)
    assert model.score(data, truth) > 0.9


def test_an_update_is_towards_the_mean_of_all_siblings():
    # Three right first steps (a, b, c), one wrong (d), beam 1: at zero weights the tie counts against the right ones, d is
    # in front, and the difference is the mean of take a, b, c minus take d.
    options = {"shuffle": False, "average": False}
    model = Predictor(WordSet(), "early", beam=1, epochs=1, settings=options)
    model.fit([["a", "b", "c", "d"]], [frozenset("abc")])
    third = pytest.approx(1 / 3)
    assert model.weights() == {"take a": third, "take b": third, "take c": third, "take d": -1.0}


@pytest.mark.parametrize("recipe", RECIPES)
def test_an_unreachable_truth_trains_towards_what_can_be_reached(recipe):
    truth = [[*TAGS[0][:-1], "?"], *TAGS[1:]]

    class Reach(Tagging):
        def regret(self, x, s, y):
            return super().regret(x, s, y) + y[len(s) :].count("?")

    with pytest.warns(RiataWarning, match="1 of 6 true outputs cannot be reached"):
        model = Predictor(Reach(), recipe, epochs=10).fit(WORDS, truth)
    assert model.history_[0]["unreachable"] == 1
    assert model.score(WORDS[1:], TAGS[1:]) == 1


def test_a_regret_that_contradicts_itself_is_refused_with_the_state():
    class Contradiction(Tagging):
        def regret(self, x, s, y):
            return len(s) > 1

    with pytest.raises(SearchError, match=r"^example 0, state \('[CV]',\): a y-good state has no y-good child"):
        Predictor(Contradiction(), beam=1).fit(["ab"], [[]])


def test_learning_waits_for_goals_at_different_depths():
    # V is a goal at once and ranks before C, which is right. At the next step C V beats C C by more: that is the largest
    # violation. At the end C V V and C V C rank before all others.
    class Longer(Tagging):
        def is_goal(self, x, s):
            return len(s) == (1 if s[:1] == ("V",) else 3)

        def features(self, x, s, a):
            return [f"{len(s)}{a}"]

        def heuristic(self, x, s):
            return {("V",): 0.5, ("C", "V"): 2.0}.get(s, 0.0 if len(s) < 3 else 1.0)

    def learnt(recipe):
        model = Predictor(Longer(), recipe, epochs=1, settings={"average": False})
        return model.fit([""], [["C", "C", "C"]]).weights()

    assert learnt("max-violation") == {"1C": 1, "1V": -1}
    assert learnt("standard") == {"1C": 1, "1V": -1, "2C": 1, "2V": -1}


@pytest.mark.parametrize("p", [3, 8])
def test_under_a_p_norm_a_chain_in_python_predicts_what_the_native_chain_predicts(p):
    corpus = riata.load("embedded", "train", ("word", "tag"))[:30]
    sentences, tags = corpus.sentences_of(0), corpus.sentences_of(1)
    labels = tuple(sorted({tag for sentence in tags for tag in sentence}))
    model = Predictor(PythonChain(labels), epochs=3, seed=7, settings={"p": p}).fit(sentences, tags)
    orders = [_core.shuffled(len(sentences), 7, epoch) for epoch in (1, 2, 3)]
    settings = {s.name: s.default for s in declared("laso-alma")} | {"queue": "beam", "beam": 5, "p": p}
    native, stats = native_chain(sentences, tags, labels, orders, settings)
    assert model.predict(sentences) == native
    assert model.stats_ == pytest.approx(stats)


def test_truncation_leaves_out_the_smallest_weights():
    full, cut = (Predictor(Tagging(), settings={"truncate": fraction}).fit(WORDS, TAGS) for fraction in (0.0, 0.25))
    weights = full.weights()
    least = 0.25 * max(map(abs, weights.values()))
    assert cut.weights() == {name: weight for name, weight in weights.items() if abs(weight) >= least}
    assert cut.history_[-1]["dropped"] == len(weights) - len(cut.weights()) > 0


def test_other_norms_are_for_alma_only():
    with pytest.raises(SettingError, match=r"setting 'p' has the value .*, which nothing reads: step is 'mira'"):
        Predictor(Tagging(), settings={"p": 3, "step": "mira"}).fit(WORDS, TAGS)


# --- actions with parts: observed features are joined with the parts too, as if they were written out by hand --------
KINDS, SIZES = ("NP", "VP", "O"), (1, 2)
X = ["the dog sees a cat", "a dog sees the cat", "dogs see cats", "the cat sleeps", "cats sleep"]
NOUNS = {"dog", "cat", "dogs", "cats"}


def truth(x):
    found, words = [], x.split()
    at = 0
    while at < len(words):
        two = words[at] in ("the", "a")
        found.append(("NP", 2) if two else ("NP", 1) if words[at] in NOUNS else ("VP", 1))
        at += found[-1][1]
    return found


Y = [truth(x) for x in X]


class Pieces(LeftToRight):
    """An action is a kind and a length."""

    def actions(self, x, s):
        left = len(x.split()) - self.covered(x, s)
        return [(kind, size) for kind in KINDS for size in SIZES if size <= left]

    def covered(self, x, s):
        return sum(size for _, size in s)

    def is_goal(self, x, s):
        return self.covered(x, s) == len(x.split())

    def said(self, x, s):
        return [f"w={x.split()[self.covered(x, s)]}", f"p={s[-1][0] if s else None}", ("half", 0.5)]

    def observe(self, x, s):
        return self.said(x, s)

    def regret(self, x, s, y):
        """How many of the true pieces cannot be among those of the output any more."""
        at = [sum(size for _, size in s[:i]) for i in range(len(s) + 1)]
        starts = [sum(size for _, size in y[:i]) for i in range(len(y))]
        found = set(zip(at, s, strict=False))
        return sum(start < at[-1] and (start, piece) not in found for start, piece in zip(starts, y, strict=True))


class Parted(Pieces):
    def parts(self, a):
        return a


class ByHand(Pieces):
    """The same without parts."""

    observe = Problem.observe

    def features(self, x, s, a):
        said = [item if isinstance(item, tuple) else (item, 1.0) for item in self.said(x, s)]
        return [(f"{name}|{part!r}", value) for name, value in said for part in (a, *a)]


@for_each(queue=["beam", "greedy", "best-first"], recipe=["laso-perceptron", "early", "max-violation", "standard"])
def test_weights_and_outputs_are_those_of_features_written_by_hand(recipe, queue):
    parted, by_hand = (Predictor(p, recipe, queue=queue, epochs=4).fit(X, Y) for p in (Parted(), ByHand()))
    weights = {f"{name}|{of!r}": weight for (name, of), weight in parted.weights().items()}
    assert weights == pytest.approx(by_hand.weights())
    assert weights
    unseen = [*X, "a cat", "the dogs see the dog"]
    assert parted.predict(unseen) == by_hand.predict(unseen)


def test_without_parts_nothing_is_shared():
    assert {len(of) for _, of in Predictor(Pieces(), epochs=2).fit(X, Y).weights()} == {2}


def test_a_part_speaks_for_actions_that_training_never_saw():
    class Longer(Parted):
        def actions(self, x, s):
            return [("NP", 9), ("VP", 9)]

        def is_goal(self, x, s):
            return len(s) == 1

    weights = {("w=dog", "VP"): 1.0, ("w=dog", ("NP", 1)): 5.0}
    assert with_weights(Longer(), weights).predict(["dog"]) == [[("VP", 9)]]


def test_a_part_that_is_the_action_itself_or_comes_twice_counts_once():
    class Twice(Pieces):
        def actions(self, x, s):
            return ["NP", "VP"]

        def is_goal(self, x, s):
            return len(s) == 1

        covered = Problem.covered

        def said(self, x, s):
            return [f"w={x}"]

        def regret(self, x, s, y):
            return float(s not in ((), (y,)))

        def parts(self, a):
            return [a, a, a[1:], a[1:]]

    model = Predictor(Twice(), "laso-perceptron", beam=1, epochs=1, settings={"average": False}).fit(["dog"], ["VP"])
    assert model.weights() == {("w=dog", "VP"): 1.0, ("w=dog", "NP"): -1.0}  # both end in P


def test_scores_of_traces_are_sums_of_their_features():
    model = Predictor(Parted(), epochs=4).fit(X, Y)
    trace = model.trace(X[0], features=True)
    for number, node in enumerate(trace.nodes[1:], start=1):
        pushes = sum(feature.push for feature in node.features)
        assert trace.nodes[number].score == pytest.approx(trace.nodes[node.parent].score + pushes)
    labels = {feature.label for node in trace.nodes[1:] for feature in node.features}
    assert {"NP", 1, repr(("NP", 2))} <= labels


def test_a_model_file_holds_the_weights_of_parts(tmp_path):
    model = Predictor(Parted(), epochs=4).fit(X, Y)
    model.save(tmp_path / "m.riata")
    loaded = riata.load_model(tmp_path / "m.riata", using=[Parted()])
    assert loaded.weights() == model.weights()
    unseen = [*X, "a cat", "the new dog", "cats see the cats"]
    assert loaded.predict(unseen) == model.predict(unseen)


@for_rows(
    "given, message",
    ("NP", "parts returned 'NP'; expected a list of parts"),
    (None, "parts returned None; expected a list of parts"),
    ([[]], r"the part \[\] cannot be hashed"),
)
def test_what_are_no_parts_is_refused(given, message):
    problem = Parted()
    problem.parts = lambda a: given
    refused(DataError, f"example 0: {message}", Predictor(problem).fit, X[:1], Y[:1])
    refused(SearchError, message, riata.check_problem, problem, ["dog"])


def test_a_problem_with_parts_passes_the_check():
    assert riata.check_problem(Parted(), ["the dog"], [[("NP", 2)]]).goals
