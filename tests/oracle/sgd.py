"""Averaged stochastic gradient descent on a regularised likelihood: Bottou 2010, Sec. 2.3 and 5.2, with the weighted mean of Shamir &
Zhang 2013, Sec. 4; every vector is written out.
"""

import numpy as np

LEANING = 5  # of the mean towards later weights: eta in Shamir & Zhang


def run(losses, start, passes, decay, eta):
    """The point that is kept after the last pass, and the sum of losses in each pass.

    losses: [S] functions from weights to (value, gradient). passes: for each, the order of sentences; from the second on, the mean of all
    weights is kept. decay: of weights, lambda in Bottou's paper.

    Differs: the mean begins with the weights before the first step that it covers.
    """
    w, mean, time, averaged, values = np.array(start), None, 0, 0, []
    for number, order in enumerate(passes):
        value = 0.0
        for s in order:
            step = eta / (1 + decay * eta * time)
            loss, gradient = losses[s](w)
            value += loss
            w = w * (1 - step * decay)
            if number > 0 and mean is None:
                mean = w.copy()
            w = w - step * gradient
            time += 1
            if number > 0:
                averaged += 1
                share = (1 + LEANING) / (averaged + LEANING)
                mean = mean if averaged == 1 else (1 - share) * mean + share * w
        values.append(value)
    return (w if mean is None else mean), values
