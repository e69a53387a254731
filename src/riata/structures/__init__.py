"""Structures: a folder each, read in one go: what it is, its model, its weights by name, how it is learnt, and traced."""
