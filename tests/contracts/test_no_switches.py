"""Nothing outside a structure's own files asks which structure it has: files named for it define what differs."""

import ast
from pathlib import Path

import pytest

from riata import registry
from riata.inference.structure import SPACE
from samples import for_each, for_rows

PACKAGE = Path(__file__).parents[2] / "src" / "riata"
STRUCTURES = registry.names("structure")


def having(part):
    """The structures with a file in the room of a part: all; of traces, those that are searched by steps or scored by parts."""
    return [name for name in STRUCTURES if part != "traced" or is_explained(name)]


def is_explained(name):
    """Whether there are steps of a search to explain, or parts of outputs."""
    return SPACE in registry.get("structure", name).offers or registry.of_structure("outputs", name).scored_by_parts


PARTS = [registry.of_structure(part, name) for part in registry.OF_STRUCTURES for name in having(part)]
CLASSES = {
    piece.__name__ for part in PARTS for piece in (part, *getattr(part, "precisions", ())) if isinstance(piece, type)
}


def own_file(path):
    return path.stem.replace("_", "-") in STRUCTURES


def asked(node):
    """What a piece of code decides by: operands, keys, cases, classes."""
    match node:
        case ast.Compare():
            return [node.left, *node.comparators]
        case ast.Dict():
            return [key for key in node.keys if key is not None]
        case ast.Subscript(slice=ast.Constant()):
            return [node.slice]
        case ast.MatchValue():
            return [node.value]
        case ast.MatchClass():
            return [node.cls]
        case ast.Call(func=ast.Name(id="isinstance" | "issubclass")):
            return node.args[1:]
        case ast.Call(func=ast.Attribute(attr="get" | "pop" | "startswith")):
            return node.args[:1]
    return []


def switches(tree):
    """Lines, and the name of a structure or of one of its classes that is asked for there."""
    leaves = [leaf for node in ast.walk(tree) for part in asked(node) for leaf in ast.walk(part)]
    for leaf in leaves:
        if isinstance(leaf, ast.Constant) and leaf.value in STRUCTURES:
            yield leaf.lineno, leaf.value
        elif isinstance(leaf, (ast.Name, ast.Attribute)):
            name = leaf.id if isinstance(leaf, ast.Name) else leaf.attr
            if name in CLASSES:
                yield leaf.lineno, name


def test_no_switch_on_structures_outside_of_their_own_files():
    files = [path for path in sorted(PACKAGE.rglob("*.py")) if not own_file(path)]
    assert len(files) > 200
    found = [
        f"{path.relative_to(PACKAGE)}:{line}: {name}"
        for path in files
        for line, name in switches(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert not found


@for_rows(
    "text",
    'structure == "chain"',
    'structure.name in ("segments", "joint")',
    '{"chain": one, "joint": other}[name]',
    'tables["segments"]',
    'tables.get("joint")',
    'match name:\n    case "chain":\n        pass',
    "isinstance(model.outputs, ChainOutputs)",
    "isinstance(weights, (SegmentWeights, SegmentWeights64))",
    "type(learnt) is LearntJoint",
)
def test_a_switch_is_found(text):
    assert list(switches(ast.parse(text)))


@for_each(text=['Structure(name="chain")', 'NAME = "joint"', '{"labels": ["chain"]}', "isinstance(text, str)"])
def test_what_is_no_switch_is_not_found(text):
    assert not list(switches(ast.parse(text)))


@pytest.mark.parametrize("part", registry.OF_STRUCTURES)
def test_every_structure_has_a_file_in_every_room_and_no_other_is_there(part):
    folder, defined = registry.OF_STRUCTURES[part]
    place = PACKAGE.joinpath(*folder.split(".")[1:])
    assert {path.stem for path in place.glob("*.py")} - {"__init__"} == {
        name.replace("-", "_") for name in having(part)
    }
    for name in having(part):
        assert f"\n{defined} = " in (place / f"{name.replace('-', '_')}.py").read_text(encoding="utf-8")
