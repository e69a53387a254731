"""Modules with the names, classes and arguments of other libraries, in front of Riata's models: drop-in by one import line."""
