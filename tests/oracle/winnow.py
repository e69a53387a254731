"""Regularised Winnow in NumPy, in the order of the paper's algorithm: Zhang, Damerau & Johnson 2002."""

import numpy as np


def loss(v):
    """f: a straight line below -1, a square up to 1, nothing above."""
    return np.where(v < -1, -2 * v, np.where(v < 1, (v - 1) ** 2 / 2, 0.0))


class Classifier:
    """One of the binary classifiers. x: [examples, features]; y: 1 or -1; weights: of examples."""

    def __init__(self, x, y, weights, mu, c, eta):
        self.x, self.y, self.mu = x, y, mu
        self.c, self.eta = c * weights, eta * weights
        self.alpha = np.zeros(len(y))
        self.plus = np.full(x.shape[1], mu)
        self.minus = np.full(x.shape[1], mu)

    @property
    def w(self):
        return self.plus - self.minus

    def visit(self, i):
        x, y, c, alpha = self.x[i], self.y[i], self.c[i], self.alpha[i]
        if c == 0:
            return
        p = (self.w @ x) * y
        rate = min(self.eta[i], 1 / (1 / c + (self.plus + self.minus) @ x**2))  # differs: at most Newton's step
        d = max(min(2 * c - alpha, rate * ((c - alpha) / c - p)), -alpha)
        self.plus *= np.exp(d * x * y)
        self.minus *= np.exp(-d * x * y)
        self.alpha[i] += d

    def primal(self):
        entropy = sum((w * np.log(w / (np.e * self.mu))).sum() for w in (self.plus, self.minus))
        return entropy + (self.c * loss(self.y * (self.x @ self.w))).sum()

    def dual(self):
        some = self.c > 0
        gain = self.alpha[some] - self.alpha[some] ** 2 / (2 * self.c[some])
        return gain.sum() - (self.plus + self.minus).sum()
