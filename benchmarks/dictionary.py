"""What does a dictionary of the tags of frequent words cost, and buy? Penn tags of UD English EWT or others, on development data.

    python -m benchmarks.dictionary                                  perceptron, 10 epochs, the template of taggers
    python -m benchmarks.dictionary --recipe crf --template S2 --epochs 100
    python -m benchmarks.dictionary --template second --numbers 0 5  two labels back
    python -m benchmarks.dictionary --recipe mira --data ud-hu-szeged --tags feats --epochs 20 --seeds 1 --numbers 0 alike

The tables in docs/dictionary.md were made with this.
"""

from __future__ import annotations

import argparse
import time
from statistics import mean

import riata
from benchmarks.contest import Split
from riata.features.templates import load, parse

SECOND = (*load("S2"), *parse("label[-2] label[-1]"))


def forbidden(model: riata.Tagger, words: list[list[str]], tags: list[list[str]]) -> float:
    """The share of tokens, in per cent, whose true tag the dictionary forbids."""
    dictionary, at = model.model_.features.dictionary, {tag: i for i, tag in enumerate(model.model_.labels)}
    pairs = [pair for ws, ts in zip(words, tags, strict=True) for pair in zip(ws, ts, strict=True)]
    wrong = 0 if dictionary is None else sum(at.get(tag, -1) not in dictionary.of(word) for word, tag in pairs)
    return 100 * wrong / len(pairs)


def main(args: argparse.Namespace) -> None:
    split = Split(*(riata.load(args.data, part, ["form", args.tags]) for part in ("train", "dev")))
    words = [[token[0] for token in sentence] for sentence in split.scored]
    tags = [[token[-1] for token in sentence] for sentence in split.scored]
    print(
        "| dictionary | accuracy | seeds | true tag forbidden, % | train CPU s | tag CPU ms |\n|---:|---:|---|---:|---:|---:|"
    )
    for number in args.numbers:
        scores, seconds, taking = [], [], []
        for seed in range(args.seeds):
            template = SECOND if args.template == "second" else args.template
            model = riata.Tagger(
                args.recipe,
                template=template,
                epochs=args.epochs,
                seed=seed,
                threads=1,
                settings={"dictionary": number},
            )
            began = time.process_time()
            model.fit(split.train, listener=lambda event: None)
            seconds.append(time.process_time() - began)
            scores.append(100 * model.score(split.scored))
            for _ in range(5):
                began = time.process_time()
                model.predict(words)
                taking.append(1000 * (time.process_time() - began))
        shown = ", ".join(f"{score:.2f}" for score in scores)
        print(
            f"| {number} | {mean(scores):.2f} | {shown} | {forbidden(model, words, tags):.2f} | {min(seconds):.1f} | {min(taking):.0f} |",
            flush=True,
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", default="ud-en-ewt")
    parser.add_argument("--tags", default="xpos")
    parser.add_argument("--recipe", default="perceptron")
    parser.add_argument("--template", default="tag")
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--numbers", nargs="+", default=[0, 2, 5, 10, 20, 50, 100])
    main(parser.parse_args())
