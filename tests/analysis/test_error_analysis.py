"""The error analysis of models: its numbers are those of evaluate and search_errors; pictures; the command; bad input."""

import json
import math
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

import riata
from analysis_problems import labellings, outputs
from checks import refused
from riata import Chunker, DependencyParser, JointTagger, Tagger
from riata.analysis.beams import beams_of
from riata.analysis.slices import Vocabulary, by_frequency, by_seen, by_sentence_length, by_span_length
from riata.analysis.span_errors import (
    KINDS,
    by_kind,
    label_confusions,
    matrix,
    most_frequent,
    span_errors,
    type_confusions,
)
from riata.data.encodings.base import spans_of
from riata.data.types import Span
from riata.errors import DataError, NotFittedError, SettingError, UnsupportedError
from samples import FEATURES, TAGS, as_text, embedded, feature_tagger, for_rows, hashed_chunker


@pytest.fixture(scope="module")
def test():
    return embedded(split="test")[:50]


@pytest.fixture(scope="module")
def models():
    train = embedded()[:80]
    return {
        "chain": Chunker(epochs=2).fit(train),
        "bioes": Chunker("early", structure="chain", learn_as="bioes", beam=2, epochs=2).fit(train),
        "segments": Chunker("laso-alma", beam=3, epochs=1).fit(train),
        "joint": JointTagger(beam=3, epochs=1).fit(train),
        "tag": Tagger(epochs=2).fit(train.select([0, 1])),
    }


@pytest.mark.parametrize("name", ["chain", "bioes", "segments", "joint", "tag"])
def test_numbers_are_those_of_evaluate_and_search_errors(models, test, name):
    model = models[name]
    data = test.select([0, 1]) if name == "tag" else test
    found, evaluation = model.errors(data), model.evaluate(data)
    assert found.metrics == evaluation.metrics
    assert found.search == model.search_errors(data)
    assert (found.sentences, found.tokens) == (len(data), data.tokens)
    if name == "tag":
        assert (found.kinds, "span_length" in found.slices) == ((), False)
        wrong = sum(c.times for c in found.most_confused("tag"))
        assert 100 * (1 - wrong / data.tokens) == pytest.approx(evaluation.metrics["accuracy"])
    else:
        report = evaluation.report
        assert sum(kind.missed for kind in found.kinds) == report.gold - report.correct
        assert sum(kind.wrong for kind in found.kinds) == report.found - report.correct
        for parts in found.slices.values():
            sums = [sum(getattr(part, field) for part in parts) for field in ("gold", "found", "correct")]
            assert sums == [report.gold, report.found, report.correct]
    assert set(found.confusions) == {"tag": {"tag"}, "joint": {"type", "chunk label", "tag"}}.get(
        name, {"type", "chunk label"}
    )
    assert json.loads(json.dumps(found.to_dict()))["metrics"] == found.metrics
    assert "Whose fault" in str(found) and "Whose fault" in found._repr_html_()


def test_each_beam_decodes_as_the_model_with_that_beam_would(models, test):
    model = models["chain"]
    before = model.get_params()
    found = model.errors(test, beams=[1, 3, math.inf], examples=0)
    assert model.get_params() == before
    for result in found.beams:
        twin = riata.estimators.model_file.from_bytes(riata.estimators.model_file.to_bytes(model))
        twin.set_params(queue="beam", beam=result.beam)
        assert result.metrics == twin.evaluate(test).metrics
        assert result.errors == twin.search_errors(test)
    assert found.beams[-1].metrics == found.metrics and found.beams[-1].errors.search == 0
    assert found.to_dict()["beams"][-1]["beam"] == "inf"
    segments = models["segments"].errors(test, beams=[3], examples=0)
    assert segments.beams[0].metrics == segments.metrics  # the width that it was trained with


def test_seen_words_are_those_of_the_training_data_or_of_the_model(models, test):
    train = embedded()[:80]
    words = set(train.columns[0].texts())
    by_data = models["tag"].errors(test.select([0, 1]), train=train)
    expected = sum(word in words for word in test.columns[0].texts())
    assert {part.name: part.tokens for part in by_data.slices["seen"]}["seen"] == expected
    assert "words of" in by_data.seen_in and "frequency" in by_data.slices
    by_model = models["tag"].errors(test.select([0, 1]))
    assert "features know" in by_model.seen_in and "frequency" not in by_model.slices
    known = Vocabulary.of_model(models["tag"]).words
    assert known == words  # in memory; a file keeps those that carry weight
    loaded = riata.estimators.model_file.from_bytes(riata.estimators.model_file.to_bytes(models["tag"]))
    assert Vocabulary.of_model(loaded).words <= words


def test_without_words_there_is_no_telling_what_was_seen():
    assert Vocabulary.of_model(hashed_chunker()) is None
    tagger = feature_tagger()
    found = tagger.errors(FEATURES, TAGS)
    assert found.seen_in is None and set(found.slices) == {"sentence_length"}
    assert "which words were seen is not known" in str(found)
    refused(UnsupportedError, "features, not words", tagger.errors, FEATURES, TAGS, train=FEATURES)


def test_examples_are_sentences_of_their_kind(models, test):
    found = models["chain"].errors(test, examples=2)
    kinds = {kind.kind: kind.errors for kind in found.kinds}
    assert set(found.examples) == {kind for kind, errors in kinds.items() if errors}
    assert all(1 <= len(examples) <= 2 for examples in found.examples.values())
    for example in found.examples.get("missed", ()):
        gold, output = example.gold.spans, example.found["output"].spans
        assert any(all(o.end <= g.start or g.end <= o.start for o in output) for g in gold)
    assert models["chain"].errors(test, examples=0).examples == {}


def test_a_perfect_model_has_no_errors():
    chunker = Chunker(epochs=20).fit(embedded()[:10])
    found = chunker.errors(embedded()[:10], beams=[2])
    assert found.metrics["f1"] == 100 and found.search.wrong == 0
    assert not any(kind.errors for kind in found.kinds) and found.examples == {}
    assert found.most_confused("type") == ()
    assert "Span errors" in str(found)


def test_what_cannot_be_analysed_is_refused(models, test):
    refused(NotFittedError, "", Chunker().errors, test)
    refused(DataError, "scoring needs the output column", models["chain"].errors, test.select([0, 1]))
    refused(SettingError, "beam", models["chain"].errors, test, beams=[0])
    refused(SettingError, "examples is", models["chain"].errors, test, examples=-1)


def test_beams_that_cannot_be_are_refused_before_anything_is_decoded(models, test, tmp_path, run, monkeypatch):
    trees = [[("The", "DT", "2", "det"), ("bus", "NN", "3", "nsubj"), ("stopped", "VBD", "0", "root")]]
    moves = DependencyParser(structure="transitions", epochs=1, tags="given").fit(trees)
    exact = DependencyParser(structure="projective", epochs=1, tags="given").fit(trees)
    moves.save(tmp_path / "moves.riata")
    (tmp_path / "trees.txt").write_text(as_text(trees), encoding="utf-8")
    assert [one.beam for one in moves.errors(trees, beams=[1, 2]).beams] == [1, 2]
    monkeypatch.setattr(riata.models.model.Model, "predict", None)
    for model, data, beams, told in (
        (moves, trees, [1, 2, math.inf], "inf is among the beams"),
        (models["joint"], test, [math.inf], "inf is among the beams"),
        (exact, trees, [1], "is not searched with the queue"),
    ):
        refused(UnsupportedError, told, model.errors, data, beams=beams)
    files = str(tmp_path / "moves.riata"), str(tmp_path / "trees.txt")
    err = run.refused("errors", "--model", *files, "--beams", "1,2,inf")
    assert "--beams" in err and "max_nodes" not in err


def test_beams_of_the_command_line():
    assert beams_of("1,2, 5,inf,2") == (1, 2, 5, math.inf)
    for text in ("", "0", "1,,2", "a", "-1", "1.5"):
        refused(SettingError, "between commas", beams_of, text)


@pytest.mark.parametrize("name", ["joint", "tag"])
def test_a_picture_is_drawn(models, test, tmp_path, name):
    pytest.importorskip("matplotlib")
    data = test.select([0, 1]) if name == "tag" else test
    found = models[name].errors(data, train=embedded()[:80], beams=[1, 5])
    found.plot(tmp_path / "errors.svg")
    assert "<!-- by the beam that decodes -->" in (tmp_path / "errors.svg").read_text()
    refused(SettingError, r"ends in \.svg or \.png", found.plot, tmp_path / "errors.pdf")


@pytest.fixture
def folder(tmp_path, monkeypatch, run):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data.txt").write_text(as_text(), encoding="utf-8")
    assert run("train", "chunk", "--train", "data.txt", "--model", "m.riata", "--epochs", "1")[0] == 0
    return tmp_path


def test_the_command_shows_what_the_method_finds(folder, run):
    out = run.silent("errors", "--model", "m.riata", "data.txt", "--train", "data.txt", "--beams", "1,2")
    assert "Span errors" in out and "Whose fault" in out and "beam 2" in out
    status, out, _ = run("errors", "--model", "m.riata", "data.txt", "--json", "--examples", "0")
    by_hand = riata.load_model("m.riata").errors(riata.read_columns("data.txt"), examples=0)
    assert (status, json.loads(out)) == (0, {"model": "m.riata", **by_hand.to_dict()})


def test_the_command_draws(folder, run):
    pytest.importorskip("matplotlib")
    assert run("errors", "--model", "m.riata", "data.txt", "--plot", "e.png")[0] == 0
    assert (folder / "e.png").read_bytes().startswith(b"\x89PNG")


@for_rows(
    "options, data, says",
    ((), "", "the file holds no tokens"),
    ((), "The DT\n", "scoring needs the output column"),
    ((), "The\n", "the model reads column 1"),
    (("--beams", "1,x"), as_text(), "expected whole numbers"),
    (("--plot", "e.pdf"), as_text(), "ends in .svg or .png"),
    (("--plot", "none/e.png"), as_text(), "its folder does not exist"),
    (("--train", "none.txt"), as_text(), "none.txt: no such file"),
    (("--examples", "-1"), as_text(), "-1"),
)
def test_bad_input_is_told(folder, run, options, data, says):
    (folder / "new.txt").write_text(data, encoding="utf-8")
    err = run.refused("errors", "--model", "m.riata", "new.txt", *options)
    assert says in err and "Traceback" not in err


def test_without_matplotlib_a_picture_is_refused_before_the_work(folder, run, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    err = run.refused("errors", "--model", "m.riata", "data.txt", "--plot", "e.svg")
    assert "matplotlib" in err and "pip install matplotlib" in err


def test_examples_of_trees_show_the_arcs_that_differ():
    sentence = [("the", "D", 2, "det"), ("dog", "N", 3, "nsubj"), ("saw", "V", 0, "root"), ("dog", "N", 3, "obj")]
    parser = DependencyParser("mira", epochs=5, tags="given").fit([sentence] * 3)
    gold = [[(4, "det"), (3, "nsubj"), (0, "root"), (3, "dep")], [(2, "det"), (3, "nsubj"), (0, "root"), (3, "obj")]]
    words = [token[:2] for token in sentence]
    examples = parser.errors([words] * 2, gold).examples
    assert set(examples) == {"dep taken for obj", "relation right, head wrong"}
    (example,) = examples["dep taken for obj"]
    assert {name: str(shown) for name, shown in example.shown().items()} == {
        "gold": "the/det←dog(4) dog saw dog/dep←saw",
        "output": "*the/det←dog(2) dog saw *dog/obj←saw",
    }
    assert example.to_dict()["gold"] == {"heads": [4, 3, 0, 3], "relations": ["det", "nsubj", "root", "dep"]}
    assert "det←dog(4)" in example.to_html()


# --- scores of parts of a corpus, against adding up token by token and span by span ----------------------------------
WORDS = st.sampled_from("pqrstu")


@st.composite
def worded(draw):
    two = draw(labellings(2, longest=14))
    return two, [[draw(WORDS) for _ in sentence] for sentence in two[0]]


def check(parts, two, token_name, span_name):
    """token_name(s, i), span_name(s, span): the part that a token or a span belongs to; None: to none."""
    tokens, right, spans = {}, {}, {}
    for s, (gold, found) in enumerate(zip(*two, strict=True)):
        for i, (a, b) in enumerate(zip(gold, found, strict=True)):
            name = token_name(s, i)
            tokens[name] = tokens.get(name, 0) + 1
            right[name] = right.get(name, 0) + (a == b)
        of_gold, of_found = spans_of(gold), spans_of(found)
        for place, each in enumerate((of_gold, of_found, [x for x in of_gold if x in of_found])):
            for span in each:
                spans.setdefault(span_name(s, span), [0, 0, 0])[place] += 1
    assert {part.name for part in parts} == {*tokens, *spans} - {None}
    for part in parts:
        if part.tokens is not None:
            assert part.tokens == tokens.get(part.name, 0)
            assert part.right["chunk"] == right.get(part.name, 0)
            if part.tokens:
                assert part.accuracy("chunk") == pytest.approx(100 * right[part.name] / tokens[part.name])
        gold, found, correct = spans.get(part.name, (0, 0, 0))
        assert (part.gold, part.found, part.correct) == (gold, found, correct)
        assert part.f1 == (pytest.approx(200 * correct / (gold + found)) if gold + found else None)


def length_class(length, ends):
    low = 1
    for end in ends:
        if length <= end:
            return str(low) if low == end else f"{low}–{end}"
        low = end + 1
    return f"{low} or more"


@given(worded())
def test_by_length(given_):
    two, words = given_
    data = outputs(*two, words=words)

    def of_sentence(s, _):
        return length_class(len(words[s]), (5, 10, 20, 30, 40))

    check(by_sentence_length(data), two, of_sentence, of_sentence)
    lengths = (1, 2, 3, 4, 5)
    check(by_span_length(data), two, lambda s, i: None, lambda s, span: length_class(span.end - span.start, lengths))
    assert all(part.tokens is None for part in by_span_length(data))


@given(worded(), st.dictionaries(WORDS, st.integers(1, 9)))
def test_by_seen_and_by_frequency(given_, counts):
    two, words = given_
    data = outputs(*two, words=words)
    vocabulary = Vocabulary(counts, frozenset(counts), "test")

    def seen(some):
        return "seen" if all(word in counts for word in some) else "unseen"

    def often(some):
        fewest = min(counts.get(word, 0) for word in some)
        return {0: "never", 1: "once"}.get(fewest) or next(
            f"{2**k}–{2 * 2**k - 1} times" for k in range(1, 5) if fewest < 2 * 2**k
        )

    for parts, name in ((by_seen(data, vocabulary), seen), (by_frequency(data, vocabulary), often)):
        check(
            parts,
            two,
            lambda s, i, name=name: name([words[s][i]]),
            lambda s, span, name=name: name(words[s][span.start : span.end]),
        )


# --- kinds of span errors --------------------------------------------------------------------------------------------
def tags(text):
    """'X X. o Y' is B-X I-X O B-Y: a dot goes on with what is before."""
    return ["O" if t == "o" else f"I-{t[0]}" if t.endswith(".") else f"B-{t}" for t in text.split()]


@for_rows(
    "kind, gold, found",
    ("type", "X X.", "Y Y."),
    ("too long", "o X o", "X X. X."),
    ("too short", "X X.", "o X"),
    ("shifted", "X X. o", "o X X."),
    ("shifted", "X X. Y Y. o", "o X X. Y Y."),
    ("merged", "X Y", "X X."),
    ("merged", "X X", "X X."),
    ("split", "X X.", "Y X"),
    ("type and borders", "X X.", "Y o"),
    ("type and borders", "X X", "Y Y."),
    ("missed", "X", "o"),
    ("invented", "o", "X"),
)
def test_every_kind_by_hand(kind, gold, found):
    (error,) = span_errors(outputs([tags(gold)], [tags(found)]).main)
    assert error.kind == kind
    assert (list(error.gold), list(error.found)) == (spans_of(tags(gold)), spans_of(tags(found)))


def touch(a, b):
    return bool(set(range(a.start, a.end)) & set(range(b.start, b.end)))


def groups(missed, wrong):
    """Connected parts of the graph of overlaps, by growing each from one span."""
    left = [*((0, span) for span in missed), *((1, span) for span in wrong)]
    while left:
        group = [left.pop()]
        while more := [x for x in left if any(touch(x[1], y[1]) for y in group)]:
            group += more
            left = [x for x in left if x not in more]
        yield [s for side, s in group if side == 0], [s for side, s in group if side == 1]


def holds(kind, gold, found):
    """Whether a group is of a kind, each by a rule of its own."""
    one_type = any(touch(g, f) and g.type == f.type for g in gold for f in found)
    single = len(gold) == len(found) == 1
    tokens = [{t for span in spans for t in range(span.start, span.end)} for spans in (gold, found)]
    rules = {
        "missed": not found,
        "invented": not gold,
        "type": single and tokens[0] == tokens[1] and not one_type,
        "too long": single and one_type and tokens[0] < tokens[1],
        "too short": single and one_type and tokens[1] < tokens[0],
        "shifted": one_type
        and (
            min(len(gold), len(found)) > 1 or (single and bool(tokens[0] - tokens[1]) and bool(tokens[1] - tokens[0]))
        ),
        "merged": one_type and len(found) == 1 and len(gold) > 1,
        "split": one_type and len(gold) == 1 and len(found) > 1,
        "type and borders": bool(gold) and bool(found) and not one_type and not (single and tokens[0] == tokens[1]),
    }
    return rules[kind]


@given(labellings(2, longest=9))
def test_every_wrong_and_every_missed_span_is_in_one_error_of_one_kind(two):
    errors = span_errors(outputs(*two).main)
    expected = []
    for s, (gold, found) in enumerate(zip(*two, strict=True)):
        of_gold, of_found = spans_of(gold), spans_of(found)
        missed, wrong = set(of_gold) - set(of_found), set(of_found) - set(of_gold)
        mine = [error for error in errors if error.sentence == s]
        assert sorted(span for error in mine for span in error.gold) == sorted(missed)
        assert sorted(span for error in mine for span in error.found) == sorted(wrong)
        for a, b in groups(missed, wrong):
            (kind,) = [kind for kind in KINDS if holds(kind, a, b)]
            expected.append((kind, s, tuple(sorted(a)), tuple(sorted(b))))
    assert sorted(expected) == sorted((e.kind, e.sentence, e.gold, e.found) for e in errors)


@given(labellings(2, longest=9))
def test_counts_add_up_and_f1_without_a_kind_is_that_of_mended_output(two):
    output = outputs(*two).main
    errors = span_errors(output)
    gold = {(s, span) for s, labels in enumerate(two[0]) for span in spans_of(labels)}
    found = {(s, span) for s, labels in enumerate(two[1]) for span in spans_of(labels)}
    counts = by_kind(errors, len(gold), len(found))
    assert [count.kind for count in counts] == list(KINDS)
    assert sum(count.missed for count in counts) == len(gold - found)
    assert sum(count.wrong for count in counts) == len(found - gold)
    assert sum(count.errors for count in counts) == len(errors)
    for count in counts:
        mended = set(found)
        for error in errors:
            if error.kind == count.kind:
                mended -= {(error.sentence, span) for span in error.found}
                mended |= {(error.sentence, span) for span in error.gold}
        total = len(mended) + len(gold)
        assert count.f1_without == pytest.approx(200 * len(mended & gold) / total if total else 0)


@given(labellings(2))
def test_confusions_are_counted_as_by_hand(two):
    output = outputs(*two).main
    labels = label_confusions(output)
    pairs = [pair for gold, found in zip(*two, strict=True) for pair in zip(gold, found, strict=True)]
    assert dict(labels) == {pair: pairs.count(pair) for pair in pairs}
    types = type_confusions(output)
    expected = {}
    for gold, found in zip(*two, strict=True):
        borders = {span[:2] for span in (*spans_of(gold), *spans_of(found))}
        for border in borders:
            of = [next((s.type for s in spans_of(side) if s[:2] == border), None) for side in (gold, found)]
            expected[tuple(of)] = expected.get(tuple(of), 0) + 1
    assert dict(types) == expected
    wrong = most_frequent(types)
    assert {(c.gold, c.found): c.times for c in wrong} == {k: n for k, n in expected.items() if k[0] != k[1]}
    assert [c.times for c in wrong] == sorted((c.times for c in wrong), reverse=True)
    kept, cells = matrix(types, 2)
    assert len([label for label in kept if label is not None]) <= 2
    assert cells.tolist() == [[expected.get((a, b), 0) for b in kept] for a in kept]


def test_spans_are_those_of_the_labels():
    (error,) = span_errors(outputs([["B-X", "I-X"]], [["B-X", "O"]]).main)
    assert (error.kind, error.gold, error.found) == ("too short", (Span(0, 2, "X"),), (Span(0, 1, "X"),))
