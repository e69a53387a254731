"""The matcher: words linked with words, from features to files, against plain computations."""

import gzip
import json
import math
import os
import pickle
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import riata
from checks import refused
from riata.errors import DataError, ModelFileError, NotFittedError, SettingError, UnsupportedError
from riata.matching.counts import learnt
from riata.matching.language import DEFAULT, KNOWN, PairTemplate, Tables
from riata.matching.links import parsed, written
from riata.matching.scoring import score_links
from riata.matching.search import LinkGrid, LinkSearch

WORDS = {"la": "the", "maison": "house", "fleur": "flower", "verte": "green", "un": "a", "chat": "cat", "voit": "sees"}
FRENCH = ["la maison verte", "un chat voit la fleur", "la fleur", "la maison voit un chat", "un chat", "la fleur verte"]
TEXT = [(french.split(), [WORDS[word] for word in french.split()]) for french in FRENCH]
LINKS = [[(i, i) for i in range(len(source))] for source, _ in TEXT]
TURNED = [(source, target[::-1]) for source, target in TEXT]
LINK = st.tuples(st.integers(0, 3), st.integers(0, 3))
HANSARDS = Path(os.environ.get("RIATA_DATA", "nowhere")) / "hansards"


@pytest.fixture(scope="module")
def matcher():
    return riata.Matcher().fit(TEXT, LINKS)


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "pairs.tsv"
    lines = [
        f"{'train' if n < 4 else 'test'}\t{n}\t{' '.join(s)}\t{' '.join(t)}\t{written(links)}"
        for n, ((s, t), links) in enumerate(zip(TEXT, LINKS, strict=True))
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


# --- learning and predicting -------------------------------------------------------------------------------------


def test_words_are_linked_by_what_the_text_says_of_them(matcher):
    assert matcher.predict(TEXT) == LINKS
    assert matcher.score(TEXT, LINKS) == 1
    assert matcher.predict([TURNED[1]]) == [[(i, 4 - i) for i in range(5)]]


@pytest.mark.parametrize("recipe", ["perceptron", "mira", "svmstruct-margin", "svm-subgradient"])
def test_other_recipes_learn_too(recipe):
    assert riata.Matcher(recipe).fit(TEXT, LINKS).score(TEXT, LINKS) > 0.9


def test_given_and_forbidden_links_are_kept(matcher):
    source, target = TEXT[0]
    asked = riata.LinkedPair(source, target, given={(0, 2)}, forbidden={(1, 1)})
    [links] = matcher.predict([asked])
    assert (0, 2) in links and (1, 1) not in links
    assert np.isneginf(matcher.predict_scores([asked])[0][1, 1])
    assert all((0, 2) in listed for listed, _ in matcher.predict_nbest([asked], 5)[0])


def test_a_word_may_have_two_links():
    text = [(["grand-mère", "voit"], ["grand", "mother", "sees"])]
    links = ["0-0 0-1 1-2"]
    found = riata.Matcher(fertility=(2, 1), features=lambda pair, i, j: [f"{pair.source[i]}|{pair.target[j]}"]).fit(
        text, links
    )
    assert found.predict(text) == [[(0, 0), (0, 1), (1, 2)]]


def test_possible_links_are_ignored_wrong_or_sure():
    text, links = [(["a", "b"], ["x", "y"])], ["0-0 1p1"]

    def features(pair, i, j):
        return [f"{i}{j}"]

    found = {
        way: riata.Matcher(features=features, possible=way).fit(text, links) for way in ("ignored", "wrong", "sure")
    }
    assert [found[way].weights().get("11", 0) for way in ("ignored", "wrong")] == [0, pytest.approx(-0.5, abs=0.5)]
    assert found["sure"].predict(text) == [[(0, 0), (1, 1)]]


def test_arrays_are_features_outside_language():
    rng = np.random.default_rng(0)
    X = [rng.normal(size=(3, 4, 2)) for _ in range(30)]
    Y = [riata.best_matching(x @ [1.0, -2.0]).tolist() for x in X]
    assert riata.Matcher("perceptron", epochs=20).fit(X, Y).score(X, Y) > 0.9


def test_sets_of_size_0_have_no_links(matcher):
    assert matcher.predict([([], []), (["la"], []), ([], ["the"])]) == [[], [], []]
    assert matcher.evaluate([([], [])], [[]]).metrics == {"precision": 100.0, "recall": 100.0, "aer": 0.0}


def test_saving_keeps_everything(matcher, tmp_path):
    matcher.save(tmp_path / "m.riata")
    loaded = riata.load_model(tmp_path / "m.riata")
    assert loaded.predict(TURNED) == matcher.predict(TURNED)
    assert loaded.weights() == matcher.weights()
    assert pickle.loads(pickle.dumps(matcher)).predict(TURNED) == matcher.predict(TURNED)
    riata.Matcher(features=shared).fit(TEXT, LINKS).save(tmp_path / "own.riata")
    refused(ModelFileError, "shared", riata.load_model, tmp_path / "own.riata")
    assert riata.load_model(tmp_path / "own.riata", using=[shared]).predict([TEXT[0]])


def shared(pair, i, j):
    return {"shared": len(set(pair.source[i]) & set(pair.target[j])), "distance": abs(i - j)}


# --- features ----------------------------------------------------------------------------------------------------


def test_model_1_is_that_of_loops():
    table = learnt(TEXT)
    source, target = (sorted({word for pair in TEXT for word in pair[side]}) for side in (0, 1))
    chance = {(s, t): 1.0 for s in source for t in target}
    alone = dict.fromkeys(target, 1.0)
    for _ in range(5):
        count, total, none = dict.fromkeys(chance, 0.0), dict.fromkeys(source, 0.0), dict.fromkeys(target, 0.0)
        for words, others in TEXT:
            for j, t in enumerate(others):
                near = [math.exp(-4 * abs((i + 0.5) / len(words) - (j + 0.5) / len(others))) for i in range(len(words))]
                near = [0.92 * one / sum(near) for one in near]
                all_ways = 0.08 * alone[t] + sum(one * chance[s, t] for one, s in zip(near, words, strict=True))
                none[t] += 0.08 * alone[t] / all_ways
                for one, s in zip(near, words, strict=True):
                    count[s, t] += one * chance[s, t] / all_ways
                    total[s] += one * chance[s, t] / all_ways
        chance = {(s, t): count[s, t] / total[s] for s, t in chance}
        alone = {t: none[t] / sum(none.values()) for t in target}
    found = table.of(source, target)["forward"]
    for i, s in enumerate(source):
        for j, t in enumerate(target):
            assert found[i, j] == pytest.approx(chance[s, t], abs=0.006)


def test_dice_is_that_of_counts():
    found = learnt(TEXT).of(["la", "chat"], ["the", "cat", "house"])["dice"]
    assert found[0] == pytest.approx([1, 4 / 8, 4 / 7])  # "la" is in 5 pairs, "cat" in 3, "house" in 2; both are in 2
    assert found[1, :2] == pytest.approx([4 / 8, 1])


def test_every_atom_has_a_table_of_the_pair():
    pair = riata.LinkedPair(["la", "maison"], ["the", "green", "house"], others={"a": {(0, 0)}})
    texts = {"best": "best.dice", "link": "link.a", "elsewhere": "elsewhere.a", "same": "same.lower"}
    for name in KNOWN:
        text = texts.get(name, name)
        [(_, number, names, value)] = PairTemplate.parse(text).features(pair, learnt(TEXT))
        assert number.shape == value.shape == (2, 3) and names
    tables = Tables(pair, None)
    [[atom]] = PairTemplate.parse("link.a[-1,-1]").lines
    assert tables.numbers(atom).tolist() == [[0, 0, 0], [0, 1, 0]]
    [[atom]] = PairTemplate.parse("elsewhere.a").lines
    assert tables.numbers(atom).tolist() == [[0, 1, 1], [1, 0, 0]]
    [(_, number, names, _)] = PairTemplate.parse("source.lower[-1] target.lower").features(pair, None)
    assert number[0].tolist() == [-1, -1, -1] and [names[k] for k in number[1]] == ["la|the", "la|green", "la|house"]
    [(_, number, names, _)] = PairTemplate.parse("distance/4").features(pair, None)
    assert {names[k] for k in number.ravel()} == {"0", "1", "2"}


def test_templates_read_back_what_they_write():
    parsed_one = PairTemplate.parse(DEFAULT)
    assert PairTemplate.parse(str(parsed_one)) == parsed_one
    assert len(parsed_one.expanded(["a", "b"]).lines) == len(parsed_one.lines) + sum(
        "*" in line for line in DEFAULT.splitlines()
    )


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "no line"),
        ("link.*", "other aligners alone"),
        ("dices", "no atom"),
        ("best.lower", "best.dice or best.model1"),
        ("source.colour", "no attribute"),
        ("link", "names no aligner"),
        ("dice[1]", "two numbers"),
        ("source.lower[1,2]", "one number"),
        ("source.lower/3", "no bins"),
    ],
)
def test_bad_templates_are_refused(text, problem):
    refused(SettingError, problem, riata.Matcher(template=text).fit, TEXT, LINKS)


# --- scores and files --------------------------------------------------------------------------------------------


@given(found=st.sets(LINK), sure=st.sets(LINK), possible=st.sets(LINK))
def test_scores_are_those_of_the_definition(found, sure, possible):
    pair = riata.LinkedPair(range(4), range(4), sure=sure, possible=possible - sure)
    metrics = score_links([pair], [found]).metrics
    if found or sure:
        expected = 1 - (len(found & sure) + len(found & (sure | possible))) / (len(found) + len(sure))
        assert metrics["aer"] == pytest.approx(100 * expected)


@pytest.mark.skipif(not HANSARDS.is_dir(), reason="needs $RIATA_DATA/hansards")
def test_scores_of_the_hansards_are_those_of_others():
    pairs = riata.read_pairs(HANSARDS / "fr-en.tsv", others=HANSARDS / "aligners.tsv.gz")
    found = {name: score_links(pairs, [pair.others[name] for pair in pairs]).metrics["aer"] for name in ("3", "5")}
    assert len(pairs) == 447
    assert (round(found["3"], 2), round(found["5"], 2)) == (7.56, 5.94)


@given(links=st.sets(LINK))
def test_links_are_read_as_they_are_written(links):
    assert parsed(written(links), "") == (links, frozenset())


def test_files_of_all_layouts_say_the_same(tmp_path):
    (tmp_path / "a.tsv").write_text("p\t7\tla fleur\tthe flower\t0-0 1p1\n")
    (tmp_path / "b.tsv").write_text("la fleur\tthe flower\t0-0 1?1\n")
    (tmp_path / "c.txt").write_text("la fleur ||| the flower\n")
    (tmp_path / "c.links").write_text("0-0 1p1\n")
    (tmp_path / "d.tsv.gz").write_bytes(gzip.compress(b"book\tla fleur\tthe flower\n"))
    found = [riata.read_pairs(tmp_path / name)[0] for name in ("a.tsv", "b.tsv")]
    found += [riata.read_pairs(tmp_path / "c.txt", links=tmp_path / "c.links")[0]]
    assert all((one.source, one.target) == (("la", "fleur"), ("the", "flower")) for one in found)
    assert all((one.sure, one.possible) == ({(0, 0)}, {(1, 1)}) for one in found)
    assert riata.read_pairs(tmp_path / "d.tsv.gz")[0].target == ("the", "flower")


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("p\t1\ta\tb\t0-0\tmore", "6 columns"),
        ("p\t1\ta\tb\t0-1", "leads out of 1 and 1"),
        ("p\t1\ta\tb\t0:0", "no link"),
        ("a", "1 columns"),
    ],
)
def test_bad_lines_are_named(line, problem, run, tmp_path):
    path = tmp_path / "bad.tsv"
    path.write_text(f"p\t0\ta\tb\t0-0\n{line}\n")
    error = refused(DataError, problem, riata.read_pairs, path)
    assert error.line == 2
    assert "bad.tsv:2" in run.fails("train", "match", "--train", path, "--model", tmp_path / "m.riata")


def test_bad_input_is_refused(matcher, tmp_path):
    refused(NotFittedError, "not been trained", riata.Matcher().predict, TEXT)
    refused(DataError, "leads out of 3 and 3", riata.Matcher().fit, TEXT[:1], [[(0, 3)]])
    refused(DataError, "links of 1 in Y", riata.Matcher().fit, TEXT, LINKS[:1])
    refused(DataError, "expected a pair of two lists", matcher.predict, ["la fleur"])
    refused(
        DataError,
        "given and forbidden",
        matcher.predict,
        [riata.LinkedPair("a", "b", given={(0, 0)}, forbidden={(0, 0)})],
    )
    twice = riata.LinkedPair(["la", "la"], ["the"], given={(0, 0), (1, 0)})
    refused(DataError, "contradict each other: column 0", matcher.predict, [twice])
    refused(DataError, "5,000 x 5,000 possible links", matcher.predict, [(["a"] * 5000, ["b"] * 5000)])
    refused(SettingError, "possible is 'maybe'", riata.Matcher(possible="maybe").fit, TEXT, LINKS)
    refused(SettingError, "miss is -1", riata.Matcher(miss=-1).fit, TEXT, LINKS)
    refused(SettingError, "fertility is 0", riata.Matcher(fertility=0).fit, TEXT, LINKS)
    refused(SettingError, "both given", riata.Matcher(template="dice", features=shared).fit, TEXT, LINKS)
    refused(UnsupportedError, "expectations", riata.Matcher("crf").fit, TEXT, LINKS)
    linked = [riata.LinkedPair(s, t, links, others={"other": links}) for (s, t), links in zip(TEXT, LINKS, strict=True)]
    reads = riata.Matcher().fit(linked)
    assert reads.predict(linked) == LINKS and "link.other" in reads.weights()
    refused(DataError, "no links of the aligner 'other'", reads.predict, TEXT)
    refused(DataError, "no links of the aligner 'mine'", riata.Matcher(template="link.mine").fit, linked)
    refused(DataError, "no pair has links to learn from", riata.Matcher().fit, [([], [])], [[]])


def test_an_explanation_shows_the_table(matcher):
    found = matcher.explain(TURNED[2], "0-0 1-1")
    assert [found.mark(i, j) for i in range(2) for j in range(2)] == ["o", "x", "x", "o"]
    assert {(one.link, one.kind) for one in found.links} == {
        ((0, 0), "missed"),
        ((0, 1), "false"),
        ((1, 0), "false"),
        ((1, 1), "missed"),
    }
    for one in found.links:
        assert one.score == pytest.approx(sum(value for _, value in one.features), abs=1e-5)
        assert one.score == pytest.approx(found.scores[one.link], abs=1e-6)
    assert found.picture().splitlines()[0] == "   la o x"
    assert "<pre>" in found._repr_html_()
    assert (
        matcher.explain(TEXT[2], link=(0, 1)).links[-1].kind == "asked for"
        or len(matcher.explain(TEXT[2], link=(0, 1)).links) > 2
    )


def test_commands_train_predict_evaluate_and_explain(table, run, tmp_path):
    model, bitext, found, tagger = (tmp_path / name for name in ("m.riata", "text.tsv", "found.tsv", "t.riata"))
    bitext.write_text("".join(f"{' '.join(s)}\t{' '.join(t)}\n" for s, t in TEXT))
    of_part = ("--part", "train", "--bitext", bitext, "--model", model, "--json")
    assert json.loads(run.ok("train", "match", "--train", table, *of_part))["task"] == "match"
    facts = json.loads(run.ok("evaluate", "--model", model, table, "--part", "test", "--json"))
    assert facts["metrics"] == {"precision": 100.0, "recall": 100.0, "aer": 0.0}
    out = run.ok("predict", "--model", model, "--part", "test", table)
    assert out.splitlines() == [line for line in table.read_text().splitlines() if line.startswith("test")]
    found.write_text(out)
    of_files = ("--task", "match", "--gold", table, "--predicted", found, "--part", "test", "--json")
    assert json.loads(run.ok("evaluate", *of_files))["metrics"]["aer"] == 0
    assert "# . ." in run.ok("explain", "--model", model, "--part", "test", "--sentence", 2, table)
    assert "no pair is of the part 'dev'" in run.fails("predict", "--model", model, "--part", "dev", table)
    riata.Tagger(epochs=1).fit([["a"]], [["X"]]).save(tagger)
    assert "is for match" in run.fails("evaluate", "--model", tagger, table, "--part", "test")
    assert json.loads(run.ok("inspect", model, "--json"))["task"] == "match"
    assert "heaviest features" in run.ok("inspect", model)
    for command in (("calibrate", "--model", model), ("errors", "--model", model), ("compare-models", model, model)):
        assert "is for 'match'" in run.fails(*command, table)
    searched = (
        "train",
        "match",
        "--train",
        table,
        "--recipe",
        "laso-alma",
        "--beam",
        3,
        "--epochs",
        1,
        "--model",
        model,
    )
    run.ok(*searched)


def test_pairs_without_links_are_refused(matcher):
    refused(DataError, "no pair has links to learn from", riata.Matcher().fit, TEXT)
    refused(DataError, "no pair has links to be scored by", matcher.evaluate, TEXT)
    possible = ["0p0"] * len(TEXT)
    refused(DataError, "sure links to learn from, and possible ones are ignored", riata.Matcher().fit, TEXT, possible)
    assert riata.Matcher(possible="sure").fit(TEXT, possible).predict(TEXT[:1])[0]


def test_errors_of_features_are_named():
    def failing(pair, i, j):
        return ["one"] if (i, j) != (1, 0) else None if pair.source[0] == "un" else pair.source[9]

    refused(
        DataError,
        r"input 0: features of the part \(1, 0\): raised IndexError",
        riata.Matcher(features=failing).fit,
        TEXT,
        LINKS,
    )
    refused(DataError, r"input 0: .* returned None", riata.Matcher(features=failing).fit, TEXT[1:], LINKS[1:])
    for odd in (None, 5):
        refused(DataError, rf"Y\[1\]: sure is {odd}; expected", riata.Matcher().fit, TEXT[:2], [LINKS[0], odd])


def test_a_template_is_a_text_lines_or_a_file(tmp_path):
    (tmp_path / "t.txt").write_text("bias\ndice\n", encoding="utf-8")
    found = [
        riata.Matcher(template=template).fit(TEXT, LINKS).weights()
        for template in ("bias\ndice", ["bias", "dice"], tmp_path / "t.txt")
    ]
    assert found[0] == found[1] == found[2]
    for odd in (5, ["bias", 5], {"bias": 1}):
        refused(SettingError, "expected a text, a list of lines", riata.Matcher(template=odd).fit, TEXT, LINKS)
    refused(DataError, "none.txt", riata.Matcher(template=tmp_path / "none.txt").fit, TEXT, LINKS)


def test_links_are_pairs_of_whole_numbers():
    for odd in ((0.5, 0), (1.0, 0), ("0", "0"), (0,)):
        refused(DataError, "expected pairs of numbers", riata.Matcher().fit, TEXT[:1], [[odd]])
    assert riata.Matcher().fit(TEXT[:1], [np.array([[0, 0], [1, 1]])])


def test_four_columns_with_links_are_refused(tmp_path):
    path = tmp_path / "four.tsv"
    path.write_text("1\tla\tthe\t0-0\n2\tla\tthe\t\n")
    assert "Leave out the number" in refused(DataError, "four.tsv:1: the last of four", riata.read_pairs, path).remedy
    path.write_text("train\t1\tla\tthe\ntrain\t2\t1\t0-0\n")
    assert [pair.target for pair in riata.read_pairs(path)] == [("the",), ("0-0",)]


def test_arrays_have_one_width(tmp_path):
    X, Y = [np.ones((2, 2, 3)), np.ones((2, 2, 3))], ["0-0", "0-1"]
    matcher = riata.Matcher().fit(X, Y)
    matcher.save(tmp_path / "m.riata")
    for model in (matcher, riata.load_model(tmp_path / "m.riata")):
        refused(DataError, r"X\[1\] has 2 values a link; the model reads 3", model.predict, [X[0], np.ones((2, 2, 2))])
        refused(DataError, "has no values of links; the model reads 3", model.score, TEXT, LINKS)
    mixed = [np.ones((3, 3, 2)), TEXT[0]]
    for pairs in (mixed, mixed[::-1], [mixed[0], np.ones((3, 3, 1))]):
        refused(DataError, r"X\[1\] has .*; the model reads", riata.Matcher().fit, pairs, ["0-0"] * 2)
    words = riata.LinkedPair(*TEXT[0], values=np.ones((3, 3, 2)))
    assert riata.Matcher().fit([words], LINKS[:1]).predict([words]) == LINKS[:1]


@pytest.mark.parametrize("recipe", ["m3n", "laso-alma"])
def test_no_pairs_have_no_links(recipe):
    found = riata.Matcher(recipe).fit(TEXT, LINKS)
    assert found.predict([]) == found.predict_nbest([], 2) == []
    arrays = riata.Matcher(recipe).fit([np.ones((1, 1, 2))], ["0-0"])
    assert arrays.predict([np.zeros((0, 3, 2)), np.zeros((3, 0, 2))]) == [[], []]


def test_files_without_pairs_or_links(table, run, tmp_path):
    model, empty, plain = (tmp_path / name for name in ("m.riata", "empty.tsv", "plain.tsv"))
    empty.write_text("")
    plain.write_text("la\tthe\n")
    run.ok("train", "match", "--train", table, "--model", model)
    assert run.ok("predict", "--model", model, empty) == ""
    for file, says in ((empty, "empty.tsv: there is no pair"), (plain, "plain.tsv: no pair has links")):
        assert f"{says} to learn from" in run.fails("train", "match", "--train", file, "--model", tmp_path / "none")
        assert f"{says} to be scored by" in run.fails("evaluate", "--model", model, file)
        of_files = ("evaluate", "--task", "match", "--gold", file, "--predicted", table)
        assert f"{says} to be scored by" in run.fails(*of_files)


# --- search ------------------------------------------------------------------------------------------------------


@st.composite
def grids(draw):
    rows, columns, room = draw(st.integers(0, 3)), draw(st.integers(0, 3)), draw(st.integers(1, 2))
    allowed = [{j: [(f"{i}-{j}", 1.0)] for j in range(columns) if draw(st.integers(0, 4))} for i in range(rows)]
    links = [(i, j) for i in range(rows) for j in allowed[i]]
    y = frozenset(draw(st.sets(st.sampled_from(links)))) if links else frozenset()
    return LinkGrid(rows, allowed, {}, room), y


@given(case=grids(), costs=st.sampled_from([(1.0, 1.0), (3.0, 1.0), (1.0, 2.0)]))
def test_the_regret_of_a_search_is_the_least_loss_that_can_be_reached(case, costs):
    (x, y), problem = case, LinkSearch(costs)

    def least(s):
        if problem.is_goal(x, s):
            found = set(problem.output(x, s, ()))
            return costs[0] * len(y - found) + costs[1] * len(found - y)
        return min(least(problem.apply(x, s, a)) for a in problem.actions(x, s))

    states = [problem.initial(x)]
    for s in states:
        assert problem.regret(x, s, y) == pytest.approx(least(s))
        if not problem.is_goal(x, s):
            states += [problem.apply(x, s, a) for a in problem.actions(x, s)]


def test_recipes_that_search_learn_links(tmp_path):
    searched = riata.Matcher("laso-alma", beam=3).fit(TEXT, LINKS)
    assert searched.predict(TEXT) == LINKS
    assert any(name.startswith("off the diagonal") for name in searched.weights())
    searched.save(tmp_path / "s.riata")
    assert riata.load_model(tmp_path / "s.riata").predict(TURNED) == searched.predict(TURNED)
    given_one = riata.LinkedPair(*TEXT[0], given={(0, 2)})
    assert (0, 2) in searched.predict([given_one])[0]
    refused(UnsupportedError, "no scores of their own", searched.explain, TEXT[0])
    refused(UnsupportedError, "one link at most", riata.Matcher("laso-alma", fertility=2).fit, TEXT, LINKS)


def test_solvers_of_one_objective_agree():
    if not HANSARDS.is_dir():
        pytest.skip("needs $RIATA_DATA/hansards")
    pairs = riata.read_pairs(HANSARDS / "fr-en.tsv", part="train", others=HANSARDS / "aligners.tsv.gz")
    template = "bias\nlink.*\ndistance\nsame.lower\nlength"
    weights = []
    for recipe, settings in (
        ("m3n", {"gap": 1e-4}),
        ("svmstruct-margin", {"epsilon": 1e-4}),
        ("svmstruct-margin", {"epsilon": 1e-4, "slacks": "each"}),
    ):
        found = riata.Matcher(recipe, template=template, C=0.01, epochs=3000, **settings).fit(pairs)
        weights.append(found.weights())
    for name in weights[0]:
        assert weights[1].get(name, 0) == pytest.approx(weights[0][name], abs=0.02)
        assert weights[2].get(name, 0) == pytest.approx(weights[0][name], abs=0.02)
