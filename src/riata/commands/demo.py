"""riata demo"""

from __future__ import annotations

import os
import shlex
import shutil
import sys
import time
from pathlib import Path
from typing import Any

import click


@click.command(short_help="Train, score and look inside, on the corpus that comes with Riata.")
@click.option(
    "--sentences", type=click.IntRange(min=0), default=4, show_default=True, metavar="N", help="Test sentences to show."
)
@click.option("--json", "json_", is_flag=True, help="Print one JSON object with the scores.")
def command(sentences: int, json_: bool) -> None:
    """Train a tagger, a chunker and an entity recogniser on the embedded corpus, score them, and show what they learnt.

    \b
    riata demo
    riata demo --sentences 10
    """
    import json

    from riata import Chunker, EntityRecognizer, Tagger, load
    from riata.commands.console import TrainingProgress, stderr

    tasks: dict[str, tuple[Any, tuple[str, ...]]] = {
        "tag": (Tagger(), ("word", "tag")),
        "chunk": (Chunker(), ("word", "tag", "chunk")),
        "ner": (EntityRecognizer(), ("word", "tag", "entity")),
    }
    results = {}
    for name, (estimator, columns) in tasks.items():
        train, test = load("embedded", "train", columns), load("embedded", "test", columns)
        with TrainingProgress(stderr(), epochs=False) as listener:
            estimator.fit(train, listener=listener)
        began = time.perf_counter()
        evaluation = estimator.evaluate(test)
        seconds = time.perf_counter() - began
        results[name] = {"metrics": evaluation.metrics, "seconds_train": estimator.seconds_, "seconds_decode": seconds}
        if not json_:
            _show(name, estimator, evaluation, test.tokens / seconds)
    if json_:
        click.echo(json.dumps(results))
        return
    _show_sentences(tasks, sentences)
    _show_why(tasks["chunk"][0])
    _show_next()


def _show(name: str, estimator: Any, evaluation: Any, speed: float) -> None:
    from riata.commands.console import stdout

    title = f"{name}: trained in {estimator.seconds_:.2f} s, {speed:,.0f} tokens/s"
    console = stdout()
    console.print(evaluation.table(title))
    console.print()


def _show_sentences(tasks: dict[str, tuple[Any, tuple[str, ...]]], count: int) -> None:
    """A few test sentences with their chunks and entities; what is wrong is marked."""
    from rich.markup import escape

    from riata import load
    from riata.commands.console import stdout
    from riata.data.encodings.base import spans_of
    from riata.models.weights_by_name import by_name

    console = stdout()
    test = load("embedded", "test", ("word", "tag", "chunk"))
    chunker = tasks["chunk"][0]
    chosen = test[: len(test) : max(1, len(test) // max(count, 1))][:count]
    for sentence, labels in zip(chosen, chunker.predict(chosen), strict=True):
        gold = set(spans_of(sentence.column(2)))
        words = sentence.column(0)
        inside = {i: span for span in spans_of(labels) for i in range(span.start, span.end)}
        parts = []
        for i, word in enumerate(words):
            span = inside.get(i)
            colour = "red" if span is not None and span not in gold else "green"
            before = f"[{colour}]\\[[/]" if span is not None and span.start == i else ""
            after = f"[{colour}]] [dim]{span.type}[/][/]" if span is not None and span.end == i + 1 else ""
            parts.append(f"{before}{escape(word)}{after}")
        console.print(" ".join(parts))
    console.print("[dim]chunks found; red ones are not in the gold annotation[/]\n")
    console.print("What the chunker learnt, heaviest features first:")
    for label, weights in by_name(chunker.model_).heaviest(3, ["B-NP", "I-NP", "B-VP", "B-PP"]).items():
        shown = "   ".join(f"{escape(w.feature)} [dim]{w.weight:+.2f}[/]" for w in weights)
        console.print(f"  [bold]{label}[/]  {shown}")


def _show_why(chunker: Any) -> None:
    """What decided one wrong sentence: the first."""
    from rich.markup import escape

    from riata import load
    from riata.commands.console import stdout
    from riata.explaining.explanation import FAULTS

    test = load("embedded", "test", ("word", "tag", "chunk"))
    faults = chunker.search_errors(test).of
    number = next(i for i, fault in enumerate(faults) if fault != "right")
    explanation = chunker.explain(test[number : number + 1], True)
    decision = explanation.decision
    wrong = [
        f"{escape(str(word))}: {found} instead of {true}"
        for word, found, true in zip(explanation.input, decision.chosen.labels, explanation.truth, strict=True)
        if found != true
    ]
    console = stdout()
    console.print(f"\nWhy sentence {number + 1} is wrong ({'; '.join(wrong)}). The features that decided:")
    for feature in decision.contributions[:4]:
        console.print(f"  [dim]{feature.push:+7.2f}[/]  {escape(feature.name)} [bold]{escape(str(feature.label))}[/]")
    console.print(
        f"  [dim]{decision.difference:+7.2f}[/]  the output over the truth, in all {len(decision.contributions)} features"
    )
    console.print(f"  A {FAULTS[explanation.fault]}.")


def _show_next() -> None:
    """Commands that can be typed as they are printed, from the folder that the demo ran in."""
    riata = this_command()
    click.echo("\nNext, the same from the command line (then with files of your own; docs/five-minutes.md):")
    for split in ("train", "test"):
        click.echo(f'  cp "$({riata} data path embedded {split})" {split}.txt')
    click.echo(f"  {riata} train chunk --train train.txt --inputs 0,1 --outputs 2 --model chunker.riata")
    click.echo(f"  {riata} evaluate --model chunker.riata test.txt")
    click.echo(f"  {riata} explain --model chunker.riata --html why.html test.txt")


def this_command() -> str:
    """How this program is called: `riata` where the shell finds it, otherwise by its path or as a module."""
    called = Path(sys.argv[0])
    if called.name != "riata" or not called.is_file():
        return f"{typed(sys.executable)} -m riata"
    found = shutil.which("riata")
    return "riata" if found is not None and Path(found).samefile(called) else typed(called)


def typed(path: str | Path) -> str:
    """Quoted where it must be; relative to the present folder where it is below that."""
    absolute = os.path.abspath(path)  # a link stays a link: the interpreter of an environment is one
    below = os.path.relpath(absolute)
    return shlex.quote(absolute if below.startswith(os.pardir) else below)
