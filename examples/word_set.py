"""A set of words: the gold output can be built in several orders, and all of them are right.

Which words of a list go into the shopping basket? An action puts one more word in, or ends the search. As long as nothing wrong is
in the basket, every word that is still missing is a right next step, and each of them leads to a y-good sibling.
"""

import random

import riata

FOOD = ["apple", "bread", "cheese", "dates", "eggs", "flour", "grapes", "honey"]
OTHER = ["anvil", "brick", "candle", "drum", "engine", "fence", "glove", "hammer"]


class WordSet(riata.Problem):
    def initial(self, x): return frozenset(), False  # the words chosen, and whether that is all
    def actions(self, x, s): return [*(word for word in x if word not in s[0]), "."]
    def apply(self, x, s, a): return (s[0], True) if a == "." else (s[0] | {a}, False)
    def is_goal(self, x, s): return s[1]
    def features(self, x, s, a):
        if a != ".":
            return [f"take {a}"]
        return [f"leave {word}" for word in x if word not in s[0]]
    def regret(self, x, s, y): return len(s[0] - y) + (len(y - s[0]) if s[1] else 0)
    def key(self, x, s): return s
    def output(self, x, s, path): return s[0]


def lists(count, seed):
    draw = random.Random(seed)
    X = [draw.sample(FOOD + OTHER, draw.randint(1, 8)) for _ in range(count)]
    return X, [frozenset(x) & set(FOOD) for x in X]


(X, Y), (unseen, truth) = lists(200, seed=0), lists(200, seed=1)
for when, size in (("before", 1), ("after", len(X))):
    shopper = riata.Predictor(WordSet(), epochs=10).fit(X[:size], Y[:size])
    print(f"{when} learning ({size} lists): {shopper.score(unseen, truth):.0%} of unseen lists right")
