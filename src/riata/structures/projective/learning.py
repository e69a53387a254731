"""Learning dependency trees without crossing arcs. Of other trees, the closest tree without them is learnt."""

from __future__ import annotations

import numpy as np

from riata._core import ProjectivePotentials, ProjectivePotentials64, closest_projective
from riata.data.trees import crossing
from riata.data.types import Ids, Starts
from riata.learning.arcs import LearntArcs
from riata.learning.events import Listener, Note
from riata.structures.projective.model import ProjectiveOutputs


class LearntProjective(LearntArcs):
    same_root = True  # whether the closest tree has the same root, so that the root's relation stays the root's
    as_they_are = "structure='tree' learns them as they are."  # said of crossing arcs
    outputs_of = ProjectiveOutputs
    potentials_of = ProjectivePotentials, ProjectivePotentials64

    def learnable(self, codes: Ids, starts: Starts, tell: Listener) -> Ids:
        relations = np.int32(len(self.labels.labels))
        heads, of_tokens = np.divmod(codes, relations)
        cross = crossing(heads, starts)
        if not cross.any():
            return codes
        sentence = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
        chosen = np.unique(sentence[cross])
        tokens = np.isin(sentence, chosen)
        lengths = np.diff(starts)[chosen]
        found = heads.copy()
        found[tokens] = closest_projective(heads[tokens], np.concatenate([[0], np.cumsum(lengths)]), self.same_root)
        text = (
            f"{int(cross.sum()):,} arcs cross another, in {len(chosen):,} of {len(starts) - 1:,} sentences: the closest trees without "
            f"crossing arcs are learnt, in which {int((found != heads).sum()):,} tokens have other heads. "
            f"{self.as_they_are}"
        )
        tell(Note(text))
        return (found * relations + of_tokens).astype(np.int32)


LEARNING = LearntProjective
