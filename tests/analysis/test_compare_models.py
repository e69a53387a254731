"""Two models compared: the numbers are those of evaluate, the examples those that changed most, and bad pairs are refused."""

import json
import re
import xml.etree.ElementTree as ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

import riata
from analysis_problems import PLAIN, joint_outputs, labellings, outputs
from checks import refused
from riata import Chunker, JointTagger, Predictor, Problem, Tagger
from riata.analysis.changes import by_type, errors_by_sentence, levels
from riata.analysis.examples import Example, ExampleLabels
from riata.data.encodings.base import spans_of
from riata.data.types import Span
from riata.errors import DataError, NotFittedError, SettingError, UnsupportedError
from riata.scoring import accuracy_of, f1_of, paired_test
from riata.showing.table import as_text as shown
from samples import as_text, embedded, for_rows


@pytest.fixture(scope="module")
def small():
    return embedded()[:80], embedded(split="test")[:40]


@pytest.fixture(scope="module")
def pair(small):
    train, _ = small
    return (
        Chunker(epochs=2).fit(train),
        Chunker("laso-alma", learn_as="bioes", structure="chain", epochs=1, beam=2).fit(train),
    )


def test_scores_are_those_of_evaluate_and_of_the_paired_test(pair, small):
    found = riata.compare_models(*pair, small[1])
    a, b = (model.evaluate(small[1]) for model in pair)
    scores = {score.name: score for score in found.scores}
    assert next(iter(scores)) == "f1"
    for name, value in a.metrics.items():
        assert (scores[name].a, scores[name].b) == (pytest.approx(value), pytest.approx(b.metrics[name]))
    test = paired_test(f1_of, b.rows, a.rows)
    assert (scores["f1"].difference, scores["f1"].p_value) == (pytest.approx(test.difference), test.p_value)
    report_a, report_b = ({row.type: row for row in each.report.rows} for each in (a, b))
    for row in found.types["chunk"]:
        for f1, report in ((row.f1_a, report_a), (row.f1_b, report_b)):
            assert f1 == pytest.approx(report[row.type].f1 if row.type in report else 0)
    spans = found.counts["gold span"]
    assert spans["both_right"] + spans["broken"] == a.report.correct
    assert spans["both_right"] + spans["fixed"] == b.report.correct
    assert (
        found.counts["wrong span"]["fixed"] + found.counts["wrong span"]["wrong_alike"]
        == a.report.found - a.report.correct
    )


def test_examples_are_the_sentences_that_changed_most(pair, small):
    found = riata.compare_models(*pair, small[1], examples=100)
    change = {e.place: int(y) - int(x) for e in (*found.better, *found.worse) for x, y in [re.findall(r"\d+", e.title)]}
    for examples in (found.better, found.worse):
        rank = [abs(change[e.place]) / len(e.words) ** 0.5 for e in examples]
        assert rank == sorted(rank, reverse=True)
    assert all(change[e.place] < 0 for e in found.better) and all(change[e.place] > 0 for e in found.worse)
    assert len(found.better) + len(found.worse) > 0
    few = riata.compare_models(*pair, small[1], examples=1)
    assert (few.better, few.worse) == (found.better[:1], found.worse[:1])
    none = riata.compare_models(*pair, small[1], examples=0)
    assert (none.better, none.worse) == ((), ())


def test_a_model_is_equal_to_itself(pair, small):
    found = riata.compare_models(pair[0], pair[0], small[1])
    assert all(score.difference == 0 and score.p_value == 1 for score in found.scores)
    for level in found.levels:
        assert (level.fixed, level.broken, level.wrong_differently or 0) == (0, 0, 0)
    assert (found.better, found.worse) == ((), ())


def test_tags_joint_models_and_labels_given_apart(small):
    train, test = small
    words, tags = test.sentences_of(0), test.sentences_of(1)
    taggers = [
        Tagger(recipe, epochs=2).fit(train.sentences_of(0), train.sentences_of(1)) for recipe in ("perceptron", "mira")
    ]
    found = riata.compare_models(*taggers, words, tags)
    assert [score.name for score in found.scores] == ["accuracy", "sentence_accuracy"]
    assert found.scores[0].b == pytest.approx(100 * taggers[1].score(words, tags))
    assert list(found.types) == ["tag"]
    joint = [JointTagger(recipe, epochs=1, beam=2).fit(train) for recipe in ("max-violation", "early")]
    found = riata.compare_models(*joint, test)
    metrics = [model.evaluate(test).metrics for model in joint]
    for score in found.scores:
        assert (score.a, score.b) == tuple(pytest.approx(each[score.name]) for each in metrics)
    assert {score.name for score in found.scores} == set(metrics[0])
    assert set(found.types) == {"tag", "chunk"}


def test_models_that_write_different_encodings_are_compared_in_that_of_the_truth(small):
    train, test = small
    bioes = riata.registry.get("encoding", "bioes")
    recoded = [bioes.encode(riata.scoring.spans_of(labels), len(labels)) for labels in train.sentences_of(2)]
    inputs = [[token[:2] for token in sentence] for sentence in train]
    a, b = Chunker(epochs=2).fit(train), Chunker(epochs=2).fit(inputs, recoded)
    assert (a.encoding_, b.encoding_) == ("iob2", "bioes")
    found = riata.compare_models(a, b, test)
    scores = {score.name: score for score in found.scores}
    assert scores["f1"].b == pytest.approx(b.evaluate(test).metrics["f1"])
    assert scores["accuracy"].b > 80  # of tags as the truth writes them; as BIOES half of them would be wrong


def test_what_is_shown_holds_every_number_and_marks_what_is_wrong(pair):
    found = riata.compare_models(*pair, embedded(split="test")[:40])
    html = found._repr_html_()
    for level in found.levels:
        assert level.name in str(found) and f"<td>{level.name}</td>" in html
    assert json.loads(json.dumps(found.to_dict()))["counts"] == found.counts
    assert "*[" in str(found) and 'class="c x"' in html


def test_examples_are_escaped():
    words = ("<script>", "&", "[/]")
    labels = [
        ExampleLabels(("<a>", "b", "c"), (Span(0, 1, "<X>"),)),
        ExampleLabels(("b", "b", "c"), (Span(0, 2, "<Y>"),)),
    ]
    example = Example("<title>", "sentence 1", words, labels[0], {"<A>": labels[1]})
    tree = ElementTree.fromstring(example.to_html())
    assert [cell.text for cell in tree.iter("div") if cell.get("class") == "k"] == ["gold", "<A>"]
    assert [b.text for b in tree.iter("b")] == ["<X>", "<Y>"]
    assert [small.text for small in tree.iter("small")] == ["(sentence 1)", "<a>", "b"]
    assert "*[<Y> *<script>/b &] [/]" in shown(example)


def test_what_cannot_be_compared_is_refused(pair, small):
    tagger = Tagger(epochs=1).fit(small[0].select([0, 1]))
    refused(UnsupportedError, "different tasks, 'chunk' and 'tag'", riata.compare_models, pair[0], tagger, small[1])
    refused(UnsupportedError, "outputs of its own", riata.compare_models, pair[0], Predictor(Problem()), small[1])
    refused(NotFittedError, "", riata.compare_models, pair[0], Chunker(), small[1])
    refused(DataError, "scoring needs the output column", riata.compare_models, *pair, small[1].select([0, 1]))
    refused(SettingError, "examples is -1", riata.compare_models, *pair, small[1], examples=-1)


@pytest.fixture
def folder(tmp_path, monkeypatch, run):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data.txt").write_text(as_text(), encoding="utf-8")
    for name, options in {
        "a": ("chunk",),
        "b": ("chunk", "--recipe", "early", "--epochs", "1"),
        "t": ("tag",),
        "other": ("chunk", "--inputs", "0", "--outputs", "2"),
    }.items():
        assert run("train", options[0], "--train", "data.txt", "--model", f"{name}.riata", *options[1:])[0] == 0
    return tmp_path


def test_the_command_shows_what_the_function_finds(folder, run):
    out = run.silent("compare-models", "a.riata", "b.riata", "data.txt")
    assert out.startswith("A: a.riata\nB: b.riata\n") and "gold span" in out
    status, out, _ = run("compare-models", "a.riata", "b.riata", "data.txt", "--json", "--examples", "1")
    by_hand = riata.compare_models(
        *map(riata.load_model, ("a.riata", "b.riata")), riata.read_columns("data.txt"), examples=1
    )
    assert (status, json.loads(out)) == (0, {"a": "a.riata", "b": "b.riata", **by_hand.to_dict()})
    assert run("compare-models", "a.riata", "other.riata", "data.txt")[0] == 0  # which reads one column less
    assert "compare-models" in run("--help")[1]


@for_rows(
    "models, data, says",
    (("a", "t"), as_text(), "different tasks, 'chunk' and 'tag'"),
    (("a", "b"), "", "the file holds no tokens"),
    (("a", "b"), "The DT\n", "scoring needs the output column"),
    (("a", "b"), "The\n", "the model reads column 1"),
    (("a", "none"), as_text(), "none.riata: no such file"),
)
def test_bad_input_is_told(folder, run, models, data, says):
    (folder / "new.txt").write_text(data, encoding="utf-8")
    err = run.refused("compare-models", *(f"{name}.riata" for name in models), "new.txt")
    assert says in err and "Traceback" not in err


def test_accuracy_is_the_share_of_tokens(pair, small):
    rows = [model.evaluate(small[1]).rows for model in pair]
    found = riata.compare_models(*pair, small[1]).counts["token"]
    right = found["both_right"] + found["broken"]
    assert 100 * right / small[1].tokens == pytest.approx(float(accuracy_of(rows[0].sum(axis=0))))
    assert sum(found.values()) == small[1].tokens


# --- what changed between two outputs, against counting by hand, token by token and span by span ---------------------
CASES = ("both_right", "fixed", "broken", "wrong_alike", "wrong_differently")


def case_of(gold, a, b):
    if a == gold:
        return "both_right" if b == gold else "broken"
    if b == gold:
        return "fixed"
    return "wrong_alike" if a == b else "wrong_differently"


def tally(cases):
    cases = list(cases)
    return {case: cases.count(case) for case in CASES}


def flat(sentences):
    return [x for sentence in sentences for x in sentence]


@given(labellings(3))
def test_sentences_tokens_and_spans_are_counted_as_by_hand(three):
    gold, a, b = three
    found = {level.name: level.to_dict() for level in levels(outputs(gold, a, b))}
    assert found["sentence"] == tally(map(case_of, gold, a, b))
    assert found["token"] == tally(map(case_of, flat(gold), flat(a), flat(b)))
    spans = []
    wrong = {"fixed": 0, "broken": 0, "wrong_alike": 0}
    for s in range(len(gold)):
        of_gold, of_a, of_b = (spans_of(labels[s]) for labels in three)
        for span in of_gold:
            tokens = set(range(span.start, span.end))
            place_a, place_b = ({x for x in of if tokens & set(range(x.start, x.end))} for of in (of_a, of_b))
            spans.append(case_of({span}, place_a, place_b))
        for span in {*of_a, *of_b} - {*of_gold}:
            wrong["wrong_alike" if span in of_a and span in of_b else "fixed" if span in of_a else "broken"] += 1
    assert found["gold span"] == tally(spans)
    assert found["wrong span"] == {"both_right": None, **wrong, "wrong_differently": None}


@given(labellings(3), labellings(3, labels=tuple(PLAIN)))
def test_of_two_outputs_a_sentence_is_right_when_both_are(chunks, tags):
    size = min(len(chunks[0]), len(tags[0]))
    lengths = [min(len(chunks[0][s]), len(tags[0][s])) for s in range(size)]
    chunks, tags = ([[one[s][:n] for s, n in enumerate(lengths)] for one in three] for three in (chunks, tags))
    found = {level.name: level.to_dict() for level in levels(joint_outputs({"tag": tags, "chunk": chunks}))}
    pairs = [
        [list(zip(t, c, strict=True)) for t, c in zip(*both, strict=True)] for both in zip(tags, chunks, strict=True)
    ]
    assert found["sentence"] == tally(map(case_of, *pairs))
    assert found["token (tag)"] == tally(map(case_of, *map(flat, tags)))
    assert found["token (chunk)"] == tally(map(case_of, *map(flat, chunks)))


@given(labellings(3), st.booleans())
def test_types_are_counted_as_by_hand(three, chunks):
    def things(labels):
        if not chunks:
            return list(enumerate(flat(labels)))
        return [(s, span) for s, sentence in enumerate(labels) for span in spans_of(sentence)]

    rows = by_type(outputs(*three, kind="chunk" if chunks else "tag").main)
    gold, a, b = map(things, three)
    type_of = (lambda thing: thing[1].type) if chunks else (lambda thing: thing[1])
    assert {row.type for row in rows} == {type_of(thing) for thing in (*gold, *a, *b)}
    for row in rows:
        mine = [[thing for thing in every if type_of(thing) == row.type] for every in (gold, a, b)]
        right = [sum(thing in mine[0] for thing in found) for found in mine[1:]]
        assert (row.gold, row.found_a, row.found_b, row.correct_a, row.correct_b) == (*map(len, mine), *right)
        assert row.fixed == sum(thing in mine[2] and thing not in mine[1] for thing in mine[0])
        assert row.broken == sum(thing in mine[1] and thing not in mine[2] for thing in mine[0])
        assert row.fixed - row.broken == right[1] - right[0]
        for f1, correct, found in ((row.f1_a, right[0], mine[1]), (row.f1_b, right[1], mine[2])):
            assert f1 == pytest.approx(200 * correct / (len(found) + len(mine[0])) if found or mine[0] else 0)
    net = [abs(row.correct_b - row.correct_a) for row in rows]
    assert net == sorted(net, reverse=True)


@given(labellings(2))
def test_errors_of_a_sentence_are_wrong_and_missed_spans(two):
    found = errors_by_sentence(outputs(*two), 0)
    expected = [len(set(spans_of(g)) ^ set(spans_of(f))) for g, f in zip(*two, strict=True)]
    assert found.tolist() == expected
    tokens = errors_by_sentence(outputs(*two, kind="tag"), 0)
    assert tokens.tolist() == [sum(x != y for x, y in zip(g, f, strict=True)) for g, f in zip(*two, strict=True)]
