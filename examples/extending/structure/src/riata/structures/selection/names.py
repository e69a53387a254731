"""The weights of parts, with names that people can read."""

from riata.models.part_names import PartWeightsByName

NAMES = PartWeightsByName
