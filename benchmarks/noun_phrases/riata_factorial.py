"""Riata: a factorial CRF of tags and noun phrases, words alone as input, the default template, chunks learnt as BIOES.

The prior and the number of steps are the best of five pairs on development data: c2 0.1, 0.5 and 1.5 with 100 steps, 0.5 and 1.5 with 200.
The lines of the template that read a chunk label before with parts of words were the best of four sets of lines on the same data.
"""

from functools import partial

from benchmarks.nouns import contest, factorial

if __name__ == "__main__":
    contest(partial(factorial, c2=0.5, steps=200))
