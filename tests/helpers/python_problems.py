"""Search problems in Python that several tests use, and predictors with given weights."""

import itertools
import random

from riata import Predictor, Problem, _core, registry

WORDS = ["hello", "world", "banana", "", "tree", "aeon"]
TAGS = [["V" if c in "aeiou" else "C" for c in word] for word in WORDS]

RECIPES = [name for name in registry.names("recipe") if registry.get("recipe", name).searches]


class LeftToRight(Problem):
    """An action for every element of the input; a state is what was done."""

    def initial(self, x):
        return ()

    def apply(self, x, s, a):
        return (*s, a)

    def is_goal(self, x, s):
        return len(s) == len(x)


class Tagging(LeftToRight):
    """The contract's example."""

    def actions(self, x, s):
        return ("V", "C")

    def features(self, x, s, a):
        return [f"w={x[len(s)]}|{a}", f"p={s[-1:]}|{a}"]

    def regret(self, x, s, y):
        return sum(a != b for a, b in zip(s, y, strict=False))


class Observing(LeftToRight):
    """Labels from left to right, scored by the word and the label before, with features joined natively."""

    def __init__(self, labels=("A", "B", "C")):
        self.labels = labels

    regret = Tagging.regret

    def actions(self, x, s):
        return self.labels

    def observe(self, x, s):
        return [f"w={x[len(s)]}", f"p={s[-1:]}"]


class Keyed(Observing):
    def key(self, x, s):
        return len(s), s[-1:]


class Admissible(Observing):
    """With h: the sum of the best steps at the positions still to come."""

    def __init__(self, weights, slack=0.0):
        super().__init__()
        self.weights, self.slack, self.expanded = weights, slack, 0

    def actions(self, x, s):
        self.expanded += 1
        return self.labels

    def heuristic(self, x, s):
        def best(t):
            before = [f"p={(label,)!r}" for label in self.labels] if t else ["p=()"]
            steps = itertools.product(before, self.labels)
            return max(self.weights[f"w={x[t]}", a] + self.weights[p, a] for p, a in steps)

        return sum(best(t) + self.slack for t in range(len(s), len(x)))


def with_weights(problem, weights, **params):
    """A predictor with weights by name or (name, action)."""
    made = Predictor(problem, **params)
    actions = sorted({key[1] for key in weights if isinstance(key, tuple)}, key=repr)
    names = [key[0] if isinstance(key, tuple) else key for key in weights]
    of = [actions.index(key[1]) if isinstance(key, tuple) else -1 for key in weights]
    made.model_ = _core.ProblemModel(names, actions, of, list(weights.values()))
    return made


def random_weights(seed, labels=("A", "B", "C"), letters="xyz"):
    draw = random.Random(seed)
    names = [f"w={c}" for c in letters] + [f"p={p!r}" for p in [(), *((label,) for label in labels)]]
    return {(name, label): draw.uniform(-1, 1) for name in names for label in labels}


def score(problem, weights, x, path):
    total, s = 0.0, problem.initial(x)
    for a in path:
        total += sum(weights.get((name, a), 0.0) for name in problem.observe(x, s))
        s = problem.apply(x, s, a)
    return total


def best_of_all(problem, weights, x):
    every = itertools.product(problem.labels, repeat=len(x))
    return list(max(every, key=lambda path: score(problem, weights, x, path)))


class WordSet(Problem):
    """The gold set can be produced in any order."""

    def initial(self, x):
        return frozenset(), False

    def actions(self, x, s):
        return [*(word for word in x if word not in s[0]), "."]

    def apply(self, x, s, a):
        return (s[0], True) if a == "." else (s[0] | {a}, False)

    def is_goal(self, x, s):
        return s[1]

    def features(self, x, s, a):
        return [f"take {a}"] if a != "." else [f"leave {word}" for word in x if word not in s[0]]

    def regret(self, x, s, y):
        return len(s[0] - y) + (len(y - s[0]) if s[1] else 0)

    def output(self, x, s, path):
        return s[0]


class KeyedSet(WordSet):
    def key(self, x, s):
        return s
