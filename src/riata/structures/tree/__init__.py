"""Trees, also with crossing arcs.

In the core:
- `native/inference/structures/arc_*`
- exact search: `native/inference/exact` (spanning_tree*)
- small corpora of tests: `native/tests/cases/tree.cpp`
"""
