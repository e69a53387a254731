"""Traces of chains with a kernel. An action is a label."""

from riata.structures.chain.explaining import TracedChain

TRACED = TracedChain
