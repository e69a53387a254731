"""Looking inside: margins, the search of one sentence, and why it has this result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from riata import registry
from riata.data.types import Corpus
from riata.errors import UnsupportedError
from riata.estimators.labels import Part
from riata.estimators.notes import warn_of

if TYPE_CHECKING:
    from riata.choosing.options import Options
    from riata.explaining.explanation import Explanation
    from riata.explaining.trace import Trace
    from riata.learning.diagnostics import Diagnostics, Run


class Explaining(Part):
    """Shows what a trained model does, and why."""

    def diagnose(self, X: Any, y: Any = None, *, beam: float | None = None) -> Diagnostics:
        from riata.choosing.recipe import beam_width
        from riata.data.types import inputs_of
        from riata.learning.diagnostics import diagnosis, measured_settings, not_kept

        model = self.model
        run: Run | None = getattr(self.estimator, "_run", None)
        if run is None:
            model.check_searched("margins and bounds are those of a search")
            from riata.choosing.options import checked
            from riata.choosing.recipe import recipe_name

            options = checked(self.estimator, training=False)
            searches = options.choice.recipe.searches and registry.get("queue", options.choice.queue).searches
            raise not_kept(
                type(self.estimator).__name__, recipe_name(self.estimator), searches=searches, seeds=options.seeds
            )
        settings = measured_settings(run, beam, beam_width)
        data = self.labels.learnable(self.columns.with_gold(X, y), warn_of)
        instances = run.model.features.instances(inputs_of(data))
        margins = run.model.margins(instances, self.labels.true_ids(data, run.model), settings, data.true_tags)
        return diagnosis(run, margins, settings, len(data))

    def trace(self, sentence: Any, labels: Sequence[Any] | bool | None, *, features: bool, training: bool) -> Trace:
        from riata.choosing.losses import LATTICE
        from riata.choosing.options import checked
        from riata.explaining.tracing import one_sentence, traced

        model = self.model
        model.check_searched("a trace shows the steps of a search")
        options = checked(self.estimator, training=False)
        if features and model.local:
            from riata.choosing.recipe import recipe_name

            raise UnsupportedError(
                f"The scores of the recipe {recipe_name(self.estimator)!r} are normalised or truncated step by step: they are no "
                "sums of what features say, which explanations are.",
                remedy="trace(..., features=False) shows the search; of the recipes perceptron and crf, explain shows the features.",
            )
        corpus, truth = one_sentence(sentence, self.columns.sentences), None
        inputs = self.columns.input_columns(corpus)
        if labels is not None and labels is not False:
            truth = self.true_labels(corpus, None if labels is True else [labels], options)
        queue = registry.get("queue", options.choice.queue)
        recipe, settings = options.choice.recipe, options.settings
        trained = recipe.searches and queue.searches and not queue.decode_only and settings["update"] != LATTICE
        followed = {**settings, **vars(options.decoder), "recipe": recipe.name, "training": training}
        learner = followed if truth is not None and trained else None
        learnt_as = None if self.estimator._recoder is None else self.estimator.learnt_as_
        decoder = options.decoder
        if truth is None or options.constrained.during:  # training keeps constraints if it is asked to
            decoder = replace(decoder, kept=self.estimator.predicting.kept(options))
        found = traced(model, inputs, truth, decoder, learner, features, learnt_as)
        if found.restarted and learnt_as is None:
            found = replace(found, predicted=tuple(self.whole_output(corpus)))
        return found if self.estimator.first_ is None else replace(found, first=self.columns.first_labels(inputs))

    def explain(self, sentence: Any, labels: Any, *, against: Sequence[Any] | None, training: bool) -> Explanation:
        from riata.explaining.explain import explain_sentence
        from riata.explaining.tracing import one_sentence

        model = self.model
        if not model.outputs.scored_by_parts:
            model.check_searched("an explanation shows the steps of a search and what features say of them")
        truth = None if labels is False else labels
        corpus = self.columns.seen_whole(one_sentence(sentence, self.columns.sentences))
        return explain_sentence(self.estimator, corpus, truth, against, training)

    def whole_output(self, corpus: Corpus, constraints: Any = None) -> Any:
        """What is predicted for one sentence, with everything that was chosen. constraints: as for predict."""
        options = {} if constraints is None else {"constraints": constraints}
        [output] = self.estimator.predict(corpus, **options)
        return output

    def true_labels(self, corpus: Corpus, y: Any, options: Options) -> list[str]:
        """All gold labels as they are learnt; illegal tags are read as in training."""
        data = self.labels.learnable(self.columns.with_gold(corpus, y), warn_of, strict=options.strict)
        return data.columns[-1].texts()
