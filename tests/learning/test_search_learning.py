"""Search that learns against its slow twin (oracle.laso), weight for weight, over double; and what the paper promises."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import strategies as st

import riata
from chain_problems import UNBOUNDED, noise, problem
from checks import refused
from laso_comparison import QUEUES, STEPS, WHAT, WHEN, combined, compared, orders, same
from oracle.laso import norm
from packed_weights import weights_of
from python_problems import LeftToRight
from riata import Chunker, Predictor, RiataWarning, Tagger
from riata.errors import DataError, SearchError, SettingError, UnsupportedError
from samples import for_each, for_rows, some_slow, tried

BEAMS = [name for name in QUEUES if "pending" not in name and name != "best-first"]
TEMPLATES = [
    "word[0]\nedge",
    "word[0]\nnumber(1)[0]\nedge",
    "word[-1]\nword[0]\nedge\nedge word[0]",
    "word[0]\nnumber(1)[0]\nnumber(1)[-1]\nedge word[0]",
    "word[0]\nword[0] word[1]",
]


# --- the twin --------------------------------------------------------------------------------------------------------
@combined(queue=QUEUES, when=WHEN, what=WHAT, step=STEPS)
def test_weights_equal_those_of_the_twin(queue, when, what, step):
    settings = {**QUEUES[queue], **STEPS[step], "when": when, "update": what}
    place = [list(QUEUES).index(queue), WHEN.index(when), WHAT.index(what), list(STEPS).index(step)]
    seed = int(np.ravel_multi_index(place, (len(QUEUES), len(WHEN), len(WHAT), len(STEPS))))
    encoding = [None, "iob2"][sum(place) % 2]
    epochs = 1 + sum(place) % 3
    for offset in (0, 1):
        corpus = noise(seed, TEMPLATES[(sum(place) + offset) % len(TEMPLATES)], encoding)
        compared(corpus, settings, corpus.random_weights(seed), epochs, seed)
    compared(corpus, settings, None, epochs, seed)


@for_each(step=STEPS, when=WHEN)
@pytest.mark.parametrize("seeds", some_slow([range(3), range(3, 6)], [range(3, 6)]), ids=str)
def test_sentence_weights_equal_those_of_the_twin(seeds, when, step):
    changed = 0
    for seed in seeds:
        corpus = noise(seed, TEMPLATES[seed % len(TEMPLATES)], [None, "iob2"][seed % 2])
        weights = np.random.default_rng(seed).choice([0.0, 0.25, 1.0, 2.0], len(corpus.sentences)).tolist()
        settings, initial = {**STEPS[step], "when": when, "beam": 2}, corpus.random_weights(seed)
        weighted, plain = (compared(corpus, settings, initial, 2, seed, given) for given in (weights, ()))
        changed += weighted[0] == plain[0] and weighted[1].w != plain[1].w
    assert changed > 0


@pytest.mark.parametrize("step", STEPS)
def test_the_comparison_with_the_twin_seldom_ends_early(step):
    ended = updates = 0
    for seed in range(20):
        corpus = noise(seed, TEMPLATES[seed % len(TEMPLATES)])
        done, twin = compared(corpus, {**STEPS[step], "beam": 2}, corpus.random_weights(seed), 2, seed)
        ended += done < 2 * len(corpus.sentences)
        updates += twin.updates
    assert ended <= 4
    assert updates >= 100


# Labels X before Y; the sentence a b is Y X. All ties at first, so the search takes X for a.
#
#   laso           updates on a; from Y on, the bad Y ties with the right X on b: updates again
#   early          updates on a, and stops
#   max-violation  finds X X; both prefixes are violated by 0, so the first one counts
#   standard       finds X X, and updates on the whole of it
ON_A = {("a", "Y"): 1, ("a", "X"): -1}
BY_HAND = {
    "laso": ON_A | {("b", "X"): 1, ("b", "Y"): -1, ("edge", ("Y", "X")): 1, ("edge", ("Y", "Y")): -1},
    "early": ON_A,
    "max-violation": ON_A,
    "standard": ON_A | {("edge", ("Y", "X")): 1, ("edge", ("X", "X")): -1},
}


@pytest.mark.parametrize("when", WHEN)
def test_one_sentence_by_hand(when):
    corpus = problem("word[0]\nedge", [[("a",), ("b",)]], [["Y", "X"]], ("X", "Y"))
    trainer = corpus.trainer(queue="greedy", when=when)
    corpus.epoch(trainer)
    assert trainer.stats()["updates"] == (2 if when == "laso" else 1)
    for weights, share in ((trainer.last(), 1.0), (trainer.averaged(), 0.5)):
        found = {
            (name if name == "edge" else value[0][1], label): w
            for ((name, value), label), w in corpus.by_name(weights).items()
        }
        assert found == {key: share * value for key, value in BY_HAND[when].items()}


def test_the_loss_weighs_the_nodes_that_outrank_the_truth():
    # At zero everything ties, so all four goals of an unbounded beam outrank the truth at the end. Merging keeps two.
    corpus = problem("word[0]", [[("a",), ("b",)]], [["Y", "Y"]], ("X", "Y"))
    trainer = corpus.trainer(beam=UNBOUNDED, update="loss-weighted", when="early")
    corpus.epoch(trainer)
    # After a: X outranks Y; both stay. After b: X X (two wrong) and X Y (one wrong) have absorbed Y X and Y Y.
    third = 1 / 3
    expected = {("a", "Y"): 1, ("a", "X"): -1, ("b", "Y"): 1 - third, ("b", "X"): -2 * third}
    found = corpus.by_name(trainer.last())
    assert {(value[0][1], label): w for ((_, value), label), w in found.items()} == pytest.approx(expected)


# --- the average -------------------------------------------------------------------------------------------------------
def averages_what_it_has_been(corpus, trainer, initial, seed):
    """Trains sentence by sentence; the average must be the mean of the initial weights and those after every sentence."""
    snapshots = [initial]
    for s in itertools.chain.from_iterable(orders(corpus, 3, seed)):
        corpus.epoch(trainer, [s])
        snapshots.append(corpus.by_name(trainer.last()))
    keys = {key for weights in snapshots for key in weights}
    mean = {key: sum(weights.get(key, 0.0) for weights in snapshots) / len(snapshots) for key in keys}
    same(corpus.by_name(trainer.averaged()), mean)


@for_each(step=STEPS, queue=["greedy", "beam 3", "best-first"])
def test_the_average_is_the_mean_of_the_initial_weights_and_those_after_every_sentence(queue, step):
    for seed in range(3):
        corpus = noise(seed, TEMPLATES[seed])
        trainer = corpus.trainer(**QUEUES[queue], **STEPS[step])
        averages_what_it_has_been(corpus, trainer, {}, seed)


# --- ALMA --------------------------------------------------------------------------------------------------------------
@for_each(alpha=[1.0, 0.9, 0.5, 0.1], what=WHAT, queue=QUEUES)
def test_the_norm_never_exceeds_one(queue, what, alpha):
    corpus = noise(3, "word[0]\nnumber(1)[0]\nedge", "iob2")
    for C in (0.0, 5.0):
        trainer = corpus.trainer(**QUEUES[queue], update=what, step="alma", alpha=alpha, C=C)
        for order in orders(corpus, 5, 0):
            corpus.epoch(trainer, order)
            weights = corpus.by_name(trainer.last()).values()
            norm = math.sqrt(sum(w**2 for w in weights))
            assert trainer.norm <= 1 + 1e-9
            assert norm == pytest.approx(trainer.norm, abs=1e-6)  # packed weights are single


@pytest.mark.parametrize("queue", QUEUES)
def test_alpha_one_has_no_margin_and_less_has_one(queue):
    corpus = noise(5, "word[0]\nnumber(1)[0]\nedge")

    def trained(alpha, B):
        trainer = corpus.trainer(**QUEUES[queue], step="alma", alpha=alpha, B=B)
        for order in orders(corpus, 3, 0):
            corpus.epoch(trainer, order)
        return corpus.by_name(trainer.last())

    assert trained(1.0, 0.1) == trained(1.0, 100.0)
    assert trained(0.5, 0.1) != trained(0.5, 100.0)


@pytest.mark.parametrize(("alpha", "updates"), [(1.0, 1), (0.5, 1), (0.25, 4)])
def test_y_good_nodes_are_down_weighted_by_the_margin_of_the_generation(alpha, updates):
    # After the first update w = (1, -1) / sqrt(2), which leads by sqrt(2), and every further one projects back to it.
    # The margin is (1 - alpha) / alpha / sqrt(k): for 1/4 it is above sqrt(2) up to k = 4.
    corpus = problem("word[0]", [[("a",)]], [["Y"]], ("X", "Y"))
    trainer = corpus.trainer(step="alma", alpha=alpha)
    for _ in range(10):
        corpus.epoch(trainer)
    assert trainer.stats()["updates"] == updates
    assert list(corpus.by_name(trainer.last()).values()) == pytest.approx([-(0.5**0.5), 0.5**0.5])


# --- ALMA under other norms ---------------------------------------------------------------------------------------------
def uneven(weights):
    """The share of the weights that 99 % of the sum of all |weights| rests on."""
    sizes = np.sort(np.abs(list(weights.values())))[::-1]
    return (np.cumsum(sizes) < 0.99 * sizes.sum()).sum() / len(sizes)


@combined(queue=["greedy", "beam 3", "best-first"], when=WHEN, p=[2, 2.5, 3, 4, 8, 30])
def test_under_a_p_norm_weights_equal_those_of_the_twin(queue, when, p):
    updates = 0
    for seed in range(3):
        corpus = noise(seed, TEMPLATES[seed], [None, "iob2"][seed % 2])
        chosen = {**QUEUES[queue], "when": when, "step": "alma", "alpha": [0.5, 0.9][seed % 2], "p": p}
        for initial in (None, corpus.random_weights(seed)):
            updates += compared(corpus, chosen, initial, 3, seed)[1].updates
    assert updates > 20


@for_each(p=some_slow([2, 3, 8, 30, 100], [3, 30]), single=[True, False])
def test_thousands_of_projections_lose_nothing(single, p):
    # With C = 5 most steps leave the ball, and the scale falls faster than the tenth power of their number.
    corpus = noise(1, "word[0]\nnumber(1)[0]\nedge")
    trainer = corpus.trainer(single=single, step="alma", alpha=0.5, C=5.0, p=p)
    snapshots = [{}]
    while trainer.stats()["updates"] < 4000:
        for s in range(len(corpus.sentences)):
            corpus.epoch(trainer, [s])
            snapshots.append(corpus.by_name(trainer.last()))
    tolerance = 2e-3 if single else 1e-6
    assert norm(snapshots[-1], p / (p - 1)) == pytest.approx(trainer.norm, rel=tolerance)
    assert 0.1 < trainer.norm <= 1 + 1e-9
    averaged = corpus.by_name(trainer.averaged())
    for key in {key for weights in snapshots for key in weights}:
        mean = sum(weights.get(key, 0.0) for weights in snapshots) / len(snapshots)
        assert averaged.get(key, 0.0) == pytest.approx(mean, abs=tolerance), key


@pytest.mark.parametrize("p", [2, 3, 8])
def test_folding_changes_no_weight(p):
    corpus = noise(1, "word[0]\nnumber(1)[0]\nedge")
    _, twin = compared(corpus, {"step": "alma", "alpha": 0.5, "C": 5.0, "p": p}, corpus.random_weights(1), 60, 0)
    assert twin.updates > 500


@for_each(p=[2, 3, 8, 30], sizes=[(1e-6, 1.0, 1e3), (1e3, 1.0, 1e-6), (1e-4, 1e-4, 1e-4)])
def test_features_of_very_different_sizes_neither_vanish_nor_overflow(sizes, p):
    sentences = [[("a", f"{size}")] for size in sizes]
    corpus = problem("number(1)[0]", sentences, [["Y"], ["X"], ["Y"]], ("X", "Y"))
    _, twin = compared(corpus, {"step": "alma", "alpha": 0.5, "p": p}, None, 5, 0)
    assert twin.updates > 3
    single = corpus.trainer(single=True, step="alma", alpha=0.5, p=p)
    corpus.epoch(single, [0, 1, 2])
    assert all(0 < abs(w) <= 1 for w in corpus.by_name(single.averaged()).values())
    assert 0 < single.norm <= 1 + 1e-9


@pytest.mark.parametrize("p", [2, 3, 4, 8])
def test_under_a_p_norm_the_average_is_the_mean_of_the_weights(p):
    for seed in range(3):
        corpus = noise(seed, TEMPLATES[seed])
        initial = [None, corpus.random_weights(seed)][seed % 2]
        trainer = corpus.trainer(initial, step="alma", p=p)
        averages_what_it_has_been(corpus, trainer, {} if initial is None else corpus.by_name(initial), seed)


@tried(
    60,
    seed=st.integers(0, 10**6),
    p=st.floats(2, 100),
    alpha=st.floats(0.01, 1),
    C=st.floats(0.01, 10),
    single=st.booleans(),
)
def test_the_q_norm_never_exceeds_one(seed, p, alpha, C, single):
    corpus = noise(seed, "word[0]\nnumber(1)[0]\nedge")
    trainer = corpus.trainer(single=single, step="alma", alpha=alpha, C=C, p=p)
    for order in orders(corpus, 3, seed):
        corpus.epoch(trainer, order)
        weights = corpus.by_name(trainer.last())
        rounding = 1e-6 if single else 1e-9  # weights are rounded when they are folded
        assert trainer.norm <= 1 + rounding
        assert norm(weights, p / (p - 1)) == pytest.approx(trainer.norm, rel=1e-5)


def test_the_larger_p_the_fewer_features_carry_the_weight():
    train = riata.load("embedded", "train")[:100]
    shares = []
    for p in (2, 4, 8, 25):
        chunker = Chunker("laso-alma", epochs=3, template="classic", settings={"p": p}).fit(train)
        shares.append(uneven(weights_of(chunker.model_)))
    assert all(fewer < 0.8 * more for more, fewer in itertools.pairwise(shares))


@pytest.mark.parametrize("step", ["perceptron", "mira"])
def test_other_norms_are_for_alma_only(step):
    with pytest.raises(SettingError, match=f"'p' has the value 3.0, which nothing reads: step is '{step}'") as caught:
        Chunker("laso-alma", settings={"p": 3, "step": step}).fit(riata.load("embedded", "train"))
    assert "step=alma" in caught.value.remedy


@pytest.mark.parametrize("p", [1.9, 0, -2, 101, math.inf])
def test_a_norm_out_of_range_is_refused(p):
    with pytest.raises(SettingError, match="expected a number from 2 to 100"):
        Chunker("laso-alma", settings={"p": p}).fit(riata.load("embedded", "train"))


# --- truncation --------------------------------------------------------------------------------------------------------
@for_each(average=[True, False], p=[2, 8])
def test_truncation_leaves_out_the_smallest_weights_and_counts_them(p, average):
    train = riata.load("embedded", "train")[:50]
    chosen = {"p": p, "average": average}
    full, cut = (
        Chunker("laso-alma", epochs=2, template="classic", settings={**chosen, "truncate": fraction}).fit(train)
        for fraction in (0.0, 0.05)
    )
    weights = weights_of(full.model_)
    least = 0.05 * max(map(abs, weights.values()))
    kept = {key: weight for key, weight in weights.items() if abs(weight) >= least}
    assert weights_of(cut.model_) == kept
    assert cut.history_[-1]["dropped"] == len(weights) - len(kept) > 0
    assert full.history_[-1]["dropped"] == 0


def test_the_development_score_is_that_of_the_truncated_model():
    train, dev = riata.load("embedded", "train")[:100], riata.load("embedded", "test")
    full, cut = (
        Chunker("laso-alma", epochs=2, template="classic", dev=dev, settings={"truncate": fraction}).fit(train)
        for fraction in (0.0, 0.5)
    )
    assert cut.best_score_ == pytest.approx(100 * cut.score(dev))
    assert cut.best_score_ < full.best_score_


# --- violations --------------------------------------------------------------------------------------------------------
@for_each(step=STEPS, when=["laso", "early", "max-violation"], queue=QUEUES)
def test_against_nodes_that_outrank_the_truth_no_update_is_without_a_violation(queue, when, step):
    for what in ("mean", "best", "loss-weighted"):
        corpus = noise(7, "word[0]\nnumber(1)[0]\nedge")
        trainer = corpus.trainer(**QUEUES[queue], **STEPS[step], when=when, update=what)
        for order in orders(corpus, 5, 0):
            corpus.epoch(trainer, order)
        assert trainer.stats()["updates"] > 0
        assert trainer.stats()["non_violating"] == 0


def test_a_step_of_mira_that_changes_nothing_is_no_update():
    # A greedy search may miss a truth that the weights prefer by more than its cost already.
    unchanged = 0
    for seed in range(20):
        corpus = noise(seed, "word[0]\nedge")
        trainer = corpus.trainer(corpus.random_weights(seed), queue="greedy", when="standard", step="mira")
        for s in itertools.chain.from_iterable(orders(corpus, 5, seed)):
            before, counted = corpus.by_name(trainer.last()), trainer.stats()["updates"]
            found = corpus.search(trainer.last(), queue="greedy")[s]
            updates = corpus.epoch(trainer, [s])["updates"]
            changed = corpus.by_name(trainer.last()) != before
            assert updates == trainer.stats()["updates"] - counted == changed
            unchanged += not changed and found != tuple(corpus.gold[s])
    assert unchanged > 0


def test_against_the_whole_queue_updates_without_a_violation_are_counted():
    counts = []
    for seed in range(10):
        corpus = noise(seed, "word[0]\nnumber(1)[0]\nedge")
        trainer = corpus.trainer(beam=UNBOUNDED, update="queue")
        for order in orders(corpus, 5, seed):
            corpus.epoch(trainer, order)
        counts.append(trainer.stats()["non_violating"])
        assert counts[-1] < trainer.stats()["updates"]
    assert sum(counts) > 0


def test_a_search_that_goes_wrong_by_its_order_alone_changes_nothing():
    # All ties go against X, so Y and Z are expanded first and Y X is a goal before X is: X>Y +1, Y>X -1. The next time
    # Y Y is the first goal, with a score of 0, again before X is expanded. But the truth, X Y, has 1 by now.
    corpus = problem("word[0]\nedge", [[("a",), ("a",)]], [["X", "Y"]], ("X", "Y", "Z"))
    trainer = corpus.trainer(queue="best-first", update="best")
    corpus.epoch(trainer)
    weights, stats = corpus.by_name(trainer.last()), trainer.stats()
    assert {label: w for (_, label), w in weights.items()} == {("X", "Y"): 1, ("Y", "X"): -1}
    assert corpus.epoch(trainer)["updates"] == 0
    assert (corpus.by_name(trainer.last()), trainer.stats()) == (weights, stats)


# --- properties ----------------------------------------------------------------------------------------------------------
def separable():
    """Every word has its label."""
    label_of = {"a": "X", "b": "Y", "c": "Z"}
    words = [list(s) for s in ("abc", "ba", "", "c", "cab", "aab", "cbc")]
    return problem(
        "word[0]\nedge", [[(w,) for w in s] for s in words], [[label_of[w] for w in s] for s in words], ("X", "Y", "Z")
    )


@for_each(step=STEPS, when=WHEN, queue=BEAMS)
def test_an_epoch_on_separated_data_makes_no_update(queue, when, step):
    corpus = separable()
    trainer = corpus.trainer(**QUEUES[queue], **STEPS[step], when=when)
    epochs = [corpus.epoch(trainer)["updates"]]
    while epochs[-1] > 0 and len(epochs) < 300:
        epochs.append(corpus.epoch(trainer)["updates"])
    assert 1 < len(epochs) < 300
    weights, stats = corpus.by_name(trainer.last()), trainer.stats()
    corpus.epoch(trainer)
    assert (corpus.by_name(trainer.last()), trainer.stats()) == (weights, stats)
    assert corpus.search(trainer.last(), **QUEUES[queue]) == [tuple(labels) for labels in corpus.gold]


@for_each(when=["early", "max-violation", "standard"], queue=QUEUES)
def test_but_for_laso_a_sentence_makes_one_update_at_most(queue, when):
    corpus = noise(11, "word[0]\nedge", longest=8)
    trainer, laso = (corpus.trainer(**QUEUES[queue], when=w) for w in (when, "laso"))
    result, _ = corpus.epoch(trainer), corpus.epoch(laso)
    assert result["updates"] == trainer.stats()["updates"] <= len(corpus.sentences)
    # Best-first drops nothing, so that LaSO too updates at a goal only.
    assert queue == "best-first" or laso.stats()["updates"] > len(corpus.sentences)


@for_each(alike=[("greedy", "one pending"), ("beam by prefix", "beam 2"), ("unbounded beam", "beam 3")], when=WHEN)
def test_queues_that_come_to_the_same_learn_the_same(when, alike):
    for seed in range(10):
        corpus = noise(seed, TEMPLATES[seed % len(TEMPLATES)])
        one, other = (corpus.trainer(**QUEUES[queue], when=when) for queue in alike)
        for order in orders(corpus, 2, seed):
            corpus.epoch(one, order)
            corpus.epoch(other, order)
        assert corpus.by_name(one.averaged()) == corpus.by_name(other.averaged())
        assert one.stats() == other.stats()


@for_each(step=STEPS, queue=QUEUES)
def test_training_is_deterministic(queue, step):
    corpus = noise(13, "word[0]\nnumber(1)[0]\nedge")

    def trained():
        trainer = corpus.trainer(**QUEUES[queue], **STEPS[step])
        for order in orders(corpus, 3, 0):
            corpus.epoch(trainer, order)
        return (corpus.by_name(trainer.averaged()), corpus.by_name(trainer.last()), trainer.stats())

    assert trained() == trained()


@for_each(when=WHEN, queue=QUEUES)
def test_where_sums_are_exact_single_precision_learns_what_double_does(queue, when):
    for seed in range(5):
        corpus = noise(seed, TEMPLATES[seed % len(TEMPLATES)], "iob2")
        asked = {**QUEUES[queue], "when": when, "update": "best"}
        single, double = (corpus.trainer(single=one, **asked) for one in (True, False))
        for order in orders(corpus, 2, seed):
            corpus.epoch(single, order)
            corpus.epoch(double, order)
        same(corpus.by_name(single.last()), corpus.by_name(double.last()))
        same(corpus.by_name(single.averaged()), corpus.by_name(double.averaged()))


@pytest.mark.parametrize("when", ["standard", "max-violation"])
def test_a_dead_end_is_learnt_from(when):
    corpus = problem("word[0]", [[("a",), ("b",)]], [["O", "O"]], ("B-X", "I-X", "O"), "bioes")
    trainer = corpus.trainer(queue="greedy", when=when)
    for _ in range(3):
        corpus.epoch(trainer)
    assert trainer.stats()["updates"] > 0


@pytest.mark.parametrize("when", WHEN)
@for_rows("gold, token", (["I-X", "O"], 0), (["O", "I-X"], 1), (["B-X", "O"], 1), (["O", "B-X"], 1))
def test_labels_that_cannot_be_reached_are_refused_with_their_sentence(gold, token, when):
    sentences = [[("a",), ("b",)], [("a",)], [("b",), ("a",)]]
    corpus = problem("word[0]", sentences, [["O", "O"], ["O"], gold], ("O", "B-X", "I-X", "E-X"), "bioes")
    trainer = corpus.trainer(when=when)
    refused(DataError, f"sentence 2 are not allowed at token {token}", corpus.epoch, trainer)
    assert trainer.stats()["updates"] == 0
    corpus.epoch(trainer, [0, 1])


@pytest.mark.parametrize("settings", [{"beam": 0}, {"beam": -1}, {"beam": 0, "beam_by": "prefix"}])
def test_a_beam_without_width_is_refused(settings):
    corpus = problem("word[0]", [[("a",)]], [["X"]], ("X", "Y"))
    refused(SettingError, "at least 1", corpus.trainer, **{"queue": "beam", **settings})


def test_hill_climbing_a_space_that_builds_its_output_is_refused():
    corpus = problem("word[0]", [[("a",)]], [["X"]], ("X", "Y"))
    refused(UnsupportedError, "complete output", corpus.epoch, corpus.trainer(queue="hill-climb"))


# --- what learning by search refuses, and what it says about it ------------------------------------------------------
WORDS, TAGS = [["a"], ["a", "b", "a"]], [["X"], ["X", "Y", "X"]]


@for_each(name=["B", "C"], step=["alma", "mira"])
def test_steps_and_margins_that_overflow_are_refused(name, step):
    with pytest.raises(SettingError, match=rf"'{name}' has the value 1e\+308; expected a number from 0 to"):
        Tagger("laso-alma", settings={name: 1e308, "step": step}).fit(WORDS, TAGS)


def test_the_largest_step_and_margin_leave_finite_weights():
    for step in ("alma", "mira"):
        settings = {"C": 1e6, "step": step, **({"B": 1e6} if step == "alma" else {})}
        model = Tagger("laso-alma", epochs=50, settings=settings).fit(WORDS, TAGS, sample_weight=[1e6, 1e6])
        weights = weights_of(model.model_).values()
        assert any(weights) and all(map(math.isfinite, weights))


def test_a_search_that_fails_in_training_names_the_sentence():
    with pytest.raises(SearchError, match=r"^sentence 1: the search made 3 nodes"):
        Tagger("laso-perceptron", beam=1, settings={"max_nodes": 3, "shuffle": False}).fit(WORDS, TAGS)


def test_tokens_that_search_does_not_count_are_not_said_to_be_right():
    model = Tagger("laso-perceptron", epochs=2).fit(WORDS, TAGS)
    assert [epoch["wrong_tokens"] for epoch in model.history_] == [None, None]


# --- while learning a tie counts against the truth, also one that only rounding decides; and the one exception -------
AHEAD = 0.1 + 0.2  # which is more than 0.3, by rounding


class Pair(LeftToRight):
    """One of two, whose ranks are given."""

    def __init__(self, right, wrong):
        self.ranks = {("right",): right, ("wrong",): wrong}

    def actions(self, x, s):
        return ("right", "wrong")

    def is_goal(self, x, s):
        return len(s) == 1

    def features(self, x, s, a):
        return [a]

    def heuristic(self, x, s):
        return self.ranks.get(s, 0.0)

    def regret(self, x, s, y):
        return float(s[:1] == ("wrong",))


def updates(problem, when, queue):
    model = Predictor(problem, "laso-perceptron", queue=queue, epochs=1, settings={"when": when})
    return model.fit([""], ["right"]).stats_["updates"]


@for_each(queue=["beam", "greedy", "best-first"], when=WHEN)
@pytest.mark.parametrize(("right", "wrong"), [(0.0, 0.0), (0.3, 0.3), (AHEAD, 0.3), (1e6 * AHEAD, 1e6 * 0.3)])
def test_what_is_equal_up_to_rounding_is_a_tie_and_counts_against_the_truth(right, wrong, when, queue):
    assert right >= wrong
    assert updates(Pair(right, wrong), when, queue) == 1


@for_each(queue=["beam", "greedy", "best-first"], when=WHEN, right=[0.3 + 1e-12, 0.4, 1.0])
def test_what_is_ahead_by_more_is_ahead(right, when, queue):
    assert updates(Pair(right, 0.3), when, queue) == 0


def test_exact_search_with_perceptron_steps_learns_nothing_from_a_tie_that_it_wins():
    words, labels = [["a", "b"]], [["X", "X"]]

    def first_epoch(recipe, **params):
        made = Tagger(recipe, structure="chain", epochs=1, **params)
        with pytest.warns(RiataWarning):  # of labels seen once
            return made.fit([*words, ["c"]], [*labels, ["Y"]]).history_[0]["updates"]

    settings = {"shuffle": False}
    assert first_epoch("perceptron", settings=settings) == 1  # of c alone: at zero weights X is the first of equals
    assert first_epoch("standard", beam=float("inf"), settings=settings) == 2
