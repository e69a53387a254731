"""A tag and a chunk label per token, found by search.

In the core:
- `native/inference/structures/joint_*`
- small corpora of tests: `native/tests/cases/joint.cpp`
"""
