"""The output column of a training corpus: its labels, their encoding and frequency, and illegal ones."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from riata import registry
from riata.data.encodings.base import (
    Encoding,
    Tags,
    are_chunk_labels,
    detect,
    read_as_conlleval,
    shown_encodings,
    tags_among,
)
from riata.data.files import candidate_columns
from riata.data.pairs import shown
from riata.data.recoding import Recoder
from riata.data.types import FIELDS, MARK, UNKNOWN, Column, Corpus, Ids, Starts, check_some_known, hidden, is_unknown
from riata.errors import DataError, LabelError, UnknownNameError, UnsupportedError, shortened
from riata.inference.rules.first_order import encoded
from riata.inference.rules.legality import Legality
from riata.learning.events import Listener, Note, ignore, warn
from riata.models.parts import MOST_LABELS

if TYPE_CHECKING:
    from riata.choosing.options import Options


OUTSIDE = "O"
IN_MEMORY = "memory"  # the format of data that were not read from a file
RARE = 5  # labels that occur fewer times are pointed out
FIRST = 1000  # tokens
SHOWN = 6  # number of labels whose counts are shown at training


@dataclass(frozen=True, eq=False)
class LabelSet:
    """Labels, most frequent first, so that ties go to frequent labels."""

    labels: tuple[str, ...]
    counts: dict[str, int]
    tags: Tags | None  # None: plain labels

    def legality(self) -> Legality:
        return Legality.free(len(self.labels)) if self.tags is None else encoded(self.tags.learnt, self.labels)

    def ids(self, column: Column) -> Ids:
        """The column as ids of these labels; -1 if a label is unknown."""
        return column.numbered(self.labels)


def label_set(corpus: Corpus, tags: Tags | None, extra: tuple[str, ...] = (), *, fresh: bool = True) -> LabelSet:
    """The labels of the last column, as they are learnt, and of `extra`, which are labels as the data write them.

    fresh: whether no model determines which labels there are.
    """
    counts = counts_of(corpus.columns[-1])
    for label in extra if tags is None else tags.learnt_classes(extra):
        counts.setdefault(label, 0)
    return label_set_of(counts, tags, corpus.name, fresh=fresh)


def counts_of(column: Column) -> dict[str, int]:
    numbers = np.bincount(column.ids, minlength=len(column.alphabet))
    return {text: int(n) for text, n in zip(column.alphabet.texts(), numbers, strict=True) if n > 0 and text != UNKNOWN}


def check_labels_differ(data: Corpus, outputs: int, listener: Listener) -> None:
    """Refuses an output column of a file with a single label: a model learnt from it is always right and useless. For values in memory,
    which a program has put there, it only warns.
    """
    for column, origin in zip(data.columns[-outputs:], data.origins[-outputs:], strict=True):
        if len(found := counts_of(column)) == 1:
            error = one_label(next(iter(found)), data, origin)
            if data.format != IN_MEMORY:
                raise error
            tell = listener if listener is ignore else warn  # a model that is useless is none of a training's news
            tell(Note(f"{error.message} {error.remedy}", warning=True))


def tell_of_odd_files(data: Corpus, outputs: int, listener: Listener) -> None:
    """Warns of an input that is the output, and of files whose sentences do not end where they should."""
    for number, column in enumerate(data.columns[:-outputs]):
        if any(_same(column, output) for output in data.columns[-outputs:]):
            name = data.column_name(number)
            text = f"{name[0].upper()}{name[1:]} equals the output in every token, so nothing but copying it is learnt. Leave it out."
            listener(Note(text, warning=True))
    if odd := data.odd_lengths():
        listener(Note(f"{data.name}: {odd}", warning=True))


def _same(one: Column, other: Column) -> bool:
    """Whether two columns have the same, different texts. The first tokens mostly tell."""
    first, its = (column.alphabet.texts_of(column.ids[:FIRST]) for column in (one, other))
    if first != its or len(other.used()) < 2:
        return False
    return bool((one.numbered(other.alphabet.texts()) == other.ids).all())


def one_label(label: str, data: Corpus, origin: int) -> LabelError:
    """The error for an output column with one label. origin: the number of the column in its source, -1 for labels given separately."""
    name = FIELDS[origin] if data.format == "conllu" and 0 <= origin < len(FIELDS) else origin
    where = "of y" if origin < 0 else f"in the output column, {name},"
    remedy = (
        "Give training data with several labels; partial_fit can be told of those that are still to come (classes=)."
    )
    if origin >= 0 and (columns := data.candidate_columns or candidate_columns(data)):
        remedy = (
            f"Columns with several values: {columns}. Choose one with --outputs; in Python, with fields= of "
            "read_conllu, or corpus.select."
        )
    elif label == OUTSIDE:
        remedy = "Give training data that have chunks in them."
    return LabelError(f"every label {where} is {label!r}: there is nothing to learn.", remedy=remedy, file=data.name)


def check_label_count(counts: Mapping[str, int], name: str) -> None:
    if len(counts) > MOST_LABELS:
        raise DataError(
            f"the output column has {len(counts):,} different labels; a chain takes at most {MOST_LABELS:,}.",
            remedy="Is the right column the output? Choose with --outputs, or corpus.select in Python.",
            file=name,
        )


def label_set_of(counts: Mapping[str, int], tags: Tags | None, name: str, *, fresh: bool = True) -> LabelSet:
    """Labels by frequency. Chunk labels always include the label of tokens outside chunks; in an encoding other than that of the data,
    all labels of their types. name: of the data.
    """
    if tags is not None:
        counts = {OUTSIDE: 0, **dict.fromkeys(tags.completed(counts) if fresh else (), 0), **counts}
    check_label_count(counts, name)
    order = sorted(counts, key=lambda label: (-counts[label], label))
    return LabelSet(tuple(order), {label: counts[label] for label in order}, tags)


def chunk_tags(corpus: Corpus, encoding: str, learn_as: str | None, before: Tags | None) -> Tags:
    """How the output column writes chunks, and how they are learnt. before: of the model that training continues from."""
    found, column = chunk_encoding(corpus, encoding), corpus.columns[-1]
    if encoding == "auto" and before is not None:
        broken = before.data.violations(column.alphabet.texts(), column.ids, corpus.starts)
        found = found if len(broken) else before.data  # data without chunks are legal in every encoding
    return as_learnt(found, learn_as)


def as_learnt(encoding: Encoding, learn_as: str | None) -> Tags:
    return Tags(encoding, encoding if learn_as is None else registry.get("encoding", learn_as))


def chunk_encoding(corpus: Corpus, name: str) -> Encoding:
    """The encoding with this name; for "auto", the encoding that the output column violates least."""
    column = corpus.columns[-1]
    refuse_plain_tags(corpus, name)
    if name != "auto":
        encoding: Encoding = registry.get("encoding", name)
        return encoding
    return detect(shown_encodings(), column.alphabet.texts(), column.ids, corpus.starts)


def refuse_plain_tags(corpus: Corpus, name: str | None = None, *, among_chunks: bool = True) -> None:
    """Refuses labels that are no chunk labels. name: of the encoding, where it is known. among_chunks: also where others are such ones."""
    known: Encoding | None = None if name in (None, "auto") else registry.get("encoding", str(name))
    bare = known is not None and known.bare
    encodings = [known] if known is not None and bare else list(shown_encodings().values())
    column = corpus.columns[-1]
    texts = {int(i): column.alphabet.text(int(i)) for i in np.unique(column.ids)}
    tags = {UNKNOWN, *tags_among(texts.values(), encodings)}
    are_tags = {i: text in tags for i, text in texts.items()}
    if not bare and any(are_tags[i] and "-" in text for i, text in texts.items()):
        # Beside types, a prefix alone is a mistake.
        are_tags = {i: are_tags[i] and ("-" in texts[i] or texts[i] in (UNKNOWN, OUTSIDE)) for i in are_tags}
    if not among_chunks and any(is_tag and texts[i] not in (UNKNOWN, OUTSIDE) for i, is_tag in are_tags.items()):
        return
    form = "a type of two letters or more, such as PER" if bare else "a prefix and a type, such as B-NP"
    for i, text in texts.items():
        if not are_tags[i]:
            token = int(np.argmax(column.ids == i))
            raise LabelError(
                f"label {text!r} is no chunk label; expected O or {form}.",
                remedy=_if_other(texts.values(), bare=bare)
                + "For plain labels use Tagger (task `tag`); if another column is the output, choose it with "
                "--outputs, or corpus.select in Python.",
                file=corpus.name,
                line=corpus.line_of(token),
            )


def _if_other(labels: Collection[str], *, bare: bool) -> str:
    """What to do where the labels may be types alone, as IO writes them; or where they were said to be (bare), and have prefixes."""
    if bare:
        return "Labels with prefixes need no encoding; leave it out. " if are_chunk_labels(labels) else ""
    fitting = [name for name, one in registry.all_of("encoding").items() if one.bare and all(map(one.is_tag, labels))]
    if not fitting or OUTSIDE not in labels:
        return ""
    return f'If chunks are written as types alone, pass encoding="{fitting[0]}" (--encoding {fitting[0]}). '


def legal(corpus: Corpus, encoding: Encoding, *, strict: bool, listener: Listener) -> Corpus:
    """The corpus with illegal tags read as conlleval reads them; with `strict`, the first illegal tag is an error."""
    column = corpus.columns[-1]
    wrong = encoding.violations(column.alphabet.texts(), column.ids, corpus.starts)
    if not len(wrong):
        return corpus
    if strict:
        found = _describe(corpus, int(wrong[0]), encoding)
        raise LabelError(
            found, remedy=_remedy(corpus, int(wrong[0]), encoding), file=corpus.name, line=corpus.line_of(int(wrong[0]))
        )
    refuse_plain_tags(corpus, encoding.name)
    _refuse_half_known(corpus, encoding, wrong)
    listener(illegal_note(corpus, encoding, len(wrong)))
    return _repaired(corpus, encoding, wrong)


def learnable(corpus: Corpus, tags: Tags, *, strict: bool, listener: Listener) -> Corpus:
    """The corpus with legal tags, in the encoding in which they are learnt."""
    corpus = legal(corpus, tags.data, strict=strict, listener=listener)
    return replace(corpus, columns=(*corpus.columns[:-1], tags.learnt_column(corpus.columns[-1], corpus.starts)))


def illegal_note(corpus: Corpus, encoding: Encoding, number: int) -> Note:
    """A note about illegal tags: their number, and the first of them in this corpus."""
    column = corpus.columns[-1]
    first = int(encoding.violations(column.alphabet.texts(), column.ids, corpus.starts)[0])
    place = f"{corpus.name}:{corpus.line_of(first)}: " if corpus.lines is not None else ""
    found = _describe(corpus, first, encoding)
    text = f"Illegal tags in {corpus.name}: {number:,}, read as conlleval reads them. First: {place}{found}"
    return Note(shortened(text), warning=True)


def _describe(corpus: Corpus, token: int, encoding: Encoding) -> str:
    column = corpus.columns[-1]
    tag = column.alphabet.text(int(column.ids[token]))
    sentence = int(np.searchsorted(corpus.starts, token, side="right")) - 1
    if token == corpus.starts[sentence]:
        before = "stands at the start of a sentence"
        if encoding.may_start(tag):
            return f"label {tag!r} stands at the end of a sentence, where it is illegal in {encoding.name.upper()}."
    else:
        previous = column.alphabet.text(int(column.ids[token - 1]))
        if encoding.may_follow(previous, tag):
            return f"label {tag!r} stands at the end of a sentence, where it is illegal in {encoding.name.upper()}."
        before = f"follows {previous!r}"
    return f"label {tag!r} {before}, which is illegal in {encoding.name.upper()}."


def _remedy(corpus: Corpus, token: int, encoding: Encoding) -> str:
    column = corpus.columns[-1]
    prefix, _ = encoding.split(column.alphabet.text(int(column.ids[token])))
    other = encoding.hints.get(prefix)
    hint = f'If the file uses {other.upper()}, pass encoding="{other}" (--encoding {other}). ' if other else ""
    return f"{hint}Without strict, illegal tags are read as conlleval reads them."


def _repaired(corpus: Corpus, encoding: Encoding, wrong: NDArray[np.int64]) -> Corpus:
    column = corpus.columns[-1]
    texts = column.texts()
    for s in np.unique(np.searchsorted(corpus.starts, wrong, side="right") - 1):
        low, high = int(corpus.starts[s]), int(corpus.starts[s + 1])
        texts[low:high] = read_as_conlleval(texts[low:high], encoding)
    return replace(corpus, columns=(*corpus.columns[:-1], Column.of(texts)))


def _refuse_half_known(corpus: Corpus, encoding: Encoding, wrong: NDArray[np.int64]) -> None:
    """Refuses illegal tags in sentences that have unknown tags, which conlleval could not read."""
    unknown = np.concatenate([[0], np.cumsum(is_unknown(corpus.columns[-1]))])
    s = np.searchsorted(corpus.starts, wrong, side="right") - 1
    there = unknown[corpus.starts[s + 1]] > unknown[corpus.starts[s]]
    if there.any():
        token = int(wrong[there][0])
        raise LabelError(
            _describe(corpus, token, encoding),
            remedy="Of sentences that have unknown labels, the known ones must be legal.",
            file=corpus.name,
            line=corpus.line_of(token),
        )


def listed(names: Sequence[str]) -> str:
    return ", ".join(names[:SHOWN]) + (f", … {len(names) - SHOWN} more" if len(names) > SHOWN else "")


def label_counts(labels: LabelSet, listener: Listener) -> None:
    """Reports how often each label occurs, and warns of labels that are too rare to learn."""
    counts = [f"{label} {count:,}" for label, count in labels.counts.items()]
    learnt = "" if labels.tags is None else labels.tags.note
    listener(Note(shortened(f"{len(counts)} labels{learnt}: {listed(counts)}.")))
    rare = [f"{label} ({count})" for label, count in labels.counts.items() if 0 < count < RARE]
    if rare:
        text = f"Labels seen fewer than {RARE} times, which will hardly be learnt: {listed(rare)}."
        listener(Note(shortened(text), warning=True, once="rare labels"))


def check_dev_labels(dev: Corpus, found: Mapping[str, int], known: Mapping[str, int], listener: Listener) -> None:
    """Refuses development data of another task, which share no label with the training data, and reports labels that only they have.

    found, known: the labels of the development data and of the training data.
    """
    new = [label for label in found if label not in known]
    if not new:
        return
    if not set(found) & set(known) - {OUTSIDE}:
        raise DataError(
            f"the development data have no label of the training data: they have {listed([shown(label) for label in new])}, "
            f"and those have {listed([shown(label) for label in known])}.",
            remedy="Are they of the same task, and is the last column their output?",
            file=dev.name,
        )
    text = (
        f"Labels that only the development data have, which count as wrong: {listed([shown(label) for label in new])}."
    )
    listener(Note(shortened(text), warning=True))


def class_weights(
    given: Mapping[str, float] | str | None, labels: LabelSet, implied: Collection[str] = ()
) -> NDArray[np.float64]:
    """Weights by label: from a dictionary (1 for labels that it does not contain), "balanced" (inverse to frequency), or none.

    Both refer to the labels of the data; a learnt label has the weight of the label that it stands for.
    implied: labels that the data need not contain, such as I-NP beside B-NP; no token has their weight.
    """
    if given is None:
        return np.empty(0)
    if labels.tags is not None and labels.tags.recoded:
        written, table = _as_written(labels, labels.tags)
        return class_weights(given, written)[table]
    if isinstance(given, str):
        if given != "balanced":
            raise UnknownNameError.of(
                "class_weight", given, ["balanced"], remedy="Or give a dictionary from labels to numbers."
            )
        counts = np.array([labels.counts[label] for label in labels.labels], np.float64)
        seen = counts > 0
        return np.where(seen, counts.sum() / (seen.sum() * np.maximum(counts, 1)), 1.0)
    for label in given:
        if label not in labels.counts and label not in implied:
            raise UnknownNameError.of("label in class_weight", label, {*labels.labels, *implied})
    return np.array([float(given.get(label, 1.0)) for label in labels.labels])


def weights_in(part: Corpus, class_weight: Any, data: Corpus) -> Any:
    """The weights of classes for a part of the data, without labels that only other parts have: these would be refused as unknown."""
    if not isinstance(class_weight, Mapping):
        return class_weight
    here, everywhere = ({*column.alphabet.texts_of(column.used())} for column in (part.columns[-1], data.columns[-1]))
    return {label: weight for label, weight in class_weight.items() if label in here or label not in everywhere}


def _as_written(labels: LabelSet, tags: Tags) -> tuple[LabelSet, Ids]:
    """The labels of the data that the learnt labels stand for, and the number of that label for each learnt one."""
    recoder = Recoder.of(labels.labels, tags.learnt, tags.data)
    if recoder.table is None:
        raise UnsupportedError(
            f"class_weight is by the labels of the data, and a label learnt as {tags.learnt.name.upper()} can "
            f"stand for several of {tags.data.name.upper()}.",
            remedy="Leave out class_weight, or learn_as.",
        )
    counts = dict.fromkeys(recoder.labels, 0)
    for label, i in zip(labels.labels, recoder.table, strict=True):
        counts[recoder.labels[i]] += labels.counts[label]
    return LabelSet(tuple(recoder.labels), counts, Tags(tags.data, tags.data)), recoder.table


def partly_known(data: Corpus, options: Options) -> Corpus:
    """The data, with labels that are marked as unknown made unknown."""
    if not options.has_unknown:
        if is_unknown(data.columns[-1]).any():
            raise DataError(
                f"a label is empty, and the recipe {options.choice.recipe.name!r} must know all labels.", file=data.name
            )
        return data
    data = hidden(data, options.settings[MARK.name])
    if options.learn_as is not None and is_unknown(data.columns[-1]).any():
        raise UnsupportedError(
            f"learn_as is {options.learn_as!r}, but some labels are unknown, and how a chunk is written depends on all of its tokens.",
            remedy="Leave out learn_as, or write the labels in that encoding.",
        )
    check_some_known(data)
    return data


def tell_of_unknown(data: Corpus, ids: Ids, tell: Listener) -> None:
    """Reports the number of unknown labels. ids: of the labels, -1 if unknown."""
    unknown = int((ids < 0).sum())
    if unknown:
        tell(Note(f"Labels of {unknown:,} of {data.tokens:,} tokens are unknown: all that they may be is summed over."))


def leave_out_impossible(data: Corpus, ids: Ids, legality: Legality, tell: Listener) -> None:
    """For sums over legal labellings: makes all labels of a sentence unknown if no legal labelling has the known ones."""
    impossible = without_labelling(ids, data.starts, legality)
    for s in impossible:
        ids[data.starts[s] : data.starts[s + 1]] = -1
    if impossible:
        line = data.line_of(int(data.starts[impossible[0]]))
        place = "" if line is None else f" The first starts at {data.name}:{line}."
        text = f"Sentences whose known labels no legal labelling has: {len(impossible):,}. They are left out.{place}"
        tell(Note(text, warning=True))


def without_labelling(ids: Ids, starts: Starts, legality: Legality) -> list[int]:
    """Sentences with unknown labels (-1) for which no legal labelling has the known labels."""
    stuck = legality.stuck(starts, np.eye(len(legality.start), dtype=np.uint8), ids)
    found = np.searchsorted(starts, stuck, side="right") - 1
    return [int(s) for s in found if (ids[starts[s] : starts[s + 1]] < 0).any()]
