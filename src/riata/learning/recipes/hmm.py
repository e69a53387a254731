"""The hidden Markov model."""

from riata.choosing.recipe import Recipe
from riata.learning.hmm import SETTINGS, HmmTrainer, templates

RECIPE = Recipe(
    name="hmm",
    summary="count labels after labels and words with labels, smoothed; unknown words by case and ending (one pass)",
    paper="brants2000",
    needs=frozenset({"argmax", "counts"}),
    structure="chain",
    queue="exact",
    settings=SETTINGS,
    trainer=HmmTrainer,
    epochs=1,
    templates=templates,
    refuses={
        "cutoff": "words that are seldom seen tell what unknown ones are: see the setting rare",
        "bits": "a row that several words share holds the probabilities of none",
        "seeds": "counts do not depend on a seed",
        "shards": "one pass is all there is",
        "class_weight": "counts are of whole sentences, which sample_weight weighs",
    },
    probabilistic=True,
)
