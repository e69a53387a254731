"""Traces of each structure in words: one file per structure, with its name, which defines TRACED."""
