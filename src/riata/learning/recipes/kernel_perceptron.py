"""The averaged perceptron in its dual form: `perceptron`, by the name that it has with a kernel."""

from dataclasses import replace

from riata.inference.structure import SUPPORT_TOKENS
from riata.learning.recipes.perceptron import RECIPE as PERCEPTRON

RECIPE = replace(
    PERCEPTRON,
    name="kernel-perceptron",
    alias_of=PERCEPTRON.name,
    summary="perceptron with a kernel function: coefficients of support tokens instead of weights of features; averaged, within a budget",
    paper="freund1999",
    needs=PERCEPTRON.needs | {SUPPORT_TOKENS},
    structure="kernel-chain",
)
