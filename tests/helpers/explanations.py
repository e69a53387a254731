"""Explanations made by hand of traces, for tests of what shows them."""

from dataclasses import replace
from functools import cache

import riata
from python_problems import Tagging
from riata import Chunker, JointTagger, Predictor, Tagger
from riata.explaining.explanation import Decision, Explanation, Side
from riata.explaining.trace import Feature, Trace
from riata.features.templates import parse

ODD = [
    "</script><script>alert(1)</script>",
    "<b>bold</b>",
    "<!--",
    "]]>",
    "\"'&amp;`",
    "{{data}}{{script}}",
    "😀",
    "שלום",
    "\u202ertl",
    "\x00\x1b[31m\x7f",
    "\u2028\u2029",
    "\ud800",
    "",
    "a" * 5000,
]


def path_features(trace, node):
    """(name, label, weight) to value, over the steps to a node."""
    found, at = {}, trace.nodes[node]
    while at.parent is not None:
        for f in at.features or ():
            key = (f.name, f.label, f.weight)
            found[key] = found.get(key, 0) + f.value
        at = trace.nodes[at.parent]
    return found


def side(trace, name, node, labels):
    score = sum(value * weight for (_, _, weight), value in path_features(trace, node).items())
    return Side(name, labels, trace.path(node), score)


def explained(trace: Trace, fault: str | None = None, note: str | None = None, *, search: bool = True) -> Explanation:
    """The output beside the best other goal of the trace. search: with the trace."""
    goals = [i for i, node in enumerate(trace.nodes) if node.goal and i != trace.goal]
    best = max(goals, key=lambda i: trace.nodes[i].score, default=None)
    chosen = side(trace, "output", trace.goal, trace.output)
    other = None if best is None else side(trace, "runner-up", best, trace.path(best))
    pushes = path_features(trace, trace.goal)
    for key, value in ({} if best is None else path_features(trace, best)).items():
        pushes[key] = pushes.get(key, 0) - value
    rows = [Feature(name, label, value, weight) for (name, label, weight), value in pushes.items() if value]
    rows.sort(key=lambda f: -abs(f.push))
    return Explanation(
        trace.input, trace.truth, Decision(chosen, other, tuple(rows)), fault, trace if search else None, note
    )


def garden_path(beam=1, *, truth=True, features=True):
    """The trace of docs/explain.md: a tagger that a beam of one leads astray."""

    lines = "the old man sleeps", "the old boat sinks", "the man sleeps", "the old man the boat", "the old see the man"
    words = [line.split() for line in lines]
    tags = [line.split() for line in ("D A N V", "D A N V", "D N V", "D N V D N", "D N V D N")]
    tagger = Tagger(recipe="laso-perceptron", beam=5, epochs=10, template=parse("word[0]\nedge"))
    tagger.fit(words, tags).set_params(beam=beam)
    return tagger.trace(words[3], tags[3] if truth else None, features=features)


@cache
def long_trace(name):
    """A sentence of 30 tokens under a beam of 25, with the features of all nodes."""
    columns = ("word", "tag", "chunk")
    train, test = (riata.load("embedded", split, columns) for split in ("train", "test"))
    makers = {
        "chain": lambda: Chunker("laso-alma", structure="chain", beam=5, epochs=3),
        "segments": lambda: Chunker("laso-alma", structure="segments", beam=5, epochs=3),
        "joint": lambda: JointTagger("laso-alma", beam=5, epochs=3),
    }
    estimator = makers[name]().fit(train).set_params(beam=25)
    longest = max(range(len(test)), key=lambda i: len(test[i].column(0)))
    trace = estimator.trace(test[longest : longest + 1], True, features=True)
    assert len(trace.input) == 30
    return trace


def own_trace():
    X, Y = [["a", "b", "c"], ["b", "a", "c"]], [["V", "C", "C"], ["C", "V", "C"]]
    model = Predictor(Tagging(), recipe="laso-perceptron", beam=2, epochs=2).fit(X, Y)
    return model.trace(X[0], Y[0], features=True)


def odd_explanation(text):
    """Everything in it that a user may have written is this text."""
    trace = garden_path(1)
    strange = (text,) * len(trace.input)
    nodes = tuple(
        node if node.parent is None else replace(node, action=text, features=(Feature(text, text, 1.0, 1.0),))
        for node in trace.nodes
    )
    trace = replace(trace, input=strange, truth=strange, output=strange, nodes=nodes)
    side = Side("output", strange, strange, 1.0)
    return Explanation(strange, strange, Decision(side, None, (Feature(text, text, 1.0, 1.0),)), "model", trace, text)
