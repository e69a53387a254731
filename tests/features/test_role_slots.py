"""Trees, candidates and properties of slots, against slow and plain versions of themselves."""

import itertools

import numpy as np
import pytest
from hypothesis import strategies as st

import riata
from riata.estimators.roles import best_apart
from riata.features.roles.candidates import candidates
from riata.features.roles.properties import OF_BOTH, OF_PREDICATES, OF_SPANS, PROPERTIES, SentenceProperties, places
from riata.features.roles.slots import NO_ROLE, slots_of
from riata.features.roles.trees import NO_NODE, Constituents, Dependencies
from riata.features.templates import load
from samples import tried

CORPUS = riata.load("embedded-roles")
#         0    1     2    3     4    5      6       7
TAGS = ["DT", "NN", "VBD", "DT", "NN", "TO", "NNP", "."]
BRACKETS = ["(TOP(S(NP*", "*)", "(VP*", "(NP*", "*)", "(PP*", "(NP*)))", "*))"]
HEADS = [2, 3, 0, 5, 3, 7, 3, 3]
RELATIONS = ["det", "nsubj", "root", "det", "obj", "case", "obl", "punct"]


def test_brackets_become_a_tree():
    tree = Constituents.of(BRACKETS, TAGS)
    spans = {(tree.labels[n], tree.starts[n], tree.ends[n]) for n in range(8, len(tree.labels))}
    assert spans == {("TOP", 0, 8), ("S", 0, 8), ("NP", 0, 2), ("VP", 2, 7), ("NP", 3, 5), ("PP", 5, 7), ("NP", 6, 7)}
    assert [tree.labels[n] for n in tree.ancestors(6)] == ["NNP", "NP", "PP", "VP", "S", "TOP"]
    by_span = tree.by_span()
    assert tree.labels[by_span[0, 8]] == "TOP"  # the highest of two
    assert tree.labels[by_span[6, 7]] == "NP"
    assert by_span[2, 3] == 2
    for node, children in enumerate(tree.children):
        assert all(tree.parents[child] == node for child in children)
        if children:
            assert (tree.starts[children[0]], tree.ends[children[-1]]) == (tree.starts[node], tree.ends[node])


def test_labels_lose_their_functions_and_indices():
    tree = Constituents.of(["(NP-SBJ-1*", "*)", "(-X*)", "(NP=2*)"], ["A"] * 4)
    assert [tree.labels[n] for n in range(4, 7)] == ["NP", "-X", "NP"]


def test_candidates_are_those_of_the_paper_and_of_dependents():
    tree, words = Constituents.of(BRACKETS, TAGS), Dependencies.of(HEADS, RELATIONS)
    # The subject, the object, the prepositional phrase and its parts, the head of the object; no full stop.
    assert candidates(tree, words, 2) == [(0, 2), (3, 5), (4, 5), (5, 7), (5, 6), (6, 7)]


def test_coordinated_constituents_are_no_candidates():
    #  Ann came and (VP saw us)
    brackets = ["(S(NP*)", "(VP(VP*)", "*", "(VP*", "(NP*))))"]
    tree = Constituents.of(brackets, ["NNP", "VBD", "CC", "VBD", "PRP"])
    words = Dependencies.of([2, 0, 4, 2, 4], ["nsubj", "root", "cc", "conj", "obj"])
    assert candidates(tree, Dependencies.of([2, 0, 4, 0, 4], words.relations), 1) == [(0, 1), (2, 3)]
    assert candidates(tree, words, 3) == [(0, 1), (2, 3), (4, 5)]


def test_the_candidates_of_the_example_have_all_true_spans():
    for split in ("train", "test"):
        corpus = riata.load("embedded-roles", split)
        slots = slots_of(corpus, given=False)
        roles = [role for role in slots.corpus.columns[-1].texts() if role != NO_ROLE]
        assert len(roles) == sum(len(one.roles) for each in corpus.propositions for one in each)
        assert len(slots.corpus.columns[-1].texts()) < 8 * sum(map(len, corpus.propositions))


@st.composite
def dependencies(draw):
    n = draw(st.integers(1, 9))
    order = draw(st.permutations(range(1, n + 1)))
    heads = [0] * n
    for i, token in enumerate(order[1:], 1):
        heads[token - 1] = draw(st.sampled_from([0, *order[:i]]))
    return heads


@tried(200, dependencies())
def test_dependencies_are_as_enumeration_has_them(heads):
    n = len(heads)
    tree = Dependencies.of(heads, [f"r{i}" for i in range(n)])

    def ancestors(token):
        return [token] + ([] if heads[token] == 0 else ancestors(heads[token] - 1))

    for token in range(n):
        below = [other for other in range(n) if token in ancestors(other)]
        assert tree.spans[token] == (min(below), max(below) + 1)
        assert tree.whole[token] == (len(below) == max(below) + 1 - min(below))
        assert tree.depths[token] == len(ancestors(token)) - 1
    for a, b in itertools.product(range(n), repeat=2):
        ups, downs = tree.path(a, b)
        common = [x for x in ancestors(a) if x in ancestors(b)]
        top = common[0] if common else None
        assert ups == ancestors(a)[: ancestors(a).index(top) + 1 if common else None]
        assert downs == ancestors(b)[: ancestors(b).index(top) if common else None][::-1]
        if a < b:
            head = tree.head_of(a, b)
            assert tree.depths[head] == min(tree.depths[a:b])


@tried(300, st.lists(st.tuples(st.integers(0, 7), st.integers(1, 4), st.integers(-5, 9)), max_size=7))
def test_spans_apart_with_the_best_sum_are_those_of_enumeration(given):
    spans = [(start, start + length) for start, length, _ in given]
    gains = [float(gain) for _, _, gain in given]

    def apart(chosen):
        pairs = itertools.combinations(chosen, 2)
        return all(spans[a][1] <= spans[b][0] or spans[b][1] <= spans[a][0] for a, b in pairs)

    sets = (c for k in range(len(given) + 1) for c in itertools.combinations(range(len(given)), k))
    best = max(sum(gains[i] for i in chosen) for chosen in sets if apart(chosen))
    found = best_apart(spans, gains)
    assert apart(found) and sum(gains[i] for i in found) == best


def test_overlaps_are_seen_where_they_are():
    slots = slots_of(CORPUS, given=False)
    everything = np.ones(slots.corpus.tokens, bool)
    wrong = set(slots.overlapping(everything).tolist())
    for p in range(len(slots.corpus)):
        spans = slots.spans[slots.corpus.starts[p] : slots.corpus.starts[p + 1]].tolist()
        pairs = itertools.combinations(spans, 2)
        assert (p in wrong) == any(a < d and c < b for (a, b), (c, d) in pairs)
    assert not len(slots.overlapping(~everything))
    true = slots_of(CORPUS, given=True)
    assert not len(true.overlapping(np.ones(true.corpus.tokens, bool)))


def test_slots_have_a_column_for_every_property_and_their_roles():
    for true in (True, False):
        slots = slots_of(CORPUS, given=true)
        assert slots.corpus.width == len(PROPERTIES) + 1
        assert len(slots.spans) == slots.corpus.tokens
        assert len(slots.sentence) == len(slots.proposition) == len(slots.corpus)
        assert (slots.corpus.document == slots.sentence).all()
        for p, (s, k) in enumerate(zip(slots.sentence, slots.proposition, strict=True)):
            roles = {(a.start, a.end): a.type for a in CORPUS.propositions[s][k].roles}
            here = range(slots.corpus.starts[p], slots.corpus.starts[p + 1])
            texts = slots.corpus[p].column(-1)
            assert texts == [roles.get(tuple(slots.spans[i]), NO_ROLE) for i in here]


def test_properties_say_what_they_should():
    sentence = CORPUS[9:10]  # They sent the parcel that you lost to the office .
    described = SentenceProperties([sentence.sentences_of(i)[0] for i in range(sentence.width)])
    spans = dict(zip(OF_SPANS, described.of_span((7, 10)), strict=True))
    assert (spans["phrase"], spans["head"], spans["marker"], spans["parent"]) == ("PP", "office", "to", "VP")
    assert (spans["left"], spans["right"], spans["text"], spans["length"]) == ("NP", "$", "to the office", "3")
    assert (spans["word-before"], spans["tag-after"]) == ("lost", ".")
    predicate = dict(zip(OF_PREDICATES, described.of_predicate(1), strict=True))
    assert (predicate["roleset"], predicate["rule"]) == ("send.01", "VP:* NP PP")
    assert predicate["frame"] == "nsubj * obj obl"
    both = dict(zip(OF_BOTH, described.of_both((2, 4), 6), strict=False))
    assert (both["path"], both["way-up"]) == ("NP^NP!SBAR!S!VP!VBD", "NP^NP")
    assert (both["place"], both["distance"]) == ("before", "2")
    assert (both["dependency-path"], both["dependent"]) == ("/acl:relcl", "up")
    assert described.of_both((5, 6), 6)[4:6] == ("nsubj/", "nsubj")
    assert described.of_span((2, 6))[OF_SPANS.index("phrase")] == "-"  # no constituent
    assert described.of_both((2, 6), 1)[:2] == ("-", "-")


@pytest.mark.parametrize(("sentence", "token", "voice"), [(2, 3, "passive"), (1, 1, "active"), (6, 8, "VB")])
def test_voices(sentence, token, voice):
    columns = [CORPUS.sentences_of(i)[sentence] for i in range(CORPUS.width)]
    assert SentenceProperties(columns).of_predicate(token)[OF_PREDICATES.index("voice")] == voice


def test_places_mark_the_slot_among_those_that_no_other_contains():
    spans = [(0, 2), (3, 6), (3, 4), (6, 8)]
    assert places(spans, 2, ["NP", "NP", "DT", "PP"]) == ["<> * NP PP", "NP * <> PP", "NP * NP PP", "NP * NP <>"]


def test_a_forest_without_brackets_has_no_paths():
    columns = [["1", "2"], ["Go", "home"], ["go", "home"], ["X"] * 2, ["VB", "NN"], ["0", "1"], ["root", "obl"]]
    described = SentenceProperties([*columns, ["*", "*"], ["go", "-"], ["go.01", "-"]])
    assert candidates(described.tree, described.dependencies, 0) == [(1, 2)]
    assert described.of_both((1, 2), 0)[:2] == ("-", "-")
    assert described.of_predicate(0)[OF_PREDICATES.index("rule")] == "-"
    assert described.tree.parents == [NO_NODE, NO_NODE]


def test_the_named_template_reads_columns_that_slots_have_and_no_labels():
    templates = load("srl")
    columns = {read.column for template in templates for read in template.reads}
    assert columns <= set(range(len(PROPERTIES)))
    assert not any(template.edge for template in templates)
    assert not any(template.labels for template in templates)
