"""Sets of parts by a dynamic program of the user's, recorded in Python.

In the core: `native/inference/parts`, `native/inference/structures/part_*`.
"""
