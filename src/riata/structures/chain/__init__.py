"""Chains: one label per token.

In the core:
- `native/inference/structures/chain_*`
- exact search: `native/inference/exact` (viterbi, chain_sums, second_order, kbest)
- small corpora of tests: `native/tests/cases/chain.cpp`
"""
