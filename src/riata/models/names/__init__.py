"""Weights by name: one file per structure, named for it, that defines NAMES."""
