"""Templates of dependency arcs, as projective trees have them."""

from dataclasses import replace

from riata.features.languages.projective import LANGUAGE as PROJECTIVE

LANGUAGE = replace(PROJECTIVE, borrowed=True)
