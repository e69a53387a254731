"""Explanations of dependency trees that may have crossing arcs. They are not searched: an output is explained arc by arc."""

from riata.explaining.arcs import ScoredArcs

TRACED = ScoredArcs
