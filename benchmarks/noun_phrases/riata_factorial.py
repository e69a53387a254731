"""Riata: a factorial CRF of tags and noun phrases, words alone as input, the default template, chunks learnt as BIOES."""

from benchmarks.nouns import contest, factorial

if __name__ == "__main__":
    contest(factorial)
