"""Models whose dynamic programs keep constraints: those that forbid single labels, or labels after others.

Such constraints are masks that the programs read, as they read the masks of encodings and of labels that are given. Then all that is
summed or listed by the programs keeps them as well: lists of the best, probabilities, outputs of least expected loss.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from riata.data.types import Corpus, KnownLabels
from riata.errors import SearchError, UnsupportedError
from riata.inference.kept import Kept
from riata.inference.rules.first_order import TokenSets, forbidden_parts
from riata.inference.rules.rules import Rules
from riata.inference.structure import EXACT, Decoder

if TYPE_CHECKING:
    from riata.models.model import Model

RULES = "labels that the constraints allow"


@dataclass(frozen=True, eq=False)
class Masked:
    """A model with the masks of constraints that are the same for all sentences."""

    original: Model
    model: Model
    kept: Kept  # all constraints
    rest: Kept | None  # those that are no masks of the model; constraints that depend on the input are among them
    # Of one token: labels that no token may have, if masks of neighbouring labels do not say it.
    always: TokenSets | None

    @property
    def has_masks(self) -> bool:
        """Whether it forbids anything to all sentences."""
        return self.always is not None or self.model is not self.original

    def limited(
        self, corpus: Corpus, refusal: Callable[[int], SearchError], own: Sequence[Rules] | None = None
    ) -> Corpus:
        """The corpus with the labels that its tokens may have: by rules of all sentences and, if they are given, by those of each sentence.

        refusal: the error about a sentence that has no legal output.
        """
        sets = None if self.always is None else TokenSets(self.always.sets, np.zeros(corpus.tokens, np.int32))
        of_sentences = None if not own else self._of_sentences(corpus, own)
        if of_sentences is not None:
            sets = of_sentences if sets is None else sets & of_sentences
        outputs, known = self.model.outputs, corpus.known
        if known is not None:
            self.original.check_known(corpus)
        if sets is not None:
            sets = sets if known is None else sets & TokenSets(known.sets, known.of)
            known = KnownLabels(tuple(map(str, range(len(sets.sets)))), sets.sets, sets.of, RULES, by_line=False)
        stuck = np.empty(0, np.int64) if known is None else self.model.stuck(corpus, known)
        if not outputs.is_complete:
            stuck = np.sort(np.concatenate([stuck, outputs.stuck_alone(corpus.starts)]))
        if len(stuck):
            raise refusal(int(np.searchsorted(corpus.starts, stuck[0], "right")) - 1)
        return corpus if sets is None else replace(corpus, known=known)

    def only_masks(self, corpus: Corpus, refusal: Callable[[int], SearchError], what: str) -> Corpus:
        """The same with the rules of each sentence. Refuses constraints that are no masks. what: the thing that needs it, in words."""
        if self.rest is None:
            return self.limited(corpus, refusal)
        grounded = self.rest.on(corpus)
        for rules in (grounded.shared, *self._left(corpus, grounded.own)):
            if rules:
                raise no_mask(self.kept, rules, what)
        return self.limited(corpus, refusal, grounded.own)

    def _of_sentences(self, corpus: Corpus, own: Sequence[Rules]) -> TokenSets | None:
        """What rules of each sentence leave to tokens; None: all, or more than sets of labels can say."""
        outputs = self.model.outputs
        if not outputs.takes_sets or not corpus.tokens:
            return None
        parts = TokenSets.without([forbidden for forbidden, _ in self._split(corpus, own)])
        tags = outputs.tag_sets(parts.sets, everywhere=False) if (parts.of >= 0).any() else None
        return None if tags is None else TokenSets(tags, parts.of)

    def _left(self, corpus: Corpus, own: Sequence[Rules]) -> list[Rules]:
        """The rules of each sentence that are no masks."""
        outputs, split = self.model.outputs, self._split(corpus, own)
        some = np.ones((1, len(self.kept.names)), np.uint8)
        if not outputs.takes_sets or outputs.tag_sets(some, everywhere=False) is None:
            return list(own)
        return [rest for _, rest in split]

    def _split(self, corpus: Corpus, own: Sequence[Rules]) -> list[tuple[NDArray[np.bool_], Rules]]:
        every = self.model.outputs.labels_every_slot
        if not own:
            return []
        return [
            forbidden_parts(rules, self.kept.names, int(slots), every=every)
            for rules, slots in zip(own, np.diff(corpus.starts), strict=True)
        ]


def masked(model: Model, decoder: Decoder) -> Masked | None:
    """The form of a model that keeps the masks of the decoder's constraints; None: there is nothing to gain, or no dynamic program."""
    kept = decoder.kept
    assert kept is not None
    if decoder.queue != EXACT.queue or model.outputs.exact_refusal(model.features) is not None:
        return None
    if kept.masked is None or kept.masked[0] is not model:
        kept.masked = model, _masked(model, kept)
    found: Masked = kept.masked[1]
    return found


def _masked(model: Model, kept: Kept) -> Masked:
    masks, outputs = kept.masks, model.outputs
    with_pairs = None if masks.is_free else outputs.limited(model, masks.columns)
    if with_pairs is not None:
        return Masked(model, with_pairs, kept, kept.sharing(masks.rest), None)
    if outputs.takes_sets and masks.forbidden.any():
        tags = outputs.tag_sets((~masks.forbidden[None]).astype(np.uint8), everywhere=True)
        if tags is not None:
            left = kept.sharing(replace(masks.rest, automata=kept.shared.automata))
            return Masked(model, model, kept, left, TokenSets(tags, np.zeros(0, np.int32)))
    return Masked(model, model, kept, kept, None)


def no_mask(kept: Kept, rules: Rules, what: str) -> UnsupportedError:
    """Why constraints cannot be kept: what looks at all outputs can keep those only that forbid single labels or neighbouring ones."""
    constraint = kept.declared[rules.all()[0].origin]
    return UnsupportedError(
        f"{what}; it keeps constraints that forbid labels of single tokens or neighbouring labels, and {constraint!r} says more.",
        remedy="Leave out the constraint, or constraints=False; predict keeps it.",
    )
