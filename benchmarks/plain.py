"""Column files and features in plain Python, as fast as we could write them: what users of the peers do themselves.

Names are short, every n-gram is joined once per sentence, and an attribute is computed once per word: CRFsuite takes half its
time of ingestion to copy these strings. Outside the sentence there is no feature but the mark of its end.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path

from riata.features import attributes

Sentence = tuple[tuple[str, ...], ...]  # its columns


def read(path: Path) -> Iterator[Sentence]:
    for block in path.read_text(encoding="utf-8").split("\n\n"):
        if block.strip() and not block.startswith("-DOCSTART-"):  # a mark of a document
            yield tuple(zip(*(line.split(" ") for line in block.strip("\n").split("\n")), strict=True))


def write(labels: Iterable[Iterable[str]], path: Path) -> None:
    """One label per line, a blank line after each sentence."""
    path.write_text("".join("\n".join(sentence) + "\n\n" for sentence in labels), encoding="utf-8")


def classic(words: Sequence[str], tags: Sequence[str], separator: str = "|") -> list[list[str]]:
    """The template `classic`, a list of strings per token."""
    last = len(words) - 1
    word2 = [a + separator + b for a, b in pairwise(words)]
    tag2 = [a + separator + b for a, b in pairwise(tags)]
    tag3 = [a + separator + b for a, b in zip(tag2, tags[2:], strict=False)]
    rows = []
    for i in range(last + 1):
        row = ["w0=" + words[i], "t0=" + tags[i]]
        if i:
            row += ["w-1=" + words[i - 1], "W-1=" + word2[i - 1], "t-1=" + tags[i - 1], "T-1=" + tag2[i - 1]]
            if i > 1:
                row += ["w-2=" + words[i - 2], "t-2=" + tags[i - 2], "T-2=" + tag2[i - 2], "U-2=" + tag3[i - 2]]
        else:
            row.append("__BOS__")
        if i < last:
            row += ["w1=" + words[i + 1], "W0=" + word2[i], "t1=" + tags[i + 1], "T0=" + tag2[i]]
            if i:
                row.append("U-1=" + tag3[i - 1])
            if i < last - 1:
                row += ["w2=" + words[i + 2], "t2=" + tags[i + 2], "T1=" + tag2[i + 1], "U0=" + tag3[i]]
        else:
            row.append("__EOS__")
        rows.append(row)
    return rows


def classic_dictionaries(words: Sequence[str], tags: Sequence[str]) -> list[dict[str, str | bool]]:
    """The same as a dictionary per token, as sklearn-crfsuite's tutorial has it."""
    last = len(words) - 1
    rows: list[dict[str, str | bool]] = []
    for i in range(last + 1):
        word, tag = words[i], tags[i]
        row: dict[str, str | bool] = {"w0": word, "t0": tag}
        if i:
            word1, tag1 = words[i - 1], tags[i - 1]
            row["w-1"], row["W-1"], row["t-1"], row["T-1"] = word1, f"{word1}|{word}", tag1, f"{tag1}|{tag}"
            if i > 1:
                tag2 = tags[i - 2]
                row["w-2"], row["t-2"], row["T-2"], row["U-2"] = words[i - 2], tag2, f"{tag2}|{tag1}", f"{tag2}|{tag1}|{tag}"  # fmt: skip
        else:
            row["__BOS__"] = True
        if i < last:
            next1, next_tag1 = words[i + 1], tags[i + 1]
            row["w1"], row["W0"], row["t1"], row["T0"] = next1, f"{word}|{next1}", next_tag1, f"{tag}|{next_tag1}"
            if i:
                row["U-1"] = f"{tags[i - 1]}|{tag}|{next_tag1}"
            if i < last - 1:
                next_tag2 = tags[i + 2]
                row["w2"], row["t2"] = words[i + 2], next_tag2
                row["T1"], row["U0"] = f"{next_tag1}|{next_tag2}", f"{tag}|{next_tag1}|{next_tag2}"
        else:
            row["__EOS__"] = True
        rows.append(row)
    return rows


@cache
def of_word(word: str) -> tuple[list[str], str, str]:
    """The features of a word itself, its stem and its shape."""
    prefixes = [f"p{n}={word[:n]}" for n in (1, 2, 3, 4) if len(word) > n]
    suffixes = [f"s{n}={word[-n:]}" for n in (1, 2, 3, 4) if len(word) > n]
    stem, shape = str(attributes.stem(word)), str(attributes.shape(word))
    return [*prefixes, *suffixes, "m0=" + stem, "h0=" + shape], stem, shape


def default(words: Sequence[str], tags: Sequence[str]) -> list[list[str]]:
    """The template `chunk`, but for `edge tag[0]`, which CRFsuite cannot have."""
    last = len(words) - 1
    own = [of_word(word) for word in words]
    tag2 = [a + "|" + b for a, b in pairwise(tags)]
    tag3 = [a + "|" + b for a, b in zip(tag2, tags[2:], strict=False)]
    tag4 = [a + "|" + b for a, b in zip(tag3, tags[3:], strict=False)]
    shape2 = [a[2] + "|" + b[2] for a, b in pairwise(own)]
    rows = classic(words, tags)
    for i, row in enumerate(rows):
        word, tag = words[i], tags[i]
        row += own[i][0]
        row.append("wt=" + word + "|" + tag)
        if i:
            word1, tag1 = words[i - 1], tags[i - 1]
            row += ["wt-1=" + word1 + "|" + tag1, "wt-=" + word + "|" + tag1, "w-t=" + word1 + "|" + tag]
            row += ["m-1=" + own[i - 1][1], "h-1=" + own[i - 1][2], "H-1=" + shape2[i - 1]]
            if i > 2:
                row += ["t-3=" + tags[i - 3], "V-3=" + tag4[i - 3]]
            if i > 1 and i < last:
                row.append("V-2=" + tag4[i - 2])
                if i < last - 1:
                    row.append("X=" + tag4[i - 2] + "|" + tags[i + 2])
        if i < last:
            word1, tag1 = words[i + 1], tags[i + 1]
            row += ["wt1=" + word1 + "|" + tag1, "wt+=" + word + "|" + tag1, "w+t=" + word1 + "|" + tag]
            row += ["m1=" + own[i + 1][1], "h1=" + own[i + 1][2], "H0=" + shape2[i]]
            if i < last - 2:
                row += ["t3=" + tags[i + 3], "V0=" + tag4[i]]
            if i and i < last - 1:
                row.append("V-1=" + tag4[i - 1])
    return rows


def ordinary(words: Sequence[str], tags: Sequence[str] = ()) -> list[list[str]]:
    """What taggers mostly read: a word, two to each side and the pairs, affixes, shapes; of tags the same window, with pairs."""
    padded, tagged = (["<s>", "<s>", *column, "</s>", "</s>"] for column in (words, tags))
    rows = []
    for i, word in enumerate(words, start=2):
        row = [f"w{k}={padded[i + k]}" for k in (-2, -1, 0, 1, 2)]
        row += [f"W-1={padded[i - 1]}|{word}", f"W0={word}|{padded[i + 1]}", "l0=" + word.lower(), *of_word(word)[0]]
        row += [f"h{k}={of_word(padded[i + k])[2]}" for k in (-1, 1)]
        if tags:
            row += [f"t{k}={tagged[i + k]}" for k in (-2, -1, 0, 1, 2)]
            row += [f"T-1={tagged[i - 1]}|{tagged[i]}", f"T0={tagged[i]}|{tagged[i + 1]}"]
        rows.append(row)
    return rows
