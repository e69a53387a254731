"""Riata: averaged perceptron, 10 epochs, from dictionaries."""

from benchmarks import tutorial
from benchmarks.ours import Recogniser

CONTESTANT = Recogniser("dictionaries", tutorial.dictionaries, recipe="perceptron", epochs=10)
