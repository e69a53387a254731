"""So many parts of an input, such as the sentences of a summary.

In the core: `native/inference/parts/selection.cpp`, `native/inference/structures/part_*`.
"""
