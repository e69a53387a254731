"""Default templates read every column of the input; named sets say which ones they do not read."""

import random

import pytest

import riata
from riata.estimators.model_file import to_bytes
from riata.features.templates import parse
from riata.learning.events import Note
from samples import embedded, quietly

MADE = {
    "tag": (riata.Tagger, lambda kind: [kind]),
    "chunk": (riata.Chunker, lambda kind: [f"B-{kind}"]),
    "ner": (riata.EntityRecognizer, lambda kind: [f"B-{kind}"]),
    "joint": (riata.JointTagger, lambda kind: [kind, f"B-{kind}"]),
    "segments": (lambda: riata.Chunker(structure="segments"), lambda kind: [f"B-{kind}"]),
    "factorial": (
        lambda: riata.JointTagger(structure="factorial", epochs=20, c2=0.1),
        lambda kind: [kind, f"B-{kind}"],
    ),
    "kernel-chain": (lambda: riata.Tagger(structure="kernel-chain"), lambda kind: [kind]),
}
TREES = ("projective", "tree", "transitions")


def sentences(width, outputs, seed):
    """Only the last column of the input says what the outputs are."""
    draw = random.Random(seed)

    def row(kind):
        others = [f"{column}{draw.randrange(3)}" for column in range(1, width - 1)]
        return (f"w{draw.randrange(400)}", *others, *([f"c{kind}"] if width > 1 else []), *outputs(kind))

    return [[row(draw.choice("XYZ")) for _ in range(6)] for _ in range(30)]


def trees(width, seed):
    draw, found = random.Random(seed), []
    for _ in range(50):
        root = draw.randrange(5)
        rows = sentences(width, lambda kind: [], draw.random())[0][:5]
        heads = [("0", "root") if i == root else (str(root + 1), "d") for i in range(5)]
        roots = ["ROOT" if i == root else "x" for i in range(5)]
        found.append(
            [
                (*row[: max(width - 1, 1)], *([r] if width > 1 else []), *head)
                for row, r, head in zip(rows, roots, heads, strict=True)
            ]
        )
    return found


def columns(estimator):
    return {read.column for template in estimator.model_.features.templates for read in template.reads}


@pytest.mark.parametrize("width", [1, 2, 3, 5])
@pytest.mark.parametrize("name", MADE)
def test_every_task_learns_from_every_column(name, width):
    make, outputs = MADE[name]
    made = quietly(make(), sentences(width, outputs, 1))
    assert columns(made) == set(range(width))
    if width > 1:
        assert made.score(sentences(width, outputs, 2)) > 0.9


@pytest.mark.parametrize("width", [2, 3, 5])
@pytest.mark.parametrize("structure", TREES)
def test_parsers_learn_from_every_column(structure, width):
    made = quietly(riata.DependencyParser(structure=structure, epochs=5, tags="given"), trees(width, 1))
    assert columns(made) == set(range(width))
    assert made.score(trees(width, 2)) > 0.9


def test_columns_that_defaults_know_are_read_as_before():
    """The third column here is the output: words and tags are what the default for chunks was made for."""
    data = embedded()[:40]
    lines = [str(template) for template in quietly(riata.Chunker(), data).model_.features.templates]
    assert not [line for line in lines if "x2[" in line and "fix" not in line]
    assert lines.count("tag[-1] tag[0]") == 1
    named = quietly(riata.Chunker(template="chunk"), data)
    assert named.predict(data) == quietly(riata.Chunker(), data).predict(data)
    assert to_bytes(quietly(riata.Chunker(), data)) == to_bytes(quietly(riata.Chunker(), data))


def test_a_named_set_says_which_columns_it_does_not_read():
    data, told = embedded()[:40], []
    riata.Tagger("perceptron", template="tag", epochs=1).fit(data, listener=told.append)
    riata.Tagger("perceptron", template="S1", epochs=1).fit(data, listener=told.append)
    texts = [event.text for event in told if isinstance(event, Note) and "does not read" in event.text]
    assert len(texts) == 2
    assert "template tag does not read column 1" in texts[0]
    assert "x1[0]" in texts[0]
    told.clear()
    riata.Tagger("perceptron", template=parse("word[0]\nedge"), epochs=1).fit(data, listener=told.append)  # asked for
    assert not [event.text for event in told if isinstance(event, Note) and "does not read" in event.text]
