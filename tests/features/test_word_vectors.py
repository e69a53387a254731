"""Vectors of words beside templates: files, words without a vector, models, and arrays beside words."""

import gzip
import json
import warnings

import numpy as np
import pytest
from hypothesis import strategies as st

import riata
from checks import refused, stored
from riata import Chunker, Tagger, WordVectors
from riata.data.memory import as_corpus
from riata.errors import DataError, ModelFileError, RiataWarning, SettingError, UnsupportedError
from riata.estimators.model_file import from_bytes, to_bytes
from riata.models import container
from samples import for_each, for_rows, tried

TABLE = {"cat": [1.0, 0.5], "dog": [0.75, 0.25], "runs": [-1.0, 0.5], "sleeps": [-0.5, 0.25]}
X = [["cat", "runs"], ["dog", "sleeps"], ["cat", "sleeps"], ["Dog", "runs"]]
y = [["N", "V"]] * 4
TEXTS = {
    "glove.txt": "cat 1 0.5\ndog 0.75 0.25\nruns -1 0.5\nsleeps -0.5 0.25\n",
    "word2vec.txt": "4 2\ncat 1 0.5\ndog 0.75 0.25\nruns -1 0.5\nsleeps -0.5 0.25\n",
    "cc.vec": "4 2\ncat 1 0.5 \ndog 0.75 0.25 \nruns -1 0.5 \nsleeps -0.5 0.25 ",
    "crlf.txt": "cat 1 0.5\r\ndog 0.75 0.25\r\n\r\nruns -1 0.5\r\nsleeps -0.5 0.25\r\n",
}


def as_lines():
    sentences = (zip(words, tags, strict=True) for words, tags in zip(X, y, strict=True))
    return "".join("\n".join(f"{word} {tag}" for word, tag in sentence) + "\n\n" for sentence in sentences)


def same(a, b):
    return a == b and b == a


@pytest.mark.parametrize("name", TEXTS)
def test_text_files_hold_the_vectors_of_a_dictionary(name, tmp_path):
    path = tmp_path / name
    path.write_bytes(TEXTS[name].encode())
    (tmp_path / f"{name}.gz").write_bytes(gzip.compress(TEXTS[name].encode()))
    assert same(WordVectors.read(path), WordVectors.of(TABLE))
    assert same(WordVectors.of(str(path) + ".gz"), WordVectors.of(TABLE))
    assert len(WordVectors.read(path, most=2)) == 2
    assert WordVectors.of(TABLE) != WordVectors.read(path, most=2)


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64])
def test_a_table_has_its_words_beside_it(kind, tmp_path):
    np.save(tmp_path / "v.npy", np.array(list(TABLE.values()), kind))
    with pytest.raises(DataError, match=r"v\.words: the words of v\.npy are missing") as caught:
        WordVectors.read(tmp_path / "v.npy")
    assert "each row" in caught.value.remedy
    (tmp_path / "v.words").write_text("\n".join(TABLE) + "\n")
    assert same(WordVectors.read(tmp_path / "v.npy"), WordVectors.of(TABLE))
    (tmp_path / "v.words").write_text("cat\n")
    refused(DataError, r"1 words, and v\.npy has 4 rows", WordVectors.read, tmp_path / "v.npy")


def test_words_may_have_blanks_and_the_first_of_equal_words_is_taken(tmp_path):
    (tmp_path / "g.txt").write_text("the 1 2\n. . 3 4\nthe 5 6\n")
    found = WordVectors.read(tmp_path / "g.txt")
    assert same(found, WordVectors.of({"the": [1, 2], ". .": [3, 4]}))


@for_rows(
    "text, said",
    ("cat 1 2\ndog 1\n", r"v.txt:2: .*expected a word and 2 numbers"),
    ("cat 1 2\ndog 1 two\n", r"v.txt:2: .*expected a word and 2 numbers"),
    ("cat\n", r"v.txt:1: .*expected a word and some numbers"),
    ("", "the file has no vectors"),
    ("2 3\n", "the file has no vectors"),
    ("cat 1 nan\n", "the vector of 'cat' holds a number that is not finite"),
    ("cat 1 1e300\n", "the vector of 'cat' holds a number that is not finite"),
)
def test_a_file_that_is_none_of_vectors_is_refused_with_its_line(text, said, tmp_path):
    (tmp_path / "v.txt").write_text(text)
    refused(DataError, said, WordVectors.read, tmp_path / "v.txt")


def test_other_things_than_vectors_are_refused(tmp_path):
    (tmp_path / "v.bin").write_bytes(b"2 3\nthe \xff\xfe\x00")
    refused(DataError, r"v.bin:2: not valid UTF-8", WordVectors.read, tmp_path / "v.bin")
    (tmp_path / "v.npy").write_bytes(b"no table")
    refused(DataError, "not a table of NumPy", WordVectors.read, tmp_path / "v.npy")
    refused(DataError, "no such file", Tagger(vectors=tmp_path / "none.txt").fit, X, y)
    for wrong in (3, {}, {1: [2]}, [1, 2]):
        refused(SettingError, "expected the path of a file, a dictionary", Tagger(vectors=wrong).fit, X, y)
    refused(DataError, "'dog' has the shape", Tagger(vectors={"cat": [1, 2], "dog": [1]}).fit, X, y)
    with pytest.raises(UnsupportedError, match="vectors is set, which the structure 'segments' cannot do"):
        Chunker("semicrf", vectors=TABLE).fit(X, y)
    with pytest.raises(UnsupportedError, match="vectors is set, but means nothing to the recipe 'hmm'"):
        Tagger("hmm", vectors=TABLE).fit(X, y)
    with pytest.raises(DataError, match="vectors names vectors of words, but the sentences have arrays"):
        Tagger(vectors=TABLE).fit([np.ones((1, 2))], [["N"]])


@pytest.mark.parametrize("recipe", ["perceptron", "crf", "laso-perceptron", "mira", "m3n"])
def test_words_with_vectors_are_learnt_as_dictionaries_of_both(recipe):
    both = [
        [
            {
                "word": word,
                **{f"v{j}": v for j, v in enumerate(TABLE.get(word.lower(), (0, 0)))},
                "v_unknown": word == "Axolotl",
            }
            for word in sentence
        ]
        for sentence in X
    ]
    kwargs = {"settings": {"c2": 1.0}} if recipe == "crf" else {}
    named = Tagger(recipe, structure="chain", epochs=4, **kwargs).fit(both, y)
    word = Tagger(recipe, structure="chain", epochs=4, template=_template(), vectors=TABLE, **kwargs).fit(X, y)
    for tagger in (named, word):
        tagger.set_params(queue="exact", beam=None)
    for a, b in zip(named.predict_nbest(both, 3), word.predict_nbest(X, 3), strict=True):
        assert [labels for labels, _ in a] == [labels for labels, _ in b]
        assert [score for _, score in a] == pytest.approx([score for _, score in b], rel=1e-5, abs=1e-5)


def _template():
    from riata.features.templates import parse

    return parse("word[0]\nedge", "here")


def test_words_without_a_vector_take_that_of_lower_case_or_have_a_feature_of_their_own():
    column = as_corpus([["Dog", "dog", "axolotl"]]).columns[0]
    rows = WordVectors.of(TABLE).of_tokens(column).rows(np.arange(3))
    assert rows.tolist() == [[0.75, 0.25, 0], [0.75, 0.25, 0], [0, 0, 1]]


def test_training_says_how_many_tokens_have_no_vector(recwarn):
    said = []
    Tagger(epochs=1, vectors={"cat": [1.0]}).fit(X, y, listener=said.append)
    assert "1 words have vectors of 1 numbers; 75.0 % of the tokens have none ('runs', 'sleeps', 'dog')." in " ".join(
        map(str, said)
    )
    with pytest.warns(RiataWarning, match="75.0 % of the tokens have none"):
        Tagger(epochs=1, vectors={"cat": [1.0]}).fit(X, y)


def test_a_model_holds_its_vectors(tmp_path):
    unknown = [["mouse", "runs"], ["axolotl"]]
    table = {**TABLE, "mouse": [0.5, 0.5]}
    tagger = Tagger("crf", vectors=table, template=[], epochs=20).fit(X, y)
    assert tagger.predict(unknown)[0] == ["N", "V"]
    tagger.save(tmp_path / "m.riata")
    loaded = riata.load_model(tmp_path / "m.riata")
    assert loaded.predict(X + unknown) == tagger.predict(X + unknown)
    assert same(loaded.vectors, WordVectors.of(table))
    assert to_bytes(loaded) == (tmp_path / "m.riata").read_bytes()
    assert loaded.set_params(warm_start=True).fit(X, y).predict(unknown)[0] == ["N", "V"]
    refused(SettingError, "goes on with the vectors of the model", loaded.set_params(vectors=TABLE).fit, X, y)


def test_broken_vectors_in_a_model_are_refused():
    header, parts = container.unpack(memoryview(to_bytes(Tagger(epochs=1, vectors=TABLE).fit(X, y))))
    table = parts["vectors/table"]
    for wrong in (table[:-1], table[:0], np.full(len(table), np.nan, np.float32), table.astype(np.int32)):
        refused(ModelFileError, "vectors", from_bytes, container.pack(header, {**parts, "vectors/table": wrong}))


@for_each(options=[{"bits": 12}, {"seeds": 2}, {"shards": 2}, {"recipe": "kernel-perceptron"}, {"passes": 2}])
def test_other_options_go_with_vectors(options):
    recipe = options.pop("recipe", "perceptron")
    tagger = Tagger(recipe, epochs=3, vectors=TABLE, **options).fit(X * 3, y * 3)
    assert tagger.predict(X) == y
    options["recipe"] = recipe


def test_a_stream_reads_vectors(tmp_path):
    (tmp_path / "t.txt").write_text(as_lines())
    tagger = Tagger("perceptron", stream=True, epochs=3, vectors=TABLE).fit(str(tmp_path / "t.txt"))
    assert tagger.predict(X) == y


def test_the_command_line_reads_vectors(tmp_path, run):
    (tmp_path / "t.txt").write_text(as_lines())
    (tmp_path / "v.txt").write_text(TEXTS["glove.txt"])
    model = tmp_path / "m.riata"
    train = ("train", "tag", "--train", tmp_path / "t.txt", "--model", model, "--vectors", tmp_path / "v.txt")
    status, _, told = run(*train)
    assert status == 0 and "4 words have vectors of 2 numbers; 0.0 % of the tokens have none." in told
    assert json.loads(run("inspect", "--json", model)[1])["vectors"] == {"words": 4, "width": 2}
    assert run(*train, "--resume")[0] == 2
    (tmp_path / "v.txt").write_text("cat 1 2\ndog x y\n")
    told = run.fails(*train)
    assert "v.txt:2" in told and "Traceback" not in told


def test_arrays_stand_beside_words(tmp_path):
    rows = [np.array([TABLE[word.lower()] for word in sentence], np.float32) for sentence in X]
    corpus = riata.with_vectors(X, rows)
    tagger = Tagger("perceptron", epochs=3).fit(corpus, y)
    assert tagger.predict(corpus) == y
    assert (tagger.array_width_, tagger.inputs_) == (2, (0,))
    assert stored(tagger, tmp_path).predict(corpus[:2]) == y[:2]
    refused(DataError, "the model reads words and arrays of 2 columns; found words", tagger.predict, X)
    with pytest.raises(DataError, match="the model reads words and arrays of 2 columns; found arrays of 3 columns"):
        tagger.predict(riata.with_vectors(X, [np.hstack([row, row[:, :1]]) for row in rows]))
    refused(DataError, "the model reads words; found arrays of 2 columns", Tagger(epochs=1).fit(X, y).predict, corpus)
    assert tagger.explain(corpus[:1]) is not None
    Tagger(epochs=2, dev=0.25).fit(corpus, y)


@for_rows(
    "arrays, said",
    ([np.ones((2, 1))], "found 1 arrays for 4 sentences"),
    ([np.ones((3, 1))] * 4, "sentence 0 has 2 tokens, and its array has 3 rows"),
    (3, "found a int for 4 sentences"),
)
def test_arrays_that_do_not_fit_words_are_refused(arrays, said):
    refused(DataError, said, riata.with_vectors, X, arrays)


@tried(
    60,
    st.dictionaries(
        st.text(min_size=1).filter(lambda t: t.isprintable() and not t[0].isspace() and "\n" not in t),
        st.lists(st.floats(-5, 5, width=32), min_size=2, max_size=2),
        min_size=1,
        max_size=5,
    ),
)
def test_what_is_written_as_text_is_read(tmp_path_factory, table):
    words = {word: row for word, row in table.items() if word.strip() == word}
    if not words:
        return
    path = tmp_path_factory.mktemp("v") / "v.txt"
    head = f"{len(words)} 2\n"  # without it, a blank in the first word would be one before a number
    path.write_text(head + "".join(f"{word} {row[0]!r} {row[1]!r}\n" for word, row in words.items()), encoding="utf-8")
    assert same(WordVectors.read(path), WordVectors.of(words))


def test_files_that_lack_words_or_have_them_twice_are_told_of_once(tmp_path):
    (tmp_path / "v.txt").write_text("9 2\ncat 1 0.5\ncat 1 1\ndog 2 1\n")
    with pytest.warns(RiataWarning, match="promises 9 words, and it has 3; lines that repeat a word: 1") as caught:
        found = WordVectors.read(tmp_path / "v.txt")
    assert (len(caught), len(found)) == (1, 2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        WordVectors.read(tmp_path / "v.txt", most=1)
