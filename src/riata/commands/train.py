"""riata train"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from riata.commands.constraint_options import constraint_options, declared
from riata.commands.estimator_options import (
    SAME_NAMES,
    Grouped,
    context_options,
    data_options,
    dev_fraction_option,
    feature_options,
    of_task,
    pairs,
    parameters,
    pass_options,
    read,
    roles,
    search_options,
    task_options,
    together,
)
from riata.entry import Terminated

if TYPE_CHECKING:
    from riata.measuring.cost import Meter

# Options that are parameters by the same name.
NAMES = (
    "recipe",
    *SAME_NAMES,
    "seed",
    "seeds",
    "stream",
    "calibrated",
    "passes",
    "first",
    "folds",
    "context",
    "window",
    "inference",
    "constraints",
)

OWN_DEFAULTS = ("recipe", "window")  # where none is given, the estimator has one


@click.command(cls=Grouped, short_help="Learn a model from a file.")
@click.argument("task")
@together(
    click.option("--train", "train_file", required=True, metavar="FILE", help="Training data; plain or .gz."),
    click.option("--dev", "dev_file", metavar="FILE", help="Development data, to choose the epoch."),
    dev_fraction_option,
    click.option(
        "--stream", is_flag=True, help="Read the file in parts in every epoch instead of holding it in memory."
    ),
    data_options,
    heading="Data",
)
@together(
    click.option(
        "--recipe", metavar="NAME", help="The learner; `riata pieces recipes` lists them, and the default of each task."
    ),
    click.option(
        "--preset",
        metavar="NAME",
        help="fast or best: recipe, epochs and seeds for what matters most, time or the score; other options count before it.",
    ),
    search_options,
    click.option(
        "--seed", type=int, default=0, show_default=True, metavar="N", help="Same seed, same model, byte for byte."
    ),
    click.option(
        "--seeds",
        type=int,
        default=1,
        show_default=True,
        metavar="N",
        help="Train N models, with seeds from --seed on, and sum them into one that is as fast as each.",
    ),
    task_options,
    heading="Learner",
)
@feature_options
@pass_options
@context_options
@together(constraint_options, heading="Constraints")
@together(
    click.option("--model", "model_file", required=True, metavar="FILE", help="Where the model goes."),
    click.option(
        "--resume", is_flag=True, help="Continue from the model in --model, with its settings where none are given."
    ),
    click.option(
        "--prune",
        type=click.FloatRange(0, 1, max_open=True),
        default=0.0,
        show_default=True,
        metavar="SHARE",
        help="Then drop this share of the weights, those nearest to zero, for a smaller model, such as 0.5.",
    ),
    click.option(
        "--calibrate",
        metavar="NAME",
        help="Then calibrate confidences on all development data: temperature or isotonic; see `riata calibrate --help`.",
    ),
    click.option(
        "--no-calibrate",
        "calibrated",
        flag_value=False,
        default=True,
        help="Leave out the calibration that training does by itself, which takes a twentieth of its time.",
    ),
    click.option("--json", "json_", is_flag=True, help="Print one JSON object with the facts of the run."),
    heading="Output",
)
def command(**options: Any) -> None:
    """Learn TASK (tag, chunk, joint, ner, srl, parse, rerank, match) from a file and write a model.

    \b
    riata train chunk --train train.txt --model chunker.riata
    riata train tag --train en-train.conllu.gz --dev en-dev.conllu.gz --model tagger.riata --patience 3
    riata train ner --train train.txt --dev-fraction 0.1 --refit --template my.template --model ner.riata
    riata train chunk --train train.txt --recipe mira --seeds 5 --model chunker.riata
    riata train chunk --train train.txt --shards 2 --threads 2 --model chunker.riata
    riata train ner --train train.txt --passes 2 --context file --model ner.riata
    riata train tag --train words.tsv --inputs 0 --outputs 3 --set average=false --model t.riata
    riata train ner --train annotated.jsonl --model ner.riata
    riata train ner --train train.txt --constraint 'at_most(1, "PER")' --model ner.riata
    riata train rerank --base chunker.riata --train train.txt --model reranker.riata
    riata train match --train pairs.tsv --part train --bitext more.tsv --model matcher.riata

    The last column is the output (of joint, the last two: tag and chunk label), the others are inputs; files of srl have their own columns
    (docs/data.md). Of JSON lines, the labels are the output and further lists of the objects are inputs, by their keys.
    Ctrl-C keeps the model of the last complete epoch (exit 130), and so does SIGTERM (exit 143).
    """
    from riata import registry
    from riata.commands.console import TrainingProgress, stderr

    if hasattr(cls := registry.get("task", options["task"]).estimator, "own_files"):
        from riata.commands.own_options import train

        train(cls, options)
        return
    meter = _meter() if options["json_"] else None
    estimator = estimator_of(options)
    _check_calibrates(options)
    sources = [options[name] for name in ("train_file", "dev_file", "template", "vectors")]
    check_target(Path(options["model_file"]), [*sources, *pairs("--list", options["lists"], "name=file").values()])
    data = _data(options, stream=estimator.stream)
    with TrainingProgress(stderr()) as listener, Terminated() as terminated:
        try:
            estimator.fit(data, listener=listener)
        except KeyboardInterrupt:
            if getattr(estimator, "history_", []):  # an epoch was completed; with --resume, a model was there before
                estimator.save(options["model_file"])
                goes_on = "" if estimator.first_ is not None else "; --resume goes on from it"
                tell(f"The model of epoch {estimator.best_epoch_} is in {options['model_file']}{goes_on}.")
            elif estimator.passes > 1:
                tell("The first of two passes was not complete, so no model was written.")
            if terminated.came:
                tell("Ended by SIGTERM.")
                raise click.exceptions.Exit(Terminated.STATUS) from None
            raise
    if options["prune"]:
        _prune(estimator, options, data)
    if options["calibrate"] is not None:
        estimator.save(options["model_file"])  # not lost if the development data cannot be predicted
        tell(str(estimator.calibrate(_development(estimator, data), method=options["calibrate"])))
    estimator.save(options["model_file"])
    _report(estimator, options, meter)


def estimator_of(options: dict[str, Any]) -> Any:
    """The estimator that the options describe."""
    from riata import registry
    from riata.errors import SettingError, UnsupportedError
    from riata.estimators.model_file import load_model

    task = registry.get("task", options["task"])
    if options["dev_file"] is not None and options["dev_fraction"] is not None:
        raise SettingError("both --dev and --dev-fraction are given; expected one.")
    params = parameters(options)
    params |= {name: options[name] for name in NAMES if options[name] is not None or name not in OWN_DEFAULTS}
    params["constraints"] = declared(options["constraints"]) if options["constraints"] else None
    params |= of_task(options, task.estimator)
    params["dev"] = options["dev_fraction"] if options["dev_file"] is None else read(options, options["dev_file"])
    if not options["resume"]:
        return task.estimator(**_preset(options, task.estimator, params))
    if options["preset"] is not None:
        raise SettingError(
            "--resume goes on with the settings of the model; --preset names others.", remedy="Leave out one of them."
        )
    for name, given in (("template", options["template"]), ("list", options["lists"]), ("vectors", options["vectors"])):
        if given:
            raise SettingError(
                f"--resume goes on with the {name.removesuffix('s')}s of the model; --{name} names others.",
                remedy=f"Leave out --{name}, or train anew without --resume.",
            )
    estimator = load_model(options["model_file"])
    if estimator.task_name != task.name:
        raise UnsupportedError(f"{options['model_file']} holds a model for {estimator.task_name!r}, not {task.name!r}.")
    if estimator.first_ is not None:
        raise UnsupportedError(
            f"{options['model_file']} has two passes, and training cannot go on from these.",
            remedy="Train anew, without --resume.",
        )
    given = [
        *_typed(),
        *of_task(options, task.estimator),
        *["settings"] * bool(options["assignments"]),
        *["beam"] * bool(options["beam"]),
        "dev",
    ]
    if params["dev"] is None:  # the data may be elsewhere by now
        given += ["patience", "refit"]
    changed = {**_without_meaning(estimator, options["recipe"]), **{name: params[name] for name in given}}
    return estimator.set_params(**changed, warm_start=True)


def _without_meaning(estimator: Any, recipe: str | None) -> dict[str, Any]:
    """The parameters of a model that mean nothing to another recipe, with their defaults, and those of its settings that do."""
    from riata import registry
    from riata.choosing.recipe import recipe_name
    from riata.params import refused_by

    before = recipe_name(estimator)
    if recipe is None or recipe == before:
        return {}
    pieces = (registry.get("recipe", recipe), registry.get("structure", estimator.model_.structure))
    known = {setting.name for piece in pieces for setting in piece.settings}
    settings = {name: value for name, value in (estimator.settings or {}).items() if name in known}
    reset = set(refused_by(recipe))
    if pieces[0].searches != registry.get("recipe", before).searches:
        reset |= {"queue", "beam"}
    return {**{name: getattr(type(estimator)(), name) for name in reset}, "settings": settings or None}


def _typed() -> list[str]:
    """The options that are on the command line."""
    context = click.get_current_context()
    return [name for name in NAMES if context.get_parameter_source(name) == ParameterSource.COMMANDLINE]


def _preset(options: dict[str, Any], estimator: Any, params: dict[str, Any]) -> dict[str, Any]:
    """The parameters with those of the preset, where the command line has none of its own."""
    from riata.params import preset_of

    if options["preset"] is None:
        return params
    given = {name: params[name] for name in (*_typed(), "settings") if name in params}
    return {**params, **preset_of(estimator, options["preset"], given)}


def _check_calibrates(options: dict[str, Any]) -> None:
    from riata.confidence.calibration import check_method
    from riata.errors import SettingError

    if options["calibrate"] is None:
        return
    check_method(options["calibrate"])
    if options["refit"] or options["stream"] or (options["dev_file"] is None and options["dev_fraction"] is None):
        raise SettingError(
            "--calibrate needs development data that training does not learn from: --dev or --dev-fraction, without --refit and --stream.",
            remedy="Calibrate afterwards, on other data: riata calibrate --model MODEL FILE.",
        )


def _prune(estimator: Any, options: dict[str, Any], data: Any) -> None:
    """Prunes the model, and says what that costs on development data, if there are some that it has not learnt from."""
    from riata.models.weights_by_name import by_name

    held_out = estimator.dev is not None and not options["refit"] and not options["stream"]
    dev = _development(estimator, data) if held_out else None
    before, score = by_name(estimator.model_).count(), None if dev is None else estimator.score(dev)
    estimator.prune(options["prune"])
    of_dev = (
        "" if score is None else f"; on the development data {100 * estimator.score(dev):.2f}, before {100 * score:.2f}"
    )
    tell(f"Pruned: {by_name(estimator.model_).count():,} of {before:,} weights are left{of_dev}.")


def _development(estimator: Any, data: Any) -> Any:
    """The development data of a training: those given, or the end of the training data."""
    from riata.learning.development import parted
    from riata.learning.events import ignore

    if not isinstance(estimator.dev, (int, float)):
        return estimator.dev
    return parted(estimator.columns.with_output(data), float(estimator.dev), ignore)[1]


def _data(options: dict[str, Any], *, stream: bool) -> Any:
    """What to train on: a corpus, or a file that is read while training."""
    from riata.data.files import ColumnFile

    return ColumnFile(options["train_file"], **roles(options)) if stream else read(options, options["train_file"])


def check_target(path: Path, sources: list[str | None]) -> None:
    """Finds out before training, not after it, that the model has no place to go."""
    from riata.data.atomic_file import problem_with
    from riata.errors import DataError
    from riata.models.container import MAGIC

    problem = problem_with(path)
    if problem is None and path.exists():
        if any(source and os.path.exists(source) and os.path.samefile(path, source) for source in sources):
            problem = "it is a file that training reads"
        elif path.stat().st_size and _head(path, len(MAGIC)) != MAGIC:
            problem = "a file that is no model stands there, and would be lost"
    if problem is not None:
        raise DataError(f"the model cannot be written: {problem}.", remedy="Choose another --model.", file=path)


def _head(path: Path, size: int) -> bytes:
    with open(path, "rb") as file:
        return file.read(size)


def tell(text: str) -> None:
    from rich.markup import escape

    from riata.commands.console import stderr

    stderr().print(escape(text), soft_wrap=True)


def _meter() -> Meter:
    from riata.measuring.cost import Meter

    return Meter()


def _report(estimator: Any, options: dict[str, Any], meter: Meter | None) -> None:
    from riata.models.weights_by_name import by_name

    size = Path(options["model_file"]).stat().st_size / 1e6
    weights = by_name(estimator.model_).count()
    metrics = {}
    if estimator.best_score_ is not None:
        metrics = {"las" if estimator.trees else "f1" if estimator.chunks else "accuracy": estimator.best_score_}
    tell(
        f"{options['model_file']}: {size:.2f} MB, {len(estimator.classes_)} labels, {weights:,} weights, "
        f"epoch {estimator.best_epoch_}, {estimator.seconds_:.1f} s"
    )
    if meter is not None:
        from riata.choosing.options import choice_of
        from riata.measuring.cost import as_json

        choice = choice_of(estimator)
        text = as_json(
            task=estimator.task_name,
            recipe=choice.recipe.name,
            structure=choice.structure.name,
            seconds_train=estimator.seconds_,
            seconds_decode=None,
            tokens=estimator.facts_["tokens"],
            peak_rss_mb=meter.peak_rss_mb(),
            weights=weights,
            model_mb=size,
            metrics=metrics,
            best_epoch=estimator.best_epoch_,
        )
        click.echo(text)
