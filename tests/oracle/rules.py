"""Rules on outputs, one part after the other, as their definition reads."""

from itertools import product


def chosen(parts, output):
    """How many parts are chosen. output: a list of labels per slot."""
    slots = range(len(output)) if parts.slots is None else parts.slots
    return sum(1 for slot in slots for label in output[slot] if parts.labels[label])


def keeps_rule(rule, output):
    if rule.when is not None and chosen(rule.when, output) == 0:
        return True
    count = chosen(rule.count, output)
    return rule.low <= count and (rule.high is None or count <= rule.high)


def keeps_automaton(automaton, output):
    state = 0
    for labels in output:
        for label in labels:
            state = automaton.next[state][label] if state >= 0 else -1
    return state >= 0 and bool(automaton.accepting[state])


def penalty(rules, labels):
    """The sum of the penalties of what is broken. labels: one per slot, -1 for none, or several per slot."""
    output = [[label for label in (slot if hasattr(slot, "__len__") else [slot]) if label >= 0] for slot in labels]
    broken = [rule for rule in rules.rules if not keeps_rule(rule, output)]
    broken += [automaton for automaton in rules.automata if not keeps_automaton(automaton, output)]
    broken += [predicate for predicate in rules.predicates if not predicate.function(labels)]
    return sum(one.penalty for one in broken)


def score(node, edge, labels):
    """Of one label per slot. edge: None, [L][L], or [T][L][L] where row t scores the step from slot t - 1 to t."""
    found = sum(node[t][label] for t, label in enumerate(labels))
    for t in range(1, len(labels) if edge is not None else 0):
        table = edge[t] if len(edge) and hasattr(edge[0][0], "__len__") else edge
        found += table[labels[t - 1]][labels[t]]
    return found


def best(node, edge, rules):
    """The best of all outputs by score minus penalties, with both; None if none is legal."""
    values = [
        (score(node, edge, labels) - penalty(rules, labels), labels)
        for labels in product(range(rules.labels), repeat=len(node))
    ]
    value, labels = max(values, key=lambda one: one[0])
    return None if value == float("-inf") else (labels, value)
