"""What an epoch costs: recipes that search, with a beam of 5, against the exact perceptron, in one interleaved run.

`python -m benchmarks.epochs` prints the mean of epochs 2 to 6 on the CoNLL-2000 training data, the least of three runs of each, and
how many tokens a second a chain that is written in Python learns and decodes.
"""

import time
import warnings

import numpy as np

import riata

RECIPES = ("perceptron", "laso-perceptron", "laso-alma", "early", "max-violation", "standard")
RUNS, EPOCHS = 3, 6


class Chain(riata.Problem):
    """Words -1 to 1, a pair of words, and the label before."""

    def __init__(self, labels):
        self.labels = labels

    def initial(self, x):
        return ()

    def actions(self, x, s):
        return self.labels

    def apply(self, x, s, a):
        return (*s, a)

    def is_goal(self, x, s):
        return len(s) == len(x)

    def observe(self, x, s):
        t, padded = len(s), ["_B", *x, "_E"]
        before, word, after = padded[t : t + 3]
        return [f"-1={before}", f"0={word}", f"1={after}", f"0 1={word} {after}"] + [f"y={label}" for label in s[-1:]]

    def regret(self, x, s, y):
        return sum(a != b for a, b in zip(s, y, strict=False))

    def key(self, x, s):
        return len(s), s[-1:]


def seconds_per_epoch(recipe, data):
    search = {} if recipe == "perceptron" else {"beam": 5}
    history = riata.Chunker(recipe, template="classic", epochs=EPOCHS, **search).fit(data).history_
    return [epoch["seconds"] for epoch in history]


def compare_recipes(data):
    times = {recipe: [] for recipe in RECIPES}
    for _ in range(RUNS):
        for recipe in RECIPES:
            times[recipe].append(seconds_per_epoch(recipe, data))
    least = {recipe: np.min(runs, axis=0) for recipe, runs in times.items()}
    exact = least["perceptron"][1:].mean()
    for recipe, epochs in least.items():
        print(
            f"{recipe:16} first {epochs[0]:.3f} s, later {epochs[1:].mean():.3f} s, {epochs[1:].mean() / exact:.2f} x exact"
        )


def python_chain(data):
    sentences, labels = data.sentences_of(0), data.sentences_of(-1)
    model = riata.Predictor(Chain(tuple(sorted({y for row in labels for y in row}))), "laso-perceptron", epochs=2)
    began = time.perf_counter()
    model.fit(sentences, labels)
    trained = time.perf_counter()
    model.predict(sentences)
    learning, decoding = 2 * data.tokens / (trained - began), data.tokens / (time.perf_counter() - trained)
    print(f"a chain in Python: {learning:,.0f} tokens/s learning, {decoding:,.0f} decoding")


if __name__ == "__main__":
    warnings.simplefilter("ignore", riata.RiataWarning)
    train = riata.load("conll2000", "train")
    compare_recipes(train)
    python_chain(train[:1000])
