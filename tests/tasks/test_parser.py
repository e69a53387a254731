"""DependencyParser from Python and on the command line; the relation of the root; siblings."""

import json
import pickle

import numpy as np
import pytest

import riata
from all_trees import all_trees
from checks import refused
from riata import DependencyParser, JointTagger
from riata.confidence.calibration import Calibration
from riata.data.memory import as_corpus
from riata.data.trees import check_trees, crossing
from riata.errors import DataError, LabelError, SettingError, TemplateError, UnsupportedError
from riata.estimators.model_file import from_bytes, to_bytes
from riata.features.arcs import parse
from samples import for_rows, treebank

STRUCTURES = ("projective", "tree")
CROSSING = [[("a", "X", "3", "x"), ("b", "X", "4", "y"), ("c", "X", "0", "root"), ("d", "X", "3", "z")]]


def trained(structure="projective", recipe="mira", **options):
    return DependencyParser(recipe, structure=structure, epochs=5, **options, tags="given").fit(treebank()[:24])


@pytest.mark.parametrize("structure", STRUCTURES)
@for_rows(
    "recipe, settings",
    ("perceptron", {}),
    ("mira", {}),
    ("crf", {"c2": 0.1}),
    ("crf", {"c2": 0.1, "optimiser": "sgd"}),
    ("m3n", {"C": 0.1}),
    ("svmstruct-margin", {"C": 0.1}),
)
def test_learners_find_trees_that_they_have_not_seen(structure, recipe, settings):
    epochs = 5 if recipe in ("perceptron", "mira") else 40
    parser = DependencyParser(recipe, structure=structure, epochs=epochs, settings=settings, tags="given").fit(
        treebank()[:24]
    )
    unseen = treebank()[24:]
    assert parser.score(unseen) > 0.8
    found = [
        [(*token[:2], str(head), relation) for token, (head, relation) in zip(s, tree, strict=True)]
        for s, tree in zip(unseen, parser.predict(unseen), strict=True)
    ]
    check_trees(as_corpus(found))  # exactly one root, no cycle
    assert parser.evaluate(unseen).metrics["uas"] >= parser.evaluate(unseen).metrics["las"]


@pytest.mark.parametrize("structure", STRUCTURES)
def test_models_are_saved_pickled_and_go_on(structure, tmp_path):
    parser = trained(structure)
    parser.save(tmp_path / "p.riata")
    for again in (riata.load_model(tmp_path / "p.riata"), pickle.loads(pickle.dumps(parser))):
        assert again.predict(treebank()) == parser.predict(treebank())
        assert again.predict_nbest(treebank()[:2], 3)[0][0][0] == parser.predict(treebank()[:1])[0]
    on = riata.load_model(tmp_path / "p.riata").set_params(warm_start=True).fit(treebank()[:24])
    assert on.best_epoch_ == 10 and on.score(treebank()[:24]) > 0.9


def test_the_best_few_trees_differ_and_their_scores_fall():
    (found,) = trained().predict_nbest(treebank()[26:27], 5)
    trees, scores = [tree for tree, _ in found], [score for _, score in found]
    assert len(found) == 5 and all(trees.count(tree) == 1 for tree in trees)
    assert scores == sorted(scores, reverse=True)


def test_trees_may_be_given_apart():
    data = treebank()[:24]
    inputs = [[token[:2] for token in sentence] for sentence in data]
    trees = [[(int(head), relation) for _, _, head, relation in sentence] for sentence in data]
    parser = DependencyParser(epochs=5, tags="given").fit(inputs, trees)
    assert parser.predict(inputs) == trained().predict(inputs)
    assert parser.score(inputs, trees) == trained().score(data)


def test_crossing_arcs_are_counted_and_the_closest_projective_trees_are_learnt():
    told = []
    data = [*CROSSING, *map(list, treebank()[:5])]
    parser = DependencyParser("perceptron", epochs=3, tags="given").fit(
        data, listener=lambda event: told.append(getattr(event, "text", ""))
    )
    assert "3 arcs cross another, in 1 of 6 sentences" in " ".join(told)
    assert "1 tokens have other heads" in " ".join(told)
    found = parser.predict(data[:1])[0]
    heads = np.array([head for head, _ in found], np.int32)
    assert not crossing(heads, np.array([0, 4])).any()
    assert parser.search_errors(data[:1]).wrong == 1  # the truth is nothing that it can give
    free = DependencyParser("perceptron", structure="tree", epochs=10, tags="given").fit(data)
    assert free.predict(data[:1])[0] == [(3, "x"), (4, "y"), (0, "root"), (3, "z")]


def test_a_sentence_of_one_token_has_a_root():
    assert [tree[0][0] for tree in trained().predict([[("Yes", "INTJ")], [(".", "PUNCT")]])] == [0, 0]


@for_rows(
    "rows, words",
    ([("a", "X", "5", "x"), ("b", "X", "0", "root")], "head of token 1 is 5"),
    ([("a", "X", "2", "x"), ("b", "X", "1", "y")], "no root"),
    ([("a", "X", "_", "_")], "no head"),
)
def test_what_is_no_tree_is_refused_in_training_scoring_and_development(rows, words):
    for use in (
        lambda: DependencyParser(tags="given").fit([rows]),
        lambda: trained().score([rows]),
        lambda: DependencyParser(dev=as_corpus([rows]), tags="given").fit(treebank()),
    ):
        refused(DataError, words, use)


def test_recipes_that_search_and_other_tasks_are_refused():
    with pytest.raises(UnsupportedError, match="needs a search space"):
        DependencyParser("laso-perceptron", structure="projective", tags="given").fit(treebank())
    refused(UnsupportedError, "heads and relations", JointTagger(structure="projective", recipe="mira").fit, treebank())
    with pytest.raises(UnsupportedError, match="the task 'parse' has heads and relations"):
        DependencyParser(structure="factorial", recipe="mira", tags="given").fit(treebank())


def test_a_relation_that_only_development_data_have_is_told():
    told = []
    dev = as_corpus([[("a", "X", "0", "strange")], [("a", "X", "0", "root")]])
    DependencyParser(epochs=1, dev=dev, tags="given").fit(
        treebank(), listener=lambda event: told.append(getattr(event, "text", ""))
    )
    assert any("only the development data have" in text and "strange" in text for text in told if text)


def test_weights_have_names():
    parser = trained()
    weights = parser.state_features_
    assert any("head.word[0]=" in feature and "child.word[0]=" in feature for feature, _ in weights)
    assert any(feature.endswith("direction=left") for feature, _ in weights)
    assert {label for _, label in weights} <= {"arc", *parser.classes_}


@for_rows(
    "line, words",
    ("word[0]", "Unknown kind of line"),
    ("arc word[0]", "expected a side and an attribute"),
    ("arc head.word[0] direction distance", "not both"),
    ("relation head.tag[0] between.tag[0]", "what is between"),
    ("arc between.tag[1] head.tag[0]", "what is between"),
    ("arc head.edge", "arcs have no labels"),
    ("arc head.tag[-8]", "may be the root"),
    ("arc head.number(3)[0]", "number"),
)
def test_templates_that_are_refused(line, words):
    refused(TemplateError, words, parse, line)


def test_templates_are_written_as_they_are_read():
    lines = [
        "arc distance",
        "arc head.word[0] head.tag[1] child.suffix3[0]",
        "arc head.tag[0] child.tag[0] between.tag[0] direction",
        "relation child.x2[-1]",
    ]
    assert [str(template) for template in parse("\n".join(lines))] == lines


FILE = """# newdoc
# text = the dog saw it
1-2	thedog	_	_	_	_	_	_	_	_
1	the	the	DET	DT	_	2	det	_	_
2	dog	dog	NOUN	NN	Number=Sing	3	nsubj	_	SpaceAfter=No
2.1	x	_	_	_	_	_	_	_	_
3	saw	see	VERB	VBD	_	0	root	_	_
4	it	it	PRON	PRP	_	3	obj	_	_

1	Yes	yes	INTJ	UH	_	0	root	_	_

"""


def test_conllu_goes_in_and_out(tmp_path, run):
    train, blank, out, model = (
        str(tmp_path / name) for name in ("train.conllu", "blank.conllu", "out.conllu", "m.riata")
    )
    (tmp_path / "train.conllu").write_text(FILE * 10, encoding="utf-8")
    rows = [line.split("\t") for line in FILE.splitlines()]
    text = "\n".join("\t".join([*row[:6], "_", "_", *row[8:]] if len(row) == 10 else row) for row in rows) + "\n"
    (tmp_path / "blank.conllu").write_text(text, encoding="utf-8")
    found = run.ok("train", "parse", "--train", train, "--epochs", "5", "--model", model, "--json")
    facts = json.loads(found)
    assert (facts["task"], facts["recipe"], facts["structure"]) == ("parse", "laso-perceptron", "transitions")
    assert run("predict", "--model", model, blank)[1] == FILE
    for arguments in (["--model", model, train], ["--gold", train, "--predicted", train, "--task", "parse"]):
        metrics = json.loads(run("evaluate", *arguments, "--json")[1])["metrics"]
        assert metrics == {"uas": 100, "las": 100, "las_universal": 100}
    assert "UAS 100.00, LAS 100.00" in run("evaluate", "--model", model, train)[1]
    (tmp_path / "out.conllu").write_text(FILE.replace("obj", "iobj"), encoding="utf-8")
    (tmp_path / "train.conllu").write_text(FILE, encoding="utf-8")
    status, found, err = run("evaluate", "--gold", train, "--predicted", out, "--task", "parse", "--json")
    assert json.loads(found)["metrics"] == {"uas": 100, "las": 80, "las_universal": 80}
    assert status == 0, err
    for command in (["inspect", model], ["explain", "--model", model, blank], ["errors", "--model", model, train]):
        status, _, err = run(*command)
        assert status in (0, 2) and "Traceback" not in err


@pytest.mark.parametrize("name", list(DependencyParser.presets))
def test_presets_learn_from_words_and_one_tag(name):
    parser = DependencyParser.preset(name).fit(treebank())
    assert parser.score(treebank()) > 0.95 and parser.model_.structure == "transitions"


def test_two_passes_are_refused():
    with pytest.raises(UnsupportedError, match="heads of the same words elsewhere"):
        DependencyParser("mira", passes=2, tags="given").fit(treebank())


@pytest.mark.parametrize("recipe", ["mira", "max-violation"])
def test_heads_are_numbers_where_the_parser_may_abstain(recipe):
    train = [
        [("the", "2", "det"), ("dog", "3", "nsubj"), ("barks", "0", "root")],
        [("dogs", "2", "nsubj"), ("bark", "0", "root")],
    ] * 4
    parser = DependencyParser(recipe, epochs=4, tags="given").fit(train)
    parser.calibration_ = (Calibration(), Calibration())
    words = [["the", "dog", "barks"]]
    assert (
        parser.predict(words, min_confidence=0.0) == parser.predict(words) == [[(2, "det"), (3, "nsubj"), (0, "root")]]
    )
    confidences = parser.predict_confidence(words)[0]
    least = sorted(value for pair in confidences for value in pair)[3]
    kept = [
        (head if of_head >= least else None, relation if of_relation >= least else None)
        for (head, relation), (of_head, of_relation) in zip(parser.predict(words)[0], confidences, strict=True)
    ]
    assert parser.predict(words, min_confidence=least) == [kept]


def test_calibration_names_heads_and_relations():
    parser = DependencyParser("crf", settings={"c2": 0.1}, tags="given").fit(treebank())
    assert [each.output for each in parser.calibrate(treebank()).outputs] == ["heads", "relations"]


def test_odd_predictions_are_refused_and_best_outputs_take_lists():
    parser = DependencyParser("mira", epochs=2, tags="given").fit(treebank())
    refused(SettingError, "predict_ids", parser.evaluate, treebank(), predicted=parser.predict(treebank()))
    sentence = treebank()[0]
    assert parser.evaluating.best_output([sentence]) == parser.predict([sentence])[0]


# --- the relation of the root belongs to the root --------------------------------------------------------------------
SENTENCE = [("the", "DET"), ("dog", "NOUN"), ("sleeps", "VERB")]
WORDS = [[token[:2] for token in sentence] for sentence in treebank()[24:40]]


def rooted(tree):
    return all((head == 0) == (relation == "root") for head, relation in tree)


@pytest.fixture(scope="module", params=["projective", "tree"])
def parser(request):
    return DependencyParser("crf", structure=request.param, settings={"c2": 1.0}, tags="given", calibrated=False).fit(
        treebank()[:24]
    )


def test_the_root_has_its_relation_and_no_other_token_has_it(parser):
    assert all(map(rooted, parser.predict(WORDS)))
    assert all(rooted(tree) for trees in parser.predict_nbest(WORDS, 20) for tree, _ in trees)
    assert all(map(rooted, parser.twin(settings={"c2": 1.0, "decode": "marginals"}).predict(WORDS)))


def test_probabilities_are_those_of_trees_that_are_offered(parser):
    trees, logs = all_trees(parser, SENTENCE)
    legal = np.array([rooted(tree) for tree in trees])
    assert np.isneginf(logs[~legal]).all()
    assert np.exp(logs[legal]).sum() == pytest.approx(1, abs=1e-4)
    listed = parser.predict_nbest([SENTENCE], 10_000)[0]
    assert len(listed) == legal.sum()


def test_the_relation_of_the_root_gives_its_head(parser):
    (tree,) = parser.predict([SENTENCE], given=[[(None, "root"), None, None]])
    assert tree[0] == (0, "root") and rooted(tree)
    (tree,) = parser.predict([SENTENCE], given=[[(0, None), None, None]])
    assert tree[0] == (0, "root") and rooted(tree)


@for_rows(
    "given",
    [(0, "nsubj"), None, None],
    [(2, "root"), None, None],
    [(None, "root"), (None, "root"), None],
    [(None, "det"), (None, "nsubj"), (None, "obj")],
)
def test_given_arcs_that_contradict_it_are_refused(parser, given):
    refused(LabelError, "trees with one root", parser.predict, [SENTENCE], given=[given])


def test_a_stored_parser_keeps_it(parser):
    again = from_bytes(to_bytes(parser))
    assert again.predict_nbest(WORDS[:4], 10) == parser.predict_nbest(WORDS[:4], 10)


def test_what_later_data_show_is_offered_from_then_on():
    first = [[("a", "X", "0", "root"), ("b", "Y", "1", "obj")]] * 3
    later = [[("a", "X", "0", "parataxis"), ("b", "Y", "1", "root")]] * 6
    parser = DependencyParser("perceptron", epochs=3, tags="given")
    parser.partial_fit(first, classes=["root", "obj", "parataxis"])
    assert parser.predict([[("a", "X"), ("b", "Y")]])[0] == [(0, "root"), (1, "obj")]
    for _ in range(3):
        parser.partial_fit(later)
    assert parser.predict([[("a", "X"), ("b", "Y")]])[0] == [(0, "parataxis"), (1, "root")]


@pytest.mark.parametrize("structure", ["projective", "tree"])
def test_a_treebank_whose_root_has_no_relation_of_its_own_offers_it_everywhere(structure):
    data = [[(word, tag, head, "dep") for word, tag, head, _ in sentence] for sentence in treebank()[:24]]
    parser = DependencyParser(structure=structure, epochs=3, tags="given").fit(data)
    assert all(relation == "dep" for tree in parser.predict(WORDS) for _, relation in tree)


def test_errors_of_the_model_are_told_from_what_it_never_gives(parser):
    odd = [[("the", "DET", "2", "det"), ("dog", "NOUN", "3", "root"), ("sleeps", "VERB", "0", "nsubj")]]
    assert parser.search_errors(odd).of == ("model",)
    assert np.isneginf(parser.log_likelihood(odd))


def test_the_closest_tree_that_is_learnt_instead_of_a_crossing_one_has_its_root():
    heads, relations = (2, 0, 1, 1, 1), ("nsubj", "root", "obj", "obl", "punct")  # closest of all is (0, 3, 1, 1, 1)
    crossing = [(f"w{i}", "X", str(head), relations[i]) for i, head in enumerate(heads)]
    parser = DependencyParser(structure="projective", epochs=2, tags="given").fit([crossing, *treebank()[:24]])
    root, others = parser.model_.weights.seen_relations()
    assert [relation for relation, seen in zip(parser.classes_, root, strict=True) if seen] == ["root"]
    assert not others[parser.classes_.index("root")]


def test_probabilities_of_trees_are_found_however_far_scores_are_apart():
    parser = DependencyParser("perceptron", structure="tree", epochs=5, tags="given", calibrated=False).fit(
        treebank()[:24]
    )
    weights = parser.model_.weights
    weights.set_flat(weights.flat() * np.float32(1e4))
    (tree,), (sure,) = parser.predict([SENTENCE]), parser.predict_confidence([SENTENCE])
    assert rooted(tree) and all(head == pytest.approx(1) for head, _ in sure)
    assert parser.log_likelihood([SENTENCE], [tree])[0] == pytest.approx(0, abs=0.1)  # of scores in single precision


# --- dependency trees whose siblings are scored: what learns them, what they tell apart, and what is refused ---------
SMALL = parse(
    "arc head.tag[0] child.tag[0] distance\narc head.word[0] child.word[0]\nrelation head.tag[0] child.tag[0] direction\n"
    "relation child.word[0]\nsibling sibling.tag[0] child.tag[0] direction\nsibling head.tag[0] sibling.tag[0] child.tag[0]"
)


def trained_with_siblings(recipe="mira", **options):
    options = {"epochs": 5, "template": SMALL, **options}
    return DependencyParser(recipe, structure="projective", **options, tags="given").fit(treebank()[:24])


@for_rows(
    "recipe, settings",
    ("perceptron", {}),
    ("mira", {"k": 3}),
    ("crf", {"c2": 0.1}),
    ("crf", {"c2": 0.1, "optimiser": "sgd"}),
    ("m3n", {"C": 0.1}),
    ("svmstruct-margin", {"C": 0.1}),
)
def test_learners_learn_siblings(recipe, settings):
    epochs = 5 if recipe in ("perceptron", "mira") else 40
    parser = trained_with_siblings(recipe, epochs=epochs, settings=settings)
    assert parser.score(treebank()[24:]) > 0.8
    weights = parser.state_features_
    assert any(feature.startswith("sibling ") and "sibling.tag[0]=none" in feature for feature, _ in weights)
    assert any("head.tag[0]=" in feature and "sibling.tag[0]=" in feature for feature, _ in weights)


def test_a_second_child_is_told_from_a_first():
    """The arcs of both sentences look the same one by one: no line reads the head. Only siblings differ."""
    data = [
        [("v", "V", "0", "root"), ("a", "A", "1", "x"), ("b", "B", "2", "y")],
        [("v", "V", "0", "root"), ("c", "C", "1", "x"), ("b", "B", "1", "y")],
    ] * 10
    arcs = "arc child.tag[0] direction\nrelation child.tag[0]\n"
    scores = [
        DependencyParser(epochs=20, template=parse(arcs + more), structure="projective", tags="given")
        .fit(data)
        .score(data)
        for more in ("", "sibling sibling.tag[0] child.tag[0]")
    ]
    assert scores[0] < 1 and scores[1] == 1


def test_models_with_siblings_are_saved_and_pickled(tmp_path):
    parser = trained_with_siblings()
    parser.save(tmp_path / "p.riata")
    for again in (riata.load_model(tmp_path / "p.riata"), pickle.loads(pickle.dumps(parser))):
        assert again.predict(treebank()) == parser.predict(treebank())
        assert again.state_features_ == parser.state_features_
    on = riata.load_model(tmp_path / "p.riata").set_params(warm_start=True).fit(treebank()[:24])
    assert on.score(treebank()[:24]) > 0.9


def test_crossing_trees_refuse_siblings():
    with pytest.raises(UnsupportedError, match="reads siblings"):
        DependencyParser("mira", structure="tree", template=SMALL, tags="given").fit(treebank())


@for_rows(
    "line, words", ("sibling head.tag[0] child.tag[0]", "read the sibling"), ("arc sibling.tag[0]", "read the sibling")
)
def test_lines_without_a_sibling_are_refused(line, words):
    refused(TemplateError, words, parse, line)


def test_lines_are_written_as_they_are_read():
    line = "sibling head.word[0] child.tag[0] sibling.tag[-1] distance"
    assert str(parse(line)[0]) == line


@pytest.mark.parametrize(("template", "most"), [(SMALL, 400), (None, 2000)])
def test_long_sentences_are_refused_with_a_remedy(template, most):
    long = [[("a", "A", "0", "root"), *[("b", "B", "1", "x")] * most]]
    with pytest.raises(DataError, match=f"{most:,}.*\n?.*transitions"):
        DependencyParser("mira", structure="projective", template=template, tags="given").fit(as_corpus(long))
    parser = DependencyParser("mira", structure="projective", template=template, epochs=1, tags="given").fit(treebank())
    refused(DataError, f"takes up to {most}", parser.predict, [[token[:2] for token in long[0]]])


def test_the_remedy_for_an_empty_column_names_tags_of_its_own_only_where_they_are_new():
    for tags, new in (("given", True), ("own", False)):
        made = DependencyParser(tags=tags, epochs=1).fit(treebank(60))
        empty = [[("_", "_") for _ in sentence] for sentence in treebank(20)]
        with pytest.raises(DataError, match="throughout") as caught:
            made.predict(empty)
        assert ("tags='own'" in caught.value.remedy) == new
