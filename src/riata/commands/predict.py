"""riata predict"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from typing import IO, Any

import click

from riata.commands.base import format_option
from riata.commands.constraint_options import switch_option, switched, tell_of_constraints
from riata.commands.estimator_options import (
    column_options,
    context_options,
    decoding_option,
    documents_of,
    pair_options,
    reader,
    reading_pairs,
    tell_unmarked,
)

LABELLING = ("nbest", "confidence", "min_confidence", "given", "given_tags", "text", "assignments", "keeps")


@click.command(short_help="Add a column of predictions to a file.")
@click.argument("file", default="-", metavar="[FILE|-]")
@click.option("--model", "model_file", required=True, metavar="FILE", help="A model made by `riata train`.")
@click.option(
    "--nbest",
    type=click.IntRange(min=1),
    metavar="K",
    help="The K best labellings of each sentence, each after a line `# rank score`.",
)
@click.option("--confidence", is_flag=True, help="One more column per output: how sure the search is, from 0 to 1.")
@click.option(
    "--min-confidence",
    type=click.FloatRange(0, 1),
    metavar="P",
    help="Abstain below P: a chunk is left out (O), a tag becomes _.",
)
@click.option(
    "--given",
    type=int,
    metavar="N",
    help="Column of the file, from 0, with labels to keep (-1 is the last); _ where any will do.",
)
@click.option(
    "--given-tags",
    type=click.IntRange(min=0),
    metavar="N",
    help="For parsers that choose tags (--tags joint): column with tags to keep; _ where any will do.",
)
@click.option(
    "--threads",
    type=click.IntRange(min=1),
    metavar="N",
    help="How many at once (default: all cores); never changes the output.",
)
@click.option(
    "--output",
    "output_file",
    metavar="F",
    help="Where the output goes, completely or not at all (default: standard output).",
)
@click.option("--text", is_flag=True, help="The input is running text: a sentence per line, words between spaces.")
@column_options
@context_options
@format_option
@decoding_option
@switch_option
@pair_options
def command(
    file: str,
    model_file: str,
    nbest: int | None,
    confidence: bool,
    min_confidence: float | None,
    given: int | None,
    threads: int | None,
    output_file: str | None,
    text: bool,
    keeps: str | None,
    **columns: Any,
) -> None:
    """Write the input's columns and one more, the prediction, sentence by sentence as they come in.

    \b
    riata predict --model chunker.riata new.txt --output labelled.txt
    zcat big.txt.gz | riata predict --model chunker.riata - | head
    riata predict --model chunker.riata --nbest 3 new.txt
    riata predict --model chunker.riata --confidence --min-confidence 0.9 new.txt
    riata predict --model chunker.riata --given 2 corrected.txt
    riata predict --model ner.riata texts.jsonl > spans.jsonl
    echo "The bus stopped ." | riata predict --model tagger.riata --text

    The input may have the output column of training or lack it. CoNLL-U goes out as CoNLL-U, with the predicted field replaced; a model
    that was trained on CoNLL-U reads it from standard input too (unless you give --format columns). More columns than the model knows are
    refused, unless --inputs names those to read.
    With --text every line is a sentence; the output has a line per word. The model must read words alone.
    JSON lines go out as JSON lines: every object with the predictions, spans of characters where it has a text, lists where it has tokens
    (docs/data.md). With --text and --format jsonl, every line becomes such an object.
    With --nbest a sentence is written K times, best first, as `crf_test -n` of CRF++ does: after `# 0` and its score (not a probability)
    the best labelling, after `# 1` the next, and so on; fewer where there are fewer. The queue must be exact, except for trees by moves.
    With --nbest and --confidence its probability follows the score.
    With --given the best labelling is found that has the labels of that column; lists and confidences are among those that have them.
    A model of two passes reads the whole document, the sentences before, or the whole input, as it was trained; --context chooses another.
    With --set decode=marginals every token gets its most probable label, with --set decode=spans chunks are chosen by their probabilities.
    With constraints, standard error reports how many sentences kept them already, and how the others were made to.
    With --confidence a token has that of its chunk, or of its label. It can be believed if the model is calibrated, as
    training does by itself (`riata inspect`, `riata calibrate`); if not, --min-confidence is refused.
    """
    from riata.estimators.labelled_files import Additions, GivenColumns, labelled
    from riata.estimators.model_file import load_labeller

    loaded = reading_pairs(load_labeller(model_file), columns)
    if hasattr(type(loaded), "own_files"):
        _predict_own(loaded, file, output_file)
        return
    found, format = reader(loaded, file, columns, text=text)
    estimator = found if keeps is None else switched(found, keeps)
    if confidence and not estimator.confidence.believable:
        _tell_uncalibrated(estimator)
    shown, kept = Additions(nbest, confidence, min_confidence), GivenColumns(given, columns["given_tags"])
    asked = {"text": _split(text, columns), "unmarked": partial(tell_unmarked, file), "threads": threads}
    asked["named"], asked["documents"] = columns["outputs"] is not None, documents_of(estimator, None, columns, format)
    answers = labelled(estimator, file, format=format, given=kept, shown=shown, **asked)
    with closing(answers):  # ends its threads, also when nobody reads what is written
        _write(answers, output_file)
    if estimator.constraints is not None:
        tell_of_constraints(estimator)


def _predict_own(estimator: Any, file: str, output_file: str | None) -> None:
    from riata.commands.own_options import check_plain

    check_plain(type(estimator), LABELLING)
    _write(estimator.answers(file), output_file)


def _write(answers: Iterable[bytes], path: str | None) -> None:
    with _target(path) as out:
        for content in answers:
            out.write(content)
            out.flush()


@contextmanager
def _target(path: str | None) -> Iterator[IO[bytes]]:
    """Standard output, in UTF-8 like the input, whatever the terminal has; or a file, which is written completely or not at all."""
    from riata.data.atomic_file import check_target, whole_file

    if path is None:
        yield sys.stdout.buffer
        return
    check_target(path, "the output", "Make the folder, or name another file with --output.")
    with whole_file(path) as file:
        yield file


def _tell_uncalibrated(estimator: Any) -> None:
    from riata.commands.console import stderr

    said = f"{estimator.confidence.why_uncalibrated}, so its confidences mean little; see `riata calibrate --help`."
    stderr().print(said, markup=False, soft_wrap=True)


def _split(text: bool, columns: dict[str, Any]) -> Any:
    """How running text is split: True at spaces, or the user's function; False: the input has columns or objects."""
    from riata.data.files import AUTO
    from riata.data.formats.base import present
    from riata.errors import SettingError

    asked = any(columns[name] is not None for name in ("inputs", "outputs", "documents"))
    if text and (asked or columns["format_"] not in (AUTO, "jsonl")):
        raise SettingError(
            "running text has no columns.",
            remedy="Leave out --inputs, --outputs, --documents and --format (but for jsonl), or --text.",
        )
    return text and (present().own or True)
