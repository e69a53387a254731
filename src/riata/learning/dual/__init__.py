"""Learners that move one variable per example, and with it the weights of the example's features."""
