"""What to use for what: the table of `riata pieces` and of the quick start (measured in docs/defaults.md)."""

ADVICE = (  # you have, use, why
    ("a label per word", "Tagger()", "mira, 20 passes: ahead of perceptron at every size, most with few sentences"),
    ("chunks", "Chunker()", "the same; Chunker.preset('best') takes minutes and searches whole chunks"),
    ("names", "EntityRecognizer()", "the same, two labels back"),
    ("tags and chunks to predict", "JointTagger()", "one search for both; the beam keeps what a pipeline would lose"),
    ("a need for probabilities", "recipe='crf'", "exact ones; its prior is chosen on held-out sentences"),
    ("sentences that are partly labelled", "recipe='crf'", "sums over what is unknown"),
    ("a few seconds", "preset('fast')", "five passes"),
    ("minutes, and every tenth counts", "preset('best')", "five seeds, summed into one model"),
    ("features of your own", "a list of dictionaries per sentence", "any estimator takes them instead of words"),
    ("more data than memory", "stream=True, bits=22", "reads the file in parts, hashes features"),
    ("outputs that are no labels", "riata.Problem, riata.Predictor", "a search problem in some forty lines of Python"),
)
