"""The likelihood of chains, one label back and two: by enumeration, by differences, by threads, and its limits by logarithms."""

import itertools
import resource

import numpy as np
import pytest
from hypothesis import strategies as st

from checks import refused
from likelihood_problems import UNKNOWN, Likelihood, Problem, check, point, random_dictionary
from riata import _core
from riata.data.memory import as_corpus
from riata.errors import UnknownNameError, UnsupportedError
from riata.features.attributes import builtin
from riata.features.compile import Features
from riata.features.templates import parse
from riata.inference.rules.legality import Legality
from riata.models.model import Model
from riata.registry import get
from riata.structures.chain.learning import heads
from riata.structures.chain.model import ChainOutputs
from samples import for_each, tried
from second_order_problems import ALWAYS, AT_ONCE, CHUNKS, FREE, KEPT, NEVER
from second_order_problems import TEMPLATES as TWO_BACK
from second_order_problems import Case as SecondOrder

TEMPLATES = [
    "word[0]\nedge",
    "word[-1]\nword[0]\nword[0] word[1]\nsuffix1[0]\nedge",
    "word[0]\nedge\nedge word[0]",
    "word[0]\nedge word[-1]",
    "word[0]",
]
LABELS = {None: ("X", "Y", "Z"), "iob2": ("B-A", "I-A", "O")}


class Case(Problem):
    """In double precision, one label back."""

    def __init__(
        self,
        seed,
        template,
        encoding,
        *,
        pairs="seen",
        weights=(),
        kind=_core.ChainPotentials64,
        bits=0,
        given=False,
        unknown=0.0,
        loss="log",
        dictionary=False,
    ):
        rng = np.random.default_rng(seed)
        self.labels = LABELS[encoding]
        legal = Legality.free(3) if encoding is None else Legality(*get("encoding", encoding).allowed(self.labels))
        self.legality = legal
        self.sentences = [["".join(rng.choice(list("abc"), 2)) for _ in range(n)] for n in rng.integers(1, 5, 4)]
        self.gold = [rng.choice(self.legal(len(s))) for s in self.sentences]
        if given:
            names = [
                [{f"w={w}": 1, f"-1:c:{w[0]}": 1, f"-1:c:{w[1]}": 1, w[0]: 0.5} for w in s] for s in self.sentences
            ]
            rows = [[dict(list(token.items())[rng.integers(2) :]) for token in s] for s in names]
            self.corpus, template = as_corpus(rows), "edge"
        else:
            self.corpus = as_corpus(self.sentences)
        self.features = Features(parse(template), builtin(), {}, bits)
        if dictionary and not given:
            self.features.dictionary = random_dictionary(rng, self.labels, self.sentences, self.gold)
        self.instances = self.features.extend(self.corpus, 1, 1)
        self.gold = [np.where(rng.random(len(gold)) < unknown, UNKNOWN, gold) for gold in self.gold]
        self.instances.set_labels(np.concatenate(self.gold).astype(np.int32), 3, unknown=unknown > 0)
        self.weights, self.loss = np.array(weights, np.float64), loss
        flags = (legal.start, legal.end, legal.follow)
        parts = (self.features.index, self.instances, 3, len(self.features.given), *flags, pairs)
        by_label = loss.startswith("pointwise")
        self.function = Likelihood(
            kind, *parts, False, by_label, heads(self.features.given), weights=self.weights, loss=loss
        )


cases = st.builds(
    Case,
    st.integers(0, 10**6),
    st.sampled_from(TEMPLATES),
    st.sampled_from(list(LABELS)),
    pairs=st.sampled_from(["seen", "all"]),
    weights=st.sampled_from([(), (0.5, 2.0, 0.0, 1.0)]),
    bits=st.sampled_from([0, 10]),
    given=st.booleans(),
    unknown=st.sampled_from([0.0, 0.4, 1.0]),
    dictionary=st.booleans(),
)


@tried(60, cases, st.integers(0, 10**6), st.sampled_from([0.1, 1.0, 30.0]))
def test_value_and_gradient(case, seed, scale):
    check(case, point(case, seed, scale), seed)


@pytest.mark.parametrize("template", TEMPLATES)
def test_single_precision_is_near_and_threads_change_nothing(template):
    for seed in range(4):
        single, double = (
            Case(seed, template, "iob2", kind=kind, unknown=0.3 * (seed % 2))
            for kind in (_core.ChainPotentials, _core.ChainPotentials64)
        )
        at = np.random.default_rng(seed).normal(size=single.function.size)
        value, gradient = single.function(at, 1)
        exact, slope = double.function(at, 1)
        assert value == pytest.approx(exact, rel=1e-5)
        assert gradient == pytest.approx(slope, abs=1e-5)
        for threads in (2, 3, 8):
            again, other = single.function(at, threads)
            assert again == value and (other == gradient).all()


@for_each(kind=[_core.ChainPotentials, _core.ChainPotentials64], unknown=[0.0, 0.5])
def test_scores_beyond_what_factors_hold(kind, unknown):
    """Weights of hundreds: their exponentials vanish, or are infinite."""
    for seed in range(6):
        case = Case(seed, TEMPLATES[1], [None, "iob2"][seed % 2], kind=kind, unknown=unknown)
        at = np.random.default_rng(seed).normal(size=case.function.size) * 400
        value, gradient = case.function(at, 2)
        assert value == pytest.approx(case.value(at), rel=1e-5, abs=1e-3)
        assert np.isfinite(gradient).all()
        assert np.abs(gradient).max() <= 4 * max(map(len, case.sentences))


@for_each(kind=[_core.ChainPotentials, _core.ChainPotentials64], template=TEMPLATES[:4])
def test_steps_that_are_improbable_from_both_sides(kind, template):
    """What divides a step's factors, forward and backward, is beyond numbers only as a product."""
    for seed, scale in itertools.product(range(20), (30, 60, 400)):
        case = Case(seed, template, [None, "iob2"][seed % 2], kind=kind, pairs="all")
        at = np.random.default_rng(seed).uniform(-1, 1, case.function.size) * scale
        value, gradient = case.function(at, 1)
        assert np.isfinite(value)
        assert np.abs(gradient).max() <= 4 * max(map(len, case.sentences))


def test_pairs_that_are_seen_and_all_pairs():
    seen, every = (Case(1, TEMPLATES[1], None, pairs=pairs) for pairs in ("seen", "all"))
    rows = sum(seen.features.index.size(f) for f in range(len(seen.features.program.families)))
    assert seen.function.size < every.function.size
    assert every.function.size % 3 == 0
    assert rows > 0
    value, gradient = seen.function(np.zeros(seen.function.size), 1)
    assert value == pytest.approx(sum(map(len, seen.sentences)) * np.log(3))
    assert (gradient < 0).any()


def test_a_long_sentence():
    """Twenty thousand tokens: no product of probabilities, and no recursion."""
    rng = np.random.default_rng(0)
    words = [[f"w{i}" for i in rng.integers(0, 50, 20_000)]]
    features = Features(parse("word[0]\nedge"), builtin(), {}, 0)
    instances = features.extend(as_corpus(words), 1, 1)
    instances.set_labels(rng.integers(0, 3, 20_000).astype(np.int32), 3)
    free = Legality.free(3)
    flags = (free.start, free.end, free.follow)
    function = Likelihood(_core.ChainPotentials, features.index, instances, 3, 0, *flags, "seen")
    value, _ = function(np.zeros(function.size), 1)
    assert value == pytest.approx(20_000 * np.log(3), rel=1e-5)


def test_rows_are_grouped_where_that_pays():
    words = [["the", "old", "man", "the", "old", "boat"]] * 50
    features = Features(parse("word[0]\nsuffix1[0]\nshape[0]\nword[-1]\nword[0] word[1]"), builtin(), {}, 0)
    instances = features.extend(as_corpus(words), 1, 1)
    groups = _core.row_groups(features.index, instances)
    assert sum(columns for columns, _ in groups) == 5
    assert all(keys <= 120 for _, keys in groups)


def test_named_features_are_grouped_by_their_heads():
    rows = [[{f"w={w}": 1, f"suffix={w[-1]}": 1, "bias": 1, "length": len(w)} for w in ("the", "old", "man")]] * 50
    features = Features(parse("edge"), builtin(), {}, 0)
    instances = features.extend(as_corpus(rows), 1, 1)
    found = heads(features.given)
    assert len(set(found)) == 4
    assert _core.row_groups(features.index, instances, found) == [(4, 3)]  # `length` is in its column nowhere
    assert _core.row_groups(features.index, instances) == []
    refused(Exception, "heads", _core.row_groups, features.index, instances, found[:-1])


def test_bad_arguments_are_refused():
    case = Case(0, TEMPLATES[0], None)
    refused(Exception, "point", case.function, np.zeros(case.function.size + 1), 1)
    free = Legality.free(3)
    with pytest.raises(Exception, match="labels"):
        _core.ChainPotentials(
            case.features.index, case.instances, 2, 0, free.start[:2], free.end[:2], free.follow[:4], "seen"
        )
    refused(Exception, "weights", _core.BatchObjective, case.function.potentials, np.ones(1))
    refused(UnknownNameError, "Unknown loss 'lgo'", _core.BatchObjective, case.function.potentials, np.empty(0), "lgo")


def test_a_hundred_labels_and_long_sentences():
    """Right, by forward sums in logarithms; and a sentence needs no labels x labels for each of its tokens."""
    rng, labels, length = np.random.default_rng(0), 100, 500
    words = [[f"w{i}" for i in rng.integers(0, 40, length)] for _ in range(3)]
    gold = rng.integers(0, labels, (3, length)).astype(np.int32)
    features = Features(parse("word[0]\nedge"), builtin(), {}, 0)
    instances = features.extend(as_corpus(words), 1, 1)
    instances.set_labels(gold.ravel(), labels)
    free = Legality.free(labels)
    flags = (free.start, free.end, free.follow)
    function = Likelihood(_core.ChainPotentials64, features.index, instances, labels, 0, *flags, "all")
    at = rng.normal(size=function.size)
    value, _ = function(at, 2)
    pairs, rows = at[: labels * labels].reshape(labels, labels), at[labels * labels :].reshape(-1, labels)
    model = Model(features, function.model(at), ChainOutputs(tuple(f"L{i}" for i in range(labels)), free))
    scores = model.scores_of(features.instances(as_corpus([words[0]])), gold[0])
    ids = {w: i for i, w in enumerate(dict.fromkeys(w for sentence in words for w in sentence))}
    total = 0.0
    for s, sentence in enumerate(words):
        nodes = rows[[ids[w] for w in sentence]]
        alpha = nodes[0]
        for node in nodes[1:]:
            alpha = np.logaddexp.reduce(alpha[:, None] + pairs, axis=0) + node
        truth = nodes[np.arange(length), gold[s]].sum() + pairs[gold[s][:-1], gold[s][1:]].sum()
        if s == 0:
            assert scores[0] == pytest.approx(truth)
        total += np.logaddexp.reduce(alpha) - truth
    assert value == pytest.approx(total)
    corpus = as_corpus(words)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    probabilities, log_z = model.probabilities(corpus, 1.0)
    # KiB; labels x labels of every token would be 40 MB.
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20_000
    assert probabilities.sum(axis=1) == pytest.approx(1)
    assert log_z.sum() - total == pytest.approx(sum(model.scores_of(features.instances(corpus), gold.ravel())))


# --- the likelihood of chains that look two labels back --------------------------------------------------------------
second_order_cases = st.builds(
    SecondOrder,
    st.integers(0, 10**6),
    st.sampled_from(TWO_BACK),
    st.sampled_from([FREE, CHUNKS, ("X",), ("X", "Y")]),
    pairs=st.sampled_from(["seen", "all"]),
    weights=st.sampled_from([(), (0.5, 2.0, 0.0, 1.0)]),
    kept=st.sampled_from([KEPT, 300, 0]),
    at_once=st.sampled_from([AT_ONCE, 3000, 1]),
    often=st.sampled_from([ALWAYS, 0.5, NEVER]),
    named=st.booleans(),
    hidden=st.sampled_from([0.0, 0.4, 1.0]),
    dictionary=st.booleans(),
)


@tried(60, second_order_cases, st.integers(0, 10**6), st.sampled_from([0.1, 1.0, 30.0]))
def test_value_and_gradient_two_labels_back(case, seed, scale):
    check(case, point(case, seed, scale), seed)


@for_each(lengths=[[1], [2], [1, 2, 1, 3], [6]], template=TWO_BACK)
def test_short_sentences_and_a_longer_one(template, lengths):
    """Every weight, of tokens that have no label before them, one, and two."""
    case = SecondOrder(3, template, lengths=lengths, pairs="all")
    check(case, point(case, 4), 5, chosen=60)


@pytest.mark.parametrize("template", TWO_BACK)
def test_more_labels_than_a_block_of_numbers(template):
    case = SecondOrder(3, template, tuple("ABCDEFGHIJK"), lengths=[3, 2], hidden=0.2)
    check(case, point(case, 4), 5, chosen=30)


@for_each(kind=["", "64"], count=[8, 9, 22, 33])
def test_where_earlier_labels_weigh_nothing_it_is_the_likelihood_of_the_first_order(count, kind):
    labels = tuple(f"L{i}" for i in range(count))
    lengths = [1, 2, 3, 30, 17]
    rng = np.random.default_rng(count)
    gold = np.concatenate([rng.integers(0, count, n) for n in lengths]).astype(np.int32)
    words = as_corpus([[f"w{w}" for w in rng.integers(0, 9, n)] for n in lengths])
    free = Legality.free(count)
    flags = (free.start, free.end, (rng.random(count * count) < 0.8).astype(np.uint8))
    found = []
    for name, template in (("ChainPotentials", "word[0]\nedge"), ("SecondOrderPotentials", TWO_BACK[0])):
        features = Features(parse(template), builtin(), {}, 0)
        instances = features.extend(words, 1, 1)
        instances.set_labels(gold, len(labels))
        function = Likelihood(getattr(_core, name + kind), features.index, instances, count, 0, *flags, "all")
        at = np.zeros(function.size)
        first = count * count + features.index.size(0) * count
        at[:first] = np.random.default_rng(1).normal(size=first)
        value, gradient = function(at, 2)
        found.append((value, gradient[:first]))
    (value, gradient), (other, slope) = found
    assert np.isfinite(value)
    assert other == pytest.approx(value, rel=1e-5)
    assert slope == pytest.approx(gradient, abs=1e-4)


def test_batches_of_sentences_change_no_more_than_rounding():
    lengths = [7, 1, 3, 5, 2, 6]
    whole, parts = (
        SecondOrder(1, TWO_BACK[2], hidden=0.2, lengths=lengths, at_once=bytes_) for bytes_ in (AT_ONCE, 2000)
    )
    at = point(whole, 2)
    value, gradient = whole.function(at, 1)
    other, slope = parts.function(at, 1)
    assert other == pytest.approx(value, rel=1e-12)
    assert slope == pytest.approx(gradient, abs=1e-12)
    again, same = parts.function(at, 3)
    assert again == other and (same == slope).all()


@for_each(hidden=[0.0, 0.5], template=TWO_BACK)
def test_single_precision_is_near_and_neither_threads_nor_cubes_that_are_kept_change_anything(template, hidden):
    kind = _core.SecondOrderPotentials
    lengths = [7, 1, 3, 5, 2, 6]
    for seed, often in itertools.product(range(2), (ALWAYS, NEVER)):
        single = SecondOrder(seed, template, CHUNKS, kind=kind, hidden=hidden, lengths=lengths, often=often)
        exact = SecondOrder(seed, template, CHUNKS, hidden=hidden, lengths=lengths)
        at = point(single, seed)
        value, gradient = single.function(at, 1)
        other, slope = exact.function(at, 1)
        assert value == pytest.approx(other, rel=1e-5)
        assert gradient == pytest.approx(slope, abs=1e-5)
        for threads, kept in itertools.product((1, 3), (KEPT, 500, 0)):
            again = SecondOrder(
                seed, template, CHUNKS, kind=kind, hidden=hidden, lengths=lengths, kept=kept, often=often
            )
            found, rows = again.function(at, threads)
            assert found == value and (rows == gradient).all()


@for_each(often=[ALWAYS, NEVER], template=TWO_BACK)
def test_matrices_of_pairs_and_single_weights_of_them_say_the_same(template, often):
    lengths = [7, 1, 3, 5, 2, 6]
    case, other = (
        SecondOrder(5, template, hidden=0.3, lengths=lengths, weights=(1.0, 2.0, 0.5, 1.0, 1.0, 3.0), often=o)
        for o in (0.5, often)
    )
    at = point(case, 2)
    (value, gradient), (found, slope) = case.function(at, 1), other.function(at, 2)
    assert found == pytest.approx(value, rel=1e-12)
    assert slope == pytest.approx(gradient, abs=1e-12)


@for_each(often=[ALWAYS, NEVER], hidden=[0.0, 0.5], kind=[_core.SecondOrderPotentials, _core.SecondOrderPotentials64])
def test_scores_beyond_what_factors_hold_two_labels_back(kind, hidden, often):
    """Weights of thousands: their exponentials vanish, or are infinite."""
    for seed in range(6):
        case = SecondOrder(seed, TWO_BACK[seed % 3], [FREE, CHUNKS][seed % 2], kind=kind, hidden=hidden, often=often)
        for scale in (400, 10_000):
            at = point(case, seed, scale)
            value, gradient = case.function(at, 2)
            assert value == pytest.approx(case.value(at), rel=1e-5, abs=1e-3)
            assert np.isfinite(gradient).all()
            assert np.abs(gradient).max() <= 4 * max(map(len, case.sentences))
            again, other = case.function(at, 1)
            assert again == value and (other == gradient).all()


@pytest.mark.parametrize("kind", [_core.SecondOrderPotentials, _core.SecondOrderPotentials64])
def test_steps_two_labels_back_that_are_improbable_from_both_sides(kind):
    """What divides a step's factors, forward and backward, is beyond numbers only as a product."""
    for seed, scale in itertools.product(range(12), (30, 60, 400)):
        case = SecondOrder(seed, TWO_BACK[2], kind=kind, often=ALWAYS, pairs="all")
        value, gradient = case.function(np.random.default_rng(seed).uniform(-1, 1, case.function.size) * scale, 1)
        assert np.isfinite(value)
        assert np.abs(gradient).max() <= 4 * max(map(len, case.sentences))


@for_each(often=[ALWAYS, NEVER], hidden=[0.0, 0.5])
def test_logarithms_and_factors_agree(hidden, often):
    """What a token's word says for X is taken back by the label before it: every labelling scores as without, but factors vanish."""
    case = SecondOrder(7, TWO_BACK[0], lengths=[5, 1, 2, 6], pairs="all", hidden=hidden, often=often)
    at = point(case, 1)
    value, gradient = case.function(at, 1)
    shifted, words, much = at.copy(), 9 + 3 * case.features.index.size(0), 1e4
    shifted[0:9:3] -= much  # edges into X
    shifted[9:words:3] += much
    shifted[words] -= much  # X, where no label is before
    for threads in (1, 2):
        other, slope = case.function(shifted, threads)
        assert other == pytest.approx(value, rel=1e-7)
        assert slope == pytest.approx(gradient, abs=1e-7)


def test_pairs_and_triples_that_are_seen_and_all():
    seen, every = (SecondOrder(1, TWO_BACK[0], pairs=pairs) for pairs in ("seen", "all"))
    assert seen.function.size < every.function.size
    rows = {"node": every.features.index.size(0), "edge": 3, "begin": 1, "second": 3, "later": 9}
    assert every.function.size == 3 * sum(rows.values())
    value, gradient = seen.function(np.zeros(seen.function.size), 1)
    assert value == pytest.approx(sum(map(len, seen.sentences)) * np.log(3))
    assert (gradient < 0).any()


def test_labels_that_are_not_given_have_all_weights_that_agree():
    known, hidden = (SecondOrder(1, TWO_BACK[0], hidden=share, pairs="seen") for share in (0.0, 1.0))
    assert known.function.size < hidden.function.size == SecondOrder(1, TWO_BACK[0], pairs="all").function.size
    value, gradient = hidden.function(point(hidden, 0), 1)
    assert value == pytest.approx(0, abs=1e-9)
    assert gradient == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("template", TWO_BACK)
def test_a_model_is_a_point_and_back(template):
    case = SecondOrder(2, template)
    at = point(case, 3)
    assert case.function.point(case.function.model(at)).tolist() == at.tolist()
    other = SecondOrder(2, template, pairs="all")
    wider = other.function.point(case.function.model(at))
    assert other.value(wider) == pytest.approx(case.value(at))
    assert (
        case.function.point(_core.ChainWeights64(3, *(np.ones(n, np.uint8) for n in (3, 3, 9)))).tolist()
        == [0.0] * case.function.size
    )


def test_a_long_sentence_two_labels_back():
    """Twenty thousand tokens: no product of probabilities, and no recursion."""
    rng = np.random.default_rng(0)
    words = [[f"w{i}" for i in rng.integers(0, 50, 20_000)]]
    features = Features(parse(TWO_BACK[0]), builtin(), {}, 0)
    instances = features.extend(as_corpus(words), 1, 1)
    instances.set_labels(rng.integers(0, 3, 20_000).astype(np.int32), 3)
    free = Legality.free(3)
    flags = (free.start, free.end, free.follow)
    function = Likelihood(_core.SecondOrderPotentials, features.index, instances, 3, 0, *flags, "seen")
    value, _ = function(np.zeros(function.size), 1)
    assert value == pytest.approx(20_000 * np.log(3), rel=1e-5)


def test_what_it_refuses():
    case = SecondOrder(0, TWO_BACK[0])
    refused(Exception, "point", case.function, np.zeros(case.function.size + 1), 1)
    refused(Exception, "weights", _core.BatchObjective, case.function.potentials, np.ones(1))
    refused(UnsupportedError, r"label\[-3\]", SecondOrder, 0, "word[0]\nlabel[-3]")
