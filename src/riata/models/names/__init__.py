"""Weights by name: one file per structure, with its name, which defines NAMES."""
