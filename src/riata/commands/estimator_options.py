"""What commands that train share: options, and how they become parameters of an estimator and columns of a file."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any, TypeVar

import click

from riata.commands.base import format_option

Command = TypeVar("Command", bound=Callable[..., Any])
OTHERS = "Other options"


def together(*options: Callable[[Any], Any], heading: str | None = None) -> Callable[[Command], Command]:
    """Several options as one decorator, in this order. heading: of those among them that have none."""

    def decorated(command: Command) -> Command:
        before = len(_params(command))
        for option in reversed(options):
            command = option(command)
        if heading is not None:
            for param in _params(command)[before:]:
                vars(param).setdefault("heading", heading)
        return command

    return decorated


def _params(command: Any) -> list[click.Parameter]:
    found: list[click.Parameter] = getattr(command, "__click_params__", [])
    return found


class Grouped(click.Command):
    """Shows options by their headings, in the order in which they first come."""

    def format_options(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        rows: dict[str, list[tuple[str, str]]] = {}
        for param in self.get_params(context):
            record = param.get_help_record(context)
            if record is not None:
                rows.setdefault(vars(param).get("heading", OTHERS), []).append(record)
        rows[OTHERS] = rows.pop(OTHERS, [])  # last
        for heading, records in rows.items():
            with formatter.section(heading):
                formatter.write_dl(records)


NAME = re.compile(r"[^\W\d][\w.-]*")  # of a column


class ColumnNames(click.ParamType[Any]):
    """Column numbers, or names of CoNLL-U fields or keys of JSON lines, between commas."""

    name = "N,N"

    def convert(
        self, value: Any, param: click.Parameter | None, context: click.Context | None
    ) -> tuple[int | str, ...]:
        if isinstance(value, tuple):
            return value
        parts = [part.strip() for part in str(value).split(",")]
        if not all(NAME.fullmatch(part) or _is_number(part) for part in parts):
            self.fail(
                f"{value!r} is not a list of column numbers such as 0,1, or of names such as form,upos (fields of CoNLL-U, or keys of "
                "JSON lines).",
                param,
                context,
            )
        columns = tuple(int(part) if _is_number(part) else part for part in parts)
        if len(set(columns)) < len(columns):
            self.fail(f"{value!r} names a column twice.", param, context)
        return columns


class OneColumn(ColumnNames):
    """A column number, or the name of a CoNLL-U field or of a key of JSON lines."""

    name = "N"

    def convert(self, value: Any, param: click.Parameter | None, context: click.Context | None) -> Any:
        names = super().convert((value,) if isinstance(value, int) else value, param, context)
        if len(names) != 1:
            self.fail(f"{value!r} names {len(names)} columns; expected one.", param, context)
        return names[0]


def _is_number(text: str) -> bool:
    digits = text.removeprefix("-")
    return digits.isascii() and digits.isdigit() and len(digits) <= 9  # int() refuses thousands of digits


MATCH = "is for match, and this is {task!r}"

# By name: help, and what tasks without the parameter lack.
OPTIONS = {
    "boundaries": (
        "For srl: found (default) looks for the arguments; given labels the spans of the file.",
        "is for predicates and their arguments, which the task {task!r} does not have",
    ),
    "tags": (
        "For parse: own (default) learns taggers for the tags of the file, which the model contains, so that new text needs only words; "
        "given reads the tags of the file; joint chooses the last tags while parsing.",
        "is for tasks that read tags beside words, which the task {task!r} does not",
    ),
    "base": (
        "For rerank: the model from whose best outputs one is chosen; without it, --train has lists of candidates (docs/reranking.md).",
        "is for rerank, and this is {task!r}",
    ),
    "nbest": ("For rerank: how many of its best outputs (default: 20).", "is for rerank, and this is {task!r}"),
    "measure": (
        "For rerank, what an output loses: errors (default), sentence (1 - F1 or accuracy) or zero-one.",
        "is for rerank, and this is {task!r}",
    ),
    "part": ("For match: the part of the file to learn from, such as train (default: all of it).", MATCH),
    "aligners": ("For match: a file of what other aligners found, by the number of each pair.", MATCH),
    "bitext": ("For match: a file of pairs without links, in which words are counted (default: --train).", MATCH),
    "fertility": ("For match: how many links a word may have (default: 1), or SOURCE,TARGET.", MATCH),
    "possible": ("For match: possible links are ignored (default), wrong or sure in training.", MATCH),
}


def task_options(command: Command) -> Command:
    for name, (text, _) in reversed(OPTIONS.items()):
        command = click.option(f"--{name}", metavar="NAME", help=text)(command)
    return command


def of_task(options: dict[str, Any], estimator: Any) -> dict[str, Any]:
    """The parameters whose options are given; they are refused for tasks that do not have them. estimator: the class of the task."""
    from riata.errors import SettingError

    given = {name: options[name] for name in OPTIONS if options[name] is not None}
    for name in given:
        if name not in estimator._param_names():
            reason = OPTIONS[name][1].format(task=estimator.task_name)
            raise SettingError(f"--{name} {reason}.", remedy=f"Leave out --{name}.")
    return given


# Options that are parameters of the estimator by the same name.
SAME_NAMES = (
    "structure",
    "queue",
    "epochs",
    "patience",
    "refit",
    "shards",
    "threads",
    "template",
    "vectors",
    "cutoff",
    "bits",
    "encoding",
    "learn_as",
    "strict",
)


dev_fraction_option = click.option(
    "--dev-fraction",
    type=float,
    metavar="P",
    help="Hold out this part of the training data, its end, to choose the epoch; such as 0.1. Documents stay whole.",
)

search_options = together(
    click.option("--structure", metavar="NAME", help="What is searched (default: what the recipe prefers)."),
    click.option("--queue", metavar="NAME", help="How it is searched (default: what the recipe prefers)."),
    click.option("--beam", metavar="N|inf", help="Width of the beam, for queues that have one."),
    click.option(
        "--epochs",
        type=int,
        metavar="N",
        help="Passes over the data, at most (default: as the recipe has it: 10, 20, or until they change nothing).",
    ),
    click.option("--patience", type=int, metavar="N", help="Stop after N epochs without a better development score."),
    click.option("--refit", is_flag=True, help="Then train again on all data for the best number of epochs."),
    heading="Learner",
)

feature_options = together(
    together(
        click.option(
            "--shards",
            type=int,
            default=1,
            show_default=True,
            metavar="N",
            help="Learn from N parts of the data at once; mix the weights after every epoch.",
        ),
        click.option(
            "--threads",
            type=int,
            metavar="N",
            help="How many work at once (default: all cores); never changes the model.",
        ),
        heading="Learner",
    ),
    click.option(
        "--template", metavar="FILE|NAME", help="Templates: a file (Riata's language or CRF++'s) or a named set."
    ),
    click.option(
        "--list",
        "lists",
        multiple=True,
        metavar="NAME=FILE",
        help="Words and phrases, one per line, that templates read as list(NAME)[0]; may be repeated.",
    ),
    click.option("--vectors", metavar="FILE", help="Vectors of words: word2vec, GloVe or fastText as text; .npy."),
    click.option(
        "--cutoff", type=int, default=1, show_default=True, metavar="N", help="Leave out n-grams seen less often."
    ),
    click.option(
        "--bits",
        type=int,
        metavar="B",
        help="Keep no dictionaries: hash features into a table of 2^B weights, 10 to 30.",
    ),
    heading="Features",
)

pass_options = together(
    click.option(
        "--passes",
        type=click.IntRange(1, 2),
        default=1,
        show_default=True,
        metavar="N",
        help="2: a second model reads the labels of a first, here and where the same words occur again.",
    ),
    click.option(
        "--first", metavar="NAME", help="With --passes 2: the recipe of the first pass (default: that of the second)."
    ),
    click.option(
        "--folds",
        type=int,
        default=5,
        show_default=True,
        metavar="N",
        help="With --passes 2: models of the first pass, each of which labels sentences that it has not seen.",
    ),
    heading="Two passes",
)

context_options = together(
    click.option(
        "--context",
        metavar="MODE",
        help="Of two passes, where the second looks for the same words: document, window (the sentences before) or file.",
    ),
    click.option("--window", type=int, metavar="N", help="Sentences before, for --context window."),
    heading="Two passes",
)

documents_option = click.option(
    "--documents",
    type=OneColumn(),
    help="Column that names the document of each sentence (default: -DOCSTART- lines or `# newdoc` mark documents).",
)

column_options = together(  # of a file that a trained model reads
    click.option("--inputs", type=ColumnNames(), help="Columns that the model reads here (default: as in training)."),
    click.option("--outputs", type=ColumnNames(), help="Columns of its labels here (default: as in training)."),
    click.option(
        "--strict", is_flag=True, help="Refuse input that is unlike the training data instead of warning of it."
    ),
    click.option("--force", is_flag=True, help="Do not compare the input with the training data."),
    documents_option,
    heading="Data",
)

data_options = together(
    click.option(
        "--inputs",
        type=ColumnNames(),
        help="Columns to read, from 0 (default: all but the outputs); of CoNLL-U and JSON lines also by name, such as form,lemma.",
    ),
    click.option(
        "--outputs",
        type=ColumnNames(),
        help="The column to predict (default: the last), or columns; of CoNLL-U and JSON lines also by name, such as upos.",
    ),
    documents_option,
    click.option(
        "--encoding",
        default="auto",
        show_default=True,
        metavar="NAME",
        help="Of chunk labels: auto, iob1, iob2, bioes, bilou, io (types alone, PER PER O).",
    ),
    click.option(
        "--learn-as",
        metavar="NAME",
        help="Learn chunk labels in this encoding, such as bioes; predictions are written as the data are.",
    ),
    click.option("--strict", is_flag=True, help="Refuse illegal tags instead of reading them as conlleval does."),
    format_option,
    together(
        click.option(
            "--set",
            "assignments",
            multiple=True,
            metavar="KEY=VALUE",
            help="A setting of the recipe; `riata pieces RECIPE` lists them.",
        ),
        heading="Learner",
    ),
    heading="Data",
)


def parameters(options: dict[str, Any]) -> dict[str, Any]:
    """What these options say of an estimator."""
    params = {name: options[name] for name in SAME_NAMES}
    params |= {"beam": beam(options["beam"]), "settings": pairs("--set", options["assignments"], "key=value")}
    return params | {"lists": pairs("--list", options["lists"], "name=file") or None}


def beam(text: str | None) -> float | None:
    from riata.errors import SettingError
    from riata.settings import is_count

    if text is None:
        return None
    if text == "inf":
        return math.inf
    if not is_count(text):
        raise SettingError(f"--beam is {text!r}; expected a whole number of at least 1, or inf.")
    return int(text)


def pairs(option: str, assignments: tuple[str, ...], form: str) -> dict[str, str]:
    from riata.errors import SettingError

    found = {}
    for text in assignments:
        key, equals, value = text.partition("=")
        if not equals or not key:
            raise SettingError(f"{option} has {text!r}; expected {form}.")
        found[key] = value
    return found


decoding_option = click.option(
    "--set",
    "assignments",
    multiple=True,
    metavar="KEY=VALUE",
    help="A setting of decoding, such as decode=marginals, in place of the model's own.",
)


def decoded(estimator: Any, assignments: tuple[str, ...]) -> Any:
    """The model with other settings of decoding; those of training are refused."""
    from riata.choosing.losses import DECODING, RISK, changed
    from riata.errors import SettingError

    given = pairs("--set", assignments, "key=value")
    if not given:
        return estimator
    known = [setting.name for setting in (*RISK, *DECODING)]
    for name in given:
        if name not in known:
            raise SettingError(
                f"--set {name} is no setting of decoding, and the model is trained.",
                remedy=f"These can be changed: {', '.join(known)}.",
            )
    other = estimator.twin(settings=changed(estimator.settings, given))
    other.predicting.decoder()  # refuses what does not go together
    return other


def reader(estimator: Any, file: str, options: dict[str, Any], *, text: bool = False) -> tuple[Any, Any]:
    """A trained estimator as it reads this file, and the format of that."""
    from riata.data.files import AUTO, PLAIN, asked_for, format_of_file
    from riata.errors import DataError

    columns = asked_for(options["inputs"], options["outputs"])
    estimator = decoded(in_given_context(estimator, options), options.get("assignments", ()))
    asked = asked_for(columns, options["documents"])
    for name, value in (("strict", True), ("check_input", False)):
        if options["strict" if value else "force"]:
            estimator.set_params(**{name: value})
    named = options["format_"]
    chosen = format_of_file(file, PLAIN if text and named == AUTO else named, estimator.format_, asked)
    if columns:
        try:
            estimator = estimator.columns.reading(options["inputs"], options["outputs"], format=chosen)
        except DataError as error:
            raise error.located(file) from None
    return estimator, chosen


def in_given_context(estimator: Any, options: dict[str, Any]) -> Any:
    """The model with what the options say of the context of its second pass."""
    from riata.errors import SettingError

    given = {name: options[name] for name in ("context", "window") if options.get(name) is not None}
    if not given:
        return estimator
    if getattr(estimator, "first_", None) is None:
        raise SettingError(
            f"--{min(given)} is for models of two passes, and this one has one.",
            remedy=f"Leave out --{min(given)}, or train with --passes 2.",
        )
    mode = options.get("context") or estimator.columns.scope().mode
    if "window" in given and mode != "window":
        raise SettingError(
            f"--window is for --context window, and this is {mode}.",
            remedy="Leave out --window, or add --context window.",
        )
    return estimator.twin(**given)


def read_for(estimator: Any, file: str, options: dict[str, Any]) -> Any:
    """A file that a trained model reads, whole, with its documents; a column of columns that names them is left out."""
    from riata.data.files import asked_for, format_of_corpus, names_of, read_file
    from riata.estimators.two_passes import needs_marks

    documents = options["documents"]
    asked = asked_for(options.get("inputs"), options.get("outputs"))
    corpus = read_file(file, format_of(estimator, options), estimator.format_, asked, documents)
    if corpus.document is None and needs_marks(estimator):
        tell_unmarked(file)
    corpus = estimator.columns.numbered(corpus)
    apart = documents_of(estimator, corpus.width, options, format_of_corpus(corpus))
    if apart is None or names_of(corpus):  # columns with names keep their numbers
        return corpus
    return corpus.select([i for i in range(corpus.width) if i != apart or i in (options.get("inputs") or ())])


def format_of(estimator: Any, options: dict[str, Any]) -> str:
    """The format of a file. estimator: also its class. A task whose files have a format of their own has no other."""
    from riata.errors import SettingError

    own, given = estimator.file_format, str(options["format_"])
    if own is not None and given not in ("auto", own):
        raise SettingError(
            f"files of the task {estimator.task_name!r} are in the format {own}.", remedy="Leave out --format."
        )
    return own or given


def tell_unmarked(file: str) -> None:
    """Says that a model that looks at documents sees one, because the file marks none."""
    from riata.commands.console import stderr
    from riata.data.columns import name_of

    text = "marks no documents: the model, which looks at the same words in a document, takes it for one document. --documents names"
    stderr().print(f"{name_of(file)} {text} a column that tells documents apart.", markup=False, soft_wrap=True)


def documents_of(estimator: Any, width: int | None, options: dict[str, Any], format: Any) -> Any:
    """The number of the column of documents in a file that a trained model reads, or its name where these differ from file to file.
    width: of the file; None: not known yet.
    """
    from riata.data.formats.base import column_number
    from riata.estimators.labelled_files import check_documents

    if options["documents"] is None or format.open:
        return options["documents"]
    number = column_number(options["documents"], format.fields)
    if number < 0 and width is not None:
        number += width
    if options.get("inputs") is None or number < 0:
        check_documents(estimator, number, format)
    return number


def read(options: dict[str, Any], path: str) -> Any:
    from riata.data.files import read_roles

    return read_roles(path, **roles(options))


def roles(options: dict[str, Any]) -> dict[str, Any]:
    from riata import registry
    from riata.errors import SettingError

    estimator = registry.get("task", options["task"]).estimator
    outputs, number = options["outputs"], estimator.outputs
    if outputs is not None and len(outputs) != number:
        columns = "one output column" if number == 1 else f"{number} output columns"
        raise SettingError(f"the task {options['task']!r} has {columns}; --outputs names {len(outputs)}.")
    return {
        "format": format_of(estimator, options),
        "inputs": options["inputs"],
        "output": outputs,
        "number": number,
        "documents": options["documents"],
        "fields": estimator.fields,
    }


PARTS = "part", "aligners"


def pair_options(command: Command) -> Command:
    part = click.option(
        "--part", metavar="NAME", help="For match: the part of the file, such as test (default: all of it)."
    )
    aligners = click.option(
        "--aligners", metavar="FILE", help="For match: what other aligners found, by the number of each pair."
    )
    return part(aligners(command))


def reading_pairs(estimator: Any, options: dict[str, Any]) -> Any:
    """The estimator as it reads the pairs that are asked for."""
    from riata.errors import SettingError

    given = {name: options[name] for name in PARTS if options.get(name) is not None}
    for name in given:
        if name not in estimator._param_names():
            raise SettingError(f"--{name} is for match, and the model is for {estimator.task_name!r}.")
    return estimator.set_params(**given) if given else estimator
