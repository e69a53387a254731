"""Constraints on outputs, one kind per file: what users declare, and the rules that it becomes on an input."""
