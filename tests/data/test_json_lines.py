"""JSON lines: the shapes that tools write, places in characters, and whatever else a line may hold."""

import gzip
import json
import warnings
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import riata
from checks import refused
from riata import DependencyParser, RiataWarning
from riata.data.encodings.base import spans_of
from riata.data.formats.base import Asked
from riata.data.formats.jsonl import FORMAT
from riata.data.json_lines.splitting import places_of, words_and_marks
from riata.errors import DataError, RiataError, SettingError, UnknownNameError
from samples import for_rows

PARIS = [("Anna", "B-PER"), ("left", "O"), ("Paris", "B-LOC"), (".", "O")]
TEXT = "Anna left Paris."
NAMES = [[0, 4, "PER"], [10, 15, "LOC"]]
MARKS = [{"start": start, "end": end, "label": label} for start, end, label in NAMES]
PLACES = [
    {"text": TEXT[a:b], "start": a, "end": b, "id": i}
    for i, (a, b) in enumerate(places_of(TEXT, words_and_marks(TEXT)))
]


def file(tmp_path: Path, *objects: Any, name: str = "file.jsonl") -> Path:
    """Objects, or lines as they are."""
    path = tmp_path / name
    lines = (each if isinstance(each, str) else json.dumps(each) for each in objects)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def read(tmp_path: Path, *objects: Any, **options: Any) -> list[list[tuple[str, ...]]]:
    return [list(sentence) for sentence in riata.read_jsonl(file(tmp_path, *objects), **options)]


SHAPES = {
    "tokens and tags": {"tokens": ["Anna", "left", "Paris", "."], "tags": ["B-PER", "O", "B-LOC", "O"]},
    "words and ner_tags": {"words": ["Anna", "left", "Paris", "."], "ner_tags": ["B-PER", "O", "B-LOC", "O"]},
    "tokens and labels": {"id": "7", "tokens": ["Anna", "left", "Paris", "."], "labels": ["B-PER", "O", "B-LOC", "O"]},
    "tokens and spans": {
        "tokens": ["Anna", "left", "Paris", "."],
        "spans": [{"start": 0, "end": 1, "label": "PER"}, {"start": 2, "end": 3, "label": "LOC"}],
    },
    "tokens and typed entities": {
        "tokens": ["Anna", "left", "Paris", "."],
        "entities": [{"start": 0, "end": 1, "type": "PER"}, {"start": 2, "end": 3, "type": "LOC"}],
        "relations": [],
    },
    "text and spans": {"text": TEXT, "spans": MARKS},
    "Prodigy": {"text": TEXT, "spans": MARKS, "tokens": PLACES, "answer": "accept", "_input_hash": 1},
    "Doccano": {"id": 1, "data": TEXT, "label": NAMES},
    "Doccano, labels": {"id": 1, "text": TEXT, "labels": NAMES},
    "Doccano, entities": {
        "text": TEXT,
        "entities": [{"id": 1, "label": label, "start_offset": a, "end_offset": b} for a, b, label in NAMES],
        "relations": [],
        "Comments": [],
    },
    "Label Studio": {
        "id": 1,
        "data": {"text": TEXT},
        "annotations": [
            {
                "result": [
                    {"value": {"start": a, "end": b, "labels": [label]}, "type": "labels"} for a, b, label in NAMES
                ]
            }
        ],
    },
    "Label Studio, short": {
        "text": TEXT,
        "label": [{"start": a, "end": b, "labels": [label]} for a, b, label in NAMES],
    },
    "spaCy's pairs": [TEXT, {"entities": NAMES}],
    "spaCy's ents": {
        "text": TEXT,
        "ents": MARKS,
        "tokens": [{key: p[key] for key in ("id", "start", "end")} for p in PLACES],
    },
}


@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_is_read_as_words_and_tags(tmp_path, shape):
    assert read(tmp_path, SHAPES[shape], SHAPES[shape]) == [PARIS, PARIS]


def test_spans_that_predictions_do_not_read_are_not_counted(tmp_path, run):
    train = file(tmp_path, *[SHAPES["Prodigy"]] * 8, name="train.jsonl")
    assert run("train", "ner", "--train", train, "--epochs", 1, "--model", tmp_path / "m.riata")[0] == 0
    odd = {"text": TEXT, "spans": [*MARKS, {"start": 0, "end": 6, "label": "PER"}]}
    status, _, err = run("predict", "--model", tmp_path / "m.riata", file(tmp_path, odd, odd))
    assert (status, "spans" in err) == (0, False)


@pytest.mark.parametrize("shape", [name for name in SHAPES if "pairs" not in name])
def test_a_file_that_is_one_array_is_read(tmp_path, shape):
    for indent in (None, 2):
        path = file(tmp_path, json.dumps([SHAPES[shape], SHAPES[shape]], indent=indent), name="file.json")
        assert [list(sentence) for sentence in riata.read_jsonl(path)] == [PARIS, PARIS]


def test_shapes_may_be_mixed_where_they_mean_the_same(tmp_path):
    assert read(tmp_path, *(SHAPES[name] for name in ("text and spans", "Doccano", "tokens and spans"))) == [PARIS] * 3


def test_utf_16_is_recognised(tmp_path):
    (tmp_path / "wide.jsonl").write_bytes('{"text": "a"}\n'.encode("utf-16"))
    with pytest.raises(DataError, match="not valid UTF-8") as caught:
        riata.read_jsonl(tmp_path / "wide.jsonl")
    assert "UTF-16" in caught.value.remedy


@pytest.mark.parametrize("ask", [riata.read_jsonl, riata.read_columns, riata.read_conllu, riata.load_model])
def test_numbers_are_no_paths(ask):
    with pytest.raises(RiataError, match="found the number 3 in place of the path"):
        ask(3)


def test_spans_of_two_keys_must_be_the_same(tmp_path):
    given = {"text": "Ada left Oslo .", "label": [[0, 3, "PER"]]}
    for spans in ([], [[9, 13, "LOC"]]):
        refused(DataError, "'spans' and 'label' have different spans", read, tmp_path, {**given, "spans": spans})
    same = {**given, "spans": [{"start": 0, "end": 3, "label": "PER"}]}
    tags = [[("Ada", "B-PER"), ("left", "O"), ("Oslo", "O"), (".", "O")]]
    assert read(tmp_path, same) == read(tmp_path, {**same, "label": ["a whole text"]}) == tags


def test_files_are_no_data_sets():
    with pytest.raises(DataError, match=r"'c\.riata' looks like a file") as caught:
        riata.load("c.riata")
    assert "load_model" in caught.value.remedy


def test_columns_are_in_a_stable_order_with_the_labels_last(tmp_path):
    tokens = {"ner_tags": ["O"], "pos": ["NN"], "tokens": ["a"], "shape": ["x"], "length": [1], "id": "4"}
    corpus = riata.read_jsonl(file(tmp_path, tokens, dict(reversed(tokens.items()))))
    assert corpus.names == ("tokens", "shape", "pos", "ner_tags")
    assert list(corpus[0]) == list(corpus[1]) == [("a", "x", "NN", "O")]
    assert read(tmp_path, tokens, inputs=["tokens", "pos"], output="ner_tags") == [[("a", "NN", "O")]]
    with pytest.raises(UnknownNameError, match=r"file.jsonl: Unknown column 'poss'. Did you mean 'pos'"):
        read(tmp_path, tokens, output="poss")


def test_trees_are_read(tmp_path):
    tree = {"tokens": ["a", "b"], "heads": [2, 0], "deprels": ["det", "root"], "upos": ["DET", None]}
    assert read(tmp_path, tree) == [[("a", "DET", "2", "det"), ("b", "_", "0", "root")]]
    parser = DependencyParser(epochs=1).fit(riata.read_jsonl(file(tmp_path, *[tree] * 5), output=["heads", "deprels"]))
    assert parser.inputs_[0] == 0


def test_only_accepted_objects_are_read_and_the_others_are_counted(tmp_path):
    kept, left = SHAPES["Prodigy"], {**SHAPES["Prodigy"], "answer": "reject"}
    with pytest.warns(RiataWarning, match="2 objects are not accepted and were left out .*line 2: 'reject'"):
        assert read(tmp_path, kept, left, {**left, "answer": "ignore"}) == [PARIS]
    assert read(tmp_path, {"text": "Nobody.", "answer": "accept"}, kept)[1] == PARIS
    refused(DataError, r"no object with words .1 object is not accepted", read, tmp_path, left)


@pytest.mark.parametrize(
    ("label", "said"),
    [("B-PER", "1 span has labels of tokens; .*'B-PER'"), ("job title", "1 span has labels with blanks")],
)
def test_odd_labels_of_spans_are_told_of(tmp_path, label, said):
    with pytest.warns(RiataWarning, match=said):
        read(tmp_path, {"text": TEXT, "spans": [{"start": 0, "end": 4, "label": label}]})
    with pytest.raises(DataError, match="from 0 to 4 in 'spans' has the label 'O', which tokens outside"):
        read(tmp_path, {"text": TEXT, "spans": [{"start": 0, "end": 4, "label": "O"}]})


def test_places_in_utf_16_are_suspected(tmp_path):
    text = "\U0001f600 Anna left Paris."
    moved = {"text": text, "spans": [{"start": 3, "end": 7, "label": "PER"}]}
    with pytest.warns(RiataWarning, match=r"1 span begins or ends inside a word .*UTF-16.*--misaligned refuse"):
        read(tmp_path, moved)
    with pytest.raises(DataError, match="inside a word") as caught:
        read(tmp_path, moved, misaligned="refuse")
    assert "UTF-16" in caught.value.remedy


@pytest.mark.parametrize("more", [{"annotations": []}, {"predictions": [{"result": []}]}, {"completions": []}])
def test_tasks_without_annotations_are_left_out_and_counted(tmp_path, more):
    task = {"data": {"text": TEXT}, **more}
    with pytest.warns(RiataWarning, match="2 objects are not accepted and were left out .*'no annotation'"):
        assert read(tmp_path, task, SHAPES["Label Studio"], task) == [PARIS]
    with pytest.raises(DataError, match=r"no object with words .1 object is not accepted and was left out"):
        read(tmp_path, task)


def test_tasks_with_choices_alone_are_told_of(tmp_path):
    choice = {"type": "choices", "value": {"choices": ["News"]}}
    task = {"data": {"text": TEXT}, "annotations": [{"result": [choice]}]}
    with pytest.warns(RiataWarning, match="1 task has results without places, such as choices"):
        assert read(tmp_path, task, SHAPES["Label Studio"])[1] == PARIS
    task["annotations"][0]["result"] += SHAPES["Label Studio"]["annotations"][0]["result"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read(tmp_path, task) == [PARIS]


def test_objects_of_an_array_in_one_line_are_told_by_number(tmp_path):
    array = json.dumps([SHAPES["Prodigy"], {"text": "a", "spans": [{"start": 0, "end": 9, "label": "X"}]}])
    with pytest.raises(DataError, match=r"file\.json:1: object 1, counted from 0: the span 'X' from 0 to 9 ends after"):
        riata.read_jsonl(file(tmp_path, array, name="file.json"))
    array = json.dumps([SHAPES["Prodigy"], {**SHAPES["Prodigy"], "answer": "reject"}])
    with pytest.warns(RiataWarning, match="the first in object 1, counted from 0: 'reject'"):
        riata.read_jsonl(file(tmp_path, array, name="file.json"))


def test_of_several_annotations_the_first_is_read(tmp_path):
    task = {"data": {"text": TEXT}, "annotations": [{"result": [], "was_cancelled": True}, *2 * [{"result": []}]]}
    with pytest.warns(RiataWarning, match="1 task has several annotations"):
        assert read(tmp_path, task) == [[(word, "O") for word, _ in PARIS]]


@for_rows("policy, tags", ("widen", ["B-X", "O", "B-LOC", "O"]), ("drop", ["O", "O", "B-LOC", "O"]))
def test_spans_inside_words_are_counted(tmp_path, policy, tags):
    given = {"text": TEXT, "spans": [[1, 5, "X"], [9, 15, "LOC"], [4, 5, "Y"]]}
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        found = read(tmp_path, given, misaligned=policy)
    assert [tag for _, tag in found[0]] == tags
    said = " ".join(str(each.message) for each in told)
    assert "1 span begins or ends inside a word" in said
    assert "line 1: 'X', 'nna ' in 'Anna'" in said
    assert "1 span contains no word and was left out" in said


def test_spans_inside_words_may_be_refused(tmp_path):
    with pytest.raises(DataError, match=r"file.jsonl:2: the span 'X', 'nn', begins or ends inside a word of 'Anna'"):
        read(tmp_path, SHAPES["Doccano"], {"text": TEXT, "label": [[1, 3, "X"]]}, misaligned="refuse")
    with pytest.raises(UnknownNameError, match=r"value of misaligned 'wide'. Did you mean 'widen'"):
        read(tmp_path, SHAPES["Doccano"], misaligned="wide")


def test_of_overlapping_spans_the_longest_is_kept(tmp_path):
    given = {"text": "New York City wins", "spans": [[0, 8, "LOC"], [0, 13, "ORG"], [9, 13, "X"], [0, 13, "ORG"]]}
    with pytest.warns(RiataWarning, match="2 spans overlap longer ones and were left out"):
        assert [tag for _, tag in read(tmp_path, given)[0]] == ["B-ORG", "I-ORG", "I-ORG", "O"]


def test_the_tokenizer_may_be_the_users(tmp_path):
    with pytest.warns(RiataWarning, match="inside a word"):
        assert read(tmp_path, SHAPES["Doccano"], tokenizer=str.split)[0][-1] == ("Paris.", "B-LOC")
    with pytest.raises(DataError, match=r"file.jsonl:1: the word 'ANNA' is not the next one of the text"):
        read(tmp_path, SHAPES["Doccano"], tokenizer=lambda text: text.upper().split())


@for_rows(
    "line, said",
    ("{", "this is no JSON"),
    ('{"tokens": ["a"], "tags": ["O"]', "this is no JSON"),
    ("7", "which is no JSON object"),
    ("[1, 2]", "which is no JSON object"),
    ('"text"', "which is no JSON object"),
    ("{}", "has neither tokens nor a text"),
    ('{"tokens": ["a"], "tags": [NaN]}', "NaN is no number in JSON"),
    ('{"tokens": ["a"], "tags": ["O"], "tags": ["O"]}', "the key 'tags' is there twice"),
    ('{"tokens": ["a"], "tags": [' + "9" * 5000 + "]}", "a number has 5,000 digits"),
    ('{"tokens": ["a"], "tags": ' + "[" * 100_000, "nested too deeply"),
    ('{"tokens": ["\\ud800"], "tags": ["O"]}', "a lone surrogate"),
    ('{"tokens": ["a"], "tags": ["O", "O"]}', "there are 1 tokens and 2 values in 'tags'"),
    ('{"tokens": ["a"], "tags": [3]}', "'tags' has the number 3; expected names of labels.\n.*from_dataset"),
    ('{"tokens": ["a"], "tags": [null]}', "'tags'.0. is None; expected a text"),
    ('{"tokens": ["a", " "], "tags": ["O", "O"]}', "'tokens'.1. is ' '; expected a text that is not blank"),
    ('{"tokens": "a b", "tags": ["O"]}', "'tokens' is 'a b'; expected a list"),
    ('{"tokens": ["a"]}', "no values for each token in 'tags', which line 1 has"),
    ('{"tokens": ["a"], "tags": ["O"], "spans": []}', "labels in 'spans', and line 1 has none"),
    ('{"text": "a", "spans": [[0, 2, "X"]]}', "from 0 to 2 ends after the 1 characters"),
    ('{"tokens": ["a"], "spans": [[0, 2, "X"]]}', "from 0 to 2 ends after the 1 tokens"),
    ('{"text": "a", "spans": [[1, 0, "X"]]}', "place 1 to 0; expected whole numbers"),
    ('{"text": "a", "spans": [[true, 1, "X"]]}', "place True to 1; expected whole numbers"),
    ('{"text": "a", "spans": [[0, 1, ""]]}', "the label ''; expected a name"),
    ('{"text": "a", "spans": [["a", "X"]]}', r"expected \[start, end, label\]"),
    ('{"text": "a", "label": ["positive"]}', "Labels of whole texts are not for sequences"),
    ('{"data": {"image": 3}, "annotations": []}', "the keys 'image', and no text"),
)
def test_a_bad_line_is_named_with_a_remedy(tmp_path, line, said):
    caught = refused(DataError, said, read, tmp_path, SHAPES["tokens and tags"], "", line)
    assert str(caught).startswith(f"{tmp_path}/file.jsonl:3: ")
    assert len(str(caught)) < 900


@pytest.mark.parametrize("content", ["", "\n \n", "[]", '{"tokens": [], "tags": []}\n'])
def test_a_file_without_words_is_refused(tmp_path, content):
    path = tmp_path / "file.jsonl"
    path.write_text(content, encoding="utf-8")
    refused(DataError, r"file.jsonl: the file holds no object", riata.read_jsonl, path)


def test_byte_order_marks_line_ends_and_gzip_are_understood(tmp_path):
    line = json.dumps(SHAPES["Doccano"])
    path = tmp_path / "file.jsonl.gz"
    path.write_bytes(gzip.compress(f"\ufeff{line}\r\n\r\n{line}".encode()))
    assert [list(sentence) for sentence in riata.read_jsonl(path)] == [PARIS, PARIS]


def test_an_array_that_ends_early_names_the_line(tmp_path):
    whole = json.dumps([SHAPES["Doccano"]] * 3, indent=1)
    refused(DataError, r"file.jsonl:\d+: this is no JSON", read, tmp_path, whole[:-30])
    assert read(tmp_path, whole) == [PARIS] * 3


def test_documents_are_told_by_a_key(tmp_path):
    given = [{**SHAPES["Doccano"], "source": name} for name in ("a", "a", "b")]
    corpus = riata.read_jsonl(file(tmp_path, *given), documents="source")
    assert corpus.document.tolist() == [0, 0, 1]
    with pytest.raises(DataError, match=r"file.jsonl:1: 'title', which names documents, is None"):
        riata.read_jsonl(file(tmp_path, *given), documents="title")


words = st.text(st.characters(exclude_categories=("Cs", "Cc", "Zs", "Zl", "Zp")), min_size=1, max_size=6).filter(
    lambda word: word.split() == [word]
)
tagged = st.lists(st.tuples(words, st.sampled_from(["O", "B-A", "I-A", "B-b c"])), min_size=1, max_size=8)


@given(st.lists(tagged, min_size=1, max_size=4))
def test_what_is_written_reads_the_same(tmp_path_factory, sentences):
    path = tmp_path_factory.mktemp("written") / "a.jsonl"
    for spans in (False, True):
        riata.write_jsonl(sentences, path, spans=spans)
        found = riata.read_jsonl(path)
        assert found.sentences_of(0) == [[word for word, _ in sentence] for sentence in sentences]
        assert [spans_of(tags) for tags in found.sentences_of(1)] == [
            spans_of([tag for _, tag in sentence]) for sentence in sentences
        ]


@given(
    st.text(st.sampled_from("ab'. ,1é\u0301\u200d👩🏽-_\n\t") | st.characters(exclude_categories=("Cs",)), max_size=30)
)
def test_words_and_marks_leave_blanks_only_and_stand_in_order(text):
    found = words_and_marks(text)
    places = places_of(text, found)
    assert [text[start:end] for start, end in places] == found
    assert "".join(found) == "".join(text.split())


@given(st.lists(words, min_size=1, max_size=8), st.data())
def test_text_to_spans_and_back_is_the_same(tmp_path_factory, given_words, data):
    text = " ".join(given_words)
    places = places_of(text, words_and_marks(text))
    cuts = sorted(data.draw(st.sets(st.integers(0, len(places)), max_size=4)))
    marks = [
        {"start": places[a][0], "end": places[b - 1][1], "label": "X"}
        for a, b in zip(cuts[::2], cuts[1::2], strict=False)
    ]
    path = tmp_path_factory.mktemp("spans") / "a.jsonl"
    path.write_text(json.dumps({"text": text, "spans": marks}), encoding="utf-8")
    (part,) = FORMAT.stream(path, Asked(sources=True))
    source = part.sources[0]
    found = [
        {"start": source.places[a][0], "end": source.places[b - 1][1], "label": label}
        for a, b, label in spans_of(part.sentences_of(1)[0])
    ]
    assert found == marks
    assert source.fields == {"text": text, "spans": marks}


KEYS = st.sampled_from(
    [
        "tokens",
        "words",
        "text",
        "data",
        "spans",
        "entities",
        "label",
        "labels",
        "tags",
        "heads",
        "upos",
        "annotations",
        "result",
        "value",
        "start",
        "end",
        "answer",
    ]
)
VALUES = st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(["a", "a b", "B-X", "", "accept"])
JSON = st.recursive(
    VALUES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3), max_leaves=8
)
LIKELY = st.fixed_dictionaries(
    {}, optional={"text": st.just("a b"), "tokens": st.just(["a", "b"]), "tags": st.just(["B-X", "O"])}
)


@given(
    st.lists(st.tuples(LIKELY, st.dictionaries(KEYS, JSON, max_size=3)), max_size=3),
    st.integers(0, 200),
    st.binary(max_size=2),
)
def test_whatever_a_file_holds_is_read_or_refused_in_words(tmp_path_factory, objects, cut, tail):
    text = "\n".join(json.dumps({**likely, **other}) for likely, other in objects).encode()
    path = tmp_path_factory.mktemp("odd") / "a.jsonl"
    path.write_bytes(text if cut > 150 else text[:cut] + tail)
    for asked in (Asked(), Asked(columns=(0,), sources=True), Asked(documents="answer")):
        try:
            parts = list(FORMAT.stream(path, asked))
        except DataError as error:
            assert str(path) in str(error)
            continue
        assert all(len(part.sources) == (len(part) if asked.sources else 0) for part in parts)


def test_a_corpus_of_another_format_is_written_with_its_names(tmp_path):
    (tmp_path / "a.conllu").write_text(
        "1\tIt\tit\tPRON\tPRP\t_\t2\tnsubj\t_\t_\n2\tran\trun\tVERB\tVBD\t_\t0\troot\t_\t_\n"
    )
    fields = ("form", "upos", "head", "deprel")
    riata.write_jsonl(riata.read_conllu(tmp_path / "a.conllu", fields), tmp_path / "a.jsonl")
    assert json.loads((tmp_path / "a.jsonl").read_text()) == {
        "tokens": ["It", "ran"],
        "upos": ["PRON", "VERB"],
        "heads": [2, 0],
        "deprels": ["nsubj", "root"],
    }
    with pytest.raises(DataError, match="has 2 columns and the names are a"):
        riata.write_jsonl([[("a", "b")]], tmp_path / "b.jsonl", names=["a"])


def test_a_tokenizer_means_nothing_for_columns(tmp_path):
    from riata.data.files import read_file
    from riata.data.formats.base import splitting

    with splitting(str.split), pytest.raises(SettingError, match="mean nothing for files of columns"):
        read_file(file(tmp_path, "a X", name="a.txt"))
