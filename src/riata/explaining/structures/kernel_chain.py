"""Traces of chains with a kernel. An action is a label."""

from riata.explaining.structures.chain import TracedChain

TRACED = TracedChain
