"""Learners that count: one pass, and the model follows from the counts."""
