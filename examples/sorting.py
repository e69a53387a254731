"""Sort words by swaps of neighbouring letters, where the order of the letters has to be learnt.

Only the examples say which of two letters comes first. The swaps of a word can be made in many orders, and all of the
shortest ones are right: the regret counts the swaps made and the pairs that are still in the wrong order.
"""

import random
from itertools import pairwise

import riata

ORDER = "qweasdzxc"  # only the teacher knows it


def inversions(word):
    rank = [ORDER.index(letter) for letter in word]
    return sum(rank[i] > rank[j] for j in range(len(rank)) for i in range(j))


class Sorting(riata.Problem):
    def initial(self, x): return x, 0, False  # the word, the number of swaps, whether it is declared sorted
    def actions(self, x, s): return [*range(len(x) - 1), "done"]
    def apply(self, x, s, a):
        word, swaps, _ = s
        if a == "done":
            return word, swaps, True
        return word[:a] + word[a + 1] + word[a] + word[a + 2 :], swaps + 1, False
    def is_goal(self, x, s): return s[2]
    def features(self, x, s, a):
        pairs = [left + right for left, right in pairwise(s[0])]
        return [f"swap {pairs[a]}"] if a != "done" else [f"done {pair}" for pair in pairs]
    def regret(self, x, s, y): return s[1] + inversions(s[0]) * (2 if s[2] else 1) - inversions(x)
    def key(self, x, s): return s[0], s[2]
    def output(self, x, s, path): return s[0]


def words(count, seed):
    draw = random.Random(seed)
    return ["".join(draw.sample(ORDER, draw.randint(2, 7))) for _ in range(count)]


def right(X): return ["".join(sorted(x, key=ORDER.index)) for x in X]


train, test = words(300, seed=1), words(200, seed=2)
for when, size in (("before", 1), ("after", len(train))):
    sorter = riata.Predictor(Sorting(), epochs=10).fit(train[:size], right(train[:size]))
    print(f"{when} learning ({size} words): {sorter.score(test, right(test)):.0%} of unseen words sorted")
print(*sorter.predict(["czq", "dasew"]))
