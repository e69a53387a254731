"""Constraints on trees: exact trees against enumeration, moves against what constraints ask, per head and per sentence."""

import itertools
import pickle

import pytest

import riata
from all_trees import all_trees
from riata import constraints as c
from riata.data.memory import as_corpus
from riata.errors import SearchError, SettingError, UnsupportedError
from riata.features.arcs import parse
from riata.inference.structures.transitions import SYSTEMS
from riata.models import constrained_trees
from samples import quietly, treebank

pytestmark = pytest.mark.filterwarnings("ignore::riata.RiataWarning")
SIBLINGS = "arc head.tag[0] child.tag[0]\nrelation child.tag[0]\nsibling sibling.tag[0] child.tag[0]"
SENTENCE = [("dog", "NOUN"), ("cat", "NOUN"), ("saw", "VERB"), ("bus", "NOUN")]
RELATIONS = 3  # of the small grammar that trees are enumerated for


def subject_is_first(tree):
    """A user's function."""
    return all(head > child or relation != "nsubj" for child, (head, relation) in enumerate(tree, 1))


def children(tree, head):
    return [relation for of, relation in tree if of == head]


def keeps_at_most(tree, k, names):
    return all(sum(r in names for r in children(tree, head)) <= k for head in range(1, len(tree) + 1))


# Constraints, and how many rules each of which with its penalty a tree breaks.
CASES = {
    "per head": ([c.at_most(1, "nsubj", per="head")], lambda tree: not keeps_at_most(tree, 1, ["nsubj"])),
    "none at all": ([c.at_most(0, "nsubj")], lambda tree: "nsubj" in [r for _, r in tree]),
    "at least, per head where": (
        [c.at_least(1, "obj", per="head", where={1: "VERB"})],
        lambda tree: "obj" not in children(tree, 3),
    ),
    "at least": ([c.at_least(2, "obj")], lambda tree: [r for _, r in tree].count("obj") < 2),
    "excludes per head": (
        [c.excludes("nsubj", "obj", per="head")],
        lambda tree: any({"nsubj", "obj"} <= set(children(tree, head)) for head in range(1, 5)),
    ),
    "requires per head": (
        [c.requires("obj", "nsubj", per="head")],
        lambda tree: any("obj" in (of := children(tree, head)) and "nsubj" not in of for head in range(1, 5)),
    ),
    "implies": (
        [c.implies("nsubj", c.exactly(2, "obj"))],
        lambda tree: "nsubj" in (all_ := [r for _, r in tree]) and all_.count("obj") != 2,
    ),
    "before": (
        [c.requires("obj", "nsubj", side="before")],
        lambda tree: "obj" in (all_ := [r for _, r in tree]) and "nsubj" not in all_[: all_.index("obj")],
    ),
    "neighbours": (
        [c.transitions(forbidden=[("nsubj", "root"), ("root", "obj")])],
        lambda tree: bool({("nsubj", "root"), ("root", "obj")} & set(itertools.pairwise(r for _, r in tree))),
    ),
    "same": (
        [c.same(by=1)],
        lambda tree: len({r for (_, r), (_, tag) in zip(tree, SENTENCE, strict=True) if tag == "NOUN"}) > 1,
    ),
    "function": ([c.predicate(subject_is_first)], lambda tree: not subject_is_first(tree)),
    "two": (
        [c.at_most(1, "nsubj", per="head"), c.at_least(2, "nsubj")],
        lambda tree: not keeps_at_most(tree, 1, ["nsubj"]) or [r for _, r in tree].count("nsubj") < 2,
    ),
}


def small():
    """Trees with three relations."""
    rows = [
        [
            (form, tag, head, {"root": "root", "nsubj": "nsubj"}.get(relation, "obj"))
            for form, tag, head, relation in sentence
        ]
        for sentence in treebank()[:24]
    ]
    return as_corpus(rows)


@pytest.fixture(scope="module", params=["projective", "tree", "siblings"])
def parser(request):
    given = {"template": parse(SIBLINGS)} if request.param == "siblings" else {}
    structure = "tree" if request.param == "tree" else "projective"
    return quietly(
        riata.DependencyParser(
            "crf", structure=structure, settings={"c2": 0.1}, **given, tags="given", calibrated=False
        ),
        small(),
    )


@pytest.fixture(scope="module")
def enumerated(parser):
    """All trees of the sentence, with the logarithms of their probabilities."""
    return all_trees(parser, SENTENCE)


def constrained(parser, rules):
    """The same parser with constraints."""
    made = pickle.loads(pickle.dumps(parser))
    return made.set_params(constraints=rules)


@pytest.mark.parametrize("name", CASES)
def test_the_best_tree_that_keeps_constraints_is_found(parser, enumerated, name):
    rules, breaks = CASES[name]
    legal = [(score, tree) for tree, score in zip(*enumerated, strict=True) if not breaks(tree)]
    (best,) = constrained(parser, rules).predict([SENTENCE])
    assert not breaks(best)
    value = next(score for score, tree in legal if tree == best)
    assert value == pytest.approx(max(score for score, _ in legal), abs=1e-4)


@pytest.mark.parametrize("penalty", [0.01, 0.7, 3.0, 50.0])
@pytest.mark.parametrize("name", ["none at all", "at least, per head where", "implies", "before", "function"])
def test_penalties_are_paid_where_it_is_worth_it(parser, enumerated, name, penalty):
    rules, breaks = CASES[name]
    soft = [c.parse(repr(rule).removesuffix(")") + f", penalty={penalty})") for rule in rules if name != "function"]
    soft = soft or [c.predicate(subject_is_first, penalty=penalty)]
    values = {tuple(tree): score - penalty * breaks(tree) for tree, score in zip(*enumerated, strict=True)}
    (best,) = constrained(parser, soft).predict([SENTENCE])
    assert values[tuple(best)] == pytest.approx(max(values.values()), abs=1e-4)


@pytest.mark.parametrize("most", range(1, 40, 3))
def test_where_search_is_cut_off_the_gap_bounds_what_is_missing(parser, enumerated, most, monkeypatch):
    monkeypatch.setattr(constrained_trees, "MOST_TREES", most)
    for name in ("two", "at least", "implies", "function"):
        rules, breaks = CASES[name]
        legal = {tuple(tree): score for tree, score in zip(*enumerated, strict=True) if not breaks(tree)}
        made = constrained(parser, rules)
        try:
            (tree,) = made.predict([SENTENCE])
        except SearchError:  # none was found until then
            continue
        missing = max(legal.values()) - legal[tuple(tree)]
        assert missing <= made.constraint_report([SENTENCE]).gap + 1e-4


def test_lists_keep_constraints_and_are_the_best(parser, enumerated):
    rules, breaks = CASES["per head"]
    legal = sorted((score for tree, score in zip(*enumerated, strict=True) if not breaks(tree)), reverse=True)
    (found,) = constrained(parser, rules).predict_nbest([SENTENCE], 5)
    scores = dict(zip(map(tuple, enumerated[0]), enumerated[1], strict=True))
    trees = [tuple(tree) for tree, *_ in found]
    assert len(set(trees)) == 5 and not any(map(breaks, trees))
    assert sorted((scores[tree] for tree in trees), reverse=True) == pytest.approx(legal[:5], abs=1e-4)


def test_given_arcs_and_constraints_are_kept_together(parser):
    made = constrained(parser, [c.at_most(0, "nsubj")])
    (tree,) = made.predict([SENTENCE], given=[[(2, None), None, None, None]])
    assert tree[0][0] == 2 and "nsubj" not in [relation for _, relation in tree]
    with pytest.raises(SearchError, match=r"at_most\(0, 'nsubj'\)"):
        made.predict([SENTENCE], given=[[(None, "nsubj"), None, None, None]])


def test_contradictions_name_the_smallest_set(parser):
    rules = [c.at_most(1, "obj", per="head"), c.at_least(1, "nsubj"), c.excludes("nsubj", "root")]
    with pytest.raises(SearchError, match="together") as error:
        constrained(parser, [*rules, c.at_least(1, "root")]).predict([SENTENCE])
    assert "excludes" in str(error.value) and "at_most(1, 'obj'" not in str(error.value)


def test_constraint_reports_say_how_trees_were_found(parser):
    made = constrained(parser, [c.at_most(0, "nsubj")])
    report = made.constraint_report([SENTENCE, *[[token[:2] for token in s] for s in small()[:5]]])
    assert report.sentences == 6 and sum(report.found.values()) == 6
    assert "by branch and bound" in report.found and report.broken["at_most(0, 'nsubj')"] > 0


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("queue", [{"queue": "greedy"}, {"beam": 4}])
def test_moves_keep_constraints(system, queue):
    made = quietly(
        riata.DependencyParser(
            "max-violation", structure="transitions", epochs=6, settings={"system": system}, **queue, tags="given"
        ),
        small(),
    )
    sentences = [[token[:2] for token in s] for s in small()[:8]] + [SENTENCE, SENTENCE[:1]]
    free = made.predict(sentences)
    for name in ("per head", "none at all", "at least, per head where", "excludes per head", "function"):
        rules, breaks = CASES[name]
        some = sentences if "where" not in name else [SENTENCE]
        for tree, was in zip(
            constrained(made, rules).predict(some), free if some is sentences else made.predict(some), strict=True
        ):
            assert not breaks(tree)
            assert breaks(was) or tree == was
    with pytest.raises(UnsupportedError, match="order of labels"):
        constrained(made, CASES["before"][0]).predict([SENTENCE])


@pytest.mark.parametrize("system", SYSTEMS)
def test_moves_give_every_head_the_children_that_it_needs(system):
    """Asked when the tree is complete, also of heads that have no child."""
    made = quietly(
        riata.DependencyParser("max-violation", epochs=2, settings={"system": system}, tags="given"), small()
    )
    sentences = [SENTENCE, SENTENCE[1:], SENTENCE[2:]]
    for wanted in itertools.permutations(["obj", "nsubj", "root"], 2):
        for tree in constrained(made, [c.requires(*wanted, per="head")]).predict(sentences):
            of_heads = [set(children(tree, head)) for head in range(1, len(tree) + 1)]
            assert all(wanted[0] not in found or wanted[1] in found for found in of_heads)
    for rule in (c.at_least(1, "obj", per="head"), c.exactly(1, "obj", "nsubj", per="head")):
        with pytest.raises(SearchError, match="No output of sentence 0"):  # the last of them has none to give
            constrained(made, [rule]).predict(sentences)
        cost = constrained(made, [c.parse(repr(rule)[:-1] + ", penalty=0.001)")]).predict(sentences)
        assert cost == made.predict(sentences)
    where = constrained(made, [c.exactly(2, "obj", "nsubj", per="head", where={1: "VERB"})])
    for tree in where.predict(sentences[:2]):
        verb = len(tree) - 1
        assert sum(relation in ("obj", "nsubj") for relation in children(tree, verb)) == 2


def test_the_root_counts_with_moves():
    made = quietly(riata.DependencyParser("max-violation", structure="transitions", epochs=3, tags="given"), small())
    with pytest.raises(SearchError, match="root"):
        constrained(made, [c.at_most(0, "root")]).predict([SENTENCE])
    assert constrained(made, [c.exactly(1, "root")]).predict([SENTENCE]) == made.predict([SENTENCE])


@pytest.mark.parametrize("recipe", ["laso-perceptron", "early", "max-violation"])
def test_moves_learn_under_constraints(recipe):
    rules = [c.at_most(1, "nsubj", per="head")]
    made = riata.DependencyParser(
        recipe, structure="transitions", beam=4, epochs=12, constraints=rules, inference="during", tags="given"
    )
    assert quietly(made, small()).score(small()) > 0.8


def test_true_trees_that_break_constraints_are_counted():
    told = []
    made = riata.DependencyParser(epochs=1, constraints=[c.at_most(0, "obj", per="head")], tags="given")
    made.fit(small(), listener=lambda event: told.append(getattr(event, "text", "")))
    assert any("true outputs break constraints" in text for text in told)


def test_constraints_are_stored_and_shown(parser, tmp_path):
    rules = [c.at_most(1, "nsubj", per="head", where={1: "VERB"}, penalty=2.0)]
    assert repr(rules[0]) == "at_most(1, 'nsubj', where={1: 'VERB'}, per='head', penalty=2.0)"
    assert c.parse(repr(rules[0])) == rules[0]
    assert rules[0].in_words() == "at most 1 nsubj per head, where column 1 is VERB"
    constrained(parser, rules).save(tmp_path / "m.riata")
    loaded = riata.load_model(tmp_path / "m.riata")
    assert loaded.predict([SENTENCE]) == constrained(parser, rules).predict([SENTENCE])


def test_bad_uses_are_refused(parser):
    with pytest.raises(SettingError, match="per='sentence'"):
        c.at_most(1, "nsubj", per="sentence")
    with pytest.raises(SettingError, match="both side= and per="):
        c.requires("obj", "nsubj", side="before", per="head")
    with pytest.raises(SettingError, match="for both"):
        c.implies("obj", c.at_most(1, "nsubj", per="head"))
    with pytest.raises(UnsupportedError, match="no trees"):
        tagger = riata.Tagger(epochs=1, constraints=[c.at_most(1, "X", per="head")])
        quietly(tagger, [["a", "b"]], [["X", "Y"]]).predict([["a"]])
    with pytest.raises(riata.errors.UnknownNameError, match="nsubj"):
        constrained(parser, [c.at_most(1, "nsub")]).predict([SENTENCE])
    with pytest.raises(UnsupportedError, match="several"):
        constrained(parser, [c.automaton({"any": {"nsubj": "any", "obj": "any", "root": "any"}})]).predict([SENTENCE])
    assert constrained(parser, CASES["per head"][0]).predict([[], SENTENCE[:1]])[0] == []


@pytest.mark.parametrize("recipe", ["mira", "max-violation"])
def test_conditions_read_tags_of_its_own_by_number(recipe):
    """The data to predict have only words."""
    train = [[("the", "DET", "2", "det"), ("dog", "NOUN", "3", "nsubj"), ("barks", "VERB", "0", "root")]] * 4
    train += [[("dogs", "NOUN", "2", "nsubj"), ("see", "VERB", "0", "root"), ("cats", "NOUN", "2", "obj")]] * 4
    parser = riata.DependencyParser(recipe, tags="own", epochs=4).fit(train, listener=lambda event: None)
    words = [["the", "dog", "barks"]]
    assert "nsubj" in [relation for _, relation in parser.predict(words)[0]]
    for column in (1, "tag"):
        parser.set_params(constraints=[c.at_most(0, "nsubj", per="head", where={column: "VERB"})])
        (tree,) = parser.predict(words)
        assert (3, "nsubj") not in tree
