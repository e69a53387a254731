"""Constraints that dynamic programs keep: masks against the rules that they stand for, and what they give against all outputs."""

import itertools
import random
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import strategies as st

import segment_problems
from chain_problems import UNBOUNDED, options, random_model
from checks import refused
from confidence_problems import DOUBLE, chain_model
from oracle import confidence as oracle
from oracle import segments as segment_oracle
from oracle.perceptron import score
from riata import Tagger, _core, registry
from riata import constraints as c
from riata.constraints import at_least, at_most, exactly
from riata.data.memory import as_corpus
from riata.data.segmentation import Segmentation
from riata.data.types import KnownLabels
from riata.errors import SearchError, UnsupportedError
from riata.inference.declared import Declared
from riata.inference.kept import Kept, _arrays, token_slots
from riata.inference.rules.first_order import TokenSets, compiled, encoded, forbidden_parts, last_label, masks
from riata.inference.rules.rule import HARD, Automaton, Parts, Rule
from riata.inference.rules.rules import Rules, pack_automata, pack_rules
from riata.inference.rules.slots import LabelNames
from riata.inference.structure import MARGINALS, Decoder, Risk
from riata.models.model import Model
from riata.structures.segments.model import SegmentOutputs
from rule_problems import automata, own_rules, rule_sets, shared_rules
from samples import tried

LONGEST = 5


def outputs(labels, longest=LONGEST):
    return [output for n in range(1, longest + 1) for output in itertools.product(range(labels), repeat=n)]


def passes(legality, output):
    follow = legality.follow.reshape(len(legality.start), -1)
    pairs = itertools.pairwise(output)
    return bool(legality.start[output[0]] and legality.end[output[-1]] and all(follow[a, b] for a, b in pairs))


@tried(150, automata(2) | automata(3))
def test_automata_of_first_order_become_masks_and_others_do_not(automaton):
    labels = automaton.next.shape[1]
    rules = Rules(labels, (), (Automaton(automaton.next, automaton.accepting),))
    legal = {output for output in outputs(labels) if rules.is_legal(output)}
    found = masks(automaton)
    if found is not None:
        assert legal == {output for output in outputs(labels) if passes(found, output)}
        return
    start, end, follow = np.zeros(labels), np.zeros(labels), np.zeros((labels, labels))
    for output in legal:
        start[output[0]] = end[output[-1]] = 1
        for pair in itertools.pairwise(output):
            follow[pair] = 1
    closest = masks(last_label(start, end, follow))
    assert any(passes(closest, output) for output in outputs(labels) if output not in legal)


@tried(100, st.data(), st.integers(1, 4))
def test_masks_and_what_is_left_say_what_the_rules_say(data, slots):
    labels = 3
    rules = data.draw(rule_sets(slots, labels))
    names = LabelNames(tuple("ABC"))
    kept_by_all = compiled(shared_rules(rules), names)
    forbidden, rest = forbidden_parts(own_rules(rules), names, slots, every=True)
    for output in itertools.product(range(labels), repeat=slots):
        kept = passes(kept_by_all.columns[0], output) and not forbidden[np.arange(slots), output].any()
        left = kept_by_all.rest.penalty(output) + rest.penalty(output) if kept else HARD
        assert left == pytest.approx(rules.penalty(output))


@tried(60, st.integers(0, 10**6), st.integers(1, 5), st.integers(1, 5))
def test_given_labels_are_rules_on_single_parts(seed, tokens, names):
    rng = np.random.default_rng(seed)
    sets, of = rng.integers(0, 2, (names, 3)).astype(np.uint8), rng.integers(-1, names, tokens).astype(np.int32)
    rules = [
        Rule(None, Parts(sets[name] == 0, np.array([t], np.int32)), 0, 0) for t, name in enumerate(of) if name >= 0
    ]
    found, rest = forbidden_parts(Rules.of(3, rules), LabelNames(tuple("ABC")), tokens, every=True)
    assert not rest
    back = TokenSets.without([found])
    other = TokenSets(rng.integers(0, 2, (2, 3)), rng.integers(-1, 2, tokens))
    for t in range(tokens):
        mine = sets[of[t]] if of[t] >= 0 else np.ones(3)
        theirs = other.sets[other.of[t]] if other.of[t] >= 0 else np.ones(3)
        assert (found[t] == (mine == 0)).all()
        assert ((back.sets[back.of[t]] if back.of[t] >= 0 else np.ones(3)) == mine).all()
        both = back & other
        assert ((both.sets[both.of[t]] if both.of[t] >= 0 else np.ones(3)) == mine * theirs).all()


@pytest.mark.parametrize("name", registry.names("encoding"))
def test_encodings_are_automata_of_first_order(name):
    encoding = registry.get("encoding", name)
    labels = ["O", *(encoding.tag(prefix, kind) for prefix in encoding.prefixes for kind in ("XX", "YY"))]
    for found, expected in zip(encoded(encoding, labels), encoding.allowed(labels), strict=True):
        np.testing.assert_array_equal(found, expected)


class Case:
    """One sentence, and all outputs that keep constraints: their labels, and scores less penalties."""

    def __init__(self, model, words, every, declared, encoding=None):
        self.model, self.corpus = model, as_corpus([words])
        names = model.outputs.label_names(encoding)
        self.kept = Kept(Declared(declared), names, token_slots)
        self.decoder = Decoder(kept=self.kept)
        rules, self.values = self.kept.on(self.corpus).of(0), {}
        for path, total in every.items():
            ids = np.array([model.labels.index(label) for label in path], np.int32)
            slots = model.outputs.slot_labels(model.outputs.codes(ids, self.corpus.starts))
            penalty = rules.penalty(slots)
            if penalty < HARD:
                self.values[path] = total - penalty

    def labels(self, ids):
        return tuple(self.model.labels[i] for i in ids)

    def kind(self, label):
        """What labels are compared by: on segments, tokens count as their IOB2 labels would."""
        return label if self.model.outputs.labels_every_slot else label.replace("S-", "B-").replace("E-", "I-")

    def check(self, *, only_masks, nbest=True):
        if not self.values:
            refused(SearchError, "No output of sentence 0", self.model.predict, self.corpus, self.decoder)
            return
        best = max(self.values.values())
        assert self.values[self.labels(self.model.predict(self.corpus, self.decoder))] == pytest.approx(
            best, abs=DOUBLE
        )
        if nbest:
            self.check_list()
        if only_masks:
            self.check_sums()
        else:
            refused(UnsupportedError, "says more", self.model.masked, self.corpus, self.decoder, "This")

    def check_list(self):
        (found,) = self.model.nbest(self.corpus, 4, self.decoder)
        expected = sorted(self.values.values(), reverse=True)[:4]
        assert [score for _, score in found] == pytest.approx(expected, abs=DOUBLE)
        paths = [self.labels(ids) for ids, _ in found]
        assert len(set(paths)) == len(paths)
        assert [self.values[path] for path in paths] == pytest.approx(expected, abs=DOUBLE)

    def check_sums(self):
        model, limited = self.model.masked(self.corpus, self.decoder, "This")
        shares = oracle.shares(list(self.values.values()), 0.7)
        expected = np.zeros((self.corpus.tokens, len(self.model.labels)))
        for path, share in zip(self.values, shares, strict=True):
            for t, label in enumerate(path):
                expected[t, self.model.labels.index(label)] += share
        rows, _ = model.probabilities(limited, 0.7)
        assert rows == pytest.approx(expected, abs=DOUBLE)
        ids, values = self.model.confidences(self.corpus, self.decoder, [0.7], chunks=False)
        if self.model.outputs.labels_every_slot:
            assert values[0, 0].tolist() == pytest.approx(expected[np.arange(len(ids)), ids].tolist(), abs=DOUBLE)
        risky = Decoder(kept=self.kept, risk=Risk(MARGINALS, temperature=0.7))
        path = self.labels(self.model.predict(self.corpus, risky))
        right = {
            path: sum(
                share * sum(self.kind(a) == self.kind(b) for a, b in zip(path, other, strict=True))
                for other, share in zip(self.values, shares, strict=True)
            )
            for path in self.values
        }
        assert right[path] == pytest.approx(max(right.values()), abs=DOUBLE)


def random_masks(rng, labels, words, pairs):
    """Constraints that forbid single labels, and labels after others."""
    found = []
    ends = [*labels, None]
    for _ in range(rng.randrange(3) if pairs else 0):
        some = [(rng.choice(ends), rng.choice(ends)) for _ in range(rng.randrange(1, 4))]
        some = [pair for pair in some if pair != (None, None)]
        found += [c.transitions(forbidden=some)] if some else []
    found += [c.at_most(0, rng.choice(labels)) for _ in range(rng.randrange(2))]
    found += [c.at_most(0, rng.choice(labels), where={0: rng.choice(words)}) for _ in range(rng.randrange(1, 3))]
    return found


@tried(60, st.integers(0, 10**6), st.sampled_from([None, "iob2", "bioes"]), st.booleans(), st.booleans())
def test_chains(seed, encoding, others, local):
    """others: also constraints that are no masks. local: every step is normalised, whatever constraints say."""
    rng = random.Random(seed)
    problem, weights = random_model(seed, encoding, edges=seed % 5 != 0, longest=4)
    weights.local = local
    model = chain_model(problem, weights)
    for words in [words for words in problem.sentences if words][:2]:
        paths = [path for path in itertools.product(model.labels, repeat=len(words)) if problem.is_legal(path)]
        ids = np.array([model.labels.index(label) for path in paths for label in path], np.int32)
        scores = model.scores_of(model.features.instances(as_corpus([words] * len(paths))), ids)
        declared = random_masks(rng, model.labels, words, pairs=not local)
        if others:
            two = rng.sample(model.labels, 2)
            declared += [c.requires(*two), c.at_most(1, two[0], penalty=0.25)]
            if rng.random() < 0.5:
                declared.append(
                    c.predicate(lambda found, one=two[1]: found.count(one) != 1, penalty=rng.choice([None, 0.5]))
                )
        case = Case(model, words, dict(zip(paths, scores.tolist(), strict=True)), declared)
        case.check(only_masks=not others)


@tried(30, st.integers(0, 10**6), st.sampled_from(["iob2", "bioes"]))
def test_segments(seed, encoding):
    rng = random.Random(seed)
    problem = segment_problems.noise(seed, segment_problems.TEMPLATES[0], most=3, longest=4, sentences=2)
    weights, spelling = problem.random_weights(seed), registry.get("encoding", encoding)
    model = Model(problem.features, weights, SegmentOutputs(Segmentation(problem.labels, spelling)))
    for words in problem.sentences:
        paths = segment_oracle.segmentations(len(words), problem.labels, problem.most)
        instances = problem.features.instances(as_corpus([words] * len(paths)))
        scores = weights.scores_of(problem.features.index, instances, problem.codes(paths))
        codes = problem.codes(paths).reshape(len(paths), -1)
        tags = [
            tuple(model.labels[i] for i in model.outputs.label_ids(one, np.array([0, len(words)]))) for one in codes
        ]
        declared = [c.at_most(0, rng.choice(problem.labels)) for _ in range(rng.randrange(2))]
        declared += [c.at_most(0, rng.choice(problem.labels), where={0: rng.choice(words)})]
        exact = problem.features.native.exact
        Case(model, words, dict(zip(tags, scores.tolist(), strict=True)), declared, spelling).check(
            only_masks=exact, nbest=exact
        )


def test_given_labels_and_masks_go_together():
    problem, weights = random_model(3, None, longest=4)
    model = chain_model(problem, weights)
    words = max(problem.sentences, key=len)
    kept = Kept(Declared([c.at_most(0, model.labels[0])]), model.outputs.label_names(None), token_slots)
    sets = np.eye(len(model.labels), dtype=np.uint8)
    corpus = as_corpus([words])
    free = np.full(corpus.tokens, -1, np.int32)
    for label in range(len(model.labels)):
        of = free.copy()
        of[0] = label
        given_one = replace(corpus, known=KnownLabels(model.labels, sets, of, "some", by_line=False))
        if label == 0:
            refused(SearchError, "at_most", model.predict, given_one, Decoder(kept=kept))
        else:
            found = model.predict(given_one, Decoder(kept=kept))
            assert found[0] == label
            assert 0 not in found


# --- decoding under random rules -------------------------------------------------------------------------------------
def native(shared, own, labels):
    made = _core.Rules([labels])
    made.share(*_arrays(pack_rules([shared.rules], labels)))
    automata = pack_automata(shared.automata, labels)
    made.share_automata(automata.states, automata.next, automata.accepting, automata.penalty, automata.origin)
    if own:
        packed = pack_rules([rules.rules for rules in own], labels)
        made.add(packed.sentences, *_arrays(packed))
    return made


@tried(60, st.integers(0, 10**6), st.data(), st.sampled_from(["exact", "beam", "greedy", "best-first"]))
def test_the_core_finds_the_best_output_that_keeps_the_rules(seed, data, queue):
    problem, weights = random_model(seed, longest=4, edges=data.draw(st.booleans()))
    lengths = [len(sentence) for sentence in problem.sentences]
    L = len(problem.labels)
    shared = shared_rules(data.draw(rule_sets(1, L, with_predicates=False)))
    own = [own_rules(data.draw(rule_sets(max(n, 1), L, with_predicates=False))) for n in lengths]
    rules = native(shared, own, L)
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    chosen = options(queue=queue, beam=UNBOUNDED if queue == "exact" else 2)
    codes, how = _core.decode_under(weights, problem.index, problem.instances, chosen, rules, np.empty(0, np.int64))
    verdicts = _core.verdicts(rules, starts, np.maximum(codes, 0))
    table, inputs = problem.by_name(weights), problem.inputs()
    for s, n in enumerate(lengths):
        if n == 0:
            assert how[s] == 0
            continue
        all_rules = shared + own[s]
        values = {}
        for output in itertools.product(range(L), repeat=n):
            penalty = all_rules.penalty(list(output))
            if penalty < np.inf:
                values[output] = score(table, inputs[s], [problem.labels[i] for i in output]) - penalty
        assert (how[s] == 2) == (not values)
        if values:
            found = tuple(codes[starts[s] : starts[s + 1]].tolist())
            assert found in values  # legal, whatever the queue
            assert verdicts[s] == (all_rules.penalty(list(found)) > 0)
            if queue == "exact":
                assert values[found] == pytest.approx(max(values.values()), abs=1e-5)


@pytest.mark.parametrize("constraint", [exactly(1, "Q"), at_least(1, "R"), at_most(1, "P", penalty=0.5)], ids=repr)
def test_of_outputs_of_equal_scores_the_list_begins_with_the_prediction(constraint):
    for turn in range(20):
        draw = random.Random(turn)
        words = [["a", "b", "b"], *([draw.choice("ab") for _ in range(draw.randint(1, 4))] for _ in range(3))]
        labels = [["P", "Q", "R"], *([draw.choice("PQR") for _ in sentence] for sentence in words[1:])]
        made = Tagger("perceptron", epochs=1, settings={"average": False}, constraints=[constraint])
        made.fit(words, labels)
        asked = [[draw.choice("abz") for _ in range(draw.randint(1, 4))] for _ in range(10)]
        for n in (1, 3):
            lists = made.predict_nbest(asked, n)
            assert [found[0][0] for found in lists] == made.predict(asked)
            assert all(one >= other for found in lists for (_, one), (_, other) in itertools.pairwise(found))
