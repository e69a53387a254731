"""The hidden Markov model with plain dictionaries: log P(words, labels), as docs/crf.md defines it."""

import itertools
import math
from collections import Counter, defaultdict


def case(word):
    if word.lower() == word.upper():
        return "none"
    if word.islower():
        return "lower"
    if word.isupper():
        return "upper"
    return "title" if word[0].isupper() and word[1:].lower() == word[1:] else "mixed"


def levels(word, longest):
    """From the general to the special, without the word itself."""
    ends = [("suffix", case(word), word[-n:]) for n in range(1, longest + 1) if len(word) > n]
    return [("rare",), ("case", case(word)), *ends]


class Hmm:
    """sentences: lists of tuples, whose last column is the label; weights: one per sentence."""

    def __init__(self, sentences, labels, weights=None, transitions=1.0, words=1.0, suffixes=3.0, rare=10, longest=4):
        self.labels, self.longest = labels, longest
        self.k, self.k_word, self.k_level = transitions, words, suffixes
        weights = weights or [1.0] * len(sentences)
        width = len(sentences[0][0]) - 1
        self.after = defaultdict(Counter)
        self.general = Counter(dict.fromkeys(labels, 0.5))
        self.seen = [Counter() for _ in range(width)]
        self.words = [defaultdict(Counter) for _ in range(width)]
        tokens = stops = 0
        for sentence, weight in zip(sentences, weights, strict=True):
            path = ["<start>", *(token[-1] for token in sentence), "<stop>"]
            for before, label in itertools.pairwise(path):
                self.after[before][label] += weight
            stops += weight
            for *columns, label in sentence:
                tokens += weight
                self.general[label] += weight
                for c, word in enumerate(columns):
                    self.seen[c][word] += weight
                    self.words[c][word][label] += weight
        total = sum(self.general.values())
        self.general = {label: count / total for label, count in self.general.items()}
        self.stop = (stops + 0.5) / (tokens + 1)
        self.rare = [defaultdict(Counter) for _ in range(width)]
        for c in range(width):
            for word, counts in self.words[c].items():
                if self.seen[c][word] <= rare:
                    for level in levels(word, longest):
                        for label, count in counts.items():
                            self.rare[c][level][label] += count
        self.overall = [self._overall(c, tokens) for c in range(width)]

    def _overall(self, c, tokens):
        """P(y), such that P(w | y) sums to 1 over the words of training."""
        total = dict.fromkeys(self.labels, 0.0)
        for word, counts in self.words[c].items():
            for label, p in self.given_word(c, word).items():
                total[label] += sum(counts.values()) / tokens * p
        return total

    def given_word(self, c, word):
        """P(y | w)."""
        belief = self.general
        for counts, k in [(self.rare[c].get(level, {}), self.k_level) for level in levels(word, self.longest)] + [
            (self.words[c].get(word, {}), self.k_word)
        ]:
            total = sum(counts.values())
            belief = {y: (counts.get(y, 0) + k * belief[y]) / (total + k) for y in self.labels}
        return belief

    def emission(self, c, word, label):
        """P(w | y); of a word that training has not seen, without the factor P(w)."""
        tokens = sum(sum(counts.values()) for counts in self.words[c].values())
        share = sum(self.words[c][word].values()) / tokens if word in self.words[c] else 1.0
        return self.given_word(c, word)[label] * share / self.overall[c][label]

    def transition(self, before, label):
        """P(y | y'), of a next label or of the end."""
        counts = self.after[before]
        inner = self.stop if label == "<stop>" else (1 - self.stop) * self.general[label]
        believed = self.general[label] if before == "<start>" else inner
        return (counts[label] + self.k * believed) / (sum(counts.values()) + self.k)

    def log_joint(self, sentence, labels):
        path = ["<start>", *labels, "<stop>"]
        total = sum(math.log(self.transition(a, b)) for a, b in itertools.pairwise(path))
        return total + sum(
            math.log(self.emission(c, word, label))
            for token, label in zip(sentence, labels, strict=True)
            for c, word in enumerate(token)
        )
