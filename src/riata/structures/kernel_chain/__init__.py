"""Chains that are scored by kernel functions.

In the core:
- `native/inference/structures/kernel_*`
- small corpora of tests: `native/tests/cases/chain.cpp`
"""
