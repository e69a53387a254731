"""Traces of each structure in words: one file per structure, named for it, that defines TRACED."""
