"""What estimators of sequences have for the rest of Riata: `dir` leaves it out, and it may change. All else is in docs/estimators.md."""

INTERNAL = frozenset(
    {
        "abstaining",
        "believable",
        "best_output",
        "changed_params",
        "chunk_outputs",
        "chunks",
        "confidence_ids",
        "decoder",
        "default_recipes",
        "default_segments",
        "default_template",
        "format_",
        "gold_and_found",
        "input_columns",
        "labeller",
        "nbest_ids",
        "nbest_probabilities",
        "output_",
        "output_columns",
        "outputs",
        "own_structure",
        "scored_columns",
        "search_structure",
        "sentences",
        "set_model",
        "task_name",
        "twin",
        "with_output",
    }
)
