"""What contestants of `parsing` share: trees of UD English EWT with gold tags and features, the clock, and the JSON line each prints."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import riata
from benchmarks.contest import Split, metrics_of, report, timed
from riata.data.types import Column, Corpus
from riata.scoring.evaluation import evaluate_trees

INPUTS = ["form", "upos", "xpos", "feats"]
OUTPUTS = ["head", "deprel"]
WITHOUT_FEATURES = [0, 1, 2, 4, 5]
Trees = list[list[tuple[int, str]]]  # head and relation of every token


def ewt(final: bool) -> Split:
    """Sentences with their tags, heads and relations."""
    columns = [*INPUTS, *OUTPUTS]
    return Split(
        riata.load("ud-en-ewt", "train", columns), riata.load("ud-en-ewt", "test" if final else "dev", columns)
    )


def run(contestant: Callable[[Split], tuple[Trees, dict[str, Any]]]) -> None:
    """Scores a contestant and prints one JSON object. The contestant returns its trees and its times."""
    split = ewt("--final" in sys.argv)
    trees, facts = contestant(split)
    evaluation = evaluate_trees(split.scored.columns[-2:], columns_of(trees), split.scored.starts)
    report(split, **metrics_of(evaluation), **facts)


def columns_of(trees: Trees) -> tuple[Column, Column]:
    tokens = [token for sentence in trees for token in sentence]
    return Column.of([str(head) for head, _ in tokens]), Column.of([relation for _, relation in tokens])


def own_tags(**parameters: Any) -> Callable[[Split], tuple[Trees, dict[str, Any]]]:
    """A parser that reads words and the tags of its own taggers, and no features of words."""
    return tagging_itself("own", **parameters)


def tagging_itself(tags: str, **parameters: Any) -> Callable[[Split], tuple[Trees, dict[str, Any]]]:
    """A parser that reads words, and tags them itself. tags: the parameter that says how."""
    inner = riata_parser(tags=tags, **parameters)
    return lambda split: inner(Split(*(corpus.select(WITHOUT_FEATURES) for corpus in (split.train, split.scored))))


def riata_parser(**parameters: Any) -> Callable[[Split], tuple[Trees, dict[str, Any]]]:
    def contest(split: Split) -> tuple[Trees, dict[str, Any]]:
        parser = riata.DependencyParser(threads=1, **{"tags": "given", **parameters})
        parser, train = timed(lambda: parser.fit(split.train, listener=lambda event: None))
        trees, decode = timed(lambda: parser.predict(split.scored))
        facts = {"seconds_train": train, "seconds_decode": decode}
        return trees, {**facts, "xpos": xpos_accuracy(parser, split.scored)} if parser.taggers_ else facts

    return contest


def xpos_accuracy(parser: riata.DependencyParser, scored: Corpus) -> float:
    """Per cent of right tags in the last input column, of a parser that tags its words itself."""
    found, gold = (corpus.columns[-len(OUTPUTS) - 1].texts() for corpus in (parser.columns.tagged(scored), scored))
    return 100 * sum(a == b for a, b in zip(found, gold, strict=True)) / scored.tokens
