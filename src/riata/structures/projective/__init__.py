"""Projective trees.

In the core:
- `native/inference/structures/arc_*`
- exact search: `native/inference/exact` (eisner*)
- small corpora of tests: `native/tests/cases/projective.cpp`
"""
