"""Traces: they replay to what the search found, agree with Figure 2 over dictionaries, and change nothing."""

import ast
import copy
import json
import math
import random
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import strategies as st

from chain_problems import UNBOUNDED, followed, noise, options, random_labels, random_model
from checks import refused
from oracle.laso import Laso
from oracle.perceptron import score
from riata import Chunker, Predictor, Problem, RiataWarning, Tagger, Trace, _core
from riata.data.memory import as_corpus
from riata.errors import DataError, LabelError, NotFittedError, SettingError, UnsupportedError
from riata.models.model import Model
from riata.models.weights_by_name import by_name
from riata.problems.problem import defined
from riata.structures.chain.model import ChainOutputs
from samples import CHUNKS, FEATURES, INPUTS, TAGS, WORDS, for_each, tried

WHEN = ["laso", "early", "max-violation", "standard"]
WHAT = ["mean", "queue", "best", "loss-weighted"]
QUEUES = {
    "greedy": {"queue": "greedy"},
    "beam 2": {"beam": 2},
    "beam 70": {"beam": 70},
    "unbounded beam": {"beam": UNBOUNDED},
    "beam by prefix": {"beam": 2, "beam_by": "prefix"},
    "one pending": {"beam": 1, "beam_by": "pending"},
    "three pending": {"beam": 3, "beam_by": "pending"},
    "best-first": {"queue": "best-first"},
}
ENCODINGS = [None, "iob2"]
SINGLE = 1e-4  # what sums of single-precision numbers may be off by


# --- replaying -------------------------------------------------------------------------------------------------------
def width_of(trace):
    if trace.queue == "greedy":
        return 1
    return math.inf if trace.beam is None else trace.beam


def replayed(trace, key=lambda node: node):
    """The output, from the recorded scores alone: every front is chosen anew from all that was there to choose from.

    key: nodes of an equal one are merged when all that is pending is cut.
    """
    waiting = {0}
    for number, step in enumerate(trace.steps):
        rank = {node: trace.rank(number, node) for node in waiting}
        order = sorted(waiting, key=lambda node: (-rank[node], bool(trace.nodes[node].good), node))
        by_level = trace.queue == "greedy" or trace.beam_by in ("operations", "prefix")
        front = order[: min(len(order), width_of(trace))] if by_level else order[:1]
        assert step.front == tuple(front)
        assert trace.waiting(number) == (() if by_level else tuple(sorted(order[1:])))
        waiting = set() if by_level else set(order[1:])
        if step.restart:
            waiting = {node for node, _ in step.restart}
            continue
        if number + 1 == len(trace.steps):
            break
        waiting |= kept(trace, number, step)
        if trace.beam_by == "pending":
            cut_to_width(trace, number, waiting, key)
    return None if trace.goal is None else tuple(trace.path(trace.goal))


def kept(trace, number, step):
    """Checks that nothing better than what became a node was cut; what became one."""
    made = [node for node in step.enqueued if node not in step.front]
    worst = min((trace.rank(number, node) for node in made), default=-math.inf)
    for cut in step.cut:
        assert cut.parent in step.front
        rank = cut.score + cut.heuristic - (step.margin if cut.good else 0)
        if not cut.merged:
            assert rank <= worst
            assert len(made) == width_of(trace)
    return set(step.enqueued)


def cut_to_width(trace, number, waiting, key):
    best = {}
    for node in sorted(waiting, key=lambda n: (-trace.rank(number, n), bool(trace.nodes[n].good), n)):
        best.setdefault(key(node), node)
    stays = set(list(best.values())[: int(min(width_of(trace), len(best)))])
    assert trace.steps[number].pruned == tuple(sorted(waiting - stays))
    waiting &= stays


def check_scores(trace, within=1e-9):
    """Along every path: the score is that of the parent and what the features of the step weigh."""
    when = {node: number for number, step in enumerate(trace.steps) for node in step.enqueued}
    siblings = {s: i for i, step in enumerate(trace.steps) if step.update for s in step.update.siblings}
    for number, node in enumerate(trace.nodes):
        if node.parent is None:
            assert (number, node.score, node.depth, node.features) == (0, 0.0, 0, ())
            continue
        step = when.get(number, siblings.get(number))
        if step is None:
            continue  # passed on the way to a sibling
        weighed = sum(feature.value * feature.weight for feature in node.features)
        assert node.score == pytest.approx(trace.score(step, node.parent) + weighed, abs=within)
        assert node.depth == trace.nodes[node.parent].depth + 1


def sentences_of(problem):
    return [(s, sentence) for s, sentence in enumerate(problem.sentences) if sentence]


def trace_of(problem, weights, sentence, truth=None, follows=True, training=True, **chosen):
    model = Model(problem.features, weights, ChainOutputs(problem.labels, problem.legality))
    return followed(model, sentence, truth, follows=follows, training=training, **chosen)


def round_trip(trace):
    text = json.dumps(trace.to_dict(), allow_nan=False)
    again = Trace.from_dict(json.loads(text))
    assert again == trace
    assert again.to_dict() == trace.to_dict()


@for_each(encoding=ENCODINGS, queue=QUEUES)
def test_a_chain_replays_to_the_output(queue, encoding):
    for seed in range(4):
        problem, weights = random_model(seed, encoding, edges_by_word=seed % 2 == 1, most=[2, 64][seed // 2])
        found, named = problem.search(weights, **QUEUES[queue]), problem.by_name(weights)
        for s, sentence in sentences_of(problem):
            trace = trace_of(problem, weights, sentence, **QUEUES[queue])
            assert trace.output == replayed(trace) == found[s]
            assert trace.nodes[trace.goal].score == score(named, problem.inputs()[s], found[s])
            check_scores(trace)
            assert all(node.good is None and node.regret is None for node in trace.nodes)
            assert all(step.lost is step.wrong is step.update is None for step in trace.steps)
        assert problem.search(weights, **QUEUES[queue]) == found
        round_trip(trace)


@tried(40, st.integers(0, 10**6), st.sampled_from(WHEN), st.sampled_from(list(QUEUES)))
def test_a_trace_of_training_replays_too(seed, when, queue):
    problem, weights = random_model(seed, None, most=[2, 64][seed % 2])
    rng = random.Random(seed)
    for _, sentence in sentences_of(problem)[:2]:
        truth = random_labels(rng, problem, len(sentence))
        trace = trace_of(problem, weights, sentence, truth, when=when, step="alma", alpha=0.5, **QUEUES[queue])
        output = replayed(trace)
        assert trace.output == output
        if when == "laso":
            assert list(output) == truth  # it goes on until the truth is reached
        check_scores(trace)
        round_trip(trace)


# --- Figure 2 --------------------------------------------------------------------------------------------------------
class Unchanging(Laso):
    """The twin, with updates that are only written down."""

    def learn(self, x, y):
        self.made = []
        super().learn(x, y)

    def update(self, x, y, sibs, competitors):
        delta = {}
        for nodes in ([(n, 1 / len(sibs)) for n in sibs], [(n, -weight) for n, weight in competitors]):
            for node, weight in nodes:
                for key, value in self.phi(x, node.labels).items():
                    delta[key] = delta.get(key, 0.0) + weight * value
        if not competitors:
            delta = {}
        weighed = {named(key): (value, self.w.get(key, 0.0)) for key, value in delta.items() if abs(value) > 1e-12}
        away = sorted((n.labels, weight) for n, weight in competitors)
        self.made.append(([n.labels for n in sibs], away, weighed))


def named(key):
    """The twin's name of a weight, as a trace writes it."""
    (template, values), label = key
    reads = [part for part in template.split() if part != "edge"]
    texts = [f"{read}={text}" for read, (_, text) in zip(reads, values, strict=False)] or reads
    name = " ".join((["edge"] if template.startswith("edge") else []) + texts)
    return name, " -> ".join(label) if isinstance(label, tuple) else label


def updates_of(trace):
    found = []
    for step in trace.steps:
        if step.update is not None:
            away = sorted((trace.path(node), weight) for node, weight in step.update.competitors)
            weighed = {(f.name, f.label): (f.value, f.weight) for f in step.update.difference}
            found.append(([trace.path(node) for node in step.update.siblings], away, weighed))
    return found


@for_each(what=WHAT, when=WHEN, queue=QUEUES)
def test_updates_are_those_of_figure_2(queue, when, what):
    made = 0
    for seed, encoding in enumerate([None, "iob2", None]):
        template = ["word[0]\nedge", "word[-1]\nword[0]\nnumber(1)[0]\nedge word[0]"][seed % 2]
        problem = noise(seed, template, encoding)
        weights = problem.random_weights(seed)
        chosen = {**QUEUES[queue], "when": when, "update": what, "step": "alma", "alpha": 0.5}
        twin = Unchanging(problem.labels, options(**chosen), problem.legal, problem.by_name(weights))
        for (s, sentence), inputs in zip(enumerate(problem.sentences), problem.inputs(), strict=True):
            if not sentence:
                continue
            truth = problem.gold[s]
            twin.sentence(inputs, truth)
            trace = trace_of(problem, weights, sentence, truth, **chosen)
            for ours, theirs in zip(updates_of(trace), twin.made, strict=True):
                assert ours[0] == theirs[0]
                assert [labels for labels, _ in ours[1]] == [labels for labels, _ in theirs[1]]
                assert [w for _, w in ours[1]] == pytest.approx([w for _, w in theirs[1]])
                assert ours[2].keys() == theirs[2].keys()
                for key, pair in ours[2].items():
                    assert pair == pytest.approx(theirs[2][key], abs=1e-6)
            made += len(twin.made)
    assert made >= 5


def check_truth(trace, truth):
    """y-good, lost and wrong, from the paths alone."""
    good = [trace.path(i) == tuple(truth[: node.depth]) for i, node in enumerate(trace.nodes)]
    assert [node.good for node in trace.nodes] == good
    wrong = [sum(a != b for a, b in zip(trace.path(i), truth, strict=False)) for i, _ in enumerate(trace.nodes)]
    assert [node.regret for node in trace.nodes] == wrong
    held_before = True
    for number, step in enumerate(trace.steps):
        here = any(good[node] for node in (*step.front, *trace.waiting(number)))
        assert step.lost == (not here)
        assert (step.lost_by is not None) == (step.lost and held_before)
        assert step.wrong == (trace.nodes[step.front[0]].goal and not good[step.front[0]])
        held_before = here or bool(step.restart)
        for cut in step.cut:
            path = (*trace.path(cut.parent), cut.action)
            assert cut.good == (path == tuple(truth[: len(path)]))
    assert trace.losses == tuple(i for i, step in enumerate(trace.steps) if step.lost_by)


def lost_by(trace, number):
    """How the truth was lost: merged where a step of the front before has its label and another past, else pruned."""
    before = trace.steps[number - 1]
    depth = trace.nodes[before.front[0]].depth
    label = trace.truth[depth]
    rivals = [trace.nodes[node].action for node in before.enqueued] + [cut.action for cut in before.cut if not cut.good]
    return "merged" if label in rivals and not any(cut.good for cut in before.cut) else "pruned"


@for_each(follows=[True, False], when=WHEN, queue=QUEUES)
def test_the_truth_is_lost_where_no_right_path_is_left(queue, when, follows):
    losses = 0
    for seed in range(4):
        problem, weights = random_model(seed, ENCODINGS[seed % 2], most=[2, 64][seed // 2])
        rng = random.Random(seed)
        for _, sentence in sentences_of(problem):
            truth = random_labels(rng, problem, len(sentence))
            trace = trace_of(problem, weights, sentence, truth, follows, when=when, **QUEUES[queue])
            check_truth(trace, truth)
            losses += len(trace.losses)
            if trace.beam_by == "operations" or trace.queue == "greedy":
                assert [trace.steps[i].lost_by for i in trace.losses] == [lost_by(trace, i) for i in trace.losses]
            if not follows:
                assert trace.followed is None
                assert not any(step.update or step.restart or step.margin for step in trace.steps)
                assert replayed(trace) == trace.output
    assert losses > 0 or queue == "best-first"  # which keeps everything


@for_each(when=WHEN, queue=QUEUES)
def test_a_watched_search_predicts_and_shows_the_first_update(queue, when):
    updates = 0
    for seed in range(4):
        problem, weights = random_model(seed, ENCODINGS[seed % 2])
        rng = random.Random(seed)
        for _, sentence in sentences_of(problem):
            truth = random_labels(rng, problem, len(sentence))
            chosen = {"when": when, "step": "perceptron", **QUEUES[queue]}
            watched = trace_of(problem, weights, sentence, truth, training=False, **chosen)
            trained = trace_of(problem, weights, sentence, truth, **chosen)
            predicted = trace_of(problem, weights, sentence, **chosen)
            assert watched.output == predicted.output
            assert not any(step.restart or step.margin for step in watched.steps)
            made, would = ([step.update for step in trace.steps if step.update] for trace in (trained, watched))
            assert len(would) == min(len(made), 1)
            if made:
                updates += 1
                assert would[0].difference == made[0].difference
            check_scores(watched, SINGLE)
    assert updates > 0


@pytest.mark.parametrize("follows", [True, False])
def test_the_true_path_is_scored_from_the_start(follows):
    for seed in range(6):
        problem, weights = random_model(seed, ENCODINGS[seed % 2])
        for _, sentence in sentences_of(problem):
            truth = random_labels(random.Random(seed), problem, len(sentence))
            trace = trace_of(problem, weights, sentence, truth, follows, queue="greedy")
            assert [taken.action for taken in trace.true_path] == list(truth)
            model = Model(problem.features, weights, ChainOutputs(problem.labels, problem.legality))
            ids = np.array([problem.labels.index(label) for label in truth], np.int32)
            [scored] = model.scores_of(model.features.instances(as_corpus([sentence])), ids)
            assert trace.true_path[-1].score == pytest.approx(scored, abs=SINGLE)
            weighed = [sum(f.push for f in taken.features) for taken in trace.true_path]
            assert np.cumsum(weighed) == pytest.approx([taken.score for taken in trace.true_path], abs=SINGLE)
            round_trip(trace)


def test_both_ways_of_losing_the_truth_occur():
    found = set()
    for seed in range(6):
        problem, weights = random_model(seed)
        for _, sentence in sentences_of(problem):
            truth = random_labels(random.Random(seed), problem, len(sentence))
            for queue in ("greedy", "beam 2", "unbounded beam"):
                trace = trace_of(problem, weights, sentence, truth, **QUEUES[queue])
                found |= {(queue, trace.steps[i].lost_by) for i in trace.losses}
    assert {("greedy", "pruned"), ("beam 2", "pruned"), ("unbounded beam", "merged")} <= found
    assert ("unbounded beam", "pruned") not in found


# --- estimators ------------------------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def chunker():
    return Chunker(recipe="laso-perceptron", structure="chain", beam=2, epochs=3).fit(CHUNKS)


def packed(model):
    _, arrays = model.to_parts()
    return {name: array.tobytes() for name, array in arrays.items()}


@pytest.mark.parametrize("queue", [None, "greedy", "best-first", "depth-first", "breadth-first"])
def test_an_estimator_traces_what_it_predicts_and_stays_the_same(queue):
    chunker = Chunker(recipe="laso-perceptron", structure="chain", epochs=3).fit(CHUNKS)
    chunker.set_params(queue=queue)
    before, weights = chunker.predict(INPUTS), packed(chunker.model_)
    for sentence, tags, expected in list(zip(INPUTS, CHUNKS, before, strict=True))[2:]:  # short ones
        trace = chunker.trace(sentence)
        assert list(trace.output) == expected
        assert trace.input == tuple(word for word, _ in sentence)
        truth = [tag for _, _, tag in tags]
        with_truth = chunker.trace(sentence, truth, features=True)
        check_truth(with_truth, truth)
        assert (with_truth.followed is None) == (queue in ("depth-first", "breadth-first"))
        check_scores(with_truth, SINGLE)
        round_trip(with_truth)
    assert chunker.predict(INPUTS) == before
    assert packed(chunker.model_) == weights


def test_every_form_of_a_sentence_gives_the_same_trace(chunker):
    corpus = as_corpus(CHUNKS)
    expected = chunker.trace(INPUTS[1], [tag for _, _, tag in CHUNKS[1]])
    assert expected == chunker.trace(corpus[1:2], True) == chunker.trace(corpus[1], labels=True)
    assert expected == chunker.trace(CHUNKS[1], labels=True)
    assert chunker.trace(corpus[1]).truth is None


def test_features_given_by_the_user_have_their_names():
    tagger = Tagger(recipe="laso-alma", beam=1, epochs=2).fit(FEATURES, TAGS)
    trace = tagger.trace(FEATURES[0], TAGS[0], features=True)
    names = {feature.name for node in trace.nodes for feature in node.features}
    assert "length" in names
    assert trace.input == ("1", "2", "3", "4")
    assert trace.steps[1].margin > 0
    check_scores(trace, SINGLE)


def test_names_of_features_are_those_of_the_heaviest_weights(chunker):
    known = {(w.feature, w.label): w.weight for rows in by_name(chunker.model_).heaviest(10**6).values() for w in rows}
    seen = 0
    for sentence in INPUTS:
        for node in chunker.trace(sentence, features=True).nodes[1:]:
            for feature in node.features:
                if " -> " not in feature.label and feature.weight:
                    assert known[feature.name, feature.label] == pytest.approx(feature.weight)
                    seen += 1
    assert seen > 50


def test_a_model_of_whole_outputs_is_watched():
    watched = Chunker(epochs=1).fit(CHUNKS).set_params(queue="beam", beam=1)
    trace = watched.trace(INPUTS[1], [tag for _, _, tag in CHUNKS[1]])
    assert trace.followed is None
    assert [list(trace.output)] == watched.predict([INPUTS[1]])
    assert "watched only" in str(trace)


def test_illegal_tags_are_read_as_in_training(chunker):
    with pytest.warns(RiataWarning, match="Illegal"):
        trace = chunker.trace(INPUTS[0], ["I-NP", "I-NP", "B-VP", "O"])
    assert trace.truth == ("B-NP", "I-NP", "B-VP", "O")


def test_what_cannot_be_traced_is_refused(chunker):
    refusal = refused(UnsupportedError, "no queue", Chunker(epochs=1).fit(CHUNKS).trace, INPUTS[0])
    assert "beam" in refusal.remedy
    refused(LabelError, "'B-ADJP' is unknown", chunker.trace, INPUTS[0], ["B-NP", "I-NP", "B-ADJP", "O"])
    refused(DataError, "one sentence", chunker.trace, as_corpus(CHUNKS))
    refused(DataError, "one label per token", chunker.trace, INPUTS[0], ["B-NP"])
    refused(DataError, "no tokens", chunker.trace, [])
    refused(DataError, "", chunker.trace, "The dog")
    refused(DataError, "only the inputs", chunker.trace, INPUTS[0], True)
    refused(NotFittedError, "", Chunker().trace, WORDS[0])


def test_a_search_without_a_goal_is_traced_to_its_end():
    problem, weights = random_model(1, "bioes", labels=("B-X", "I-X", "O"))
    ends = [trace_of(problem, weights, sentence, queue="greedy") for _, sentence in sentences_of(problem)]
    dead = [trace for trace in ends if trace.goal is None]
    assert dead
    assert all(trace.output is None and str(trace).endswith("no goal was reached") for trace in dead)
    round_trip(dead[0])


def test_the_text_shows_where_the_truth_was_lost():
    problem, weights = random_model(0, longest=4)
    for _, sentence in sentences_of(problem):
        truth = random_labels(random.Random(0), problem, len(sentence))
        for when in WHEN:
            trace = trace_of(problem, weights, sentence, truth, when=when, queue="greedy")
            lines = str(trace).splitlines()
            assert sum("the truth is lost" in line for line in lines) == len(trace.losses)
            assert sum("restart from" in line for line in lines) == sum(bool(step.restart) for step in trace.steps)
            assert len([line for line in lines if line[:4].strip().isdigit()]) == len(trace.steps)
            assert lines[-1] == (f"output: {' '.join(trace.output)}" if trace.output else "stopped after the update")


def test_the_page_shows_what_it_prints(capsys):
    page = (Path(__file__).parents[2] / "docs" / "explain.md").read_text(encoding="utf-8").split("\n## Traces\n")[1]
    blocks = [block.partition("\n")[::2] for block in page.split("```")[1::2]]
    namespace = {}
    shown = 0
    for (language, text), (after, expected) in pairwise([*blocks, ("", "")]):
        if language == "python":
            exec(text, namespace)
            printed = capsys.readouterr().out
            if after == "" and expected:
                assert printed == expected
                shown += 1
    assert shown == 2


# --- problems in Python ----------------------------------------------------------------------------------------------
EXAMPLES = Path(__file__).parents[2] / "examples"


def definitions(name):
    """The functions, classes and constants of an example, without what it runs."""
    tree = ast.parse((EXAMPLES / f"{name}.py").read_text(encoding="utf-8"))

    def stays(node):
        constant = (
            isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id.isupper()
        )
        return constant or isinstance(node, (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef))

    tree.body = [node for node in tree.body if stays(node)]
    namespace = {}
    exec(compile(tree, name, "exec"), namespace)
    return namespace


def word_set():
    example = definitions("word_set")
    return example["WordSet"](), *example["lists"](30, 0)


def sorting():
    example = definitions("sorting")
    words = example["words"](30, 1)
    return example["Sorting"](), words, example["right"](words)


def entity_tracking():
    example = definitions("entity_tracking")
    return example["Tracking"](), *map(list, example["stories"](12, 0))


def eight_puzzle():
    example = definitions("eight_puzzle")
    far = example["distances"](8)
    boards = random.Random(0).sample([board for board, steps in far.items() if 2 <= steps <= 6], 12)
    return example["EightPuzzle"](far), boards, [None] * len(boards)


PROBLEMS = [word_set, sorting, entity_tracking, eight_puzzle]
SEARCHES = {
    "beam": {"beam": 3},
    "greedy": {"queue": "greedy"},
    "pending": {"beam": 4, "settings": {"beam_by": "pending"}},
    "best-first": {"queue": "best-first"},
    "wide": {"beam": 70},
}


def check_merged(trace, problem, x, states):
    """A candidate was merged if a node of its step has its key."""
    keyed = "key" in defined(problem)
    for step in trace.steps:
        keys = {problem.key(x, states[node]) for node in step.enqueued if node not in step.front} if keyed else set()
        for cut in step.cut:
            state = problem.apply(x, states[cut.parent], cut.action)
            assert cut.merged == (keyed and problem.key(x, state) in keys)


def key_of(problem, x, states):
    """From a node to the key of its state, or to itself where the problem has no keys."""
    keyed = type(problem).key is not Problem.key
    return lambda node: problem.key(x, states[node]) if keyed else node


def states_of(trace, problem, x):
    states = [problem.initial(x)]
    for node in trace.nodes[1:]:
        states.append(problem.apply(x, states[node.parent], node.action))
    return states


@for_each(search=SEARCHES, make=PROBLEMS)
def test_a_problem_replays_to_the_output_and_knows_what_is_right(make, search):
    problem, X, Y = make()
    model = Predictor(problem, recipe="laso-perceptron", epochs=1, beam=3).fit(X, Y)
    if make is eight_puzzle and search == "greedy":
        search = "beam"  # greedily it comes to a dead end
    model.set_params(**{"settings": None, **SEARCHES[search]})
    parts = copy.deepcopy(model.model_.parts())
    for x, y in list(zip(X, Y, strict=True))[: 1 if search == "wide" else 5]:
        predicted = model.predict([x])[0]
        expected = tuple(predicted) if isinstance(predicted, list) else predicted
        trace = model.trace(x, features=True)
        states = states_of(trace, problem, x)
        path = replayed(trace, key_of(problem, x, states))
        made = problem.output(x, states[trace.goal], list(path))
        assert (tuple(made) if isinstance(made, list) else made) == expected
        if isinstance(predicted, (str, list)):
            assert trace.output == (expected if isinstance(expected, tuple) else (expected,))
        check_scores(trace)
        check_merged(trace, problem, x, states)

        for when in WHEN:
            model.set_params(settings={**SEARCHES[search].get("settings", {}), "when": when})
            trace = model.trace(x, y, features=True)
            states = states_of(trace, problem, x)
            start = problem.regret(x, states[0], y)
            for node, state in zip(trace.nodes, states, strict=True):
                assert node.regret == problem.regret(x, state, y)
                right = node.parent is None or trace.nodes[node.parent].good
                assert node.good == (right and node.regret == start)
            for number, step in enumerate(trace.steps):
                here = (*step.front, *trace.waiting(number))
                assert step.lost == (not any(trace.nodes[node].good for node in here))
                if step.update is not None:
                    assert all(trace.nodes[node].good for node in step.update.siblings)
            check_scores(trace)
            replayed(trace, key_of(problem, x, states))
            round_trip(trace)
        assert model.predict([x])[0] == predicted
    assert model.model_.parts() == parts


class Pairs(Problem):
    """Actions that JSON has no word for, numbers among them, and features that the weights have never seen."""

    def initial(self, x):
        return 0

    def actions(self, x, s):
        return (("a", 1), frozenset([2]), np.int64(3), 4.5, math.inf, None, x == "new")

    def apply(self, x, s, a):
        return s + 1

    def is_goal(self, x, s):
        return s == 2

    def observe(self, x, s):
        return [f"{x} {s}"]

    def regret(self, x, s, y):
        return 0

    def heuristic(self, x, s):
        return 0.25 * (2 - s)


def test_actions_become_texts_where_json_has_no_word_for_them():
    model = Predictor(Pairs(), beam=9, epochs=1).fit(["x"], [None])  # which never does True
    parts = copy.deepcopy(model.model_.parts())
    trace = model.trace("new", None, features=True)
    assert {node.action for node in trace.nodes[1:8]} == {"('a', 1)", "frozenset({2})", 3, 4.5, "inf", None, True}
    assert trace.truth == (None,)
    assert {node.heuristic for node in trace.nodes} == {0.0, 0.25}
    assert {feature.name for node in trace.nodes[1:] for feature in node.features} == {"new 0", "new 1"}
    round_trip(trace)
    assert model.model_.parts() == parts


def test_a_problem_without_regret_is_traced_without_a_truth_only():
    class Blind(Pairs):
        regret = Problem.regret

    model = Predictor(Pairs(), epochs=1).fit(["x"], [None]).set_params(problem=Blind())
    assert model.trace("x").goal is not None
    refused(SettingError, "regret", model.trace, "x", None)


@pytest.mark.parametrize("queue", ["depth-first", "breadth-first"])
def test_queues_that_only_decode_are_watched(queue):
    problem, X, Y = word_set()
    model = Predictor(problem, epochs=1).fit(X, Y).set_params(queue=queue)
    trace = model.trace(X[0], Y[0])
    assert trace.followed is None
    assert not any(step.update or step.restart for step in trace.steps)


def test_a_goal_that_is_left_for_a_better_one_is_pruned():
    """Hill-climbing holds one node: every child that is not the best leaves the queue."""

    class Climb(Problem):
        def initial(self, x):
            return 0

        def actions(self, x, s):
            return (1, 2) if s < 6 else ()

        def apply(self, x, s, a):
            return s + a

        def is_goal(self, x, s):
            return True

        def features(self, x, s, a):
            return [(f"by {a}", 1)]

        def regret(self, x, s, y):
            return 0

    model = Predictor(Climb())
    model.model_ = _core.ProblemModel(["by 1", "by 2"], [], [-1, -1], [1.0, 2.0])
    trace = model.set_params(queue="hill-climb").trace(0)
    assert trace.output == (2, 2, 2)
    assert [[trace.nodes[i].action for i in step.pruned] for step in trace.steps] == [[1], [1], [1], []]
