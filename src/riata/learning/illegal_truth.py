"""True outputs that break constraints which must be kept: counted, and told."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from riata._core import verdicts
from riata.data.types import Corpus
from riata.inference.kept import GroundedRules, Kept
from riata.inference.rules.rule import HARD
from riata.learning.events import Listener, Note
from riata.learning.structure import LearntStructure

ILLEGAL = 2  # what the core says of an output that breaks a rule without a penalty


class IllegalTruth:
    """Counts them over the parts of training data, and keeps what the first of them breaks."""

    def __init__(self, kept: Kept, structure: LearntStructure) -> None:
        self.kept, self.structure = kept, structure
        self.sentences = self.number = 0
        self.place = ""

    def add(self, data: Corpus, rules: GroundedRules) -> None:
        """rules: those of these sentences."""
        outputs, codes = self.structure.outputs, self.structure.codes(data)
        illegal = verdicts(rules.native, data.starts, outputs.all_slot_labels(codes, data.starts).ravel()) == ILLEGAL
        of_sentences = [codes[low:high] for low, high in pairwise(data.starts.tolist())]
        if rules.has_predicates:
            for s in np.flatnonzero(~illegal).tolist():
                refused = rules.of(s).hard().penalty_of_predicates(outputs.slot_labels(of_sentences[s]))
                illegal[s] = len(of_sentences[s]) > 0 and refused == HARD
        if illegal.any() and not self.number:
            first = int(np.argmax(illegal))
            labels = outputs.slot_labels(of_sentences[first])
            origins = sorted({one.origin for one in rules.of(first).hard().broken(labels)})
            broken = ", ".join(repr(self.kept.declared[origin]) for origin in origins)
            self.place = f" (the first: sentence {self.sentences + first}, from 0, breaks {broken})"
        self.number += int(illegal.sum())
        self.sentences += len(data)

    def tell(self, listener: Listener) -> None:
        if self.number:
            listener(
                Note(
                    f"{self.number:,} of {self.sentences:,} true outputs break constraints{self.place}. No prediction can be right there.",
                    warning=True,
                )
            )
