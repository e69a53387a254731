"""Folded prediction gives what the model gives without folding, whatever the templates, the words and the weights."""

import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checks import refused
from riata import Chunker, Tagger, load_model
from riata.data.memory import as_corpus
from riata.errors import DataError, TemplateError
from riata.features.templates import parse
from riata.models import model
from samples import CHUNKS, INPUTS, TAGS, UNSEEN, WORDS, draws, for_rows, tried

READS = ["word[{}]", "tag[{}]", "suffix2[{}]", "shape[{}]", "lower[{}]", "stem[{}]", "hyphen[{}]", "vowels[{}]"]
VOCABULARY = [
    "a",
    "The",
    "dog-s",
    "Running",
    "relational",
    "1,200",
    "Größe",
    "漢字",
    "USA",
    "x" * 40,
    "x" * 101,
    "Größe" * 40,
]


def vowels(text):
    return "".join(c for c in text if c in "aeiou") or None


read = st.builds(lambda kind, offset: kind.format(offset), st.sampled_from(READS), st.integers(-3, 3))
line = st.lists(read, min_size=1, max_size=4, unique=True).map(" ".join)
templates = st.lists(line, min_size=1, max_size=8, unique=True)
EDGES = ["edge", "edge tag[0]", "edge tag[-1]", "edge word[0]", "edge word[-1]", "edge word[0] tag[1]"]
edges = st.lists(st.sampled_from(EDGES), max_size=4, unique=True)
EARLIER = [
    "label[-1]",
    "label[-2]",
    "label[-2] label[-1]",
    "label[-1] word[0]",
    "label[-1] word[-2] tag[1]",
    "label[-2] tag[-1]",
    "label[-2] label[-1] word[1]",
]
earlier = st.lists(st.sampled_from(EARLIER), max_size=3, unique=True)


def corpus(seed, sentences, words=VOCABULARY):
    rng = random.Random(seed)
    token = lambda: (rng.choice(words), rng.choice(["N", "V", "Ü"]), rng.choice("ABC"))  # noqa: E731
    return [[token() for _ in range(rng.randint(1, 7))] for _ in range(sentences)]


def unfolded(estimator, sentences):
    inputs = estimator.columns.input_columns(as_corpus(sentences))
    return estimator.model_.decode(estimator.model_.features.instances(inputs))


def trained(kind, lines, data, seed, *, weights=True, **options):
    """Weights of many sizes, so that sums in another order differ in their last bits."""
    estimator = kind(template=parse("\n".join(lines)), attributes={"vowels": vowels}, epochs=2, seed=seed, **options)
    sizes = [random.Random(s).random() for s in range(len(data))] if weights else None
    return estimator.fit(data, sample_weight=sizes)


def tagger(lines, seed, **options):
    return trained(Tagger, lines, corpus(seed, 12), seed, **options)


def chunker(lines, seed, **options):
    """Some labels may not follow others."""
    tags = {"A": "B-X", "B": "I-X", "C": "O"}
    data = [[(word, tag, tags[label]) for word, tag, label in sentence] for sentence in corpus(seed, 12)]
    return trained(Chunker, lines, data, seed, **options)


@tried(200, templates, edges, earlier, st.booleans(), st.integers(0, 1000))
def test_folding_changes_no_label(lines, edge, labels, chunks, seed):
    try:
        estimator = (chunker if chunks else tagger)([*lines, *edge, *labels], seed)
    except TemplateError:  # the same template twice, in another order
        return
    check_unseen(estimator, seed)


@tried(50, earlier.filter(bool), st.booleans(), st.integers(0, 1000))
def test_labellings_that_tie_are_told_apart_as_without_folding(labels, chunks, seed):
    """Whole numbers for weights, and few templates: most sentences have several best labellings."""
    lines = ["suffix2[0]", "edge tag[0]", "edge word[-1]", *labels]
    estimator = (chunker if chunks else tagger)(lines, seed, weights=False, settings={"average": False})
    check_unseen(estimator, seed)


def check_unseen(estimator, seed):
    unseen = corpus(seed + 1, 8, [*VOCABULARY, "neu", "unseen", "Dog-s", "ñandú"])
    model = estimator.model_.folded
    assert model is not None
    expected = unfolded(estimator, unseen).tolist()
    for _ in range(2):  # types that are new, and the same ones met again
        assert model.predict(estimator.columns.input_columns(as_corpus(unseen))).tolist() == expected
        assert estimator.predict_ids(unseen).tolist() == expected
        assert [label for s in estimator.predict(unseen) for label in s] == [estimator.classes_[i] for i in expected]


@given(st.lists(st.lists(st.tuples(st.text(max_size=5), st.text(max_size=3)), max_size=4), max_size=4))
@settings(deadline=None)
def test_any_text_has_the_label_that_it_has_without_folding(sentences):
    estimator = _chunker()
    expected = [] if not any(sentences) else [estimator.classes_[i] for i in unfolded(estimator, sentences)]
    assert [label for s in estimator.predict(sentences) for label in s] == expected


def _chunker(made={}):  # noqa: B006
    return made.setdefault("it", Chunker(epochs=3, check_input=False).fit(CHUNKS))


def test_a_loaded_model_folds_to_the_same_labels(tmp_path):
    estimator = Chunker(epochs=3).fit(CHUNKS)
    estimator.save(tmp_path / "m.riata")
    loaded = load_model(tmp_path / "m.riata")
    assert loaded.predict(UNSEEN_PAIRS) == estimator.predict(UNSEEN_PAIRS)
    assert loaded.predict_ids(UNSEEN_PAIRS).tolist() == unfolded(estimator, UNSEEN_PAIRS).tolist()


UNSEEN_PAIRS = [[(word, "NN") for word in sentence] for sentence in UNSEEN]


def test_tables_that_grow_too_large_are_begun_anew(monkeypatch):
    estimator = Chunker(epochs=3).fit(CHUNKS)
    before = estimator.predict(INPUTS)
    old = estimator.model_.folded.table()
    monkeypatch.setattr(model, "MOST_BYTES", 0)
    assert estimator.model_.folded.table() is not old
    assert estimator.predict(INPUTS) == before
    assert estimator.model_.folded._native.bytes < old.bytes * 3


@pytest.mark.parametrize("letter", ["x", "é"])
def test_memory_does_not_grow_with_long_tokens(letter):
    estimator = Tagger("perceptron", epochs=3).fit(WORDS, TAGS)
    before = estimator.predict(WORDS)

    def label(start, count):
        for i in range(start, start + count):
            estimator.predict([[f"{i}{letter * 3000}", "the"]])
        return estimator.model_.folded.table().bytes

    first = label(0, 2_000)
    assert label(2_000, draws(8_000)) == first  # a number more or less is of the same shape
    assert estimator.predict(WORDS) == before


def test_the_letters_of_texts_count_as_memory():
    estimator = Tagger("perceptron", epochs=3).fit(WORDS, TAGS)
    table = estimator.model_.folded.table()
    short, long = ([f"{i:0{length}}" for i in range(1000)] for length in (10, 90))
    sizes = []
    for tokens in (short, long):
        before = table.bytes
        estimator.predict([tokens])
        sizes.append(table.bytes - before)
    assert 75_000 < sizes[1] - sizes[0] < 200_000


def test_threads_change_nothing():
    estimator = Chunker(epochs=3).fit(CHUNKS)
    many = as_corpus(corpus(3, 400, ["The", "dog", "Größe", *map(str, range(300))])).select([0, 1])
    expected = unfolded(estimator, many)
    for threads in (1, 2, 3, 1000):
        assert (estimator.model_.folded.predict(many, threads) == expected).all()


def test_types_may_be_added_while_others_decode():
    estimator = Chunker(epochs=3).fit(CHUNKS)
    parts = [as_corpus(corpus(s, 60, [f"w{s}{i}" for i in range(80)] + ["ö", "the"])).select([0, 1]) for s in range(16)]
    expected = [unfolded(estimator, part) for part in parts]
    with ThreadPoolExecutor(4) as pool:
        for found, right in zip(pool.map(estimator.model_.folded.predict, parts), expected, strict=True):
            assert (found == right).all()


@pytest.mark.parametrize(
    "bad",
    [[["a", 3]], [["a"], 5], [[("a", "b"), "c"]], ["a b"], [[()]], [[("a",)]], [[("a", "b", 4)]], [["\ud800"]], [None]],
)
def test_what_is_no_plain_sentence_is_told_as_ever(bad):
    estimator = Chunker(epochs=2).fit(CHUNKS)
    refused(DataError, "", estimator.predict, bad)


def test_plain_sentences_in_tuples_lists_and_words():
    pairs, words = Chunker(epochs=3).fit(CHUNKS), Tagger(epochs=3).fit(WORDS, TAGS)
    assert pairs.predict([tuple(map(list, s)) for s in INPUTS]) == pairs.predict(INPUTS)
    assert pairs.predict([[(*token, "ignored") for token in s] for s in INPUTS]) == pairs.predict(INPUTS)
    assert words.predict([[(word,) for word in s] for s in WORDS]) == words.predict(WORDS)
    assert words.predict([[], ["dog"], []]) == [[], words.predict([["dog"]])[0], []]
    assert words.predict([[]]) == [[]]
    assert words.predict([]) == []


def test_another_queue_is_followed_at_once():
    estimator = Chunker(epochs=3).fit(CHUNKS)
    exact = estimator.predict(INPUTS)
    estimator.set_params(queue="beam", beam=1)
    greedy = [[estimator.classes_[i] for i in estimator.predict_ids([s])] for s in INPUTS]
    assert estimator.predict(INPUTS) == greedy
    estimator.queue, estimator.beam = "exact", None
    assert estimator.predict(INPUTS) == exact


@for_rows(
    "options",
    {"lists": {"pets": ["dog", "cat"]}},
    {"template": parse("word[0]\nlabel[-3]"), "recipe": "early"},
    {"bits": 12},
)
def test_models_that_do_not_fold_predict_without(options):
    estimator = Chunker(epochs=3, **options).fit(CHUNKS)
    assert estimator.model_.folded is None
    assert np.array_equal(estimator.predict_ids(INPUTS), estimator.predict_ids(as_corpus(INPUTS)))


def test_letters_that_were_met_once_need_no_python_again(monkeypatch):
    """Attributes of words with letters outside ASCII cost most where Python computes them, word by word."""
    data = [[(word, label) for word, _, label in sentence] for sentence in corpus(1, 20)]
    template = parse("word[0]\nlower[0]\nshape[0]\nsuffix2[0]\nstem[0]\nword[-1] word[0]\nedge")
    tagger = Tagger(template=template, check_input=False).fit(data)
    words = ["Größe", "Ärger", "Übel", "äöü", "GRÖSSE", "Straße", "naïve", "Đà", "nẵng"]
    tagger.predict([words])
    asked = []
    real = tagger.model_.features.look_up
    monkeypatch.setattr(tagger.model_.features, "look_up", lambda a, texts: asked.extend(texts) or real(a, texts))
    new = [["Öl", "ÜBÄ", "đẹp", "ÀÁ-9", "süß"], ["Größenwahn", "ΣΟΦΟΣ"]]
    found = tagger.predict(new)
    assert set(asked) == {"ΣΟΦΟΣ"}  # a block of its own, and a letter with two small ones
    assert [label for sentence in found for label in sentence] == [tagger.classes_[i] for i in unfolded(tagger, new)]


# --- threads that meet new words while others decode -----------------------------------------------------------------
MANY = """
import random, threading, riata

train = riata.load("embedded", "train")
model = riata.Chunker(epochs=1).fit(train)
words = [token[0] for sentence in train for token in sentence]
wrong = []

def work(seed):
    rng = random.Random(seed)
    for i in range(8):  # words of ASCII, which the core looks at, and others, which Python adds
        ends = [rng.choice(("ü", "z")) + f"{seed}{i}{k}" for k in range(12)]
        sentences = [[(rng.choice(words) + end, "NN") for end in ends] for _ in range(300)]
        labels = [label for found in model.predict(sentences) for label in found]
        wrong.extend(a for a, b in zip(labels, model.predict_ids(sentences)) if a != model.classes_[b])

threads = [threading.Thread(target=work, args=(seed,)) for seed in range(6)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(len(wrong))
"""


def test_threads_do_not_wait_for_each_other_for_ever():
    # A deadlock runs into it.
    done = subprocess.run([sys.executable, "-c", MANY], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, "0\n"), done.stderr
