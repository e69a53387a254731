"""Dependency trees as columns, as codes, and what is refused as no tree."""

from __future__ import annotations

import itertools
import random
from pathlib import Path

import numpy as np
import pytest

import riata
from riata.data.memory import as_corpus
from riata.data.pairs import paired
from riata.data.trees import check_trees, crossing, heads_and_relations, tree_codes, tree_columns, universal, with_trees
from riata.errors import DataError
from samples import treebank


def trees(*sentences: list[int]) -> riata.Corpus:
    return as_corpus([[("w", str(head), "root" if head == 0 else "dep") for head in heads] for heads in sentences])


def is_tree(heads: list[int]) -> bool:
    """By following heads upwards."""
    n = len(heads)
    if heads.count(0) != 1 or max(heads) > n:
        return False
    for token in range(1, n + 1):
        at = token
        for _ in range(n):
            at = heads[at - 1] if at else 0
        if at:
            return False
    return True


def test_every_sequence_of_heads_is_a_tree_or_is_refused() -> None:
    for n in range(1, 5):
        for heads in map(list, itertools.product(range(n + 2), repeat=n)):
            try:
                check_trees(trees([2, 0], heads, [0]))
                accepted = True
            except DataError as error:
                accepted = False
                assert error.remedy and error.message.startswith("sentence 1: ")
            assert accepted == is_tree(heads)


@pytest.mark.parametrize(
    ("heads", "line", "words"),
    [
        (["2", "0", "9"], 5, ["head of token 3 is 9", "3 tokens"]),
        (["2", "1", "0"], 3, ["head of token 1 is 2", "cycle"]),
        (["1", "0", "2"], 3, ["head of token 1 is 1", "cycle"]),
        (["0", "0", "1"], 4, ["tokens 1 and 2", "2 roots"]),
        (["2", "3", "2"], 3, ["no root"]),
        (["2", "0", "_"], 5, ["no head", "files to predict"]),
        (["2", "0", "-1"], 5, ["the head is '-1'", "whole number"]),
        (["2", "0", "two"], 5, ["the head is 'two'"]),
        (["2", "0", "1" * 50], 5, ["whole number"]),
    ],
)
def test_what_is_no_tree_is_refused_with_file_and_line(
    tmp_path: Path, heads: list[str], line: int, words: list[str]
) -> None:
    path = tmp_path / "bad.conllu"
    rows = [f"{i}\tw\t_\tX\tX\t_\t{head}\tdep\t_\t_" for i, head in enumerate(heads, start=1)]
    path.write_text("# a\n# b\n" + "\n".join(rows) + "\n\n", encoding="utf-8")
    corpus = riata.read_conllu(path, ["form", "head", "deprel"])
    with pytest.raises(DataError) as caught:
        check_trees(corpus)
    assert str(path) in str(caught.value) and f":{line}" in str(caught.value) and caught.value.remedy
    for word in words:
        assert word in str(caught.value)


def test_a_missing_relation_is_refused() -> None:
    with pytest.raises(DataError, match="no relation"):
        check_trees(as_corpus([[("a", "0", "_")]]))


def test_sentences_of_one_token_and_of_thousands_are_trees() -> None:
    long = [0, *range(1, 5000)]
    check_trees(trees([0], long, [*range(2, 5001), 0]))
    with pytest.raises(DataError, match=r"sentence 1: the head of token 4999 is 5000, .* cycle"):
        check_trees(trees([0], [2, 0, *range(4, 5000), 5000, 4999]))


def test_crossing_arcs_are_those_that_a_loop_finds() -> None:
    draw = random.Random(0)
    for _ in range(200):
        n = draw.randint(1, 8)
        heads = [draw.choice([h for h in range(n + 1) if h != token]) for token in range(1, n + 1)]
        arcs = [(min(h, c), max(h, c)) for c, h in enumerate(heads, start=1)]
        expected = [any(a < b < c < d or b < a < d < c for b, d in arcs) for a, c in arcs]
        found = crossing(np.array([1, 0, *heads], np.int32), np.array([0, 2, 2 + n]))
        assert found[2:].tolist() == expected


def test_codes_are_heads_and_relations() -> None:
    corpus = treebank()
    column = paired(corpus).columns[-1]
    heads, relations = heads_and_relations(column)
    names = sorted(set(relations.texts()))
    codes = tree_codes(column, names)
    assert [code // len(names) for code in codes] == heads.tolist() == [int(h) for h in corpus.columns[-2].texts()]
    found = tree_columns(codes, names)
    assert [each.texts() for each in found] == [each.texts() for each in corpus.columns[-2:]]
    assert (tree_codes(column, names[:1])[[text != names[0] for text in relations.texts()]] == -1).all()


def test_trees_given_apart_are_columns() -> None:
    corpus = with_trees(as_corpus([["a", "b"]]), [[(2, "x"), (0, "root")]])
    assert list(corpus[0]) == [("a", "2", "x"), ("b", "0", "root")]
    for wrong in ([[(2, "x"), 0]], [[(2,), (0, "root")]], [[(True, "x"), (0, "root")]], [["x", "y"]]):
        with pytest.raises(DataError, match=r"an arc is|expected"):
            with_trees(as_corpus([["a", "b"]]), wrong)


def test_a_relation_has_a_universal_part() -> None:
    assert universal("nmod:poss") == universal("nmod") == "nmod"


@pytest.mark.parametrize("ids", ["1 1", "2 1", "1 3", "0 1", "1 x"])
def test_ids_that_do_not_count_tokens_are_refused(tmp_path, ids):
    lines = [f"{number}\tw\t_\tT\t_\t_\t0\troot\t_\t_\n" for number in ids.split()]
    (tmp_path / "odd.conllu").write_text("".join(lines) + "\n")
    with pytest.raises(DataError, match=r"expected (\d|a number)"):
        riata.read_conllu(tmp_path / "odd.conllu", ["form", "head", "deprel"])
