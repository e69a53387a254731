"""Segments: labelled spans that cover the sentence.

In the core:
- `native/inference/structures/segment_*`
- exact search: `native/inference/exact` (semi_markov*, segment_tape, closest_segments)
- small corpora of tests: `native/tests/cases/segments.cpp`
"""
