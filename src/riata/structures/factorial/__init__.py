"""A tag and a chunk label per token, exactly.

In the core:
- `native/inference/structures/factorial_*`
- exact search: `native/inference/exact` (factorial_*)
- small corpora of tests: `native/tests/cases/factorial.cpp`
"""
