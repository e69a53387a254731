"""The weights of a model of dependency arcs, with names that people can read."""

from riata.models.arc_names import ArcWeightsByName

NAMES = ArcWeightsByName
