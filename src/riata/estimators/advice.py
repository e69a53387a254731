"""Which estimator or recipe to use for which data: the table of `riata pieces recipes` and of docs/which-recipe.md."""

ADVICE = (  # you have, use, why
    (
        "one label per word",
        "Tagger()",
        "learns with mira for 20 epochs: ahead of perceptron at every size, most with few sentences",
    ),
    ("chunks", "Chunker()", "learns in the same way; Chunker.preset('best') takes minutes and searches whole chunks"),
    ("names", "EntityRecognizer()", "learns in the same way, and reads the two labels before"),
    (
        "tags and chunks to predict",
        "JointTagger()",
        "predicts both in one search; the beam keeps what a pipeline would lose",
    ),
    (
        "dependency trees",
        "DependencyParser()",
        "builds them by moves under a beam, from plain words, which it tags itself",
    ),
    ("a need for probabilities", "recipe='crf'", "gives exact ones; its prior is chosen on held-out sentences"),
    ("sentences that are partly labelled", "recipe='crf'", "sums over the labels that are unknown"),
    ("a few seconds", "preset('fast')", "trains for five epochs"),
    ("minutes, and every tenth counts", "preset('best')", "sums the models of five seeds into one"),
    ("features of your own", "a list of dictionaries per sentence", "any estimator takes them instead of words"),
    ("more data than memory", "stream=True, bits=22", "reads the file in parts and hashes features"),
    (
        "outputs that are no labels",
        "riata.Problem, riata.Predictor",
        "learns a search problem that takes some forty lines of Python",
    ),
)
