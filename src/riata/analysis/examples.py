"""Sentences to look at: gold labels and outputs under each other, with what differs marked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from riata.analysis.outputs import JudgedOutputs
from riata.data.types import Span
from riata.errors import SettingError
from riata.showing.sentences import ShownSentence


def check_number(examples: int) -> None:
    """Of sentences to show."""
    if isinstance(examples, bool) or not isinstance(examples, int) or examples < 0:
        raise SettingError(f"examples is {examples!r}; expected a whole number of at least 0.")


@dataclass(frozen=True)
class ExampleLabels:
    """One labelling of a sentence. tags, spans, arcs (head and relation by token): None where the task has none."""

    tags: tuple[str, ...] | None
    spans: tuple[Span, ...] | None
    arcs: tuple[tuple[int, str], ...] | None = None

    def to_dict(self) -> dict[str, Any]:
        parts: dict[str, Any] = {}
        if self.tags is not None:
            parts["tags"] = list(self.tags)
        if self.spans is not None:
            parts["chunks"] = [list(span) for span in self.spans]
        if self.arcs is not None:
            parts["heads"] = [head for head, _ in self.arcs]
            parts["relations"] = [relation for _, relation in self.arcs]
        return parts

    def by_token(self, words: Sequence[str]) -> tuple[str, ...]:
        """What is written beside each word: its tag, or the arc that leads to it. Empty: nothing."""
        if self.arcs is None:
            return self.tags or ()
        return tuple(relation + _from(head, words) for head, relation in self.arcs)


def _from(head: int, words: Sequence[str]) -> str:
    """The word that an arc comes from, with its number where the sentence has the word twice."""
    if not head:
        return ""
    word = words[head - 1]
    return f"←{word}" + (f"({head})" if words.count(word) > 1 else "")


@dataclass(frozen=True)
class Example:
    """A sentence, its gold labels and those of each model, by name."""

    title: str
    place: str
    words: tuple[str, ...]
    gold: ExampleLabels
    found: dict[str, ExampleLabels]

    @classmethod
    def of(cls, data: JudgedOutputs, sentence: int, names: Sequence[str], title: str) -> Example:
        gold, *found = (_labels(data, sentence, model) for model in (None, *range(len(names))))
        return cls(title, data.place(sentence), tuple(data.words[sentence]), gold, dict(zip(names, found, strict=True)))

    def to_dict(self) -> dict[str, Any]:
        return {
            "title": self.title,
            "place": self.place,
            "words": list(self.words),
            "gold": self.gold.to_dict(),
            **{name: labels.to_dict() for name, labels in self.found.items()},
        }

    def shown(self) -> dict[str, ShownSentence]:
        """Gold and outputs by name. Tags and arcs are shown where some model is wrong; in gold, what some model missed is marked."""
        others = list(self.found.values())
        gold = self.gold.by_token(self.words)
        differ = {i for i, tag in enumerate(gold) if any(o.by_token(self.words)[i] != tag for o in others)}
        missed = {span for span in self.gold.spans or () if any(span not in (o.spans or ()) for o in others)}
        rows = {"gold": self._row(self.gold, differ, set(), missed)}
        for name, labels in self.found.items():
            wrong = {i for i in differ if labels.by_token(self.words)[i] != gold[i]}
            invented = set(labels.spans or ()) - set(self.gold.spans or ())
            rows[name] = self._row(labels, differ, wrong, invented)
        return rows

    def _row(self, labels: ExampleLabels, tagged: set[int], wrong: set[int], wrong_spans: set[Span]) -> ShownSentence:
        tags = [tag if i in tagged else None for i, tag in enumerate(labels.by_token(self.words))]
        return ShownSentence(self.words, tags, labels.spans or (), wrong, wrong_spans)

    def __rich__(self) -> Any:
        from rich.console import Group
        from rich.markup import escape as plain
        from rich.table import Table
        from rich.text import Text

        grid = Table.grid(padding=(0, 2))
        for name, shown in self.shown().items():
            grid.add_row(plain(name), shown)
        return Group(Text.assemble((self.title, "italic"), (f" ({self.place})", "dim")), grid)

    def to_html(self) -> str:
        rows = "".join(f'<div class="k">{escape(name)}</div>{shown.to_html()}' for name, shown in self.shown().items())
        return f'<div>{escape(self.title)} <small>({escape(self.place)})</small><div class="l">{rows}</div></div>'


def _labels(data: JudgedOutputs, sentence: int, model: int | None) -> ExampleLabels:
    """Of a model by number, or of gold."""
    tags, chunks = data.output("tag"), data.output("chunk")
    heads, relations = data.output("head"), data.output("relation")
    found_tags = found_spans = found_arcs = None
    if tags is not None:
        found_tags = tuple(tags.texts(tags.of(model), sentence))
    if heads is not None and relations is not None:
        columns = (output.texts(output.of(model), sentence) for output in (heads, relations))
        found_arcs = tuple((int(head), relation) for head, relation in zip(*columns, strict=True))
    if chunks is not None:
        spans = chunks.gold_spans if model is None else chunks.found_spans[model]
        found_spans = tuple(spans[sentence])
    return ExampleLabels(found_tags, found_spans, found_arcs)
