"""Parsers that choose tags and trees in one search, and the truth of such tags in traces, explanations and search errors."""

import itertools
import pickle

import numpy as np
import pytest

import riata
from checks import refused
from riata import DependencyParser, RiataError, Tagger
from riata._core import searches_run
from riata.data.documents import blocks
from riata.data.memory import as_corpus
from riata.data.trees import check_trees, crossing, with_trees
from riata.data.types import Column
from riata.errors import DataError, LabelError, ModelFileError, TemplateError, UnsupportedError
from riata.estimators.likely_tags import LikelyApart, likely
from riata.features.likely_tags import ChosenTags, tags_in
from riata.learning.events import ignore
from riata.models import container
from riata.structures.transitions.templates import compile_transitions, parse
from samples import BARE, check_words_are_enough, for_each, for_rows, other_tags, treebank, write_treebank

WORDS = [[token[0] for token in sentence] for sentence in treebank()]
TAGS = [[token[1] for token in sentence] for sentence in treebank()]
SYSTEMS = ("arc-hybrid", "arc-standard", "swap")


def joint(recipe="max-violation", *, system="arc-hybrid", **given):
    settings = {"system": system, **given.pop("settings", {})}
    parameters = {"epochs": 5, "beam": 4, "seed": 1, **given}
    return DependencyParser(recipe, structure="transitions", tags="joint", settings=settings, **parameters)


@pytest.fixture(scope="module")
def parser():
    return joint().fit(treebank()[:24])


def test_words_are_enough(parser):
    check_words_are_enough(parser)
    check_trees(with_trees(as_corpus(WORDS), parser.predict(WORDS)))
    assert parser.score(treebank()) > 0.9


def test_tags_come_out_and_are_evaluated(parser):
    tagged = parser.columns.tagged(as_corpus(treebank()))
    found = tagged.sentences_of(1)
    right = np.mean([a == b for one, other in zip(found, TAGS, strict=True) for a, b in zip(one, other, strict=True)])
    evaluation = parser.evaluate(treebank())
    assert evaluation.metrics["tags"] == pytest.approx(100 * right) and right > 0.9
    assert "tags" in str(evaluation)
    assert parser.evaluate(other_tags(treebank())).metrics == {**evaluation.metrics, "tags": 0.0}
    y = [[(int(head), relation) for *_, head, relation in sentence] for sentence in treebank()]
    assert "tags" not in parser.evaluate(WORDS, y).metrics
    ids = parser.predict_ids(treebank())
    before = searches_run()
    assert parser.evaluate(treebank(), predicted=ids).metrics == evaluation.metrics
    assert searches_run() == before  # labels have their tags with them
    assert parser.evaluate(treebank(), predicted=np.array(ids)).metrics == evaluation.metrics
    assert parser.predict(tagged) == parser.predict(WORDS)
    with_added = parser.columns.tagged(as_corpus(WORDS))
    assert with_added.sentences_of(1) == found


@for_each(system=SYSTEMS, recipe=["laso-perceptron", "laso-alma", "early", "max-violation", "standard"])
def test_every_recipe_and_system_learns_tags_and_trees(recipe, system):
    learnt = joint(recipe, system=system, epochs=8).fit(treebank()[:24])
    metrics = learnt.evaluate(treebank()[:24]).metrics
    assert metrics["las"] > 90 and metrics["tags"] > 95


def test_a_beam_of_one_is_greedy(parser):
    one, greedy = pickle.loads(pickle.dumps(parser)), pickle.loads(pickle.dumps(parser))
    one.set_params(beam=1)
    greedy.set_params(queue="greedy", beam=None)
    assert one.predict(WORDS) == greedy.predict(WORDS)
    data = as_corpus(treebank())
    assert one.columns.tagged(data).sentences_of(1) == greedy.columns.tagged(data).sentences_of(1)


def all_trees(length):
    """Heads of all projective trees with one root."""
    starts = np.array([0, length])
    for heads in itertools.product(range(length + 1), repeat=length):
        corpus = with_trees(as_corpus([["w"] * length]), [[(head, "x") for head in heads]])
        try:
            check_trees(corpus)
        except DataError:
            continue
        if not crossing(np.array(heads, np.int32), starts).any():
            yield heads


@pytest.mark.parametrize("system", ["arc-hybrid", "arc-standard"])
def test_an_unbounded_beam_finds_the_best_of_all_trees_with_all_tags(system):
    """Every tree with every tag sequence is scored by itself."""
    learnt = joint(system=system, epochs=2).fit(treebank()[:24]).set_params(beam=100_000, tags="given")
    words, lists = ("saw", "dog", "likes"), ("NOUN VERB", "NOUN | ADJ VERB", "VERB NOUN DET")
    inputs = as_corpus([list(zip(words, lists, strict=True))])
    model = learnt.model_
    outputs, instances = model.outputs, model.instances(inputs)
    ids, tags = model.chosen(inputs, learnt.predicting.decoder())
    found = outputs.with_tags(outputs.codes(ids, inputs.starts), tags)
    relations = [r for r in range(len(outputs.relations)) if outputs.relations[r] != outputs.root]
    root, best = outputs.relations.index(outputs.root), -np.inf
    chosen = [Column.of(list(tags)) for tags in itertools.product(*map(tags_in, lists))]
    for heads in all_trees(len(words)):
        for names in itertools.product(*([root] if head == 0 else relations for head in heads)):
            labels = np.array([h * len(outputs.relations) + r for h, r in zip(heads, names, strict=True)], np.int32)
            for one in chosen:
                codes = outputs.with_tags(outputs.codes(labels, inputs.starts), one)
                best = max(best, model.weights.scores_of(model.features.index, instances, codes)[0])
    assert model.weights.scores_of(model.features.index, instances, found)[0] == pytest.approx(best)
    # A truth whose tags are open has the score of its best tags.
    assert model.scores_of(instances, ids)[0] == pytest.approx(best)


def test_tags_of_the_data_or_of_the_tagger_may_be_read_instead(parser):
    given = pickle.loads(pickle.dumps(parser)).set_params(tags="given", check_input=False)
    assert given.predict(treebank()) != given.predict([[(word, "DET") for word in words] for words in WORDS])
    given.predict(other_tags(treebank()))  # a tag that the model does not know may be any
    own = pickle.loads(pickle.dumps(parser)).set_params(tags="own")
    tagger = own.taggers_[-1]
    assert own.columns.tagged(as_corpus(WORDS)).sentences_of(1) == [list(found) for found in tagger.predict(WORDS)]
    trained = parser.untrained(tags="own").fit(treebank()[:24])
    refused(UnsupportedError, "not trained to choose tags", trained.set_params(tags="joint").predict, WORDS)
    trained = parser.untrained(tags="given").fit(treebank()[:24])
    refused(UnsupportedError, "has no taggers", trained.set_params(tags="joint").predict, WORDS)


def test_models_are_stored_with_their_tags(parser, tmp_path):
    parser.save(tmp_path / "p.riata")
    data = as_corpus(treebank())
    for again in (riata.load_model(tmp_path / "p.riata"), pickle.loads(pickle.dumps(parser))):
        assert again.predict(WORDS) == parser.predict(WORDS)
        assert again.columns.tagged(data).sentences_of(1) == parser.columns.tagged(data).sentences_of(1)
        assert again.evaluate(treebank()).metrics == parser.evaluate(treebank()).metrics
    riata.load_model(tmp_path / "p.riata").save(tmp_path / "q.riata")
    assert (tmp_path / "q.riata").read_bytes() == (tmp_path / "p.riata").read_bytes()


@for_rows(
    "change",
    {"chosen": []},
    {"chosen": ["DET", "DET"]},
    {"chosen": "DET"},
    {"chosen": ["DET"]},
    {"chosen": [f"T{i}" for i in range(5000)]},
    {"chosen": ["DET", "NOUN"], "system": "arc-eager"},
    {"inputs": [0]},
    {"inputs": [0, 1, 2]},
    {"taggers": []},
    {"drop": "chosen"},
    ids=str,
)
def test_model_files_with_other_tags_are_refused(parser, tmp_path, change):
    parser.save(tmp_path / "p.riata")
    header, arrays = container.read(tmp_path / "p.riata")
    changed = {name: value for name, value in {**header, **change}.items() if name not in (change.get("drop"), "drop")}
    container.write(tmp_path / "q.riata", container.pack(changed, arrays))
    refused(ModelFileError, "", riata.load_model, tmp_path / "q.riata")


def test_a_parser_is_pruned_with_its_tagger():
    made = joint(epochs=2).fit(treebank()[:24])
    before = [tagger.model_.weights.flat().astype(bool).sum() for tagger in made.taggers_]
    made.prune(0.5)
    after = [tagger.model_.weights.flat().astype(bool).sum() for tagger in made.taggers_]
    assert all(few < many for few, many in zip(after, before, strict=True))
    check_words_are_enough(made)


def test_truncated_model_files_are_refused(parser, tmp_path):
    parser.save(tmp_path / "p.riata")
    whole = (tmp_path / "p.riata").read_bytes()
    for part in (0.2, 0.6, 0.99):
        (tmp_path / "q.riata").write_bytes(whole[: int(part * len(whole))])
        refused(ModelFileError, "", riata.load_model, tmp_path / "q.riata")


def test_traces_and_explanations_show_the_tags_that_are_chosen(parser):
    trace = parser.trace(WORDS[0])
    moves = list(trace.path(trace.goal))
    chosen = [move.split()[1] for move in moves if move.startswith("shift")]
    assert chosen == parser.columns.tagged(as_corpus(WORDS)).sentences_of(1)[0]
    truth = [(int(head), relation) for *_, head, relation in treebank()[0]]
    page = str(parser.explain(WORDS[0], truth))
    assert "shift NOUN" in page and "likely[b0]" in page
    assert any(label.startswith("shift ") for _, label in parser.state_features_)


@pytest.mark.parametrize("system", SYSTEMS)
def test_confidences_and_errors_of_search_are_as_without_joint_tags(system):
    learnt = joint(system=system).fit(treebank()[:24])
    for sentence, tokens in zip(WORDS, learnt.predict_confidence(WORDS), strict=True):
        assert len(tokens) == len(sentence) and all(0 <= value <= 1 for value in np.ravel(tokens))
    assert learnt.search_errors(treebank()).counts["right"] > 0


def test_likely_tags_are_those_of_taggers_that_have_not_seen_the_sentence():
    data = as_corpus(treebank()[:20]).select([0, 1])
    tagger = Tagger(seed=0).fit(data)
    column = LikelyApart(data, tagger).column(blocks(data, 4), 2, ignore)
    again = LikelyApart(data, Tagger(seed=0).fit(data)).column(blocks(data, 4), 1, ignore)
    assert column.texts() == again.texts()
    assert {tag for text in column.texts() for tag in tags_in(text)} <= set(tagger.classes_)
    best = [tags_in(text)[0] for text in likely(tagger, data.select([0])).texts()]
    assert np.mean([a == b for a, b in zip(best, data.columns[1].texts(), strict=True)]) > 0.95


def test_texts_of_likely_tags():
    assert tags_in("VBD VBN | JJ") == ["VBD", "VBN", "JJ"]
    assert tags_in("NN") == ["NN"] and tags_in("|") == ["|"]
    corpus = as_corpus([[("saw", "B A"), ("x", "C")]])
    apart = ChosenTags(("A", "B"), 1).apart(corpus)
    assert [column.texts() for column in apart.columns] == [["saw", "x"], ["B", "C"], ["B A", "C"]]


def test_development_data_are_tagged_and_refitting_keeps_tags():
    learnt = joint(epochs=3).fit(treebank()[:20], None, other_tags(treebank()[20:]))
    assert learnt.best_score_ == pytest.approx(100 * learnt.score(treebank()[20:]))
    learnt = joint(epochs=3, dev=0.2, refit=True).fit(treebank())
    assert learnt.evaluate(treebank()).metrics["tags"] > 90


def test_files_come_out_with_tags_and_trees(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "new.conllu").write_text("# a remark\n" + BARE.format(*WORDS[0][:2]))
    arguments = write_treebank(tmp_path)
    run.ok("train", "parse", "--structure", "transitions", "--tags", "joint", *arguments)
    rows = [row.split("\t") for row in run.ok("predict", "--model", "p.riata", "new.conllu").splitlines()[1:3]]
    assert all(row[4] == f"{row[3]}x" and row[6].isdecimal() for row in rows)
    out = run.ok("evaluate", "--model", "p.riata", "train.conllu")
    assert "tags 9" in out or "tags 100" in out
    err = run.fails("train", "parse", "--structure", "projective", "--tags", "joint", *arguments)
    assert "chooses none" in err and "transitions" in err


@for_rows(
    "options, message",
    ({"stream": True}, "part of the data at a time"),
    ({"warm_start": True}, "goes on from a model"),
    ({"tags": "jiont"}, "Did you mean 'joint'"),
    ({"system": "arc-eager"}, "tags are chosen by shift alone"),
)
def test_what_joint_tags_cannot_be_combined_with_is_refused(options, message):
    system = options.pop("system", "arc-hybrid")
    refused(RiataError, message, joint(system=system).set_params(**options).fit, treebank())


def test_the_accuracy_of_tags_is_there_only_if_the_data_have_tags(parser):
    data = treebank()[:5]
    bare = [[(word, head, relation) for word, _, head, relation in sentence] for sentence in data]
    words = [[word for word, *_ in sentence] for sentence in data]
    trees = [[(int(head), relation) for *_, head, relation in sentence] for sentence in data]
    assert "tags" in parser.evaluate(data).metrics
    assert "tags" not in parser.evaluate(bare).metrics
    assert parser.evaluate(bare).metrics == parser.evaluate(words, trees).metrics


@pytest.mark.parametrize("structure", ["projective", "tree"])
def test_structures_that_choose_no_tags_are_refused(structure):
    refused(UnsupportedError, "chooses none", DependencyParser(structure=structure, tags="joint").fit, treebank())


def test_data_without_tags_are_refused(parser):
    alone = [[(word, head, relation) for word, _, head, relation in sentence] for sentence in treebank()]
    refused(DataError, "no tags beside the words", joint().fit, alone)
    refused(UnsupportedError, "partial_fit goes on", parser.partial_fit, treebank())


def test_templates_may_read_what_is_likely_only_if_tags_are_chosen():
    mine = parse("tag[s0]\nword[b0]\nlikely[b0] tag[p0]\ntag[s0] tag[b0]\ntag[s1] tag[s0]\nword[b0] tag[p1] word[p0]")
    learnt = joint(template=mine, epochs=10).fit(treebank()[:24])
    assert learnt.model_.features.templates == mine and learnt.evaluate(treebank()).metrics["tags"] > 90
    refused(TemplateError, "no tags are chosen", joint(template=mine).set_params(tags="own").fit, treebank()[:24])
    with pytest.raises(TemplateError, match="5 parts, since tags are chosen"):
        compile_transitions(parse("word[s0] tag[s0] word[s1] tag[s1] word[b0]"), tags=True, chosen=1)


@pytest.mark.parametrize("line", ["tag[p2]", "word[p0.l]", "relation[p0]", "lefts[p1]", "chosen[s0]"])
def test_other_places_and_values_are_refused(line):
    with pytest.raises(TemplateError):
        templates = parse(line)
        compile_transitions(templates, tags=True, chosen=1)
        raise TemplateError(f"attribute {templates[0].reads[0].attribute} is unknown")


# --- the truth of tags that are chosen with trees: in traces, explanations and search errors -------------------------
TOY = [[("w", "A", "0", "root"), ("b", "B", "1", "q")], [("w", "C", "0", "root"), ("b", "B", "1", "p")]] * 4
ODD = [("w", "C", "0", "root"), ("b", "B", "1", "q")]  # the model gives it the tag A
PAIRS = [[(int(head), relation) for *_, head, relation in sentence] for sentence in treebank()]
TRIPLES = [[(int(head), relation, tag) for _, tag, head, relation in sentence] for sentence in treebank()]


def parsed(data, **given):
    settings = {"recipe": "max-violation", "epochs": 2, "beam": 2, "seed": 1, **given}
    return DependencyParser(structure="transitions", tags="joint", **settings).fit(data)


@pytest.fixture(scope="module")
def weak_parser():
    return parsed(treebank()[:8], epochs=1)


@pytest.fixture(scope="module")
def toy():
    return parsed(TOY, recipe="laso-perceptron", beam=8, epochs=3)


def wrong_parts(found, truth):
    """Wrong arcs and wrong tags."""
    pairs = list(zip(found, truth, strict=True))
    return sum(a[:2] != b[:2] for a, b in pairs) + sum(a[2] != b[2] for a, b in pairs)


def test_a_wrong_tag_adds_one_to_the_regret(toy):
    data = toy.columns.sentences([ODD])
    trace = toy.trace(data, True)
    first = {node.action: (node.regret, node.good) for node in trace.nodes if node.depth == 1}
    assert first == {"shift A": (1, False), "shift B": (1, False), "shift C": (0, True)}
    assert trace.truth == (("0", "root", "C"), ("1", "q", "B"))
    assert toy.trace(["w", "b"], [(0, "root", "C"), (1, "q", "B")]).nodes == trace.nodes
    free = toy.trace(data, [(0, "root"), (1, "q")])  # labels that leave tags open
    assert {node.regret for node in free.nodes if node.depth == 1} == {0}
    assert free.truth == (("0", "root"), ("1", "q"))


@pytest.mark.parametrize("system", ["arc-hybrid", "swap"])
def test_the_regret_of_an_output_is_the_number_of_its_wrong_arcs_and_tags(system):
    learnt = parsed(treebank()[:8], epochs=1, beam=8, settings={"system": system})
    seen = set()
    for number, truth in enumerate(TRIPLES[:12]):
        trace = learnt.trace(as_corpus(treebank()[number : number + 1]), True, training=False)
        assert trace.truth == tuple((str(head), *rest) for head, *rest in truth)
        for node, labels in trace.outputs:
            assert trace.nodes[node].regret == wrong_parts(labels, trace.truth)
            seen.add(trace.nodes[node].regret)
    assert len(seen) > 2


def test_the_verdict_counts_wrong_tags(toy):
    data = toy.columns.sentences([ODD])
    assert toy.evaluate(data).metrics["tags"] == 50 and toy.evaluate(data).metrics["las"] == 100
    for explanation in (toy.explain(data, True), toy.explain(["w", "b"], [(0, "root", "C"), (1, "q", "B")])):
        assert explanation.kind == "model"
        assert explanation.decision.chosen.labels == (("0", "root", "A"), ("1", "q", "B"))
        assert explanation.decision.other.name == "truth" and explanation.decision.other.labels == explanation.truth
        assert "0 root A  0 root C  ← differs" in str(explanation)
        assert "C" in explanation.to_html()
    assert toy.explain(["w", "b"], [(0, "root"), (1, "q")]).kind == "right"
    partly = toy.explain(["w", "b"], [(0, "root", "C"), (1, "q")])
    assert partly.kind == "model" and partly.decision.other.actions[0] == "shift C"
    unknown = toy.explain(["w", "b"], [(0, "root", "Z"), (1, "q", "B")])
    assert unknown.kind == "model" and "'Z' is unknown" in unknown.note


def test_outputs_to_compare_with_may_have_tags(toy):
    other = toy.explain(["w", "b"], against=[(0, "root", "C"), (1, "q", "B")]).decision.other
    assert other.actions == ("shift C", "shift B", "right q")
    assert toy.explain(["w", "b"], against=[(0, "root"), (1, "p")]).decision.other.actions[-1] == "right p"
    assert toy.explain(["w", "b"]).decision.chosen.labels == (("0", "root", "A"), ("1", "q", "B"))
    refused(DataError, "the tag of a token is 3", toy.trace, ["w", "b"], [(0, "root", 3), (1, "q", "B")])
    refused(DataError, "expected a pair", toy.trace, ["w", "b"], [(0, "root", "C", "D"), (1, "q", "B")])


def test_faults_are_told_by_the_scores_of_trees_with_tags(weak_parser):
    errors, model = weak_parser.search_errors(treebank()), weak_parser.model_
    found = [weak_parser.predict_nbest([words], 1)[0][0][0] for words in WORDS]
    wrong = [bool(wrong_parts(one, truth)) for one, truth in zip(found, TRIPLES, strict=True)]
    assert [fault != "right" for fault in errors.of] == wrong
    by_tree = weak_parser.search_errors(WORDS, PAIRS)
    assert by_tree.wrong <= errors.wrong < len(WORDS) and by_tree.of != errors.of
    inputs = weak_parser.columns.input_columns(as_corpus(WORDS))
    instances, outputs = model.instances(inputs), model.outputs

    def scores(triples):
        flat = [label for sentence in triples for label in sentence]
        trees = [head * len(outputs.relations) + outputs.relations.index(relation) for head, relation, _ in flat]
        tags = riata.data.types.Column.of([tag for *_, tag in flat])
        codes = outputs.with_tags(outputs.codes(np.array(trees, np.int32), inputs.starts), tags)
        return model.weights.scores_of(model.features.index, instances, codes)

    known = [all(relation in outputs.relations for _, relation, _ in truth) for truth in TRIPLES]
    true = [truth if told else one for truth, one, told in zip(TRIPLES, found, known, strict=True)]
    for fault, output, truth, told in zip(errors.of, scores(found), scores(true), known, strict=True):
        assert fault in ("right", "tie") or fault == ("search" if told and truth > output else "model")
    assert weak_parser.search_errors(WORDS, TRIPLES) == errors
    assert weak_parser.search_errors(treebank(), PAIRS) == by_tree  # labels given apart say all that is true
    ids = weak_parser.predict_ids(treebank())
    assert weak_parser.search_errors(treebank(), predicted=ids) == errors
    assert weak_parser.search_errors(treebank(), predicted=np.array(ids)) == errors
    assert weak_parser.errors(treebank(), beams=[2]).beams[0].errors == errors


def test_tags_that_the_model_does_not_have_are_no_fault_of_the_search(weak_parser):
    errors = weak_parser.search_errors(other_tags(treebank()))
    assert (errors.wrong, errors.model, errors.search) == (len(WORDS), len(WORDS), 0)


def test_constraints_are_kept_beside_tags(toy):
    kept = pickle.loads(pickle.dumps(toy)).set_params(constraints=["at_most(0, 'q')"])
    explanation = kept.explain(kept.columns.sentences([ODD]), True)
    assert explanation.kind == "model"
    assert explanation.constrained.without.labels == (("0", "root", "A"), ("1", "q", "B"))
    assert explanation.constrained.changes
    assert "q" not in {relation for _, relation, _ in explanation.decision.chosen.labels}


def test_the_command_compares_with_tags(toy, tmp_path, run):
    toy.save(tmp_path / "toy.riata")
    (tmp_path / "odd.txt").write_text("".join(" ".join(token) + "\n" for token in ODD), encoding="utf-8")
    command = ("explain", "--model", str(tmp_path / "toy.riata"), str(tmp_path / "odd.txt"), "--sentence", "1")
    out = run.ok(*command)
    assert "← differs" in out and "model error" in out
    out = run.ok(*command, "--against", "0/root/C 1/p/B")
    assert "shift C shift B right p" in out
    out = run.ok(*command, "--against", "0/root 1/p")
    assert "right p" in out
    status, _, err = run(*command, "--against", "0/root 1")
    assert status != 0 and "without a slash" in err


def test_margins_are_those_of_trees_with_their_tags(toy):
    """With wrong tags as truth, the search keeps it less; where any tag is right, no less than with the true ones."""
    true, wrong = (
        toy.diagnose(TOY),
        toy.diagnose([[(word, "B", *arc) for word, _, *arc in sentence] for sentence in TOY]),
    )
    words, trees = zip(*[([t[0] for t in s], [(int(t[2]), t[3]) for t in s]) for s in TOY], strict=True)
    free = toy.diagnose(list(words), list(trees))
    assert wrong.survival_margin < true.survival_margin <= free.survival_margin
    refused(LabelError, "'Z' is unknown", toy.diagnose, [[("w", "Z", "0", "root"), ("b", "B", "1", "q")]])
