"""riata predict"""

from __future__ import annotations

import sys
from contextlib import closing

import click

from riata.commands.base import format_option


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
    help="Column of the file, from 0, with labels to keep; _ where any will do.",
)
@click.option(
    "--threads",
    type=click.IntRange(min=1),
    metavar="N",
    help="How many at once (default: all cores); never changes the output.",
)
@format_option
def command(
    file: str,
    model_file: str,
    nbest: int | None,
    confidence: bool,
    min_confidence: float | None,
    given: int | None,
    threads: int | None,
    format_: str,
) -> None:
    """Write the input's columns and one more, the prediction, sentence by sentence as they come in.

    \b
    riata predict --model chunker.riata new.txt > labelled.txt
    zcat big.txt.gz | riata predict --model chunker.riata - | head
    riata predict --model chunker.riata --nbest 3 new.txt
    riata predict --model chunker.riata --confidence --min-confidence 0.9 new.txt
    riata predict --model chunker.riata --given 2 corrected.txt

    The input may have the output column of training or lack it. CoNLL-U goes out as CoNLL-U, with the predicted field replaced.
    With --nbest a sentence is written K times, best first, as `crf_test -n` of CRF++ does: after `# 0` and its score (not a probability)
    the best labelling, after `# 1` the next, and so on; fewer where there are fewer. The queue must be exact.
    With --nbest and --confidence its probability follows the score.
    With --given the best labelling is found that has the labels of that column; lists and confidences are among those that have them.
    With --confidence a token has that of its chunk, or of its label. It can be believed once the model is calibrated (`riata calibrate`).
    """
    from riata.data.files import is_conllu
    from riata.labelled import Shown, labelled
    from riata.models.file import load_model
    from riata.parallel import cores

    estimator = load_model(model_file)
    asked = confidence or min_confidence is not None
    if asked and not estimator.believable:
        from riata.console import stderr

        stderr().print("The model is not calibrated, so its confidences mean little; see `riata calibrate --help`.")
    shown = Shown(nbest, confidence, min_confidence)
    conllu = is_conllu(file, format_)
    out = sys.stdout.buffer  # UTF-8 like the input, whatever the terminal has
    answers = labelled(estimator, file, conllu=conllu, threads=threads or cores(), shown=shown, given=given)
    with closing(answers):  # which ends its threads, also when nobody reads what is written
        for content in answers:
            out.write(content)
            out.flush()
