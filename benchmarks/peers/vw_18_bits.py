"""Vowpal Wabbit with 2^18 weights, as it comes."""

from benchmarks.stages import run
from benchmarks.vw import VowpalWabbit

if __name__ == "__main__":
    run(VowpalWabbit(bits=18))
