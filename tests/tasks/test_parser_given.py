"""Trees against enumeration: given parts, confidence in arcs, lists with probabilities, and constraints."""

import itertools
import json
import pickle

import numpy as np
import pytest

from all_trees import all_trees
from checks import refused, stored
from riata import DependencyParser, Tagger
from riata import constraints as c
from riata.data.memory import as_corpus
from riata.errors import DataError, LabelError, SearchError, SettingError, UnknownNameError, UnsupportedError
from riata.features.arcs import parse
from riata.models import branch_and_bound
from riata.structures.transitions.structure import SYSTEMS
from samples import for_each, treebank

STRUCTURES = ("projective", "tree")
SIBLINGS = "arc head.tag[0] child.tag[0]\nrelation child.tag[0]\nsibling sibling.tag[0] child.tag[0]"


@pytest.fixture(scope="module", params=[*STRUCTURES, "siblings"])
def parser(request):
    if request.param == "siblings":
        return DependencyParser(
            "crf",
            structure="projective",
            template=parse(SIBLINGS),
            settings={"c2": 0.1},
            tags="given",
            calibrated=False,
        ).fit(treebank()[:24])
    return DependencyParser("crf", structure=request.param, settings={"c2": 0.1}, tags="given", calibrated=False).fit(
        treebank()[:24]
    )


SENTENCE = [("the", "DET"), ("dog", "NOUN"), ("sleeps", "VERB")]


def trees(parser, sentence):
    """All trees of a sentence with their scores."""
    found, logs = all_trees(parser, sentence)
    return found, np.exp(logs)


def test_confidences_are_sums_over_all_trees(parser):
    found, shares = trees(parser, SENTENCE)
    assert shares.sum() == pytest.approx(1, abs=1e-4)
    (best,), (sure,) = parser.predict([SENTENCE]), parser.predict_confidence([SENTENCE])
    for t, ((head, relation), (of_head, of_relation)) in enumerate(zip(best, sure, strict=True)):
        same = [tree[t] for tree in found]
        assert of_head == pytest.approx(sum(p for arc, p in zip(same, shares, strict=True) if arc[0] == head), abs=1e-4)
        assert of_relation == pytest.approx(
            sum(p for arc, p in zip(same, shares, strict=True) if arc[1] == relation), abs=1e-4
        )


def test_given_arcs_are_kept_and_the_rest_is_best(parser):
    found, shares = trees(parser, SENTENCE)
    for given in (
        [None, (1, None), None],
        [(3, "nsubj"), None, None],
        [(None, "det"), None, (2, None)],
        [None, (0, "root"), None],
    ):
        agree = [
            (p, tree)
            for p, tree in zip(shares, found, strict=True)
            if all(
                g is None or all(a is None or a == b for a, b in zip(g, arc, strict=True))
                for g, arc in zip(given, tree, strict=True)
            )
        ]
        (best,) = parser.predict([SENTENCE], given=[given])
        assert max(p for p, tree in agree if tree == best) == pytest.approx(max(agree)[0])  # several may be the best
        (((_, p), *_),) = parser.predict_nbest([SENTENCE], 2, given=[given], probabilities=True)
        assert p == pytest.approx(max(agree)[0] / sum(p for p, _ in agree), abs=1e-3)
        for g, sure in zip(given, parser.predict_confidence([SENTENCE], given=[given])[0], strict=True):
            assert g is None or g[0] is None or sure[0] == pytest.approx(1, abs=1e-5)


def test_what_is_given_must_fit(parser):
    for given, words in [
        ([[(2, None), (1, None), None]], "no legal labelling has '1' at token 1 of sentence 0"),
        ([[(0, None), (0, None), None]], "beside what else is given; legal are trees with one root"),
        ([[(7, None), None, None]], "the head 7 is given"),
        ([[(1, None), None, None]], "to token 1 of 3"),
        ([[(2, "strange"), None, None]], "does not know the relation 'strange'"),
    ]:
        refused(LabelError, words, parser.predict, [SENTENCE], given=given)
    for given, words in [([[None, None]], "it has 3 tokens"), ([[3, None, None]], "an arc is 3"), ([], "1 sentences")]:
        refused(DataError, words, parser.predict, [SENTENCE], given=given)


def test_given_arcs_that_cross_are_refused_where_arcs_may_not():
    data = treebank()[:24]
    given = [[(3, None), (4, None), None, None]]
    sentence = [[("a", "DET"), ("b", "NOUN"), ("c", "VERB"), ("d", "NOUN")]]
    with pytest.raises(LabelError, match="do not cross"):
        DependencyParser("mira", structure="projective", epochs=2, tags="given").fit(data).predict(
            sentence, given=given
        )
    free = DependencyParser("mira", structure="tree", epochs=2, tags="given").fit(data).predict(sentence, given=given)
    assert [head for head, _ in free[0]][:2] == [3, 4]


def test_probabilities_of_every_label_are_refused(parser):
    refused(UnsupportedError, "predict_confidence", parser.predict_proba, [SENTENCE])


def test_arcs_are_calibrated():
    data = treebank()
    parser = DependencyParser("mira", structure="projective", epochs=3, tags="given").fit(data[:16])
    parser.calibrate(data[16:])
    assert len(parser.calibration_) == 2 and parser.confidence.believable
    assert all(
        0 <= value <= 1 for sentence in parser.predict_confidence(data[:2]) for pair in sentence for value in pair
    )


def test_files_give_arcs_and_get_confidences(tmp_path, run):
    rows = ["the\tDET\t2\tdet", "dog\tNOUN\t3\tnsubj", "barks\tVERB\t0\troot", ""]
    (tmp_path / "train.txt").write_text(("\n".join(rows) + "\n") * 10, encoding="utf-8")
    (tmp_path / "part.txt").write_text("the\tDET\t_\tdet\ndog\tNOUN\t0\t_\nbarks\tVERB\t_\t_\n", encoding="utf-8")
    model = str(tmp_path / "m.riata")
    options = ("--structure", "projective", "--epochs", "3", "--json")
    assert run("train", "parse", "--train", str(tmp_path / "train.txt"), "--model", model, *options)[0] == 0
    out = run.ok("predict", "--model", model, "--given", "2", str(tmp_path / "part.txt"))
    assert [line.split()[-2] for line in out.splitlines() if line][1] == "0"
    out = run.ok("predict", "--model", model, "--confidence", str(tmp_path / "part.txt"))
    assert all(0 <= float(line.split()[-1]) <= 1 for line in out.splitlines() if line)
    out = run.ok("predict", "--model", model, "--nbest", "2", "--confidence", str(tmp_path / "part.txt"))
    assert out.count("# ") == 2
    assert json.loads(run("calibrate", "--model", model, str(tmp_path / "train.txt"), "--json")[1])


@pytest.mark.parametrize("system", ["arc-hybrid", "arc-eager", "arc-standard", "swap"])
def test_the_relation_of_the_root_is_not_given_to_others_by_moves(system):
    parser = DependencyParser(epochs=2, settings={"system": system}, tags="given").fit(treebank())
    words = [token[:2] for token in treebank()[0]]
    given = [(2, "root"), *[None] * (len(words) - 1)]
    refused(LabelError, "no legal labelling has '2 root'", parser.predict, [words], given=[given])


# --- constraints on trees --------------------------------------------------------------------------------------------
FOUR_WORDS = [("dog", "NOUN"), ("cat", "NOUN"), ("saw", "VERB"), ("bus", "NOUN")]
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
        lambda tree: len({r for (_, r), (_, tag) in zip(tree, FOUR_WORDS, strict=True) if tag == "NOUN"}) > 1,
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
def small_parser(request):
    given = {"template": parse(SIBLINGS)} if request.param == "siblings" else {}
    structure = "tree" if request.param == "tree" else "projective"
    return DependencyParser(
        "crf", structure=structure, settings={"c2": 0.1}, **given, tags="given", calibrated=False
    ).fit(small())


@pytest.fixture(scope="module")
def enumerated(small_parser):
    """All trees of the sentence, with the logarithms of their probabilities."""
    return all_trees(small_parser, FOUR_WORDS)


def constrained(small_parser, rules):
    """The same parser with constraints."""
    made = pickle.loads(pickle.dumps(small_parser))
    return made.set_params(constraints=rules)


@pytest.mark.parametrize("name", CASES)
def test_the_best_tree_that_keeps_constraints_is_found(small_parser, enumerated, name):
    rules, breaks = CASES[name]
    legal = [(score, tree) for tree, score in zip(*enumerated, strict=True) if not breaks(tree)]
    (best,) = constrained(small_parser, rules).predict([FOUR_WORDS])
    assert not breaks(best)
    value = next(score for score, tree in legal if tree == best)
    assert value == pytest.approx(max(score for score, _ in legal), abs=1e-4)


@pytest.mark.parametrize("penalty", [0.01, 0.7, 3.0, 50.0])
@pytest.mark.parametrize("name", ["none at all", "at least, per head where", "implies", "before", "function"])
def test_penalties_are_paid_where_it_is_worth_it(small_parser, enumerated, name, penalty):
    rules, breaks = CASES[name]
    soft = [c.parse(repr(rule).removesuffix(")") + f", penalty={penalty})") for rule in rules if name != "function"]
    soft = soft or [c.predicate(subject_is_first, penalty=penalty)]
    values = {tuple(tree): score - penalty * breaks(tree) for tree, score in zip(*enumerated, strict=True)}
    (best,) = constrained(small_parser, soft).predict([FOUR_WORDS])
    assert values[tuple(best)] == pytest.approx(max(values.values()), abs=1e-4)


@pytest.mark.parametrize("most", range(1, 40, 3))
def test_where_search_is_cut_off_the_gap_bounds_what_is_missing(small_parser, enumerated, most, monkeypatch):
    monkeypatch.setattr(branch_and_bound, "MOST_TREES", most)
    for name in ("two", "at least", "implies", "function"):
        rules, breaks = CASES[name]
        legal = {tuple(tree): score for tree, score in zip(*enumerated, strict=True) if not breaks(tree)}
        made = constrained(small_parser, rules)
        try:
            (tree,) = made.predict([FOUR_WORDS])
        except SearchError:  # none was found until then
            continue
        missing = max(legal.values()) - legal[tuple(tree)]
        assert missing <= made.constraint_report([FOUR_WORDS]).gap + 1e-4


def test_lists_keep_constraints_and_are_the_best(small_parser, enumerated):
    rules, breaks = CASES["per head"]
    legal = sorted((score for tree, score in zip(*enumerated, strict=True) if not breaks(tree)), reverse=True)
    (found,) = constrained(small_parser, rules).predict_nbest([FOUR_WORDS], 5)
    scores = dict(zip(map(tuple, enumerated[0]), enumerated[1], strict=True))
    trees = [tuple(tree) for tree, *_ in found]
    assert len(set(trees)) == 5 and not any(map(breaks, trees))
    assert sorted((scores[tree] for tree in trees), reverse=True) == pytest.approx(legal[:5], abs=1e-4)


def test_given_arcs_and_constraints_are_kept_together(small_parser):
    made = constrained(small_parser, [c.at_most(0, "nsubj")])
    (tree,) = made.predict([FOUR_WORDS], given=[[(2, None), None, None, None]])
    assert tree[0][0] == 2 and "nsubj" not in [relation for _, relation in tree]
    with pytest.raises(SearchError, match=r"at_most\(0, 'nsubj'\)"):
        made.predict([FOUR_WORDS], given=[[(None, "nsubj"), None, None, None]])


def test_contradictions_name_the_smallest_set(small_parser):
    rules = [c.at_most(1, "obj", per="head"), c.at_least(1, "nsubj"), c.excludes("nsubj", "root")]
    error = refused(
        SearchError, "together", constrained(small_parser, [*rules, c.at_least(1, "root")]).predict, [FOUR_WORDS]
    )
    assert "excludes" in str(error) and "at_most(1, 'obj'" not in str(error)


def test_constraint_reports_say_how_trees_were_found(small_parser):
    made = constrained(small_parser, [c.at_most(0, "nsubj")])
    report = made.constraint_report([FOUR_WORDS, *[[token[:2] for token in s] for s in small()[:5]]])
    assert report.sentences == 6 and sum(report.found.values()) == 6
    assert "by branch and bound" in report.found and report.broken["at_most(0, 'nsubj')"] > 0


@for_each(system=SYSTEMS, queue=[{"queue": "greedy"}, {"beam": 4}])
def test_moves_keep_constraints(system, queue):
    made = DependencyParser(
        "max-violation", structure="transitions", epochs=6, settings={"system": system}, **queue, tags="given"
    ).fit(small())
    sentences = [[token[:2] for token in s] for s in small()[:8]] + [FOUR_WORDS, FOUR_WORDS[:1]]
    free = made.predict(sentences)
    for name in ("per head", "none at all", "at least, per head where", "excludes per head", "function"):
        rules, breaks = CASES[name]
        some = sentences if "where" not in name else [FOUR_WORDS]
        for tree, was in zip(
            constrained(made, rules).predict(some), free if some is sentences else made.predict(some), strict=True
        ):
            assert not breaks(tree)
            assert breaks(was) or tree == was
    refused(UnsupportedError, "order of labels", constrained(made, CASES["before"][0]).predict, [FOUR_WORDS])


@pytest.mark.parametrize("system", SYSTEMS)
def test_moves_give_every_head_the_children_that_it_needs(system):
    """Asked when the tree is complete, also of heads that have no child."""
    made = DependencyParser("max-violation", epochs=2, settings={"system": system}, tags="given").fit(small())
    sentences = [FOUR_WORDS, FOUR_WORDS[1:], FOUR_WORDS[2:]]
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
    made = DependencyParser("max-violation", structure="transitions", epochs=3, tags="given").fit(small())
    refused(SearchError, "root", constrained(made, [c.at_most(0, "root")]).predict, [FOUR_WORDS])
    assert constrained(made, [c.exactly(1, "root")]).predict([FOUR_WORDS]) == made.predict([FOUR_WORDS])


@pytest.mark.parametrize("recipe", ["laso-perceptron", "early", "max-violation"])
def test_moves_learn_under_constraints(recipe):
    rules = [c.at_most(1, "nsubj", per="head")]
    made = DependencyParser(
        recipe, structure="transitions", beam=4, epochs=12, constraints=rules, inference="during", tags="given"
    )
    assert made.fit(small()).score(small()) > 0.8


def test_true_trees_that_break_constraints_are_counted():
    told = []
    made = DependencyParser(epochs=1, constraints=[c.at_most(0, "obj", per="head")], tags="given")
    made.fit(small(), listener=lambda event: told.append(getattr(event, "text", "")))
    assert any("true outputs break constraints" in text for text in told)


def test_constraints_are_stored_and_shown(small_parser, tmp_path):
    rules = [c.at_most(1, "nsubj", per="head", where={1: "VERB"}, penalty=2.0)]
    assert repr(rules[0]) == "at_most(1, 'nsubj', where={1: 'VERB'}, per='head', penalty=2.0)"
    assert c.parse(repr(rules[0])) == rules[0]
    assert rules[0].in_words() == "at most 1 nsubj per head, where column 1 is VERB"
    loaded = stored(constrained(small_parser, rules), tmp_path)
    assert loaded.predict([FOUR_WORDS]) == constrained(small_parser, rules).predict([FOUR_WORDS])


def test_bad_uses_are_refused(small_parser):
    refused(SettingError, "per='sentence'", c.at_most, 1, "nsubj", per="sentence")
    refused(SettingError, "both side= and per=", c.requires, "obj", "nsubj", side="before", per="head")
    refused(SettingError, "for both", c.implies, "obj", c.at_most(1, "nsubj", per="head"))
    with pytest.raises(UnsupportedError, match="no trees"):
        tagger = Tagger(epochs=1, constraints=[c.at_most(1, "X", per="head")])
        tagger.fit([["a", "b"]], [["X", "Y"]]).predict([["a"]])
    refused(UnknownNameError, "nsubj", constrained(small_parser, [c.at_most(1, "nsub")]).predict, [FOUR_WORDS])
    with pytest.raises(UnsupportedError, match="several"):
        constrained(small_parser, [c.automaton({"any": {"nsubj": "any", "obj": "any", "root": "any"}})]).predict(
            [FOUR_WORDS]
        )
    assert constrained(small_parser, CASES["per head"][0]).predict([[], FOUR_WORDS[:1]])[0] == []


@pytest.mark.parametrize("recipe", ["mira", "max-violation"])
def test_conditions_read_tags_of_its_own_by_number(recipe):
    """The data to predict have only words."""
    train = [[("the", "DET", "2", "det"), ("dog", "NOUN", "3", "nsubj"), ("barks", "VERB", "0", "root")]] * 4
    train += [[("dogs", "NOUN", "2", "nsubj"), ("see", "VERB", "0", "root"), ("cats", "NOUN", "2", "obj")]] * 4
    small_parser = DependencyParser(recipe, tags="own", epochs=4).fit(train)
    words = [["the", "dog", "barks"]]
    assert "nsubj" in [relation for _, relation in small_parser.predict(words)[0]]
    for column in (1, "tag"):
        small_parser.set_params(constraints=[c.at_most(0, "nsubj", per="head", where={column: "VERB"})])
        (tree,) = small_parser.predict(words)
        assert (3, "nsubj") not in tree
