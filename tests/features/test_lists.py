"""Lists of words and phrases: how they are read, which tokens they match, and that models keep them."""

import json

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import riata
from checks import refused, stored
from riata import Chunker, Tagger
from riata.commands.base import cli, run
from riata.data.memory import as_corpus
from riata.errors import DataError, RiataError, SettingError, TemplateError, UnsupportedError
from riata.estimators.model_file import from_bytes, to_bytes
from riata.features.compile import Features
from riata.features.expressions import Expression, expressions
from riata.features.lists import POSITIONS, WordList
from riata.features.templates import Read, Template, parse
from riata.models import container
from samples import for_rows

CITIES = "New York\nYork\nNew York City\nParis\n# not a city: Rome\nst. Ives\n"
WORDS = [["She", "left", "New", "York", "City", "for", "york", "."], ["New", "Paris", "St.", "Ives"], ["York"]]
LABELS = [["O", "O", "B", "I", "I", "O", "O", "O"], ["O", "B", "O", "O"], ["B"]]


def positions(words, sentences, any_case=False):
    corpus = as_corpus(sentences)
    found = words.positions(corpus.columns[0], corpus.starts, any_case=any_case)
    texts = ["-" if p < 0 else POSITIONS[p] for p in found]
    return [texts[low:high] for low, high in zip(corpus.starts[:-1], corpus.starts[1:], strict=True)]


def test_the_longest_entry_is_taken_and_the_next_one_looked_for_behind_it():
    cities = WordList.of("city", CITIES.replace("# not a city: Rome\n", "").splitlines())
    assert positions(cities, WORDS) == [list("--BIE---"), list("-S--"), ["S"]]
    assert positions(cities, WORDS, any_case=True) == [list("--BIE-S-"), list("-SBE"), ["S"]]


def slow_positions(entries, sentence, key):
    """By trying every entry at every token."""
    words, found, at = [key(word) for word in sentence], ["-"] * len(sentence), 0
    while at < len(words):
        lengths = [len(e) for e in entries if words[at : at + len(e)] == [key(word) for word in e]]
        length = max(lengths, default=0)
        if length == 1:
            found[at] = "S"
        elif length:
            found[at : at + length] = ["B", *["I"] * (length - 2), "E"]
        at += length or 1
    return found


some_words = st.sampled_from(["a", "A", "b", "ß", "SS", "c"])


@given(
    st.lists(st.lists(some_words, min_size=1, max_size=4), min_size=1, max_size=6),
    st.lists(st.lists(some_words, max_size=8), min_size=1, max_size=4).filter(any),
)
def test_positions_equal_trying_every_entry_everywhere(entries, sentences):
    words = WordList.of("some", [" ".join(entry) for entry in entries])
    for any_case, key in ((False, str), (True, str.casefold)):
        expected = [slow_positions(entries, sentence, key) for sentence in sentences]
        assert positions(words, sentences, any_case) == expected


def test_words_that_a_slice_left_behind_do_not_matter():
    part = as_corpus(WORDS)[1:]
    found = WordList.of("city", ["York"]).positions(part.columns[0], part.starts, any_case=False)
    assert found.tolist() == [-1, -1, -1, -1, POSITIONS.index("S")]


# --- reading ---------------------------------------------------------------------------------------------------------
def test_a_file_holds_an_entry_per_line_with_comments_blank_lines_and_any_line_ends(tmp_path):
    path = tmp_path / "cities.txt"
    path.write_bytes("\ufeffNew  York\r\n\r\n#Rome\nC#\n\tParis \nNew York".encode())
    assert WordList.of("city", path).entries == (("New", "York"), ("C#",), ("Paris",))
    assert WordList.of("city", str(path)) == WordList.of("city", ["New York", "C#", "Paris"])


def test_a_set_of_entries_comes_in_alphabetical_order():
    assert WordList.of("x", {"b", "c", "a"}).texts() == ["a", "b", "c"]


def refuses(lists, error, *parts, template=None, **place):
    caught = refused(error, "", Tagger(lists=lists, template=template, epochs=1).fit, WORDS, LABELS)
    for part in parts:
        assert part in str(caught)
    for name, value in place.items():
        assert getattr(caught, name) == value


def test_a_file_that_is_not_utf8_is_refused_with_the_line(tmp_path):
    path = tmp_path / "latin.txt"
    path.write_bytes(b"Paris\n# towns\nN\xeemes\n")
    refuses({"city": path}, DataError, "UTF-8", file=str(path), line=3)


def test_a_missing_file_a_folder_and_a_list_without_entries_are_refused(tmp_path):
    refuses({"city": tmp_path / "none.txt"}, DataError, "no such file", file=str(tmp_path / "none.txt"))
    refuses({"city": tmp_path}, DataError, "directory", file=str(tmp_path))
    path = tmp_path / "empty.txt"
    path.write_text("# nothing\n\n  \n")
    refuses({"city": path}, DataError, "the list 'city' holds no entry", file=str(path))
    refuses({"city": []}, DataError, "the list 'city' holds no entry")


@for_rows(
    "lists, part",
    (["Paris"], "expected a dictionary"),
    ({"a city": ["Paris"]}, "'a city'"),
    ({3: ["Paris"]}, "the list 3"),
    ({"": ["Paris"]}, "the list ''"),
    ({"city": 3}, "the list 'city' is 3"),
)
def test_what_is_no_dictionary_of_lists_is_refused(lists, part):
    refuses(lists, SettingError, part)


@pytest.mark.parametrize("entry", [3, None, "\ud800"])
def test_an_entry_that_is_no_text_is_refused(entry):
    refuses({"city": ["Paris", entry]}, DataError, "the list 'city' has the entry", repr(entry))


# --- templates -------------------------------------------------------------------------------------------------------
def test_an_unknown_list_is_refused_with_file_line_and_near_miss(tmp_path):
    path = tmp_path / "my.template"
    path.write_text("word[0]\nlist(citi)[0]\n")
    refuses(
        {"city": ["Paris"]},
        TemplateError,
        "Unknown list 'citi'. Did you mean 'city'?",
        template=path,
        file=str(path),
        line=2,
    )
    refuses(None, TemplateError, "Unknown list 'citi'.", "--list NAME=FILE", template=path, file=str(path), line=2)


def test_a_list_that_no_template_reads_is_refused():
    refuses({"city": ["Paris"]}, SettingError, "no template reads it", "list(city)[0]", template=parse("word[0]"))


def test_a_read_of_a_list_names_the_list_and_column_0():
    assert parse("list(city)[-1]") == (Template((Read(-1, 0, "list(city)"),)),)
    assert str(parse("anycase(x_2)[+1] word[0]")[0]) == "word[0] anycase(x_2)[1]"
    refused(TemplateError, "names no list", parse, "list[0]")
    second = [Template((Read(0, 1, "list(city)"),))]
    with pytest.raises(TemplateError, match="words, which are column 0"):
        Tagger(lists={"city": ["Paris"]}, template=second).fit([[("a", "b")]], [["X"]])


def test_lists_do_not_go_with_features_given():
    refused(UnsupportedError, "features already", Tagger(lists={"city": ["Paris"]}).fit, [[{"a": 1}]], [["X"]])


def test_a_default_template_reads_every_list_around_the_token():
    chunker = Chunker(lists={"city": ["York"], "time": ["now"]}, epochs=1).fit(as_corpus(WORDS), LABELS_IOB)
    lines = {str(template) for template in chunker.model_.features.templates}
    assert {f"list({name})[{offset}]" for name in ("city", "time") for offset in (-1, 0, 1)} <= lines


LABELS_IOB = [[{"B": "B-X", "I": "I-X"}.get(label, label) for label in labels] for labels in LABELS]


def test_only_words_in_a_list_have_its_feature():
    features = Features(
        parse("list(city)[0]\nlist(city)[-1] list(city)[0]"), {}, {"city": WordList.of("city", ["a b"])}
    )
    corpus = as_corpus([["a", "b", "a"]])
    features.extend(corpus)
    assert features.alphabets[0].texts() == list(POSITIONS)
    ngrams = [features.instances(corpus).ngrams(0, 0, t, 0) for t in range(3)]
    assert ngrams[2] == -1
    assert len(set(ngrams)) == 3
    single = features.instances(as_corpus([["b"]]))
    assert single.ngrams(0, 0, 0, 0) == -1


# --- models ----------------------------------------------------------------------------------------------------------
TEMPLATE = parse("list(city)[0]\nanycase(city)[-1]\nlist(time)[0] word[0]\nedge")


def fitted(tmp_path):
    path = tmp_path / "cities.txt"
    path.write_text(CITIES)
    tagger = Tagger(lists={"city": path, "time": ["to day"]}, template=TEMPLATE, epochs=5).fit(WORDS, LABELS)
    path.unlink()
    return tagger


def test_a_loaded_model_needs_no_files_and_labels_alike(tmp_path):
    tagger = fitted(tmp_path)
    tagger.save(tmp_path / "m.riata")
    loaded = riata.load_model(tmp_path / "m.riata")
    assert loaded.model_.features.lists == tagger.model_.features.lists
    unseen = [["off", "to", "New", "York"], ["Paris"], ["PARIS"]]
    assert loaded.predict(unseen) == tagger.predict(unseen)
    assert loaded.predict([["in", "Paris"]])[0] != loaded.predict([["in", "Pariss"]])[0]
    loaded.save(tmp_path / "again.riata")
    assert (tmp_path / "m.riata").read_bytes() == (tmp_path / "again.riata").read_bytes()


def test_a_loaded_model_goes_on_with_its_lists_and_refuses_others(tmp_path):
    loaded = stored(fitted(tmp_path), tmp_path).set_params(warm_start=True)
    loaded.fit(WORDS, LABELS)
    loaded.set_params(lists={"city": ["Rome"], "time": ["to day"]})
    refused(SettingError, "goes on with the lists of the model", loaded.fit, WORDS, LABELS)


def test_the_command_line_trains_with_lists_and_predicts_without_them(tmp_path):
    riata.write_columns(as_corpus(WORDS), tmp_path / "train.txt", [LABELS])
    cities, model = tmp_path / "cities.txt", tmp_path / "m.riata"
    cities.write_text(CITIES)
    train = ["train", "tag", "--train", str(tmp_path / "train.txt"), "--model", str(model)]
    assert run([*train, "--list", f"city={cities}"]) == 0
    assert run([*train, "--resume", "--list", f"city={cities}"]) == 2
    assert run([*train, "--list", "city"]) == 2
    assert run([*train[:-1], str(cities), "--list", f"city={cities}"]) == 2
    assert cities.read_text() == CITIES
    cities.unlink()
    assert run([*train, "--resume"]) == 0
    shown = CliRunner().invoke(cli, ["inspect", str(model), "--json"])
    assert json.loads(shown.stdout)["lists"] == {"city": 5}


def test_a_broken_list_in_a_model_is_refused(tmp_path):
    header, arrays = container.unpack(memoryview(to_bytes(fitted(tmp_path))))
    assert header["lists"] == ["city", "time"]
    for lists in (["city"], ["city", "city"], ["city", "time", "more"], ["city", "tim"], "city", None):
        refused(RiataError, "", from_bytes, container.pack({**header, "lists": lists}, arrays))
    empty = {**arrays, "list/0/bytes": np.empty(0, np.uint8), "list/0/lengths": np.empty(0, np.uint8)}
    refused(RiataError, "", from_bytes, container.pack(header, empty))


def test_lists_are_learnt_of_words_that_are_seen_only_as_names():
    data = [
        [("New", "B-LOC"), ("York", "I-LOC"), ("is", "O"), ("New", "O")],
        [("Ada", "B-PER"), ("York", "B-LOC"), ("Ada", "B-PER"), ("Bo", "B-PER")],
        [("York", "B-LOC"), ("Cy", "B-PER"), ("Cy", "B-LOC")],
    ]
    assert riata.learnt_lists(data) == {"LOC": ["York"], "PER": ["Ada"]}
    assert riata.learnt_lists(data, least=1) == {"LOC": ["York"], "PER": ["Ada", "Bo"]}
    assert riata.learnt_lists(data, least=4) == {}
    refused(SettingError, "least", riata.learnt_lists, data, least=0)
    refused(DataError, "chunk labels", riata.learnt_lists, [["Ada"]])


# --- regular expressions of Wapiti as attributes, against a matcher that goes step by step ---------------------------
ATOMS = ["a", "b", ".", "\\d", "\\l", "\\U", "\\p", "\\.", "é", '"']
pieces = st.lists(st.tuples(st.sampled_from(ATOMS), st.sampled_from(["", "*", "?"])), max_size=4)
CLASSES = {"d": str.isdigit, "l": str.islower, "u": str.isupper, "p": lambda c: c in "!#./-"}


def fits(atom, byte):
    char = chr(byte) if byte < 128 else "\0"  # no class has bytes beyond ASCII
    if atom == b".":
        return True
    if len(atom) == 2 and chr(atom[1]).lower() in CLASSES:
        return CLASSES[chr(atom[1]).lower()](char) != chr(atom[1]).isupper()
    return atom[-1] == byte


def ends(steps, text, at, anchored):
    """Where matches from here may end, the one that Wapiti takes first. `*` first takes nothing, `?` first takes one."""
    if not steps:
        if not anchored or at == len(text):
            yield at
        return
    (atom, repeat), *rest = steps
    one = at < len(text) and fits(atom, text[at])
    if repeat == "*":
        yield from ends(rest, text, at, anchored)
        if one:
            yield from ends(steps, text, at + 1, anchored)
    else:
        if one:
            yield from ends(rest, text, at + 1, anchored)
        if repeat == "?":
            yield from ends(rest, text, at, anchored)


def first_match(steps, text, start, end):
    for at in range(1 if start else len(text) + 1):
        for stop in ends(steps, text, at, end):
            return text[at:stop]
    return None


@given(steps=pieces, start=st.booleans(), end=st.booleans(), text=st.text("abA1.-é", max_size=6))
def test_the_first_match_is_that_of_the_steps(steps, start, end, text):
    # A character of two bytes is two atoms, of which the last is repeated.
    single = [(atom.encode(), repeat) if len(atom.encode()) == len(atom) else None for atom, repeat in steps]
    flat = []
    for step, (atom, repeat) in zip(single, steps, strict=True):
        flat += [step] if step else [(atom.encode()[:1], ""), (atom.encode()[1:], repeat)]
    source = "^" * start + "".join(atom + repeat for atom, repeat in steps) + "$" * end
    expected = first_match(flat, text.encode(), start, end)
    assert Expression.of("matches", source)(text) == ("false" if expected is None else "true")
    part = (expected or b"").decode("utf-8", "backslashreplace")
    assert Expression.of("matched", source)(text) == part
    assert Expression.of("matchedlower", source)(text) == part.replace("A", "a")


def test_a_name_says_it_all():
    made = Expression.of("matched", ".?.$_é")
    assert made.name == "matched__2e_3f_2e_24_5f_c3_a9"
    assert expressions([made.name, "lower", "matched", "matched_x-"]) == {made.name: made}
    assert Expression.of("matched", ".$")("é") == "\\xa9"


@pytest.mark.parametrize("source", ["*", "a**", "?a", "^*", "a\\"])
def test_what_wapiti_cannot_read_is_refused(source):
    refused(TemplateError, "cannot be read", Expression.of, "matched", source)


def test_a_name_of_an_expression_that_cannot_be_read_is_refused():
    refused(TemplateError, "cannot be read", expressions, ["matched__2a"])
