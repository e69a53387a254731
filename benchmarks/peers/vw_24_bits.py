"""Vowpal Wabbit with 2^24 weights, room enough for these features."""

from benchmarks.stages import run
from benchmarks.vw import VowpalWabbit

if __name__ == "__main__":
    run(VowpalWabbit(bits=24))
