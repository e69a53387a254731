"""riata explain"""

from __future__ import annotations

import json
from typing import Any

import click

from riata.commands.base import format_option
from riata.commands.constraint_options import switch_option, switched
from riata.commands.estimator_options import (
    beam,
    context_options,
    documents_option,
    in_given_context,
    pair_options,
    read_for,
    reading_pairs,
)

FOUND = ("wrong", "search", "both", "model", "tie", "right", "lucky")  # what --sentence may look for
CONSTRAINED = "constrained"  # also without gold labels


@click.command(short_help="Why: features, scores, the search.")
@click.argument("file", default="-", metavar="[FILE|-]")
@click.option("--model", "model_file", required=True, metavar="FILE", help="A model made by `riata train`.")
@click.option(
    "--sentence",
    "which",
    metavar="N|KIND",
    help="Number N of the file, from 1, or the first that is wrong, search (by the search alone), both (by "
    "search and model), model (by the "
    "model alone), tie, right or lucky (right by luck), or constrained (constraints "
    "changed it) (default: the first wrong one; without gold labels, the first).",
)
@click.option(
    "--against",
    metavar="LABELS",
    help="Compare with these labels, between spaces (of joint: TAG/CHUNK, of parse: HEAD/RELATION or, with joint "
    "tags, HEAD/RELATION/TAG); default: the truth, or else the runner-up.",
)
@click.option("--beam", metavar="N|inf", help="Search with another beam than the model's, to see what that changes.")
@click.option("--training", is_flag=True, help="Show the search as it is in training, with all updates and restarts.")
@click.option("--html", "html_file", metavar="OUT", help="Write a page to look at, which needs no network.")
@click.option(
    "--top", type=click.IntRange(min=0), default=20, show_default=True, metavar="N", help="Features to print."
)
@context_options
@documents_option
@format_option
@switch_option
@pair_options
@click.option("--json", "json_", is_flag=True, help="Print one JSON object instead.")
def command(**options: Any) -> None:
    """Show why a sentence gets its labels: every feature for them and against another output, and the search, step by step.

    \b
    riata explain --model chunker.riata test.txt                            the first wrong sentence, here
    riata explain --model chunker.riata --sentence search --html why.html test.txt
    riata explain --model chunker.riata --sentence 3 --against "B-NP I-NP B-VP O" test.txt
    riata explain --model chunker.riata --beam 1 --training --html why.html test.txt
    riata explain --model receipts.riata --sentence constrained test.txt    what constraints changed

    With gold labels in the file, states from which they can still be reached (y-good) are marked, and so is the moment when the last of
    them was lost; shown is the update that training would make there. Contributions sum to the difference of the scores.
    """
    from riata.commands.console import stderr, stdout
    from riata.estimators.model_file import load_model
    from riata.explaining.page import check_target
    from riata.explaining.text import render

    if options["html_file"] is not None:
        check_target(options["html_file"])
    found = reading_pairs(load_model(options["model_file"]), options)
    if hasattr(type(found), "own_files"):
        from riata.commands.own_options import explain

        explain(found, options)
        return
    estimator = switched(in_given_context(found, options), options["keeps"])
    corpus = estimator.columns.sentences(read_for(estimator, options["file"], options))
    if options["beam"] is not None:
        estimator = estimator.twin(queue="beam", beam=beam(options["beam"]))
    corpus = estimator.columns.seen_whole(corpus)
    gold = _has_gold(estimator, corpus)
    number = _chosen(estimator, corpus, options["which"], gold)
    sentence = corpus[number : number + 1]
    against = None if options["against"] is None else _against(options["against"], estimator)
    explanation = estimator.explain(sentence, gold or None, against=against, training=options["training"])
    if options["json_"]:
        click.echo(json.dumps({"sentence": number + 1, **explanation.to_dict()}))
    elif options["html_file"] is None:
        stdout().print(render(explanation, options["top"]))
    if options["html_file"] is not None:
        explanation.save_html(options["html_file"])
        stderr().print(f"Sentence {number + 1} is explained in {options['html_file']}", markup=False, soft_wrap=True)


def _has_gold(estimator: Any, corpus: Any) -> bool:
    from riata.errors import DataError

    estimator.columns.input_columns(corpus)  # refuses what the model cannot read at all
    try:
        estimator.columns.scored_columns(corpus)
    except DataError:
        return False
    return True


def _chosen(estimator: Any, corpus: Any, which: str | None, gold: bool) -> int:
    """The number of the sentence, from 0."""
    from riata.errors import DataError, SettingError

    if len(corpus) == 0:
        raise DataError("there is no sentence to explain.", file=corpus.name)
    if which == CONSTRAINED:
        return _first_constrained(estimator, corpus)
    if which is not None and which not in FOUND:
        if not which.isdigit() or not 1 <= int(which) <= len(corpus):
            raise SettingError(
                f"--sentence is {which!r}; expected a number from 1 to {len(corpus):,}, or one of: {', '.join((*FOUND, CONSTRAINED))}."
            )
        return int(which) - 1
    if not gold:
        if which is not None:
            raise SettingError(
                f"--sentence {which} needs gold labels, which the file does not have.", remedy="Give a number."
            )
        return 0
    errors = estimator.search_errors(corpus)
    if which == "lucky":
        fits = [fault == "right" and bool(missed) for fault, missed in zip(errors.of, errors.missed, strict=True)]
    else:
        fits = [fault != "right" if which in (None, "wrong") else fault == which for fault in errors.of]
    number = fits.index(True) if True in fits else None
    if number is None and which is not None:
        raise DataError(
            f"no sentence is {which!r} here.", remedy="Look for another kind, or give a number.", file=corpus.name
        )
    return number or 0


def _first_constrained(estimator: Any, corpus: Any) -> int:
    """The number of the first sentence whose output constraints changed."""
    import numpy as np

    from riata.errors import DataError, SettingError

    if estimator.predicting.decoder().kept is None:
        raise SettingError(f"--sentence {CONSTRAINED}: the model keeps no constraints.", remedy="Give a number.")
    changed = np.flatnonzero(estimator.predict_ids(corpus) != estimator.twin(constraints=None).predict_ids(corpus))
    if not len(changed):
        raise DataError("constraints change no sentence here.", remedy="Give a number.", file=corpus.name)
    return int(np.searchsorted(corpus.starts, changed[0], side="right")) - 1


def _against(text: str, estimator: Any) -> list[Any]:
    """Labels as explain takes them. Where tags are chosen, a third part is the tag."""
    from riata.errors import SettingError

    labels = text.split()
    if estimator.outputs == 1:
        return labels
    found = [
        tuple(label.split("/", 2) if estimator.columns.chosen_tags() else label.rsplit("/", 1)) for label in labels
    ]
    if any(len(parts) < 2 for parts in found):
        raise SettingError(
            "--against has a label without a slash; expected TAG/CHUNK (of trees, HEAD/RELATION) for every token."
        )
    return found
