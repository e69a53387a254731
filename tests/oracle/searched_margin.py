"""Subgradient steps against what a loss-augmented search finds, over dictionaries, as Shalev-Shwartz et al. 2011, Fig. 1, prints the steps.

The score of a path is that of its features plus the loss of its steps. Steps are counted from t = n, and the average counts step t
times t - n, as in oracle.margin.stochastic.
"""

from oracle.joint import JointLaso
from oracle.laso import NOTHING, norm
from oracle.margin import combined
from oracle.mira import product


class Steps:
    """The steps of n examples and their average."""

    def __init__(self, n, C, initial=None):
        self.n, self.t, self.C = n, n, C
        self.w = dict(initial or {})
        self.mean, self.total = dict(self.w), 1.0

    def take(self, delta, weight=1.0):
        """delta: the features of the truth minus those of what was found; empty where that is no violation."""
        self.t += 1
        self.w = combined((1 - 1 / self.t, self.w), (weight * self.C * self.n / self.t, delta))
        times = self.t - self.n
        self.total += times
        self.mean = combined((1 - times / self.total, self.mean), (times / self.total, self.w))


def of_problem(problem, X, Y, C, beam, orders, weights=None):
    """A riata.Problem with loss_increment, features with values and one right path per input. beam: its width.

    Returns the last weights and the average.
    """
    steps = Steps(len(X), C)
    for i in (i for order in orders for i in order):
        x, y = X[i], Y[i]

        def grown(node, a, x=x, y=y):
            path, s, phi, loss = node
            added = dict(problem.features(x, s, a))
            more = problem.loss_increment(x, s, a, y)
            return (*path, a), problem.apply(x, s, a), combined((1, phi), (1, added)), loss + more

        def score(node):
            return product(node[2], steps.w) + node[3]

        level = [((), problem.initial(x), {}, 0.0)]
        while not all(problem.is_goal(x, node[1]) for node in level):
            level = [grown(node, a) for node in level for a in problem.actions(x, node[1])]
            level = sorted(level, key=score, reverse=True)[:beam]
        truth = ((), problem.initial(x), {}, 0.0)
        while not problem.is_goal(x, truth[1]):
            right = [grown(truth, a) for a in problem.actions(x, truth[1])]
            (truth,) = [node for node in right if problem.regret(x, node[1], y) == 0]
        delta = combined((1, truth[2]), (-1, level[0][2]))
        violated = score(level[0]) - score(truth) > NOTHING
        steps.take(delta if violated else {}, 1.0 if weights is None else weights[i])
    return steps.w, steps.mean


class JointMargin(JointLaso):
    """Tags with chunk labels. The loss of a path is the number of its wrong tags and chunk labels."""

    def __init__(self, problem, settings, initial):
        super().__init__(problem, settings, initial)
        self.steps = Steps(len(problem.sentences), self.C, initial)
        self.found = []  # by example: the hinge loss, at the weights before the step

    def sentence(self, inputs, gold, weight=1.0):
        self.weight, self.delta_found, self.hinge = weight, {}, 0.0
        self.learn(inputs, tuple(gold))
        self.steps.take(self.delta_found, weight)
        self.w = self.steps.w
        self.found.append(self.hinge)
        self.binary = False

    def averaged(self):
        return self.steps.mean

    def make_node(self, x, y, labels):
        node = super().make_node(x, y, labels)
        return node._replace(score=node.score + wrong(labels, y))

    def take_step(self, delta, cost):
        self.hinge = max(cost - self.dot(delta), 0.0)
        if not delta or self.hinge <= NOTHING:
            return
        self.updates += 1
        self.non_violating += self.dot(delta) > NOTHING
        self.largest_difference = max(self.largest_difference, norm(delta))
        self.delta_found = delta


def wrong(path, truth):
    return sum(a != b for one, other in zip(path, truth, strict=False) for a, b in zip(one, other, strict=True))
