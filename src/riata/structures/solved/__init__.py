"""Sets of parts that a function of the user's finds.

In the core: `native/inference/parts`, `native/inference/structures/part_*`.
"""
