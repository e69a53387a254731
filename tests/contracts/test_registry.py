"""Every piece keeps the promises of its kind. A new file is tested here before it has a test of its own."""

import importlib
import re
from pathlib import Path

import pytest

import riata
from checks import refused
from riata import registry
from riata._core import operations_of
from riata.errors import UnknownNameError, UnsupportedError
from riata.inference.structure import OF_STRUCTURES
from riata.settings import Setting
from samples import LABELLERS, OF_TASKS, embedded, for_each, treebank

PIECES = [(kind, name) for kind in registry.KINDS for name in registry.names(kind)]
EVERY_PIECE = pytest.mark.parametrize(("kind", "name"), PIECES, ids=[f"{kind}-{name}" for kind, name in PIECES])
CITATIONS = Path(__file__).parents[2] / "CITATIONS.bib"
COLUMNS = {
    "tag": ("word", "tag"),
    "chunk": ("word", "tag", "chunk"),
    "joint": ("word", "tag", "chunk"),
    "ner": ("word", "tag", "entity"),
}


def data_of(task):
    """What the task learns from."""
    estimator = registry.get("task", task).estimator
    if estimator.file_format is not None:
        return riata.load("embedded-roles")
    return treebank() if estimator.trees else embedded(COLUMNS[task])


def entries():
    """Keys and fields of the bibliography."""
    found = {}
    for key, body in re.findall(r"@\w+\{(\w+),\n(.*?)\n\}", CITATIONS.read_text(encoding="utf-8"), re.DOTALL):
        assert key not in found, f"{key} is there twice"
        found[key] = dict(re.findall(r"^\s*(\w+)\s*=\s*\{(.*)\},$", body, re.MULTILINE))
    return found


@pytest.mark.parametrize("kind", registry.KINDS)
def test_the_names_are_those_of_the_files(kind):
    folder, _ = registry.KINDS[kind]
    place = Path(importlib.import_module(folder).__file__).parent
    stems = {path.stem for path in place.iterdir()} - {"__init__", "base", "__pycache__"}
    assert {name.replace("-", "_") for name in registry.names(kind)} == stems
    assert registry.names(kind) == tuple(sorted(registry.names(kind)))
    assert stems


@EVERY_PIECE
def test_a_piece_has_the_name_of_its_file_and_says_what_it_is(kind, name):
    piece = registry.get(kind, name)
    assert piece.name == name
    assert registry.get(kind, name) is piece
    about = registry.summary(kind, name)
    assert about.strip()
    assert "\n" not in about


@EVERY_PIECE
def test_a_piece_cites_a_paper_that_the_bibliography_has(kind, name):
    paper = getattr(registry.get(kind, name), "paper", "")
    assert not paper or paper in entries()


def test_the_bibliography_is_complete():
    found = entries()
    assert len(found) == CITATIONS.read_text(encoding="utf-8").count("@")
    for key, fields in found.items():
        assert {"author", "title", "year"} <= set(fields), key
        assert key.endswith(fields["year"]) or fields["year"] in key, key


@EVERY_PIECE
def test_settings_of_a_piece_accept_their_defaults_and_explain_themselves(kind, name):
    settings = getattr(registry.get(kind, name), "settings", ())
    assert len({setting.name for setting in settings}) == len(settings)
    for setting in settings:
        assert isinstance(setting, Setting)
        assert setting.parse(setting.default) == setting.default
        assert setting.parse(str(setting.default)) == setting.default
        assert setting.help
        assert setting.expected()


@EVERY_PIECE
def test_a_near_miss_is_answered_with_the_name(kind, name):
    near = name[:-1] + ("x" if name[-1] != "x" else "y")
    caught = refused(UnknownNameError, "", registry.get, kind, near)
    assert f"Unknown {kind} {near!r}" in str(caught)
    assert "Did you mean" in str(caught)
    assert all(known in str(caught) for known in registry.names(kind))


@for_each(name=["", "__init__", "base", "../tasks/tag", "os.path", 5, None, ["tag"], b"tag"], kind=registry.KINDS)
def test_what_is_no_name_is_refused_and_not_imported(kind, name):
    refused(UnknownNameError, f"Unknown {kind}", registry.get, kind, name)


@pytest.mark.parametrize("structure", registry.names("structure"))
def test_what_the_core_does_is_offered_where_the_core_says_so(structure):
    native = set(operations_of(structure))
    of_core = set().union(*map(operations_of, registry.names("structure")))
    offers = registry.get("structure", structure).offers
    assert native
    assert offers & of_core == native  # a structure does not list an operation of the core by hand
    assert offers <= set(OF_STRUCTURES)


@for_each(task=LABELLERS, structure=registry.names("structure"), recipe=registry.names("recipe"))
def test_a_structure_and_a_recipe_train_or_say_why_not(recipe, structure, task):
    data = data_of(task)[:20]
    epochs = 50 if registry.get("recipe", recipe).whole else 5
    made = registry.get("task", task).estimator(recipe, structure=structure, epochs=epochs)
    try:
        made.fit(data)
    except UnsupportedError as error:  # test_settings.py looks at its reason
        assert recipe in error.message and structure in error.message and error.remedy
    else:
        learnt = made.columns.with_output(data)
        labels = learnt.columns[-1].texts()
        untrained = max(map(labels.count, set(labels))) / learnt.tokens
        assert made.evaluate(data).report.accuracy / 100 > untrained


@for_each(queue=registry.names("queue"), recipe=registry.names("recipe"))
def test_a_recipe_and_a_queue_train_or_say_why_not(recipe, queue):
    made = registry.get("task", "tag").estimator(recipe, queue=queue, epochs=1)
    data = embedded(("word", "tag"))[:5]
    try:
        assert len(made.fit(data).predict(data)) == len(data)
    except UnsupportedError as error:
        assert queue in error.message
    else:
        assert not registry.get("queue", queue).decode_only


@for_each(queue=registry.names("queue"), structure=OF_TASKS)
def test_a_structure_is_decoded_with_a_queue_or_says_why_not(structure, queue):
    task = {(1, False): "tag", (2, False): "joint", (2, True): "parse"}[registry.get("structure", structure).gives]
    data = data_of(task)[:5]
    made = registry.get("task", task).estimator(structure=structure, epochs=1).fit(data).set_params(queue=queue)
    short = [["The"], ["a", "dog"]]  # breadth-first sees every prefix
    if registry.get("structure", structure).trees:
        short = [[(word, "X") for word in sentence] for sentence in short]
    if queue in registry.get("structure", structure).queues:
        assert [len(labels) for labels in made.predict(short)] == [1, 2]
    else:
        refused(UnsupportedError, queue, made.predict, short)


@pytest.mark.parametrize("task", registry.names("task"))
def test_a_task_is_done_by_an_estimator_that_names_it(task):
    piece = registry.get("task", task)
    assert piece.estimator.task_name == task
    assert piece.estimator.__doc__
    assert task not in LABELLERS or isinstance(piece.estimator.chunks, bool)
