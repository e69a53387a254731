"""Trees by moves.

In the core:
- `native/inference/structures/transition_*`
- small corpora of tests: `native/tests/cases/transitions.cpp`
"""
