"""Explanations made by hand of traces, for tests of what shows them."""

import riata
from riata.explaining.explanation import Decision, Explanation, Side
from riata.inference.trace import Feature, Trace


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
    """The trace of docs/trace.md: a tagger that a beam of one leads astray."""
    from riata.features.templates import parse
    from samples import quietly

    lines = "the old man sleeps", "the old boat sinks", "the man sleeps", "the old man the boat", "the old see the man"
    words = [line.split() for line in lines]
    tags = [line.split() for line in ("D A N V", "D A N V", "D N V", "D N V D N", "D N V D N")]
    tagger = riata.Tagger(recipe="laso-perceptron", beam=5, epochs=10, template=parse("word[0]\nedge"))
    quietly(tagger, words, tags).set_params(beam=beam)
    return tagger.trace(words[3], tags[3] if truth else None, features=features)
