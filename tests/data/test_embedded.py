"""The embedded corpus: large enough, legal, without leaks between its parts, and as well agreed on as its card says."""

import re
from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest

import riata
from riata import Corpus

ROOT = Path(__file__).parents[2]
COLUMNS = ("word", "tag", "chunk", "entity")
LAYERS = {"tags": 1, "chunks": 2, "entities": 3}
KINDS = 8
IN_TRAIN, IN_TEST = 44, 14  # sentences of each kind
PENN = """
CC CD DT EX FW IN JJ JJR JJS LS MD NN NNS NNP NNPS PDT POS PRP PRP$ RB RBR RBS RP SYM TO UH
VB VBD VBG VBN VBP VBZ WDT WP WP$ WRB . , : ( ) $ # `` ''
"""
CHUNKS = "NP VP PP ADVP ADJP SBAR PRT CONJP INTJ LST"
ENTITIES = "PER LOC ORG MISC"

Row = tuple[str, ...]
every_part = pytest.mark.parametrize("part", ["train", "test", "annotator_a", "annotator_b"])


@cache
def corpus(part: str) -> Corpus:
    if part in ("train", "test"):
        return riata.load("embedded", part, COLUMNS)
    return riata.read_columns(ROOT / "corpus" / f"{part}.conll")


@cache
def sentences(part: str) -> list[list[Row]]:
    return [list(sentence) for sentence in corpus(part)]


def words(sentence: Sequence[Row]) -> tuple[str, ...]:
    return tuple(row[0] for row in sentence)


@cache
def kinds(part: str) -> dict[str, list[list[Row]]]:
    """The sentences of each document, by the kind its -DOCSTART- line names."""
    starts = [sentence for _, sentence in corpus(part).documents]
    names = [text.split()[1] for text, _ in corpus(part).documents]
    ends = [*starts[1:], len(corpus(part))]
    assert starts[0] == 0
    assert len(set(names)) == len(names)
    return {name: sentences(part)[low:high] for name, low, high in zip(names, starts, ends, strict=True)}


def spans(tags: Sequence[str]) -> list[tuple[int, int, str]]:
    """The chunks of legal IOB2 tags."""
    found: list[tuple[int, int, str]] = []
    for t, tag in enumerate(tags):
        if tag.startswith("B-"):
            found.append((t, t + 1, tag[2:]))
        elif tag.startswith("I-"):
            start, end, type_ = found.pop()
            assert (end, type_) == (t, tag[2:])
            found.append((start, t + 1, type_))
    return found


def test_there_is_enough_of_it() -> None:
    both = [*sentences("train"), *sentences("test")]
    assert len(both) >= 400
    assert sum(map(len, both)) >= 5_000


@every_part
def test_every_token_has_four_columns(part: str) -> None:
    assert corpus(part).width == len(COLUMNS)


@every_part
def test_tags_are_of_the_penn_set(part: str) -> None:
    assert {row[1] for sentence in sentences(part) for row in sentence} <= set(PENN.split())


@every_part
@pytest.mark.parametrize(("layer", "types"), [("chunks", CHUNKS), ("entities", ENTITIES)])
def test_chunks_and_entities_are_legal_iob2_of_the_types_allowed(part: str, layer: str, types: str) -> None:
    for sentence, first in zip(sentences(part), corpus(part).starts[:-1], strict=True):
        before = "O"
        for t, row in enumerate(sentence):
            tag, line = row[LAYERS[layer]], corpus(part).line_of(int(first) + t)
            prefix, _, type_ = tag.partition("-")
            assert tag == "O" or (prefix in ("B", "I") and type_ in types.split()), f"{part}, line {line}: {tag}"
            assert prefix != "I" or before[1:] == f"-{type_}", f"{part}, line {line}: {tag} after {before}"
            before = tag


def test_both_parts_have_the_same_eight_kinds_in_the_same_numbers() -> None:
    assert list(kinds("train")) == list(kinds("test"))
    assert len(kinds("train")) == KINDS
    assert {len(kind) for kind in kinds("train").values()} == {IN_TRAIN}
    assert {len(kind) for kind in kinds("test").values()} == {IN_TEST}


def test_no_sentence_stands_there_twice() -> None:
    seen = Counter(tuple(w.lower() for w in words(s)) for part in ("train", "test") for s in sentences(part))
    assert [sentence for sentence, times in seen.items() if times > 1] == []


def test_train_and_test_share_no_five_tokens_in_a_row() -> None:
    def fives(part: str) -> set[tuple[str, ...]]:
        lowered = [[w.lower() for w in words(sentence)] for sentence in sentences(part)]
        return {tuple(s[i : i + 5]) for s in lowered for i in range(len(s) - 4)}

    assert len(fives("test")) > 500
    assert fives("train") & fives("test") == set()


@pytest.mark.parametrize("layer", LAYERS)
def test_every_label_of_test_occurs_in_train(layer: str) -> None:
    train, test = ({row[LAYERS[layer]] for s in sentences(part) for row in s} for part in ("train", "test"))
    assert test - train == set()


@pytest.mark.parametrize("annotator", ["annotator_a", "annotator_b"])
def test_annotators_saw_the_words_of_both_parts_kind_by_kind(annotator: str) -> None:
    expected = [words(s) for kind in kinds("train") for s in (*kinds("train")[kind], *kinds("test")[kind])]
    assert [words(s) for s in sentences(annotator)] == expected


def labels(annotator: str, layer: str) -> list[str]:
    return [row[LAYERS[layer]] for sentence in sentences(annotator) for row in sentence]


def token_agreement(a: list[str], b: list[str]) -> float:
    return sum(x == y for x, y in zip(a, b, strict=True)) / len(a)


def kappa(a: list[str], b: list[str]) -> float:
    """Cohen 1960: agreement beyond that of two annotators who draw labels at random, each with own frequencies."""
    of_a, of_b = Counter(a), Counter(b)
    chance = sum(of_a[label] * of_b[label] for label in of_a) / len(a) ** 2
    return (token_agreement(a, b) - chance) / (1 - chance)


def span_f1(layer: str) -> float:
    a, b = (
        {
            (s, span)
            for s, sentence in enumerate(sentences(part))
            for span in spans([r[LAYERS[layer]] for r in sentence])
        }
        for part in ("annotator_a", "annotator_b")
    )
    return 2 * len(a & b) / (len(a) + len(b))


@pytest.mark.parametrize("layer", LAYERS)
def test_the_card_prints_the_agreement_of_the_annotators(layer: str) -> None:
    card = (ROOT / "corpus" / "README.md").read_text(encoding="utf-8")
    rows = re.findall(rf"^\| *{layer} *\| *(\S+) *\| *(\S+) *\| *(\S+) *\|", card, re.MULTILINE)
    assert len(rows) == 1, f"corpus/README.md has {len(rows)} rows for {layer}"
    a, b = labels("annotator_a", layer), labels("annotator_b", layer)
    f1 = "-" if layer == "tags" else f"{100 * span_f1(layer):.2f}"
    assert rows[0] == (f"{100 * token_agreement(a, b):.2f}", f"{kappa(a, b):.4f}", f1)


def test_the_final_labels_are_mostly_those_of_an_annotator() -> None:
    """Adjudication chooses between the two; a label that neither gave is a later ruling, and rare."""
    final = [row for kind in kinds("train") for s in (*kinds("train")[kind], *kinds("test")[kind]) for row in s]
    for layer, column in LAYERS.items():
        triples = zip(
            (row[column] for row in final), labels("annotator_a", layer), labels("annotator_b", layer), strict=True
        )
        assert sum(f in (a, b) for f, a, b in triples) / len(final) > 0.95
