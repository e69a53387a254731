"""Max-margin learning as the papers print it, over dictionaries, outputs by enumeration.

A problem is a list of sentences; a sentence is a list of planes (delta, loss), one for every output y: the features of the truth
minus those of y, and the loss of y. The truth itself is ({}, 0). The objective is 1/2 |w|^2 + sum of caps * hinge; with n caps of
C, this is C n times lambda/2 |w|^2 + 1/n sum of hinges, where lambda = 1 / (C n).
"""

from oracle.mira import product


def rescaled(problem):
    """Slacks scaled by the loss: loss (1 - w.delta) instead of loss - w.delta."""
    return [[({k: loss * v for k, v in delta.items()}, loss) for delta, loss in planes] for planes in problem]


def hinge(w, planes):
    return max(loss - product(delta, w) for delta, loss in planes)


def worst(w, planes):
    """The plane of the output that violates its margin most; the truth unless another one does."""
    found = max(planes, key=lambda plane: plane[1] - product(plane[0], w))
    return found if found[1] - product(found[0], w) > 0 else ({}, 0.0)


def objective(w, problem, caps):
    return product(w, w) / 2 + sum(cap * hinge(w, planes) for cap, planes in zip(caps, problem, strict=True))


def combined(*parts):
    """The sum of dictionaries, each times a number."""
    found = {}
    for times, part in parts:
        for key, value in part.items():
            found[key] = found.get(key, 0.0) + times * value
    return found


def frank_wolfe(problem, caps, orders):
    """Lacoste-Julien et al. 2013, Alg. 4, times C n. Returns the weights, their weighted average, and both offsets."""
    n = len(problem)
    w, offset = {}, 0.0
    w_of, offset_of = [{} for _ in range(n)], [0.0] * n
    mean, mean_offset, total = {}, 0.0, 1.0  # the weights of 0 count once
    k = 0
    for order in orders:
        for i in order:
            delta, loss = worst(w, problem[i])  # 1. the oracle
            w_s, offset_s = combined((caps[i], delta)), caps[i] * loss  # 2. the corner
            change = combined((1, w_s), (-1, w_of[i]))
            length = product(change, change)
            if length:
                gap = offset_s - offset_of[i] - product(change, w)
                gamma = min(max(gap / length, 0.0), 1.0)  # 3. the line search
                w_of[i] = combined((1 - gamma, w_of[i]), (gamma, w_s))  # 4. the update of the block and of the weights
                w = combined((1, w), (gamma, change))
                offset += gamma * (offset_s - offset_of[i])
                offset_of[i] = (1 - gamma) * offset_of[i] + gamma * offset_s
            k += 1
            total += k + 1
            mean = combined((1 - (k + 1) / total, mean), ((k + 1) / total, w))
            mean_offset += (k + 1) / total * (offset - mean_offset)
    return w, mean, offset, mean_offset


def stochastic(problem, caps, orders):
    """Shalev-Shwartz et al. 2011, Fig. 1, from t = n on, without projection; the average counts step t times t."""
    n, w, mean, total = len(problem), {}, {}, 1.0
    t = n
    for order in orders:
        for i in order:
            t += 1
            delta, _ = worst(w, problem[i])
            w = combined((1 - 1 / t, w), (caps[i] * n / t, delta))  # 1 / (lambda t) is C n / t
            total += t - n
            mean = combined((1 - (t - n) / total, mean), ((t - n) / total, w))
    return w, mean


def batch(problem, caps, steps):
    """Subgradient steps of all sentences, of size 1 / (lambda t)."""
    w, mean, total = {}, {}, 1.0
    for t in range(1, steps + 1):
        planes = [(cap / t, worst(w, planes)[0]) for cap, planes in zip(caps, problem, strict=True)]
        w = combined((1 - 1 / t, w), *planes)
        total += t + 1
        mean = combined((1 - (t + 1) / total, mean), ((t + 1) / total, w))
    return w, mean


def one_slack(problem, C, epsilon, solve):
    """Joachims, Finley & Yu 2009, Alg. 3. solve(planes, C): the weights and the slack that are optimal under these planes alone."""
    working, w, slack = [], {}, 0.0
    while True:
        found = [worst(w, planes) for planes in problem]
        delta, loss = combined(*((1, one) for one, _ in found)), sum(loss for _, loss in found)
        if loss - product(delta, w) <= slack + epsilon * len(problem):
            return w, len(working)
        working.append((delta, loss))
        w, slack = solve(working, C)
