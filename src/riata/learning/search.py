"""Learning from the states of a search: LaSO and related learners."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from riata.choosing.losses import DECODING, LATTICE
from riata.choosing.recipe import Recipe
from riata.features.compile import Features
from riata.inference.structure import ALL_OUTPUTS, FEATURE_WEIGHTS, LEVELS, SPACE, STATES, Decoder
from riata.learning.diagnostics import Run
from riata.learning.loop import SETTINGS, SentenceTrainer, TrainingSet
from riata.settings import ANY, Setting

LARGEST = 1e6  # largest step or margin: weights must stay finite in single precision

IF_ALMA = {"step": ("alma",)}

SEARCH_SETTINGS = (
    *SETTINGS,
    Setting(
        "when",
        "laso",
        "laso: whenever the truth is lost, then on from it; early: once; standard: after the whole search; "
        "max-violation: after it, where the truth was beaten by most",
        choices=("laso", "early", "max-violation", "standard"),
        needs={ANY: (STATES,)},
    ),
    Setting(
        "update",
        "mean",
        "away from the mean of the states that outrank the truth; of the whole queue (Eq. 2 to the letter); "
        "from the best one, as always with exact search, which keeps no others; weighted by regret; or, with exact search alone, "
        "from all outputs by their probability",
        choices=("mean", "queue", "best", "loss-weighted", LATTICE),
        needs={
            **dict.fromkeys(("mean", "queue", "loss-weighted"), (STATES,)),
            LATTICE: (ALL_OUTPUTS, "expected features"),
        },
    ),
    Setting("step", "perceptron", "how far an update goes", choices=("perceptron", "alma", "mira")),
    Setting("alpha", 0.9, "of ALMA: 1 asks for no margin, towards 0 for the largest", low=0.01, high=1, only=IF_ALMA),
    Setting("B", 0.0, "of ALMA: scale of the margin; 0 means 1/alpha", low=0, high=LARGEST, only=IF_ALMA),
    Setting(
        "C",
        0.0,
        "of ALMA: size of the step, 0 means sqrt(2); of MIRA: the largest step, 0 means 1",
        low=0,
        high=LARGEST,
        only={"step": ("alma", "mira")},
    ),
    Setting(
        "p",
        2.0,
        "of ALMA: steps under this norm; the larger, the fewer features carry the weight",
        low=2,
        high=100,
        only=IF_ALMA,
        needs={ANY: (FEATURE_WEIGHTS,)},
    ),
    Setting(
        "threshold",
        "plain",
        "of ALMA: the margin by which the truth must be ahead; normalised: times the length of the difference of features, "
        "where that is above 1, as Theorem 4 compares it",
        choices=("plain", "normalised"),
        only={**IF_ALMA, "beam_by": ("operations",)},
        only_because={"beam_by": "which is for states after equal numbers of operations"},
        needs={"normalised": (LEVELS,)},
    ),
    Setting("truncate", 0.0, "leave out weights below this fraction of the largest; 0 keeps all", low=0, high=1),
    Setting(
        "siblings",
        0,
        "right states that are followed at once, the best of them, where many ways lead to the truth; "
        "0 means 64, and as many as the beam is wide with when=max-violation or standard",
        low=0,
        high=1_000_000,
        needs={ANY: (STATES, "several right states")},
    ),
    Setting("record", False, "keep the difference of every update in memory, for diagnose", needs={ANY: (STATES,)}),
    *DECODING,
)


def search_recipe(name: str, summary: str, paper: str, **settings: str) -> Recipe:
    """A recipe as one expression: when, what and how far to update."""
    declared = tuple(replace(s, default=settings[s.name]) if s.name in settings else s for s in SEARCH_SETTINGS)
    return Recipe(
        name=name,
        summary=summary,
        paper=paper,
        needs=frozenset({SPACE}),
        structure="chain",
        queue="beam",
        settings=declared,
        searches=True,
        constrained=True,
        refuses={"class_weight": "an update compares states, not single labels; sample_weight weighs sentences"},
    )


class SearchTrainer(SentenceTrainer):
    """Runs the search engine over every sentence. The search itself determines what is learnt from it."""

    def __init__(
        self,
        decoder: Decoder,
        features: Features,
        initial: Callable[[TrainingSet], Any],
        settings: Mapping[str, Any],
        *,
        goes_on: bool,
    ) -> None:
        """goes_on: whether learning continues from a model."""
        self._from_zero = not goes_on
        defaults = {setting.name: setting.default for setting in SEARCH_SETTINGS}
        super().__init__("search", features, initial, {**defaults, **settings, **vars(decoder)})

    def final_model(self) -> Any:
        """The model. The learner is asked for its account afterwards."""
        return self._finished(and_last=self._accounts)

    @property
    def _accounts(self) -> bool:
        return bool(self.settings["queue"] != "exact")

    def account(self, examples: int, epochs: int) -> Run | None:
        if not self._accounts:
            return None
        return Run(
            self._start.with_weights(self.native.untruncated()),
            self.native.stats(),
            self.native.recorded_margins(),
            self.settings,
            examples,
            epochs,
            from_zero=self._from_zero,
            levelled=self._start.outputs.levelled,
        )
