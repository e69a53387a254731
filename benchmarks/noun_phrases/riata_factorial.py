"""Riata: a factorial CRF of tags and noun phrases, words alone as input, the default template, c2 chosen on development data."""

from benchmarks.nouns import contest, factorial

if __name__ == "__main__":
    contest(factorial)
