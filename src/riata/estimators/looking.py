"""Looking inside: errors, margins, the search of one sentence, and why it has this result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from riata import registry
from riata.data.types import Corpus, Ids
from riata.errors import UnsupportedError
from riata.estimators.judging import Judging
from riata.estimators.notes import warn_of

if TYPE_CHECKING:
    from riata.analysis.error_analysis import ErrorAnalysis
    from riata.choosing.options import Options
    from riata.explaining.explanation import Explanation
    from riata.explaining.trace import Trace
    from riata.learning.diagnostics import Diagnostics, Run
    from riata.learning.events import Listener
    from riata.models.model import Model


class Looking(Judging):
    """Shows what a trained model does, and why."""

    def errors(
        self, X: Any, y: Any = None, *, train: Any = None, beams: Sequence[float] = (), examples: int = 1
    ) -> ErrorAnalysis:
        """Where the model goes wrong on these sentences, as `riata errors` shows it (docs/analysis.md).

        train: the training data, to tell seen words from unseen ones. beams: decode with each of these widths too.
        """
        from riata.analysis.error_analysis import error_analysis

        return error_analysis(self, X, y, train=train, beams=beams, examples=examples)

    def diagnose(self, X: Any, y: Any = None, *, beam: float | None = None) -> Diagnostics:
        """The margins of the final weights on these sentences, and what the theory of LaSO says about the training (docs/theory.md).

        Give the training data. beam: the states kept while measuring (None: as in training); float("inf") keeps all of them,
        which is what the bounds need unless training was greedy. Needs a recipe that searches, trained by this object.
        """
        from riata.choosing.recipe import beam_width
        from riata.data.memory import inputs_of
        from riata.learning.diagnostics import diagnosis, measured_settings, not_kept

        model = self._check_fitted()
        run: Run | None = getattr(self, "_run", None)
        if run is None:
            model.check_searched("margins and bounds are those of a search")
            from riata.choosing.options import checked
            from riata.choosing.preference import recipe_name

            options = checked(self, training=False)
            searches = options.choice.recipe.searches and registry.get("queue", options.choice.queue).searches
            raise not_kept(type(self).__name__, recipe_name(self), searches=searches, seeds=options.seeds)
        settings = measured_settings(run, beam, beam_width)
        data = self._learnable(self._with_gold(X, y), warn_of)
        instances = run.model.features.instances(inputs_of(data))
        margins = run.model.margins(instances, self._true_ids(data, run.model), settings, data.true_tags)
        return diagnosis(run, margins, settings, len(data))

    def _true_ids(self, data: Corpus, model: Model) -> Ids:
        """The gold output of learnable data as ids of the model; a label that the model does not have is an error."""
        from riata.learning.labels import LabelSet
        from riata.learning.structure import label_ids

        return label_ids(data, LabelSet(model.labels, {}, self._tags()))

    def trace(
        self,
        sentence: Any,
        labels: Sequence[Any] | bool | None = None,
        *,
        features: bool = False,
        training: bool = True,
    ) -> Trace:
        """The search for one sentence, step by step. sentence: a list of tokens, or a Corpus of one sentence.

        labels: the true labels, or True for those in the data. With them, the search is that of training, as far as the recipe trains with
        the present queue; no weight is changed. training=False: the search continues as in prediction, and shows the first update that
        training would make. features: record the features of every step, with their weights.
        With learn_as, the labels of the trace are those that were learnt. With constraints, it is the search under them (without a narrow
        beam being widened), and shows what they forbid; functions of yours are not asked.
        """
        from riata.choosing.decoding import LATTICE
        from riata.choosing.options import checked
        from riata.explaining.tracing import one_sentence, traced

        model = self._check_fitted()
        model.check_searched("a trace shows the steps of a search")
        options = checked(self, training=False)
        if features and model.local:
            from riata.choosing.preference import recipe_name

            raise UnsupportedError(
                f"The scores of the recipe {recipe_name(self)!r} are normalised or truncated step by step: they are no "
                "sums of what features say, which explanations are.",
                remedy="trace(..., features=False) shows the search; of the recipes perceptron and crf, explain shows the features.",
            )
        corpus, truth = one_sentence(sentence, self.sentences), None
        inputs = self.input_columns(corpus)
        if labels is not None and labels is not False:
            truth = self._true_labels(corpus, None if labels is True else [labels], options)
        queue = registry.get("queue", options.choice.queue)
        recipe, settings = options.choice.recipe, options.settings
        trained = recipe.searches and queue.searches and not queue.decode_only and settings["update"] != LATTICE
        followed = {**settings, **vars(options.decoder), "recipe": recipe.name, "training": training}
        learner = followed if truth is not None and trained else None
        learnt_as = None if self._recoder is None else self.learnt_as_
        decoder = options.decoder
        if truth is None or options.constrained.during:  # training keeps constraints if it is asked to
            decoder = replace(decoder, kept=self.kept(options))
        found = traced(model, inputs, truth, decoder, learner, features, learnt_as)
        if found.restarted and learnt_as is None:
            found = replace(found, predicted=tuple(self.whole_output(corpus)))
        return found if self.first_ is None else replace(found, first=self.first_labels(inputs))

    def explain(
        self,
        sentence: Any,
        labels: Sequence[Any] | bool | None = None,
        *,
        against: Sequence[Any] | None = None,
        training: bool = False,
    ) -> Explanation:
        """Why one sentence gets its labels: every feature for them or against them, and the search that found them.

        labels: the true labels, or True for those in the data. The predicted labels are compared with `against`; without it, with the truth
        if it is another output, or else with the runner-up. training: show the search as it is in training, with its updates and restarts.
        For a model that decodes exactly, a beam with the same weights is shown; or, of trees that are scored arc by arc, all arcs.
        """
        from riata.explaining.explain import explain_sentence
        from riata.explaining.tracing import one_sentence

        model = self._check_fitted()
        if not model.outputs.scored_by_parts:
            model.check_searched("an explanation shows the steps of a search and what features say of them")
        truth = None if labels is False else labels
        corpus = self.seen_whole(one_sentence(sentence, self.sentences))
        return explain_sentence(self, corpus, truth, against, training)

    def whole_output(self, corpus: Corpus, constraints: Any = None) -> Any:
        """What is predicted for one sentence, with everything that was chosen. constraints: as for predict."""
        options = {} if constraints is None else {"constraints": constraints}
        [output] = self.predict(corpus, **options)
        return output

    def _true_labels(self, corpus: Corpus, y: Any, options: Options) -> list[str]:
        """All gold labels as they are learnt; illegal tags are read as in training."""
        return self._learnable(self._with_gold(corpus, y), warn_of, strict=options.strict).columns[-1].texts()

    def _learnable(self, data: Corpus, tell: Listener, *, strict: bool = False) -> Corpus:
        """Data with gold labels, written as the model has learnt them.

        A model that gives illegal tags (an imported one) has learnt them as they are.
        """
        from riata.learning.labels import learnable

        tags, model = self._tags(), self._check_fitted()
        if tags is None or model.outputs.are_free:
            return data
        return learnable(data, tags, strict=strict, listener=tell)

    def _repr_html_(self) -> str:
        from riata.estimators.facts_page import sequence_facts

        return sequence_facts(self) if hasattr(self, "model_") else super()._repr_html_()
