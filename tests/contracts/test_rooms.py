"""The house: folders depend on each other in one direction, and files and functions stay small."""

import ast
import re
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from riata import registry
from riata.inference.structure import SPACE
from samples import for_each, for_rows

ROOT = Path(__file__).parents[2]
PACKAGE, NATIVE = ROOT / "src" / "riata", ROOT / "native"
MOST_LINES, MOST_OF_FUNCTION = 600, 60
ORDER = ("core", "data", "features", "models", "losses", "inference", "learning", "bind", "tests")  # of native folders


def python_files():
    return sorted(PACKAGE.rglob("*.py"))


def native_files():
    return sorted(path for path in NATIVE.rglob("*") if path.suffix in (".cpp", ".hpp"))


def imported(tree):
    """The modules of Riata that a file imports anywhere, for type checkers too, as parts of their names."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module == "riata":
            names = [f"riata.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
        else:
            continue
        yield from (name.split(".")[1:] for name in names if name.startswith("riata."))


def room_of(parts):
    """The folder of a module; in a structure's folder, what learns and what explains are rooms of their own."""
    if parts[0] == "structures" and parts[-1] in ("learning", "explaining"):
        return f"structures ({parts[-1]})"
    return parts[0]


@cache
def folders():
    """Of every folder of the package the folders that its files import. Modules that are in no folder are not counted."""
    found = {}
    for path in python_files():
        place = path.relative_to(PACKAGE).with_suffix("").parts
        if (PACKAGE / place[0]).is_dir():
            here = room_of(place)
            named = {room_of(parts) for parts in imported(ast.parse(path.read_text(encoding="utf-8"))) if parts}
            others = {name for name in named - {here} if (PACKAGE / name.split(" ")[0]).is_dir()}
            found.setdefault(here, set()).update(others)
    return found


def test_no_two_folders_of_the_package_depend_on_each_other():
    needs = folders()
    assert len(needs) >= 20
    both = {(a, b) for a in needs for b in needs[a] if a < b and a in needs.get(b, ())}
    assert not both


def test_there_is_an_order_in_which_the_folders_of_the_package_can_be_read():
    order = list(TopologicalSorter(folders()).static_order())  # raises where there is a circle
    assert order.index("data") < order.index("models") < order.index("learning") < order.index("commands")


def test_prediction_does_not_walk_through_learning():
    for folder in ("inference", "models", "structures", "choosing", "confidence"):
        assert "learning" not in folders()[folder]
    parts = imported(ast.parse((PACKAGE / "estimators" / "predicting.py").read_text(encoding="utf-8")))
    assert "learning" not in {part[0] for part in parts}


def upward_includes():
    """Includes of a folder that comes later in ORDER: "from/file -> to/file"."""
    for path in native_files():
        place = path.relative_to(NATIVE)
        for included in re.findall(r'^#include "([^"]+)"', path.read_text(encoding="utf-8"), re.MULTILINE):
            folder = included.split("/")[0]
            if folder in ORDER and ORDER.index(folder) > ORDER.index(place.parts[0]):
                yield f"{place} -> {included}"


def test_native_folders_include_those_before_them_only():
    assert not sorted(upward_includes())


def long_files():
    for path in [*python_files(), *native_files()]:
        lines = path.read_text(encoding="utf-8").count("\n")
        if lines > MOST_LINES:
            yield str(path.relative_to(ROOT)), lines


def test_no_file_is_so_long_that_it_must_hold_two_things():
    assert not sorted(long_files())


def python_functions(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            first = node.body[0].lineno if node.name == "__init__" else node.lineno  # parameters of estimators are many
            yield node.name, node.end_lineno - first + 1


def native_functions(path):
    """As clang-format lays them out: a function starts with a line that ends in `{` and ends with a `}` in the same column."""
    lines = path.read_text(encoding="utf-8").splitlines()
    for indent in ("", "  "):
        start = None
        for number, line in enumerate(lines):
            if start is None and re.match(rf"{indent}[^\s#/}}]", line) and line.endswith("{"):
                head = " ".join(lines[max(0, number - 3) : number + 1])
                is_function = "(" in head and not re.match(r"\s*(namespace|class|struct|union|enum|extern)\b", line)
                start = number if is_function else None
                name = line.strip()
            elif start is not None and re.match(rf"{indent}}}", line):
                yield name, number - start + 1
                start = None


def long_functions():
    for files, functions in ((python_files(), python_functions), (native_files(), native_functions)):
        for path in files:
            for name, lines in functions(path):
                if lines > MOST_OF_FUNCTION:
                    yield f"{path.relative_to(ROOT)}: {name}", lines


def test_no_function_is_long():
    assert not sorted(long_functions())


@for_rows(
    "path", NATIVE / "inference" / "search" / "engine.cpp", NATIVE / "core" / "chain_kernels.cpp", ids=lambda p: p.name
)
def test_the_reader_of_native_functions_finds_them(path):
    found = list(native_functions(path))
    assert len(found) >= 5
    assert all(1 < lines < 300 for _, lines in found)


# --- nothing outside a structure's own files asks which structure it has: files named for it define what differs -----
SOURCES = Path(__file__).parents[2] / "src" / "riata"
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
    return path.parent.parent.name == "structures"


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
    files = [path for path in sorted(SOURCES.rglob("*.py")) if not own_file(path)]
    assert len(files) > 200
    found = [
        f"{path.relative_to(SOURCES)}:{line}: {name}"
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
def test_every_structure_has_the_files_that_it_needs_in_its_folder(part):
    file, defined = registry.OF_STRUCTURES[part]
    for name in STRUCTURES:
        path = PACKAGE / "structures" / name.replace("-", "_") / f"{file}.py"
        assert path.exists() == (name in having(part))
        assert not path.exists() or f"\n{defined} = " in path.read_text(encoding="utf-8")


def test_folders_of_structures_hold_nothing_else():
    known = {"__init__", "templates", *(file for file, _ in registry.OF_STRUCTURES.values())}
    for name in STRUCTURES:
        assert {path.stem for path in (PACKAGE / "structures" / name.replace("-", "_")).glob("*.py")} <= known
