"""Learners that change one weight at a time."""
