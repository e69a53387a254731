"""A model of another tool as a trained estimator."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from riata import registry
from riata.data.encodings.base import OUTSIDE, PREFERENCE, Encoding, Tags, shown_encodings
from riata.errors import ModelFileError, RiataError, UnsupportedError
from riata.estimators.columns import ANY_WIDTH
from riata.features.expressions import expressions
from riata.importing.formats.base import Format, head_of
from riata.importing.model_text import ModelText
from riata.importing.parts import Imported
from riata.inference.rules.first_order import encoded
from riata.structures.chain.model import constrained

if TYPE_CHECKING:
    from riata.estimators.sequence import SequenceEstimator

KIND = "model format"
OF_NAMES = {"PER", "PERS", "PERSON", "LOC", "LOCATION", "ORG", "ORGANIZATION", "GPE", "MISC"}  # types of entities


def import_model(
    path: str | Path, format: str = "auto", *, task: str | None = None, encoding: str = "auto", legal: bool = False
) -> SequenceEstimator:
    r"""A trained estimator from a model of CRFsuite, CRF++ or Wapiti, which labels as that tool does.

    format: "crfsuite" (the model file, or its dump), "crf++" (the text model of crf_learn -t), "wapiti", or "auto".
    task: "tag", "chunk" or "ner" (None: by the labels). encoding: of chunk labels. legal: give only labellings that are legal in it,
    as models that Riata trains do; the other tools do not know of such rules.

    >>> text = "version: 100\ncost-factor: 1\nmaxid: 4\nxsize: 1\n\nDT\nNN\n\nU00:%x[0,0]\n\n0 U00:the\n2 U00:dog\n\n2.0\n-2.0\n-1.0\n1.0\n"
    >>> _ = open("model.txt", "w").write(text)
    >>> riata.import_model("model.txt", format="crf++").predict([["the", "dog"]])
    [['DT', 'NN']]
    """
    try:
        reader = _format(path, format, head_of(path))
        return _estimator(reader.read(ModelText.of(path)), Path(path).name, task, encoding, legal=legal)
    except OSError as error:
        raise ModelFileError(f"{error.strerror or error}.", file=path) from None
    except RiataError as error:
        raise error.located(path) from None


def import_bytes(content: bytes, name: str, *, task: str | None = None) -> SequenceEstimator:
    """import_model, of the content of a file. name: of the file, for messages."""
    return _estimator(_format(name, "auto", content).read(ModelText(name, content)), name, task, "auto", legal=False)


def _format(path: str | Path, name: str, head: bytes) -> Format:
    if name != "auto":
        found: Format = registry.get(KIND, name.replace("+", "p") if isinstance(name, str) else name)
        return found
    formats: list[Format] = list(registry.all_of(KIND).values())
    for each in formats:
        if each.recognises(head):
            return each
    raise ModelFileError(
        "the file is no model that Riata can import.",
        remedy=f"It reads {'; '.join(each.summary for each in formats)}. Models of its own are read by riata.load_model.",
        file=path,
    )


def _estimator(found: Imported, name: str, task: str | None, encoding: str, *, legal: bool) -> SequenceEstimator:
    labels = found.model.labels
    tags = _encoding(labels, encoding)
    cls: type[SequenceEstimator] = registry.get("task", task or _task(labels, tags)).estimator
    if cls.outputs != 1:
        raise UnsupportedError(f"the task {task!r} has {cls.outputs} outputs; the model has one.")
    if cls.chunks and tags is None:
        raise UnsupportedError(
            f"the task {cls.task_name!r} needs chunk labels, such as B-NP; the model has labels such as {labels[0]!r}.",
            remedy="Use the task 'tag', or name the encoding.",
        )
    model, both = found.model, None
    if cls.chunks and tags is not None:
        both = Tags(tags, tags)
    if legal:
        if both is None:
            raise UnsupportedError("legal=True is for chunk labels; of plain labels, each may follow each.")
        legality = encoded(both.learnt, labels)
        model = constrained(model, legality)
        if not legality.is_complete:
            raise UnsupportedError(
                f"with these labels not every sentence has a legal labelling in {both.learnt.name.upper()}.",
                remedy="Leave out legal=True.",
            )
    estimator = cls("crf", encoding=encoding if both is None else both.data.name)
    estimator.labels.set_model(model, both)
    estimator.attributes = {**expressions(model.features.functions)} or None
    estimator.template = model.features.templates if found.inputs else None
    estimator.inputs_, estimator.outputs_ = found.inputs, (found.output,)
    estimator.array_width_ = None
    estimator.breadth_ = ANY_WIDTH  # nobody knows what its training file had
    estimator.format_ = "columns" if found.inputs else "memory"
    estimator.best_epoch_, estimator.best_score_, estimator.seconds_, estimator.history_ = 0, None, None, []
    estimator.facts_ = {"name": name, "sentences": 0, "tokens": 0, "label_counts": dict.fromkeys(labels, 0)}
    return estimator


def _encoding(labels: Sequence[str], name: str) -> Encoding | None:
    """The encoding of chunk labels, by name or by the tags; None where the labels are no tags."""
    if name != "auto":
        encoding: Encoding = registry.get("encoding", name)
        strange = [label for label in labels if not encoding.is_tag(label)]
        if strange:
            raise UnsupportedError(
                f"the model's label {strange[0]!r} is no {name.upper()} tag.", remedy="Leave out encoding."
            )
        return encoding
    typed = all(label == OUTSIDE or "-" in label for label in labels)
    fitting: list[Encoding] = [e for e in shown_encodings().values() if typed and all(map(e.is_tag, labels))]
    tags = {fitting[0].split(label) for label in labels} if fitting else set()
    if all(prefix == "O" for prefix, _ in tags):
        return None
    order = list(PREFERENCE)
    if any(prefix == "I" and ("B", type_) not in tags for prefix, type_ in tags):
        order.insert(0, "iob1")  # where most chunks start with I-
    return min(fitting, key=lambda e: order.index(e.name) if e.name in order else len(order))


def _task(labels: Sequence[str], tags: Encoding | None) -> str:
    if tags is None:
        return "tag"
    return "ner" if any(tags.split(label)[1].upper() in OF_NAMES for label in labels) else "chunk"
