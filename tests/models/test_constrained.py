"""Decoding under random rules, through the arrays of the core, against all outputs."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chain_problems import UNBOUNDED, options, random_model
from oracle.perceptron import score
from riata import _core
from riata.inference.kept import _arrays
from riata.inference.rules.packed import pack_automata, pack_rules
from rule_problems import rule_sets
from samples import draws


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
