"""Decoding under random rules, through the arrays of the core, against all outputs; and lists of outputs that keep constraints."""

import itertools
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import riata
from chain_problems import UNBOUNDED, options, random_model
from oracle.perceptron import score
from riata import _core
from riata.constraints import at_least, at_most, exactly
from riata.inference.kept import _arrays
from riata.inference.rules.rules import pack_automata, pack_rules
from rule_problems import rule_sets
from samples import draws, quietly


def native(shared, own, labels):
    made = _core.Rules([labels])
    made.share(*_arrays(pack_rules([shared.rules], labels)))
    automata = pack_automata(shared.automata, labels)
    made.share_automata(automata.states, automata.next, automata.accepting, automata.penalty, automata.origin)
    if own:
        packed = pack_rules([rules.rules for rules in own], labels)
        made.add(packed.sentences, *_arrays(packed))
    return made


@settings(max_examples=draws(60), deadline=None)
@given(st.integers(0, 10**6), st.data(), st.sampled_from(["exact", "beam", "greedy", "best-first"]))
def test_the_core_finds_the_best_output_that_keeps_the_rules(seed, data, queue):
    problem, weights = random_model(seed, longest=4, edges=data.draw(st.booleans()))
    lengths = [len(sentence) for sentence in problem.sentences]
    L = len(problem.labels)
    shared = data.draw(rule_sets(1, L, with_predicates=False)).shared()
    own = [data.draw(rule_sets(max(n, 1), L, with_predicates=False)).own() for n in lengths]
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
        made = riata.Tagger("perceptron", epochs=1, settings={"average": False}, constraints=[constraint])
        quietly(made, words, labels)
        asked = [[draw.choice("abz") for _ in range(draw.randint(1, 4))] for _ in range(10)]
        for n in (1, 3):
            lists = made.predict_nbest(asked, n)
            assert [found[0][0] for found in lists] == made.predict(asked)
            assert all(one >= other for found in lists for (_, one), (_, other) in itertools.pairwise(found))
