"""Links between two sets, each element of which has at most so many.

In the core: `native/inference/parts`, `native/inference/structures/part_*`.
"""
