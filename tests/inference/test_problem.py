"""A user's own search problem, on the engine that native spaces use."""

import itertools
import math
import pickle
import random
import signal

import numpy as np
import pytest

import riata
from riata import _core, registry
from riata.data.memory import as_corpus
from riata.errors import DataError, NotFittedError, SearchError, SettingError, UnknownNameError, UnsupportedError
from riata.features.attributes import builtin
from riata.features.compile import Features
from riata.features.templates import parse
from riata.inference.predictor import QUEUES, declared
from riata.inference.problem import defined

WORDS = ["hello", "world", "banana", "", "tree", "aeon"]
TAGS = [["V" if c in "aeiou" else "C" for c in word] for word in WORDS]

RECIPES = [name for name in registry.names("recipe") if registry.get("recipe", name).searches]


class Tagging(riata.Problem):
    """The contract's example."""

    def initial(self, x):
        return ()

    def actions(self, x, s):
        return ("V", "C")

    def apply(self, x, s, a):
        return (*s, a)

    def is_goal(self, x, s):
        return len(s) == len(x)

    def features(self, x, s, a):
        return [f"w={x[len(s)]}|{a}", f"p={s[-1:]}|{a}"]

    def regret(self, x, s, y):
        return sum(a != b for a, b in zip(s, y, strict=False))


class Observing(riata.Problem):
    """Labels from left to right, scored by the word and the label before, with features joined natively."""

    def __init__(self, labels=("A", "B", "C")):
        self.labels = labels

    initial, apply, is_goal, regret = Tagging.initial, Tagging.apply, Tagging.is_goal, Tagging.regret

    def actions(self, x, s):
        return self.labels

    def observe(self, x, s):
        return [f"w={x[len(s)]}", f"p={s[-1:]}"]


class Keyed(Observing):
    def key(self, x, s):
        return len(s), s[-1:]


def with_weights(problem, weights, **params):
    """A predictor with weights by name or (name, action)."""
    made = riata.Predictor(problem, **params)
    actions = sorted({key[1] for key in weights if isinstance(key, tuple)}, key=repr)
    names = [key[0] if isinstance(key, tuple) else key for key in weights]
    of = [actions.index(key[1]) if isinstance(key, tuple) else -1 for key in weights]
    made.model_ = _core.ProblemModel(names, actions, of, list(weights.values()))
    return made


def random_weights(seed, labels=("A", "B", "C"), letters="xyz"):
    draw = random.Random(seed)
    names = [f"w={c}" for c in letters] + [f"p={p!r}" for p in [(), *((label,) for label in labels)]]
    return {(name, label): draw.uniform(-1, 1) for name in names for label in labels}


def score(problem, weights, x, path):
    total, s = 0.0, problem.initial(x)
    for a in path:
        total += sum(weights.get((name, a), 0.0) for name in problem.observe(x, s))
        s = problem.apply(x, s, a)
    return total


def best_of_all(problem, weights, x):
    every = itertools.product(problem.labels, repeat=len(x))
    return list(max(every, key=lambda path: score(problem, weights, x, path)))


# --- learning -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("queue", ["beam", "greedy", "best-first"])
@pytest.mark.parametrize("recipe", RECIPES)
def test_the_example_of_the_contract_learns(recipe, queue):
    model = riata.Predictor(Tagging(), recipe=recipe, queue=queue, epochs=10, seed=0).fit(WORDS, TAGS)
    assert model.score(WORDS, TAGS) == 1
    assert model.predict(["lean"]) == [["C", "V", "V", "C"]]


@pytest.mark.parametrize("step", ["perceptron", "alma", "mira"])
@pytest.mark.parametrize("update", ["mean", "queue", "best", "loss-weighted"])
def test_settings_override_the_recipe(update, step):
    model = riata.Predictor(Tagging(), settings={"update": update, "step": step}, epochs=10).fit(WORDS, TAGS)
    assert model.score(WORDS, TAGS) == 1


def test_observing_learns_too_and_names_its_weights():
    data = [list("xyzzy"), list("zyx"), list("xxz")]
    truth = [["ABC"["xyz".index(c)] for c in x] for x in data]
    model = riata.Predictor(Observing(), epochs=10).fit(data, truth)
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
    model = riata.Predictor(Valued(), epochs=20).fit(data, truth)
    assert model.predict([[0.7], [-9.0]]) == [["B"], ["A"]]


def test_the_same_seed_gives_the_same_weights_and_another_one_another_order():
    first, again, other = (riata.Predictor(Tagging(), seed=seed, epochs=2).fit(WORDS, TAGS) for seed in (3, 3, 4))
    assert first.weights() == again.weights() != other.weights()


def test_averaged_weights_are_the_mean_of_the_snapshots():
    def last(count):  # after `count` examples in the order of the data
        options = {"average": False, "shuffle": False}
        return riata.Predictor(Tagging(), "laso-perceptron", epochs=1, settings=options).fit(
            WORDS[:count], TAGS[:count]
        )

    mean = (
        riata.Predictor(Tagging(), "laso-perceptron", epochs=1, settings={"shuffle": False}).fit(WORDS, TAGS).weights()
    )
    snapshots = [{}] + [last(count).weights() for count in range(1, len(WORDS) + 1)]
    for name in set().union(*snapshots):
        assert mean.get(name, 0) == pytest.approx(sum(w.get(name, 0) for w in snapshots) / len(snapshots))


def test_a_loss_makes_the_score():
    class Lossy(Tagging):
        def loss(self, x, y, y_hat):
            return sum(a != b for a, b in zip(y, y_hat, strict=True)) / max(len(x), 1)

    model = riata.Predictor(Lossy(), epochs=10).fit(WORDS, TAGS)
    assert model.score(["ab"], [["V", "V"]]) == 0.5
    assert riata.Predictor(Tagging(), epochs=10).fit(WORDS, TAGS).score(["ab"], [("V", "C")]) == 1


def test_output_makes_the_prediction():
    class Joined(Tagging):
        def output(self, x, s, path):
            assert tuple(path) == s
            return "".join(path)

    assert riata.Predictor(Joined(), epochs=10).fit(WORDS, TAGS).predict(["banana"]) == ["CVCVCV"]


# --- the same as a native space -------------------------------------------------------------------------------------------


def native_chain(sentences, tags, labels, orders, settings):
    """Predictions of the native chain with words -1..1, a bigram and label pairs."""
    features = Features(parse("word[-1]\nword[0]\nword[1]\nword[0] word[1]\nedge"), builtin())
    corpus = as_corpus(sentences)
    features.extend(corpus)
    instances = features.instances(corpus)
    instances.set_labels(np.array([labels.index(tag) for s in tags for tag in s], np.int32), len(labels))
    free = [np.ones(size, np.uint8) for size in (len(labels), len(labels), len(labels) ** 2)]
    trainer = _core.ChainSearch64(features.index, _core.ChainWeights64(len(labels)), *free, 0, settings)
    for order in orders:
        trainer.epoch(features.index, instances, order)
    found = _core.decode_by_search(trainer.averaged(features.index), features.index, instances, *free, settings)
    each = iter([labels[i] for i in found])
    return [[next(each) for _ in s] for s in sentences], trainer.stats()


class PythonChain(Keyed):
    """The same in Python."""

    def observe(self, x, s):
        t, padded = len(s), ["_B", *x, "_E"]
        before, word, after = padded[t : t + 3]
        return [f"-1={before}", f"0={word}", f"1={after}", f"0 1={word} {after}"] + [f"y={label}" for label in s[-1:]]


@pytest.mark.parametrize("beam", [1, 2, 5, 100, None])
@pytest.mark.parametrize(
    ("when", "update", "step"),
    [
        ("laso", "best", "perceptron"),
        ("laso", "mean", "perceptron"),
        ("laso", "mean", "alma"),
        ("laso", "loss-weighted", "mira"),
        ("early", "best", "perceptron"),
        ("max-violation", "best", "perceptron"),
        ("standard", "best", "perceptron"),
    ],
)
def test_a_chain_in_python_predicts_what_the_native_chain_predicts(when, update, step, beam):
    corpus = riata.load("embedded", "train", ("word", "tag"))[:30]
    sentences, tags = corpus.sentences_of(0), corpus.sentences_of(1)
    labels = tuple(sorted({tag for sentence in tags for tag in sentence}))
    chosen = {"when": when, "update": update, "step": step}
    model = riata.Predictor(PythonChain(labels), beam=beam, epochs=3, seed=7, settings=chosen).fit(sentences, tags)
    orders = [_core.shuffled(len(sentences), 7, epoch) for epoch in (1, 2, 3)]
    settings = (
        {s.name: s.default for s in declared("laso-alma")} | {"queue": "beam", "beam": beam or 2**63 - 1} | chosen
    )
    native, stats = native_chain(sentences, tags, labels, orders, settings)
    assert model.predict(sentences) == native
    assert model.stats_["updates"] == stats["updates"]
    assert model.stats_["largest_difference"] == pytest.approx(stats["largest_difference"])


# --- search -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("problem", [Observing(), Keyed()])
@pytest.mark.parametrize("seed", range(5))
def test_an_unbounded_beam_is_enumeration(problem, seed):
    weights = random_weights(seed)
    for x in ("x", "zyx", "xyzz", "yyxzx"):
        found = with_weights(problem, weights, beam=None).predict([x])
        assert found == [best_of_all(problem, weights, x)]


@pytest.mark.parametrize("problem", [Observing(), Keyed()])
def test_a_beam_of_one_is_greedy(problem):
    for seed in range(5):
        weights = random_weights(seed)
        path = []
        for _ in "xyzzyx":
            steps = {a: score(problem, weights, "xyzzyx", [*path, a]) for a in problem.labels}
            path.append(max(steps, key=steps.get))
        narrow = with_weights(problem, weights, beam=1)
        assert narrow.predict(["xyzzyx"]) == [path]
        assert narrow.set_params(queue="greedy", beam=9).predict(["xyzzyx"]) == [path]


@pytest.mark.parametrize("width", [2, 3, 4, 80])
def test_merging_by_key_keeps_the_best_path_to_every_key(width):
    """A beam with keys of width b, done by hand: the best path per key, then the best b of them."""
    problem = Keyed()
    for seed in range(8):
        weights, x = random_weights(seed), "xyzzyx"
        level = [((), 0.0)]
        for _ in x:
            best = {}
            for path, _ in level:
                for a in problem.labels:
                    longer = (*path, a)
                    value = score(problem, weights, x, longer)
                    key = problem.key(x, longer)
                    if key not in best or value > best[key][1]:
                        best[key] = (longer, value)
            level = sorted(best.values(), key=lambda node: -node[1])[:width]
        assert with_weights(problem, weights, beam=width).predict([x]) == [list(level[0][0])]


class Admissible(Observing):
    """With h: the sum of the best steps at the positions still to come."""

    def __init__(self, weights, slack=0.0):
        super().__init__()
        self.weights, self.slack, self.expanded = weights, slack, 0

    def actions(self, x, s):
        self.expanded += 1
        return self.labels

    def heuristic(self, x, s):
        def best(t):
            before = [f"p={(label,)!r}" for label in self.labels] if t else ["p=()"]
            steps = itertools.product(before, self.labels)
            return max(self.weights[f"w={x[t]}", a] + self.weights[p, a] for p, a in steps)

        return sum(best(t) + self.slack for t in range(len(s), len(x)))


@pytest.mark.parametrize("seed", range(5))
def test_a_star_with_an_admissible_heuristic_returns_the_best_goal(seed):
    weights = {name: value - 2 for name, value in random_weights(seed).items()}  # every step costs something
    counts = {}
    for slack in (0.0, 0.5):
        problem = Admissible(weights, slack)
        for x in ("x", "zyx", "xyzz", "yyxzx"):
            assert with_weights(problem, weights, queue="a-star").predict([x]) == [best_of_all(problem, weights, x)]
        counts[slack] = problem.expanded
    counting = Admissible(weights)
    counting.heuristic = lambda x, s: 0.0
    with_weights(counting, weights, queue="best-first").predict(["x", "zyx", "xyzz", "yyxzx"])
    assert counts[0.0] <= counts[0.5] <= counting.expanded


def test_a_heuristic_counts_in_a_beam_too():
    class Lean(Observing):
        def heuristic(self, x, s):
            return float(s.count("B") == 1)

    assert with_weights(Lean(), {("w=x", "A"): 0.5}).predict(["xx"]) in ([["A", "B"]], [["B", "A"]])


# --- sibling sets, cycles, dead ends ------------------------------------------------------------------------------------------


class WordSet(riata.Problem):
    """The gold set can be produced in any order."""

    def initial(self, x):
        return frozenset(), False

    def actions(self, x, s):
        return [*(word for word in x if word not in s[0]), "."]

    def apply(self, x, s, a):
        return (s[0], True) if a == "." else (s[0] | {a}, False)

    def is_goal(self, x, s):
        return s[1]

    def features(self, x, s, a):
        return [f"take {a}"] if a != "." else [f"leave {word}" for word in x if word not in s[0]]

    def regret(self, x, s, y):
        return len(s[0] - y) + (len(y - s[0]) if s[1] else 0)

    def output(self, x, s, path):
        return s[0]


class KeyedSet(WordSet):
    def key(self, x, s):
        return s


@pytest.mark.parametrize("recipe", RECIPES)
@pytest.mark.parametrize("problem", [WordSet(), KeyedSet()])
def test_sets_with_many_right_orders_are_learnt(problem, recipe):
    draw = random.Random(0)
    data = [draw.sample("abcdefgh", draw.randint(1, 6)) for _ in range(60)]
    truth = [frozenset(x) & set("aceg") for x in data]
    model = riata.Predictor(problem, recipe, epochs=10).fit(data, truth)
    assert model.score(data, truth) > 0.9


def test_an_update_is_towards_the_mean_of_all_siblings():
    # Three right first steps (a, b, c), one wrong (d), beam 1: at zero weights the tie counts against the right ones, d is
    # in front, and the difference is the mean of take a, b, c minus take d.
    options = {"shuffle": False, "average": False}
    model = riata.Predictor(WordSet(), "early", beam=1, epochs=1, settings=options)
    model.fit([["a", "b", "c", "d"]], [frozenset("abc")])
    third = pytest.approx(1 / 3)
    assert model.weights() == {"take a": third, "take b": third, "take c": third, "take d": -1.0}


class Ring(riata.Problem):
    """Rooms in a ring, one exit. Turning round and round is possible, and may even score best."""

    def initial(self, x):
        return 0

    def actions(self, x, s):
        return ("left", "right")

    def apply(self, x, s, a):
        return (s + (1 if a == "right" else -1)) % x

    def is_goal(self, x, s):
        return s == x // 2

    def observe(self, x, s):
        return ["here"]


class KeyedRing(Ring):
    def key(self, x, s):
        return s


@pytest.mark.parametrize("queue", [name for name in QUEUES if name not in ("a-star", "hill-climb")])
@pytest.mark.parametrize("by", ["operations", "pending"])
@pytest.mark.parametrize("weight", [-1.0, 0.0, 1.0])
def test_a_cyclic_space_with_keys_ends(weight, by, queue):
    weights = {("here", "left"): weight, ("here", "right"): weight / 2}
    for beam in (1, 3, None):
        model = with_weights(KeyedRing(), weights, queue=queue, beam=beam, settings={"beam_by": by, "max_nodes": 1000})
        (path,) = model.predict([10])
        assert path in (["left"] * 5, ["right"] * 5)


def test_a_cyclic_space_without_keys_stops_at_the_limit():
    weights = {("here", "left"): 1.0, ("here", "right"): 2.0}

    with pytest.raises(SearchError, match=r"^example 1, state \d: the search made 500 nodes") as caught:
        with_weights(Ring(), weights, settings={"max_nodes": 500}).predict([1, 10])  # 1: the start is a goal
    assert "max_nodes" in caught.value.remedy


def test_a_cyclic_space_with_keys_and_no_exit_runs_dry():
    class NoExit(KeyedRing):
        def is_goal(self, x, s):
            return False

    with pytest.raises(SearchError, match=r"^example 0, state \d: the search ended without a goal"):
        with_weights(NoExit(), {}).predict([10])


class Steps(KeyedRing):
    """Reversible, so the loss counts steps: the state carries them, the key does not."""

    def initial(self, x):
        return 0, 0

    def apply(self, x, s, a):
        return (s[0] + (1 if a == "right" else -1)) % x[0], s[1] + 1

    def is_goal(self, x, s):
        return s[0] == x[1]

    def observe(self, x, s):
        return [f"{x} {s[0]}"]

    def regret(self, x, s, y):
        def far(room):
            return min((room - x[1]) % x[0], (x[1] - room) % x[0])

        return s[1] + far(s[0]) - far(0)

    def key(self, x, s):
        return s[0]


@pytest.mark.parametrize("recipe", RECIPES)
@pytest.mark.parametrize("beam", [1, 2, 5])
def test_a_reversible_space_learns_the_shortest_way(beam, recipe):
    data = [(9, room) for room in range(9)] + [(8, room) for room in range(8)]  # (8, 4) has two right ways
    model = riata.Predictor(Steps(), recipe, beam=beam, epochs=30).fit(data, [None] * len(data))
    assert [len(path) for path in model.predict(data)] == [min(room, size - room) for size, room in data]


class Traps(Tagging):
    """After "V", nothing goes on."""

    def actions(self, x, s):
        return () if s[-1:] == ("V",) else ("V", "C")


def test_dead_ends_are_left_behind():
    truth = [["C", "C", "C"]]
    for beam in (2, 5, None):
        model = riata.Predictor(Traps(), beam=beam, epochs=3).fit(["xyz"], truth)
        assert model.predict(["xyz"]) == truth


def test_a_queue_that_runs_dry_names_the_example():
    with pytest.raises(SearchError, match=r"^example 1, state \('V',\): the search ended without a goal"):
        with_weights(Traps(), {"w=x|V": 1.0}, beam=1).predict(["y", "xyz"])


def test_goals_at_different_depths_wait_for_each_other():
    class Longer(Tagging):
        def is_goal(self, x, s):
            return len(s) == (1 if s[:1] == ("V",) else 3)

        def features(self, x, s, a):
            return [f"{len(s)}{a}"]

    weights = {"0V": 1.0, "0C": 0.5, "1C": 0.2, "2C": 0.2}
    assert with_weights(Longer(), weights).predict([""]) == [["V"]]
    assert with_weights(Longer(), weights | {"2C": 0.4}).predict([""]) == [["C", "C", "C"]]


class Climb(riata.Problem):
    """A complete labelling to begin with; an operator changes one label."""

    def initial(self, x):
        return ("A",) * len(x)

    def actions(self, x, s):
        return [(i, label) for i in range(len(x)) for label in "AB" if label != s[i]]

    def apply(self, x, s, a):
        return (*s[: a[0]], a[1], *s[a[0] + 1 :])

    def is_goal(self, x, s):
        return True

    def features(self, x, s, a):
        return [f"{x[a[0]]}{a[1]}", (f"{x[a[0]]}{s[a[0]]}", -1)]

    def regret(self, x, s, y):
        return 0

    def output(self, x, s, path):
        return "".join(s)


def test_hill_climb_goes_on_while_it_gets_better():
    weights = {"xA": 1.0, "yB": 1.0, "zB": 2.0}
    assert with_weights(Climb(), weights, queue="hill-climb").predict(["xyzx", ""]) == ["ABBA", ""]


def test_hill_climb_is_refused_where_the_initial_state_is_not_complete():
    with pytest.raises(UnsupportedError, match="example 0: hill-climb starts from a complete state"):
        with_weights(Tagging(), {}, queue="hill-climb").predict(["ab"])


# --- truth out of reach, and truth that contradicts itself ---------------------------------------------------------------------


@pytest.mark.parametrize("recipe", RECIPES)
def test_an_unreachable_truth_trains_towards_what_can_be_reached(recipe):
    truth = [[*TAGS[0][:-1], "?"], *TAGS[1:]]

    class Reach(Tagging):
        def regret(self, x, s, y):
            return super().regret(x, s, y) + y[len(s) :].count("?")

    with pytest.warns(riata.RiataWarning, match="1 of 6 true outputs cannot be reached"):
        model = riata.Predictor(Reach(), recipe, epochs=10).fit(WORDS, truth)
    assert model.history_[0]["unreachable"] == 1
    assert model.score(WORDS[1:], TAGS[1:]) == 1


def test_a_regret_that_contradicts_itself_is_refused_with_the_state():
    class Contradiction(Tagging):
        def regret(self, x, s, y):
            return len(s) > 1

    with pytest.raises(SearchError, match=r"^example 0, state \('[CV]',\): a y-good state has no y-good child"):
        riata.Predictor(Contradiction(), beam=1).fit(["ab"], [[]])


@pytest.mark.parametrize("value", [math.nan, math.inf, "much", None])
def test_a_regret_that_is_no_number_is_refused(value):
    problem = Tagging()
    problem.regret = lambda x, s, y: value
    with pytest.raises(DataError, match=r"example 0: regret returned .*; expected a finite number"):
        riata.Predictor(problem).fit(["ab"], [["V", "C"]])


# --- what users get wrong --------------------------------------------------------------------------------------------------------


class Mine(Exception):
    pass


@pytest.mark.parametrize(
    "method", ["initial", "actions", "apply", "is_goal", "features", "observe", "regret", "key", "heuristic"]
)
def test_exceptions_of_the_user_come_through_as_they_are(method):
    def fail(*given):
        raise error

    error = Mine("here")
    problem = Keyed() if method in ("observe", "key") else Tagging()
    model = with_weights(problem, {})
    setattr(problem, method, fail)
    with pytest.raises(Mine) as caught:
        riata.Predictor(problem).fit(["ab"], [["V", "C"]])
    assert caught.value is error
    if method != "regret":
        with pytest.raises(Mine):
            model.predict(["ab"])


def test_exceptions_of_generators_come_through():
    class Failing(Tagging):
        def features(self, x, s, a):
            yield "fine"
            raise TypeError("mine")

    with pytest.raises(TypeError, match="mine"):
        riata.Predictor(Failing()).fit(["ab"], [["V", "C"]])


def test_a_failure_in_a_later_epoch_leaves_the_estimator_as_it_was():
    class Tired(Tagging):
        calls = 0

        def apply(self, x, s, a):
            self.calls += 1
            if self.calls > 100:
                raise Mine
            return super().apply(x, s, a)

    model = riata.Predictor(Tired(), epochs=100)
    with pytest.raises(Mine):
        model.fit(WORDS, TAGS)
    with pytest.raises(NotFittedError):
        model.predict(WORDS)


@pytest.fixture
def answers_ctrl_c():
    """Python's own handler, also where the tests run in the background of a shell, which ignores the signal."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("answers_ctrl_c")
def test_ctrl_c_keeps_the_model_of_the_last_complete_epoch():
    class Interrupted(Tagging):
        epochs = -1

        def initial(self, x):
            self.epochs += x == WORDS[0]
            if self.epochs == 2:
                signal.raise_signal(signal.SIGINT)
            return ()

    model = riata.Predictor(Interrupted(), epochs=9, settings={"shuffle": False})
    with pytest.raises(KeyboardInterrupt):
        model.fit(WORDS, TAGS)
    assert [epoch["epoch"] for epoch in model.history_] == [1, 2]
    two = riata.Predictor(Tagging(), epochs=2, settings={"shuffle": False}).fit(WORDS, TAGS)
    assert model.weights() == two.weights()


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, "big", None])
def test_a_value_that_is_no_finite_number_is_refused_with_the_name(value):
    class Valued(Observing):
        def observe(self, x, s):
            return ["fine", ("length", value if x == "bad" else 1.0)]

    with pytest.raises(
        DataError, match=f"example 1: feature 'length' has the value {value!r}; expected a finite number"
    ):
        riata.Predictor(Valued(), settings={"shuffle": False}).fit(["ok", "bad"], [["A", "A"], ["A", "A", "A"]])


@pytest.mark.parametrize("given", [None, 5, "name", [1], [("a", 1, 2)], [(1, "a")]])
def test_what_are_no_features_is_refused(given):
    problem = Tagging()
    problem.features = lambda x, s, a: given
    with pytest.raises(DataError, match=r"example 0: features (returned|gave)|feature 1 has the value 'a'"):
        riata.Predictor(problem).fit(["ab"], [["V", "C"]])


def test_actions_and_keys_must_be_hashable():
    problem = Tagging()
    problem.actions = lambda x, s: [["V"], ["C"]]
    with pytest.raises(DataError, match=r"the action \['V'\] cannot be hashed"):
        riata.Predictor(problem).fit(["ab"], [["V", "C"]])
    problem = Keyed()
    problem.key = lambda x, s: {}
    with pytest.raises(DataError, match=r"the key \{\} cannot be hashed"):
        with_weights(problem, {}).predict(["x"])


def test_actions_come_back_as_they_were_given():
    problem = Tagging()
    problem.actions = lambda x, s: (True, 0) if len(s) == 1 else (1.0, 0)  # 1.0 == True
    (path,) = with_weights(problem, {"w=a|1.0": 1.0, "w=b|True": 1.0}).predict(["ab"])
    assert [type(a) for a in path] == [float, bool]


def test_actions_that_training_never_saw_can_be_taken():
    model = riata.Predictor(WordSet(), epochs=5).fit([["a", "b"]] * 3, [frozenset("a")] * 3)
    assert model.predict([["a", "new"]])[0] >= {"a"}


@pytest.mark.parametrize("name", ["breadth-first", "depth-first", "hill-climb"])
def test_some_queues_are_decode_only(name):
    model = riata.Predictor(Tagging(), queue=name)
    with pytest.raises(UnsupportedError, match=f"The queue '{name}' is decode only") as caught:
        model.fit(WORDS, TAGS)
    assert "set_params" in caught.value.remedy


def test_a_trained_predictor_can_search_in_other_ways():
    model = riata.Predictor(Tagging(), epochs=10).fit(WORDS, TAGS)
    for queue in ("greedy", "best-first", "depth-first", "breadth-first"):
        (path,) = model.set_params(queue=queue).predict(["lean"])
        assert len(path) == 4
    assert model.set_params(queue="depth-first").predict(["lean"]) == [["C", "V", "V", "C"]]


@pytest.mark.parametrize(
    ("params", "error", "message"),
    [
        ({"recipe": "laso-alm"}, UnknownNameError, "Unknown recipe 'laso-alm'. Did you mean 'laso-alma'"),
        ({"queue": "beem"}, UnknownNameError, "Unknown queue 'beem'. Did you mean 'beam'"),
        ({"settings": {"stap": "alma"}}, UnknownNameError, "Unknown setting 'stap'. Did you mean 'step'"),
        ({"settings": {"when": "never"}}, SettingError, "expected one of laso"),
        ({"queue": "a-star"}, UnsupportedError, "'a-star' needs heuristic"),
        ({"beam": 0}, SettingError, "beam is 0; expected a whole number of at least 1, or None"),
        ({"beam": 2.5}, SettingError, "beam is 2.5"),
        ({"epochs": 0}, SettingError, "epochs is 0"),
        ({"seed": -1}, SettingError, "seed is -1"),
        ({"problem": Tagging}, SettingError, "the class itself"),
        ({"problem": 5}, SettingError, "of type 'int'"),
        (
            {"problem": riata.Problem()},
            SettingError,
            "does not define initial, actions, apply, is_goal, features or obs",
        ),
    ],
)
def test_what_makes_no_sense_is_refused_with_the_reason(params, error, message):
    with pytest.raises(error) as caught:
        riata.Predictor(**{"problem": Tagging(), **params}).fit(WORDS, TAGS)
    assert message in str(caught.value)


def test_data_that_do_not_pair_up_are_refused():
    for data in (([], []), (WORDS, TAGS[:2])):
        with pytest.raises(DataError, match="expected one output per input"):
            riata.Predictor(Tagging()).fit(*data)


def test_optional_methods_are_those_that_the_subclass_writes():
    assert defined(riata.Problem()) == []
    assert defined(Tagging()) == ["features", "regret"]
    assert defined(Keyed()) == ["observe", "regret", "key"]
    assert defined(Admissible({})) == ["observe", "regret", "heuristic"]


# --- as an estimator ----------------------------------------------------------------------------------------------------------


def test_it_keeps_the_conventions_of_estimators():
    base = pytest.importorskip("sklearn.base")
    model = riata.Predictor(Tagging(), beam=3, epochs=10).fit(WORDS, TAGS)
    fresh = base.clone(model)
    assert fresh.beam == 3
    assert not hasattr(fresh, "model_")
    assert "beam=3" in repr(model)
    again = pickle.loads(pickle.dumps(model))
    assert again.weights() == model.weights() != {}
    assert again.predict(WORDS) == model.predict(WORDS)


def test_an_untrained_one_says_so():
    for call in (lambda p: p.predict(WORDS), lambda p: p.score(WORDS, TAGS), lambda p: p.weights()):
        with pytest.raises(NotFittedError, match="not been trained"):
            call(riata.Predictor(Tagging()))
