"""One part of several: a candidate out of a list.

In the core: `native/inference/parts`, `native/inference/structures/part_*`.
"""
