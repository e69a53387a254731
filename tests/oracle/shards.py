"""Iterative parameter mixing (McDonald, Hall & Mann 2010, Fig. 3) over dictionaries, around a twin that takes one epoch from given weights.

Differs: the average, which the figure does not have, is over the initial weights, once for every shard,
and the weights of every shard after each of its examples.
"""

from typing import NamedTuple


class Mixed(NamedTuple):
    last: dict
    averaged: dict


def add(to, weights, scale):
    for key, value in weights.items():
        to[key] = to.get(key, 0.0) + scale * value


def iterative_mixing(one_epoch, orders):
    """one_epoch(order, start): what a twin learns, with `last` and `averaged`; orders: per epoch, those of the shards."""
    shards = len(orders[0])
    w, total, count = {}, {}, shards
    for epoch in orders:
        trained = [one_epoch(order, w) for order in epoch]
        for order, one in zip(epoch, trained, strict=True):
            add(total, one.averaged, len(order) + 1)  # the twin's mean is over its start too, which is counted already
            add(total, w, -1)
            count += len(order)
        w = {}
        for one in trained:
            add(w, one.last, 1 / shards)
    return Mixed(w, {key: value / count for key, value in total.items()})
