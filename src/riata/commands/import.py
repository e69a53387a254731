"""riata import"""

from __future__ import annotations

import click


@click.command(short_help="Turn a model of CRFsuite, CRF++ or Wapiti into one of Riata.")
@click.argument("source", metavar="MODEL")
@click.option("--model", required=True, metavar="FILE", help="Where to write the model.")
@click.option(
    "--from",
    "format_",
    default="auto",
    show_default=True,
    metavar="NAME",
    help="crfsuite, crf++, wapiti, or auto (by the file's first bytes).",
)
@click.option("--task", default=None, metavar="TASK", help="tag, chunk or ner. Default: by the model's labels.")
@click.option("--encoding", default="auto", show_default=True, metavar="NAME", help="Of chunk labels.")
@click.option("--legal", is_flag=True, help="Give only tags that are legal in the encoding, as Riata's own models do.")
def command(source: str, model: str, format_: str, task: str | None, encoding: str, legal: bool) -> None:
    """Read a trained model of another tool and write it as a model of Riata, which labels as that tool does.

    \b
    riata import chunker.crfsuite --model chunker.riata
    riata import model.txt --from crf++ --task chunk --model chunker.riata
    riata import model.wapiti --legal --model chunker.riata

    MODEL is a model file of CRFsuite or its dump, the text model of CRF++ (crf_learn -t), or a model file of Wapiti.
    """
    from riata import import_model
    from riata.data.atomic_file import check_target

    check_target(model, "the model", "Choose another --model.")
    estimator = import_model(source, format_, task=task, encoding=encoding, legal=legal)
    estimator.save(model)
    features = estimator.model_.features
    reads = f"columns {', '.join(map(str, estimator.inputs_))}" if estimator.inputs_ else "dictionaries of features"
    click.echo(
        f"{model}: {type(estimator).__name__} of {len(estimator.classes_)} labels that reads {reads}"
        + (f", {len(features.templates)} templates" if estimator.inputs_ else f", {len(features.given):,} of them")
        + "."
    )
