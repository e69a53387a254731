"""riata evaluate"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import click

from riata.commands.base import format_option
from riata.commands.constraint_options import switch_option, switched
from riata.commands.estimator_options import (
    column_options,
    context_options,
    decoding_option,
    format_of,
    pair_options,
    read_for,
    reader,
    reading_pairs,
)


@click.command(short_help="Score a model, or one file against another.")
@click.argument("file", required=False)
@click.option("--model", "model_file", metavar="FILE", help="A model; FILE has the gold labels.")
@click.option("--gold", "gold_file", metavar="FILE", help="Gold labels in the last column.")
@click.option("--predicted", "predicted_file", metavar="FILE", help="Predicted labels in the last column.")
@click.option(
    "--against",
    "other_file",
    metavar="FILE",
    help="Another prediction of the same text: is the difference significant?",
)
@click.option(
    "--task",
    "task_name",
    metavar="NAME",
    help="With --gold: tag, chunk, joint, ner, srl or parse (default: chunk where all labels are chunk labels).",
)
@column_options
@context_options
@format_option
@decoding_option
@switch_option
@pair_options
@click.option("--json", "json_", is_flag=True, help="Print one JSON object instead of tables.")
def command(**options: Any) -> None:
    """Precision, recall and F1 exactly as conlleval counts them, or accuracy; with bootstrap 95 % intervals.

    \b
    riata evaluate --model chunker.riata test.txt
    riata evaluate --model chunker.riata --set decode=spans test.txt
    riata evaluate --gold test.txt --predicted labelled.txt
    riata evaluate --gold test.txt --predicted mine.txt --against theirs.txt
    riata evaluate --gold test.conllu --predicted tagged.conllu --outputs upos
    riata evaluate --gold roles.txt --predicted labelled.txt --task srl
    riata evaluate --gold test.conllu --predicted parsed.conllu --task parse

    Intervals, and the test of --against, are over sentences or, where at least ten documents are marked (in the gold file: by -DOCSTART-
    lines, `# newdoc` or --documents), over documents, since sentences of one document are not independent.
    """
    given = {
        name
        for name in ("file", "model_file", "gold_file", "predicted_file", "other_file", "task_name")
        if options[name]
    }
    by_model = given == {"file", "model_file"}
    if not by_model and given - {"other_file", "task_name"} != {"gold_file", "predicted_file"}:
        raise click.UsageError(
            "give either --model MODEL FILE, or --gold FILE --predicted FILE (with --against and --task, where wanted)."
        )
    if options["keeps"] and not by_model:
        raise click.UsageError("--constraints is for --model.")
    if by_model:
        _evaluate_model(options)
    elif (own := _of_own_files(options["task_name"])) is not None:
        from riata.commands.own_options import evaluate_files

        evaluate_files(own, options)
    else:
        _evaluate_files(options)


def _evaluate_model(options: dict[str, Any]) -> None:
    from riata.estimators.model_file import load_labeller
    from riata.measuring.cost import Meter
    from riata.models.weights_by_name import by_name

    meter = Meter()
    found = reading_pairs(load_labeller(options["model_file"]), options)
    if hasattr(type(found), "own_files"):
        from riata.commands.own_options import evaluate

        evaluate(found, options)
        return
    estimator, _ = reader(found, options["file"], options)
    estimator = switched(estimator, options["keeps"])
    data = read_for(estimator, options["file"], options)
    corpus = estimator.columns.scored_columns(data)
    began = time.perf_counter()
    predicted = estimator.predict_ids(corpus)
    evaluation = estimator.evaluate(corpus, predicted=predicted)
    seconds = time.perf_counter() - began
    facts: dict[str, Any] = {
        "task": estimator.task_name,
        **estimator.evaluating.learnt_by(),
        "seconds_train": estimator.seconds_,
        "seconds_decode": seconds,
        "tokens": corpus.tokens,
        "peak_rss_mb": meter.peak_rss_mb(),
        "weights": by_name(estimator.model_).count() if options["json_"] else None,
        "model_mb": Path(options["model_file"]).stat().st_size / 1e6,
    }
    facts["errors"] = estimator.search_errors(corpus, predicted=predicted).counts
    for gold, found in zip(
        estimator.columns.gold_columns(corpus), estimator.labels.output_columns(predicted), strict=True
    ):
        _warn_of_gold(gold, found.alphabet.texts(), data, "the model does not know")
    _show(evaluation, facts, options, title=f"{options['model_file']} on {options['file']}")


def _of_own_files(task: str | None) -> Any:
    """The estimator of a task whose files are its own; None of others."""
    from riata import registry

    cls = None if task is None else registry.get("task", task).estimator
    return cls if hasattr(cls, "own_files") else None


def _evaluate_files(options: dict[str, Any]) -> None:
    from riata.data.files import column_in, read_file
    from riata.measuring.cost import Meter
    from riata.scoring.significance import paired_test

    meter = Meter()
    if options["assignments"]:
        raise click.UsageError("--set is for --model: two files are compared as they are.")
    gold = read_file(options["gold_file"], _format(options), columns=options["outputs"], documents=options["documents"])
    apart = None if options["documents"] is None else column_in(gold, options["documents"])
    if options["inputs"] is not None:
        raise click.UsageError("--inputs is for --model: two files are compared by their outputs.")
    task = _task(gold, options["task_name"], options["outputs"], apart)
    evaluation = _scored(gold, options["predicted_file"], options, task, apart)
    facts: dict[str, Any] = dict.fromkeys(
        ("recipe", "structure", "seconds_train", "seconds_decode", "weights", "model_mb")
    )
    facts |= {
        "task": task,
        "tokens": gold.tokens,
        "peak_rss_mb": meter.peak_rss_mb(),
    }
    if options["other_file"] is not None:
        other = _scored(gold, options["other_file"], options, task, apart)
        test = paired_test(evaluation.statistic, evaluation.resampled, other.resampled)
        facts["against"] = {"metrics": other.metrics, "difference": test.difference, "p_value": test.p_value}
    _show(evaluation, facts, options, title=f"{options['predicted_file']} against {options['gold_file']}")


def _format(options: dict[str, Any]) -> str:
    """The format of both files; some tasks have one of their own."""
    from riata.tasks.base import labelling

    if options["task_name"] is None:
        return str(options["format_"])
    return format_of(labelling(options["task_name"]), options)


def _task(gold: Any, name: str | None, outputs: Any, apart: int | None) -> str:
    """The task by name; without one, what the labels look like. apart: the column of documents."""
    from riata import registry
    from riata.data.encodings.base import are_chunk_labels
    from riata.data.files import output_column

    if name is not None:
        return str(registry.get("task", name).name)
    return "chunk" if are_chunk_labels(output_column(gold, outputs, apart).alphabet.texts()) else "tag"


def _scored(gold: Any, path: str, options: dict[str, Any], task: str, apart: int | None) -> Any:
    """apart: the column of documents, which the file may have where the gold file has it."""
    from dataclasses import replace

    from riata import registry
    from riata.data.encodings.base import OUTSIDE, are_chunk_labels, are_types_alone
    from riata.data.files import aligned, last_columns, output_column, read_file
    from riata.errors import DataError

    outputs = options["outputs"]
    predicted = read_file(path, _format(options), columns=outputs)
    aligned(gold, predicted)
    estimator = registry.get("task", task).estimator
    if estimator.file_format is not None:
        return estimator.evaluating.compared_files(gold, predicted)
    if estimator.outputs > 1:
        both = [last_columns(corpus, outputs, apart, estimator.fields) for corpus in (gold, predicted)]
        estimator.labels.check_gold(replace(gold, columns=both[0]))
        return replace(estimator.labels.compared(*both, gold.starts, chunks=estimator.chunks), document=gold.document)
    truth, found = (output_column(corpus, outputs, apart) for corpus in (gold, predicted))
    labels = [found.alphabet.text(int(i)) for i in found.used()]
    others = [label for label in labels if label != OUTSIDE]
    if estimator.chunks and others and not (are_types_alone(labels) or any(are_chunk_labels([one]) for one in others)):
        raise DataError(
            f"the column of predictions has {others[0]!r:.40}, which is no chunk label, nor are the others.",
            remedy="Has the file a column of predictions? --outputs names it, and --task tag compares plain labels.",
            file=path,
        )
    _warn_of_gold(truth, labels, gold, f"{path} does not have")
    scored = estimator.labels.compared([truth], [found], gold.starts, chunks=estimator.chunks)
    return replace(scored, document=gold.document)


def _warn_of_gold(gold: Any, known: Any, corpus: Any, who: str) -> None:
    """Of gold labels that are all the same, and right for nobody."""
    from rich.markup import escape

    from riata.commands.console import stderr
    from riata.data.files import constant_gold

    if text := constant_gold(gold, set(known), corpus, who):
        stderr().print(escape(text), soft_wrap=True)


def _show_faults(errors: dict[str, Any]) -> None:
    """Whose fault wrong sentences are, in a line; as a square too, where the search has missed what is best."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    from riata.commands.console import stdout
    from riata.scoring.search_errors import in_words, square

    stdout().print(in_words(errors), soft_wrap=True)
    if errors["test"] == "exact" and errors["search"] + errors["both"] + errors["lucky"]:
        head, *rows = square(errors)
        table = Table(*head, box=SIMPLE_HEAD)
        for row in rows:
            table.add_row(*row)
        stdout().print(table)


def _show(evaluation: Any, facts: dict[str, Any], options: dict[str, Any], title: str) -> None:
    if options["json_"]:
        from riata.measuring.cost import as_json

        interval = evaluation.interval()
        by_type = {row.type: dict(zip(row._fields[1:], row[1:], strict=True)) for row in evaluation.report.rows}
        more = {"interval": [interval.low, interval.high], "resampled": str(evaluation.units), "types": by_type}
        click.echo(as_json(**facts, metrics=evaluation.metrics, **more))
        return
    from rich.markup import escape

    from riata.commands.console import stdout

    stdout().print(evaluation.table(title))
    if evaluation.more:
        named = (f"{name.replace('_', ' ')} {value:.2f}" for name, value in evaluation.more.items())
        stdout().print(", ".join(named), soft_wrap=True)
    if "errors" in facts:
        _show_faults(facts["errors"])
    if "against" in facts:
        other = facts["against"]
        verdict = "significant at 0.05" if other["p_value"] <= 0.05 else "not significant at 0.05"
        dealt = "" if not evaluation.units.documents else f" of {evaluation.units}"
        stdout().print(
            escape(f"{options['predicted_file']} minus {options['other_file']}: {other['difference']:+.2f}, ")
            + f"p = {other['p_value']:.4f} ({verdict}; paired approximate randomisation{dealt})",
            soft_wrap=True,
        )
