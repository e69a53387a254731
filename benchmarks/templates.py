"""Which features pay? Named variants of the default templates on development data.

    python -m benchmarks.templates chunk              all variants of the task: perceptron, 10 epochs, two seeds
    python -m benchmarks.templates ner before "before, edge shape" --seeds 5
    python -m benchmarks.templates ner --recipe mira --epochs 14 --seeds 3

The tables in docs/defaults.md were made with this.
"""

from __future__ import annotations

import argparse
import time
from statistics import mean

import riata
from benchmarks.contest import Split, by_splits, conll2000
from riata.features.templates import Template, fitting, load, parse

TASKS = {
    "chunk": (riata.Chunker, conll2000),
    "ner": (riata.EntityRecognizer, by_splits("conll2002-es", "testa", "testb")),
    "tag": (riata.Tagger, by_splits("ud-en-ewt", "dev", "test")),
}


def at(name: str, *offsets: int) -> list[str]:
    return [f"{name}[{offset}]" for offset in offsets]


def runs(name: str, *spans: tuple[int, int]) -> list[str]:
    """The attribute at all offsets from first to last, taken together."""
    return [" ".join(at(name, *range(first, last + 1))) for first, last in spans]


def affixes(
    *offsets: int, lengths: tuple[int, ...] = (1, 2, 3, 4), kinds: tuple[str, ...] = ("prefix", "suffix")
) -> list[str]:
    return [f"{kind}{n}[{offset}]" for offset in offsets for kind in kinds for n in lengths]


CLASSIC = [str(template) for template in load("classic")]
WORD_AND_TAG = [f"word[{a}] tag[{b}]" for a, b in ((-1, -1), (0, 0), (1, 1), (0, -1), (0, 1), (-1, 0), (1, 0))]
SHAPES = [*at("shape", -1, 0, 1), *runs("shape", (-1, 0), (0, 1))]
TAGS_4_5 = runs("tag", (-2, 1), (-1, 2), (-2, 2))
RICH = [*CLASSIC, *WORD_AND_TAG, *affixes(0), *SHAPES, *TAGS_4_5, "edge tag[0]"]
PLUS = [
    *at("lower", -1, 0, 1),
    *affixes(-1, 1, lengths=(2, 3), kinds=("suffix",)),
    *runs("shape", (-1, 1)),
    "shape[0] tag[0]",
]
TAGS_3 = [*at("tag", -3, 3), *runs("tag", (-3, 0), (0, 3))]
STEMS = at("stem", -1, 0, 1)
FREQUENCIES = at("frequency", -1, 0, 1)
WORD_AND_TWO_TAGS = [
    "word[-1] tag[1]",
    "tag[-1] word[1]",
    "word[0] tag[-1] tag[0]",
    "word[0] tag[0] tag[1]",
    "word[0] tag[-1] tag[1]",
]
FAR_WORDS = at("word", -4, -3, 3, 4)
WORD_AND_SHAPE = ["word[-1] shape[0]", "shape[0] word[1]", "word[-1] shape[0] word[1]"]
EDGE_WORD = "edge word[-1]"
BEFORE = {  # the defaults of the first measurements
    "chunk": [
        *CLASSIC,
        *(line for line in WORD_AND_TAG if line not in ("word[-1] tag[-1]", "word[1] tag[1]")),
        "prefix3[0]",
        *affixes(0, lengths=(2, 3, 4), kinds=("suffix",)),
        "shape[0]",
        "edge tag[0]",
    ],
    "ner": [str(t) for t in load("ner") if str(t) not in ("edge shape[0]", *FAR_WORDS, *WORD_AND_SHAPE, EDGE_WORD)],
    "tag": [
        str(t)
        for t in load("tag")
        if str(t) not in ("lower[-2] lower[-1]", "lower[1] lower[2]", "outline[-1] outline[0] outline[1]")
    ],
}


def without(lines: list[str], *gone: str) -> list[str]:
    return [line for line in lines if line not in gone]


def variants(task: str) -> dict[str, list[str]]:
    before, rich_3 = BEFORE[task], [*RICH, *TAGS_3]
    shared = {
        "default": [str(template) for template in load(task)],
        "before": before,
        "classic": CLASSIC,
        "rich": RICH,
        "rich+": [*RICH, *PLUS],
        **{name: [str(template) for template in load(name)] for name in ("S1", "S2", "S3", "S3:2")},
    }
    if task == "chunk":
        return shared | {
            "rich without affixes": without(RICH, *affixes(0)),
            "rich without shapes": without(RICH, *SHAPES),
            "rich without runs of 4 and 5 tags": without(RICH, *TAGS_4_5),
            "rich without edge tag": without(RICH, "edge tag[0]"),
            "rich, stems": [*RICH, *STEMS],
            "rich, runs of 3 words": [*RICH, *runs("word", (-2, 0), (-1, 1), (0, 2))],
            "rich, edge word": [*RICH, "edge word[0]"],
            "rich, edge tag tag": [*RICH, "edge tag[-1] tag[0]"],
            "rich+, frequency": [*RICH, *PLUS, *FREQUENCIES, "tag[0] frequency[0]"],
            "rich, tags to 3": rich_3,
            "rich, tags to 3, stems": [*rich_3, *STEMS],
            "rich, tags to 3, edge word": [*rich_3, "edge word[0]"],
            "rich+, tags to 3": [*rich_3, *PLUS],
            "rich, tags to 3, more runs of tags": [*rich_3, *runs("tag", (-3, 1), (-1, 3), (-3, -1), (1, 3))],
            "rich, tags to 3, word with two tags": [*rich_3, *WORD_AND_TWO_TAGS],
            "default without runs of 4 and 5 tags": [line for line in shared["default"] if line.count("tag[") < 4],
            "default, edge word before": [*shared["default"], EDGE_WORD],
        }
    more = {
        "before, stems": [*before, *STEMS],
        "before, frequency": [*before, *FREQUENCIES],
        "before, suffixes of neighbours": [*before, *affixes(-1, 1, lengths=(2, 3, 4), kinds=("suffix",))],
        "before, edge lower": [*before, "edge lower[0]"],
        "before, lower pairs to 2": [*before, *runs("lower", (-2, -1), (1, 2))],
    }
    if task == "tag":
        return (
            shared
            | more
            | {
                "before, stems, endings": [*before, *STEMS, "ending[0]"],
                "before, runs of 3 words": [*before, *runs("lower", (-1, 1))],
                "before, runs of 3 outlines": [*before, *runs("outline", (-1, 1))],
                "before, edge suffix": [*before, "edge suffix2[0]"],
                "before, words to 2": [*before, *at("word", -2, -1, 1, 2)],
                "default, neighbour with suffix": [
                    *shared["default"],
                    *("lower[-1] suffix3[0]", "suffix3[0] lower[1]"),
                ],
                "default, shapes of neighbours, neighbour with shape": [
                    *shared["default"],
                    *at("shape", -1, 1),
                    *("lower[-1] shape[0]", "shape[0] lower[1]"),
                ],
                "default, lower on both sides": [*shared["default"], "lower[-1] lower[1]"],
            }
        )
    edge = [*before, "edge shape[0]"]
    return (
        shared
        | more
        | {
            "before, affixes of neighbours": [*before, *affixes(-1, 1)],
            "before, word and tag": [*before, *WORD_AND_TAG],
            "before, edge case": [*before, "edge case[0]"],
            "before, edge shape": edge,
            "before, edge shape, edge tag": [*edge, "edge tag[0]"],
            "before, edge shape, affixes of neighbours": [*edge, *affixes(-1, 1)],
            "before, edge shape, edge shape pair": [*edge, "edge shape[-1] shape[0]"],
            "before, edge shape, runs of lower": [*edge, *runs("lower", (-1, 0), (0, 1), (-1, 1))],
        }
        | second_round(edge)
    )


def second_round(edge: list[str]) -> dict[str, list[str]]:
    """What was tried for entities on top of "before, edge shape", and then on top of the best of it."""
    best = [*edge, *FAR_WORDS, *WORD_AND_SHAPE, EDGE_WORD]
    return {
        "edge shape, lower to 2": [*edge, *at("lower", -2, 2)],
        "edge shape, lower pairs": [*edge, *runs("lower", (-1, 0), (0, 1))],
        "edge shape, words on both sides": [*edge, "word[-1] word[1]"],
        "edge shape, runs of shapes": [*edge, *runs("shape", (-1, 0), (0, 1), (-1, 1))],
        "edge shape, runs of outlines to 2": [*edge, *runs("outline", (-2, 0), (0, 2), (-2, 2))],
        "edge shape, runs of cases to 2": [*edge, *runs("case", (-2, 0), (0, 2), (-2, 2))],
        "edge shape, neighbour with case": [
            *edge,
            *("lower[-1] case[0]", "case[0] lower[1]", "lower[-2] case[0]", "case[0] lower[2]"),
        ],
        "edge shape, neighbour with shape": [*edge, *WORD_AND_SHAPE],
        "edge shape, word and tag": [*edge, *WORD_AND_TAG],
        "edge shape, full shapes": [*edge, *at("fullshape", -1, 0, 1)],
        "edge shape, words to 3": [*edge, *at("word", -3, 3)],
        "edge shape, words to 4": [*edge, *FAR_WORDS],
        "edge shape, words to 6": [*edge, *FAR_WORDS, *at("word", -6, -5, 5, 6)],
        "edge shape, lower to 4": [*edge, *at("lower", -4, -3, -2, 2, 3, 4)],
        "edge shape, words and shapes to 4": [*edge, *FAR_WORDS, *at("shape", -4, -3, 3, 4)],
        "edge shape, edge lower": [*edge, "edge lower[0]"],
        "edge shape, edge case pair": [*edge, "edge case[-1] case[0]"],
        "edge shape, edge word before": [*edge, EDGE_WORD],
        "edge shape, words to 4, neighbour with shape": [*edge, *FAR_WORDS, *WORD_AND_SHAPE],
        "best": best,
        "best, lower for far words": [*without(best, *FAR_WORDS), *at("lower", -4, -3, 3, 4)],
        "best, two neighbours with shape": [*best, "word[-2] word[-1] shape[0]", "shape[0] word[1] word[2]"],
        "best without both neighbours with shape": without(best, WORD_AND_SHAPE[-1]),
        "best without tags": [line for line in best if "tag" not in line],
    }


def measure(
    task: str, template: tuple[Template, ...], split: Split, args: argparse.Namespace
) -> tuple[list[list[float]], float]:
    """Scores by seed and epoch, and the CPU seconds of the quickest training, which scores every epoch."""
    scores, seconds = [], []
    for seed in range(args.seeds):
        began = time.process_time()
        estimator = TASKS[task][0](args.recipe, template=template, epochs=args.epochs, seed=seed, dev=split.scored)
        estimator.fit(split.train, listener=lambda event: None)
        seconds.append(time.process_time() - began)
        scores.append([epoch["dev_score"] for epoch in estimator.history_])
    return scores, min(seconds)


def main(args: argparse.Namespace) -> None:
    split, known = TASKS[args.task][1](False), variants(args.task)
    print("| features | lines | mean | seeds | mean of the last 5 epochs | train s |\n|---|---:|---:|---|---:|---:|")
    for name in args.names or known:
        template = fitting(parse("\n".join(known[name])), split.train.width - 1)
        scores, seconds = measure(args.task, template, split, args)
        last = [epochs[-1] for epochs in scores]
        shown = ", ".join(f"{score:.2f}" for score in last)
        late = mean(score for epochs in scores for score in epochs[-5:])
        print(f"| {name} | {len(template)} | {mean(last):.2f} | {shown} | {late:.2f} | {seconds:.1f} |", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("task", choices=TASKS)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--recipe", default="perceptron")
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--seeds", type=int, default=2)
    main(parser.parse_args())
