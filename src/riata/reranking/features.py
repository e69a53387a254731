"""Features of whole outputs. A set of features is a function from a list of candidates to the features of each.

What all candidates of a list have alike cannot tell them apart, and is left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from riata.data.encodings.base import spans
from riata.data.types import Span
from riata.errors import DataError, SettingError, UnknownNameError, printed
from riata.reranking.candidates import Listed, Named, named

FeatureSet = Callable[[Listed], Iterable[Named]]
LONGEST = 6  # tokens of a chunk whose words are one feature
EDGE = ("^", 0, 0)


def ranks(these: Listed) -> Iterable[Named]:
    """The score of the base below that of its best output, and the rank."""
    for rank, score in enumerate(these.scores):
        yield {"score": float(score - these.scores[0]), f"rank={min(rank, 3)}": 1.0}


def agreement(these: Listed) -> Iterable[Named]:
    """How much a candidate has in common with the others, each as much as the base believes in it: least expected loss (MBR)."""
    shares = np.exp(these.scores - these.scores.max())
    shares /= shares.sum()
    units = [_units(output) for output in these.outputs]
    for one in units:
        common = [2 * len(one & other) / max(1, len(one) + len(other)) for other in units]
        yield {"agreement": 10 * float(shares @ common)}


def _units(output: Any) -> set[Any]:
    """What outputs are compared by: chunks, or labels with their places."""
    if _is_tree(output) or not all(isinstance(label, str) for label in output):
        return set(enumerate(output))
    return {*spans(output)} if any(label != "O" for label in output) else set()


def _chunk_labels(output: Any) -> list[str]:
    return [label[-1] if isinstance(label, tuple) else label for label in output]


def lengths(these: Listed) -> Iterable[Named]:
    """How many chunks there are, of each type and in all."""
    for output in these.outputs:
        found = spans(_chunk_labels(output))
        yield Counter([*(f"chunks of {span.label}" for span in found), *["chunks"] * len(found)])


def labels(these: Listed) -> Iterable[Named]:
    """How often every label occurs, and every sequence of two to four labels."""
    for output in these.outputs:
        texts = ["^", *(label if isinstance(label, str) else "/".join(map(str, label)) for label in output), "$"]
        found: Counter[str] = Counter(texts[1:-1])
        for size in (2, 3, 4):
            found.update(" ".join(texts[i : i + size]) for i in range(len(texts) - size + 1))
        yield found


def chunks(these: Listed) -> Iterable[Named]:
    """Chunks with their words and tags, and sequences of two to four chunks."""
    if any(_is_tree(output) for output in these.outputs):
        raise DataError("the features 'chunks' are of chunk labels, and the outputs are trees.", remedy="Use 'trees'.")
    words, tags = _columns(these)
    for output in these.outputs:
        found: Counter[str] = Counter()
        if output and isinstance(output[0], tuple):  # a tag and a chunk label
            tags = [*(tag for tag, _ in output), "_"]
        sequence = [EDGE, *_pieces(spans(_chunk_labels(output)), len(output)), ("$", len(output), len(output))]
        for k in range(1, len(sequence) - 1):
            found.update(_of_chunk(sequence, k, words, tags))
        yield found


def _columns(these: Listed) -> tuple[list[str], list[str]]:
    """Words in lower case and tags, or nothing where there are none; one more at the end, which the token before the first is, too."""
    tokens = [token if isinstance(token, tuple) else () for token in these.tokens or [()] * len(these.outputs[0])]
    words = [token[0].lower() if token else "" for token in tokens]
    return [*words, "_"], [*(token[1] if len(token) > 1 else "" for token in tokens), "_"]


def _pieces(found: Sequence[Span], length: int) -> list[tuple[str, int, int]]:
    """Chunks, and tokens outside them, from left to right: type, first token, and the token after the last."""
    made, at = [], 0
    for span in sorted(found, key=lambda span: span.start):
        made += [("O", i, i + 1) for i in range(at, span.start)]
        made.append((span.label, span.start, span.end))
        at = span.end
    return made + [("O", i, i + 1) for i in range(at, length)]


def _of_chunk(
    sequence: Sequence[tuple[str, int, int]], k: int, words: Sequence[str], tags: Sequence[str]
) -> Iterable[str]:
    (before, _, _), (here, low, high), (after, _, _) = sequence[k - 1 : k + 2]
    inside = " ".join(tags[low:high])
    yield f"tags {here} {inside}"
    yield f"length {here} {min(high - low, 8)}"
    if high - low <= LONGEST:
        yield f"words {here} {' '.join(words[low:high])}"
    yield f"around {here} {tags[low - 1]} {inside} {tags[high]}"
    yield f"ends {here} {words[low]} {words[high - 1]}"
    yield f"three {before} {here} {after}"
    if k >= 2:
        yield f"four {sequence[k - 2][0]} {before} {here} {after}"
    last = sequence[k - 1][2] - 1
    yield f"heads {before} {words[last]} {here} {words[high - 1]}"
    yield f"head tags {before} {tags[last]} {here} {tags[high - 1]} {words[high - 1]}"
    yield f"next {here} {words[high]} {after}"
    yield f"three tags {before} {tags[last]} {here} {tags[high - 1]} {after} {tags[high]}"


def trees(these: Listed) -> Iterable[Named]:
    """Of dependency trees: frames of valency, heaviness, chains of three, siblings, and whether conjuncts are alike."""
    if not all(not output or _is_tree(output) for output in these.outputs):
        raise DataError(
            "the features 'trees' are of dependency trees, which the outputs are not.", remedy="Leave them out."
        )
    words, tags = _columns(these)
    for output in these.outputs:
        yield _of_tree(output, words, tags)


def _of_tree(output: Sequence[tuple[int, str]], words: Sequence[str], tags: Sequence[str]) -> Counter[str]:
    length = len(output)
    children: list[list[int]] = [[] for _ in range(length + 1)]
    for token, (head, _) in enumerate(output, 1):
        children[head].append(token)
    sizes = _sizes([head for head, _ in output])

    def tag(token: int) -> str:
        return tags[token - 1] if token else "^"

    def relation(token: int) -> str:
        return output[token - 1][1] if token else "^"

    found: Counter[str] = Counter()
    for token, (head, here) in enumerate(output, 1):
        above = output[head - 1][0] if head else 0
        way, near = "<" if head < token else ">", min(abs(token - head), 6)
        frame = " ".join(relation(child) for child in children[token])
        found[f"frame {tag(token)} {here}: {frame}"] += 1
        found[f"frame {words[token - 1]}: {frame}"] += 1
        found[f"heavy {here} {tag(token)} {min(sizes[token], 10)} {way}{near}"] += 1
        found[f"ends {here} {min(sizes[token], 5)} {tag(token)} {tags[token] if token < length else '$'}"] += 1
        found[f"chain {here} {relation(head)} {tag(token)} {tag(head)} {tag(above)}"] += 1
        found[f"chain {words[token - 1]} {here} {words[head - 1]} {relation(head)}"] += 1
        for one, other in zip(children[token], children[token][1:], strict=False):
            found[f"siblings {tag(token)} {relation(one)} {relation(other)} {tag(one)} {tag(other)}"] += 1
        if here.startswith("conj") and head:
            alike = [relation(child) for child in children[token]] == [relation(child) for child in children[head]]
            found[f"conjuncts {tag(head)} {tag(token)} {'alike' if alike else 'unlike'}"] += 1
            found[f"conjuncts differ {min(abs(sizes[token] - sizes[head]), 8)}"] += 1
    return found


def _sizes(heads: Sequence[int]) -> list[int]:
    """The number of tokens below every token, with itself; by number of the token, from 1."""
    found = [1] * (len(heads) + 1)
    waiting = Counter(heads)
    free = [token for token in range(1, len(heads) + 1) if not waiting[token]]
    while free:
        token = free.pop()
        head = heads[token - 1]
        found[head] += found[token]
        waiting[head] -= 1
        if head and not waiting[head]:
            free.append(head)
    return found


def _is_tree(output: Any) -> bool:
    return bool(output) and isinstance(output[0], tuple) and isinstance(output[0][0], int)


SETS: Mapping[str, FeatureSet] = {
    "agreement": agreement,
    "chunks": chunks,
    "labels": labels,
    "lengths": lengths,
    "ranks": ranks,
    "trees": trees,
}
OF_EVERY_LIST = ("ranks", "agreement")


def default_sets(*, chunks: bool, trees: bool) -> tuple[str, ...]:
    return (*OF_EVERY_LIST, "chunks" if chunks else "trees" if trees else "labels")


def feature_sets(asked: Iterable[Any]) -> list[FeatureSet]:
    """Sets by name, and functions of users from the input and one output to its features."""
    if isinstance(asked, str):
        raise SettingError(f"features is {asked!r}; expected a list.", remedy=f"features=[{asked!r}].")
    return [_own(one) if callable(one) else _built_in(one) for one in asked]


def _built_in(name: Any) -> FeatureSet:
    if not isinstance(name, str) or name not in SETS:
        raise UnknownNameError.of(
            "set of features", str(name), SETS, remedy="Or give a function of the input and an output."
        )
    return SETS[name]


def _own(function: Callable[[Any, Any], Any]) -> FeatureSet:
    name = getattr(function, "__name__", type(function).__name__)

    def found(these: Listed) -> Iterable[Named]:
        for output in these.outputs:
            try:
                made = function(these.tokens, output)
            except Exception as error:
                raise DataError(
                    f"the features {name!r} of the output {printed(output):.60} raised {type(error).__name__}: {error}"
                ) from error
            yield {f"{name}: {key}": value for key, value in named(made, f"features of {name!r}").items()}

    return found


def features_of(these: Listed, sets: Sequence[FeatureSet]) -> list[Named]:
    """The features of every candidate, without those that all of the list have alike."""
    found: list[dict[str, float]] = [{} for _ in these.outputs]
    for one in (lambda listed: listed.given, *sets):
        for features, more in zip(found, one(these) or ({},) * len(these), strict=True):
            features.update(more)
    same = dict(set(found[0].items()).intersection(*(features.items() for features in found[1:])))
    return [{name: value for name, value in features.items() if name not in same} for features in found]
