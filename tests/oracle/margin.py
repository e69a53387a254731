"""Max-margin learning as the papers print it, over dictionaries, outputs by enumeration.

A problem is a list of sentences; a sentence is a list of planes (delta, loss), one for every output y: the features of the truth
minus those of y, and the loss of y. The truth itself is ({}, 0). The objective is 1/2 |w|^2 + sum of caps * hinge; with n caps of
C, this is C n times lambda/2 |w|^2 + 1/n sum of hinges, where lambda = 1 / (C n).
"""

import math

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


def ties(w, planes):
    """How many outputs violate their margins as much as the worst one does, beside it; planes that are equal count once."""
    most = max(loss - product(delta, w) for delta, loss in planes)
    near = [plane for plane in planes if most > 0 and abs(plane[1] - product(plane[0], w) - most) < 1e-9]
    return len({(frozenset((k, v) for k, v in delta.items() if v), loss) for delta, loss in near} or {()}) - 1


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


def stochastic(problem, caps, orders, met=None):
    """Shalev-Shwartz et al. 2011, Fig. 1, from t = n on, without projection; the average counts step t times t.

    met: a list to which the number of ties of every step is added.
    """
    n, w, mean, total = len(problem), {}, {}, 1.0
    t = n
    for order in orders:
        for i in order:
            t += 1
            if met is not None:
                met.append(ties(w, problem[i]))
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


def expected(planes, logs):
    """The mean plane (delta, loss) under probabilities proportional to exp(logs), and the logarithm of their sum."""
    most = max(logs)
    total = sum(math.exp(log - most) for log in logs)
    shares = [math.exp(log - most) / total for log in logs]
    delta = combined(*((share, plane[0]) for share, plane in zip(shares, planes, strict=True)))
    return delta, sum(share * plane[1] for share, plane in zip(shares, planes, strict=True)), most + math.log(total)


def exponentiated_gradient(problem, caps, orders, closeness=4.0):
    """Collins et al. 2008, Sec. 3: online updates of the dual, with rates that adapt (Sec. 8). Returns the weights and the offset.

    Differs: a distribution starts at exp(-closeness * loss) when its sentence is first visited.
    """
    w, offset = {}, 0.0
    logs, parts, rates = [None] * len(problem), [({}, 0.0)] * len(problem), [1.0] * len(problem)

    def exchange(i, delta, loss):
        return combined((caps[i], delta), (-1, parts[i][0])), caps[i] * loss - parts[i][1]

    def accept(i, change, gain):
        nonlocal w, offset
        w, offset = combined((1, w), (1, change)), offset + gain
        parts[i] = (combined((1, parts[i][0]), (1, change)), parts[i][1] + gain)

    for order in orders:
        for i in order:
            planes = problem[i]
            if logs[i] is None:
                logs[i] = [-closeness * loss for _, loss in planes]
                accept(i, *exchange(i, *expected(planes, logs[i])[:2]))
            for _ in range(30):
                gradient = [loss - product(delta, w) for delta, loss in planes]  # of the dual objective, by the caps
                proposed = [log + rates[i] * slope for log, slope in zip(logs[i], gradient, strict=True)]
                change, more = exchange(i, *expected(planes, proposed)[:2])
                better = more - product(change, w) - product(change, change) / 2 >= 0
                if better:
                    logs[i] = proposed
                    accept(i, change, more)
                rates[i] *= 1.05 if better else 0.5
                if better:
                    break
    return w, offset


def extragradient(problem, caps, iterations):
    """The extragradient method (Taskar et al. 2006) with steps by relative entropy (Nemirovski 2004). Returns the weights that belong to
    the distributions of the last inner point, and the offset."""
    n = len(problem)
    step, w, logs = 1.0, {}, [[0.0] * len(planes) for planes in problem]

    def gradient(distributions):
        planes = [expected(problem[i], distributions[i]) for i in range(n)]
        slope = combined(*((caps[i], planes[i][0]) for i in range(n)))
        return slope, sum(caps[i] * planes[i][1] for i in range(n))

    def moved(by, slope):
        """From (w, logs), by the gradient at the weights `by` and at the distributions that have this expected slope."""
        weights = combined((1, w), (step, slope), (-step, by))
        return weights, [
            [log + step * (loss - product(delta, by)) for log, (delta, loss) in zip(logs[i], problem[i], strict=True)]
            for i in range(n)
        ]

    def entropy(to, of):
        """The sum over sentences of cap times the relative entropy."""
        total = 0.0
        for i in range(n):
            log_to, log_of = expected(problem[i], to[i])[2], expected(problem[i], of[i])[2]
            for a, b in zip(to[i], of[i], strict=True):
                total += caps[i] * math.exp(a - log_to) * (a - log_to - b + log_of)
        return total

    found = {}, 0.0
    for _ in range(iterations):
        while True:
            inner_w, inner_logs = moved(w, gradient(logs)[0])
            slope, offset = gradient(inner_logs)
            next_w, next_logs = moved(inner_w, slope)
            next_slope, next_offset = gradient(next_logs)
            along = product(combined((1, inner_w), (-1, slope)), combined((1, inner_w), (-1, next_w)))
            along += (next_offset - product(inner_w, next_slope)) - (offset - product(inner_w, slope))
            apart = combined((1, next_w), (-1, w))
            if step * along <= product(apart, apart) / 2 + entropy(next_logs, logs) + 1e-12:
                break
            step /= 2
        found, w, logs = (slope, offset), next_w, next_logs
        step = min(1.2 * step, 1.0)
    return found
