"""Model files mangled in every way, with a right checksum."""

import copy
import json
import random
import time

import numpy as np

from riata.measuring.cost import peak_mb
from riata.models import container

HOSTILE = [
    None, True, False, 0, 1, -1, 2, 7, 1e308, -1e308, float("nan"), float("inf"), 1 << 31, 1 << 32, 1 << 63, 10**400, "", "O", "word[0]",
    "\x00", "edge", "number(0)[0]", "number(99999999)[0]", "nosuch[0]", "word[9]", "word[-8] word[8]",
    "x" + "9" * 5000 + "[0]", "shape(²)[0]",
    "word[0]\nword[1]", "%x[0,0]", "U00:%x[0,0]", "a b", "[/red]", "é" * 100, [], [[]], [1], ["O"], ["a", "a"], ["O"] * 300, {}, {"a": 1},
    {"average": "maybe"}, {"arrays": []}, [str(i) for i in range(5000)], "tag", "ner", "iob2", "bilou",
    "perceptron", "os.system", "chain", "exact",
]  # fmt: skip
EXTREMES = [0, 1, 2, 15, 16, 17, 127, 128, 255, 256, 65535, 65536, (1 << 31) - 1, 1 << 31, (1 << 32) - 1]


def nested(depth):
    value = []
    for _ in range(depth):
        value = [value]
    return value


def places_in(value, path=()):
    """Every path into a JSON value."""
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield from places_in(inner, (*path, key))


def mangle_json(rng, value):
    paths = [path for path in places_in(value) if path]
    *outer, key = rng.choice([path for path in paths if len(path) == 1] if rng.random() < 0.3 else paths)
    parent = value
    for step in outer:
        parent = parent[step]
    action = rng.randrange(5)
    if action == 0:
        del parent[key]
    elif action == 1 and isinstance(parent, list):
        parent.insert(key, copy.deepcopy(rng.choice(parent)))
    elif action == 2 and isinstance(parent, list):
        rng.shuffle(parent)
    elif action == 3 and isinstance(parent, dict):
        parent[rng.choice(["", "x", "[/x]", *parent])] = copy.deepcopy(parent[key])
    else:
        parent[key] = nested(200) if rng.random() < 0.02 else copy.deepcopy(rng.choice(HOSTILE))


def mangled_bytes(rng, content):
    """Bytes changed, cut out or doubled, anywhere behind the checksum."""
    body = bytearray(content[64:])
    for _ in range(rng.randrange(1, 6)):
        at, length = rng.randrange(len(body)), rng.choice([1, 1, 1, 4, 64])
        action = rng.randrange(4)
        if action == 0:
            body[at : at + length] = rng.randbytes(length)
        elif action == 1:
            body[at] ^= 1 << rng.randrange(8)
        elif action == 2:
            del body[at : at + length]
        else:
            body[at:at] = body[at : at + length]
    return resealed(content, bytes(body))


def resealed(content, body, header_size=None):
    fixed = container._FIXED
    magic, version, zero, old, _ = fixed.unpack(content[: fixed.size])
    start = fixed.pack(magic, version, zero, old if header_size is None else header_size, 64 + len(body))
    return start + container._digest(start, body) + body


def mangled_header(rng, content):
    header, arrays = container.unpack(memoryview(content))
    for _ in range(rng.choice([1, 1, 1, 2, 4])):
        mangle_json(rng, header)
    return container.pack({key: value for key, value in header.items() if key != "arrays"}, arrays)


def mangled_places(rng, content):
    """The list of arrays in the header: names, types, sizes, offsets."""
    text, data = content[64:], b""
    size = container._FIXED.unpack(content[: container._FIXED.size])[3]
    data = text[-(-size // 64) * 64 :]
    header = json.loads(text[:size])
    place = rng.choice(header["arrays"])
    other = rng.choice(header["arrays"])
    action = rng.randrange(5)
    if action == 0:
        place[rng.choice(list(place))] = rng.choice([*HOSTILE, *EXTREMES])
    elif action == 1:
        key = rng.choice(list(place))
        place[key], other[key] = other[key], place[key]
    elif action == 2:
        place["dtype"] = rng.choice(["u1", "u2", "u4", "i4", "i8", "f4", "f8"])
    elif action == 3:
        place["size"] = max(0, place["size"] + rng.randrange(-70, 70))
    else:
        header["arrays"].remove(place)
    new = json.dumps(header).encode()
    return resealed(content, new.ljust(-(-len(new) // 64) * 64) + data, len(new))


def mangled_arrays(rng, content):
    """Contents of arrays, in a container that is in order."""
    header, arrays = container.unpack(memoryview(content))
    names = [name for name in arrays if arrays[name].size] if rng.random() < 0.8 else list(arrays)
    for _ in range(rng.choice([1, 1, 2, 3])):
        name = rng.choice(names)
        array = arrays[name].copy()
        action = rng.randrange(9)
        if action <= 2 and array.size:
            values = [1e38, -3e38, 3e38, np.nan, np.inf, 0.0] if array.dtype.kind == "f" else EXTREMES
            top = np.inf if array.dtype.kind == "f" else np.iinfo(array.dtype).max
            array[rng.randrange(array.size)] = rng.choice([value for value in values if not value > top])
        elif action == 3:
            array = array[: rng.randrange(array.size + 1)]
        elif action == 4:
            array = np.concatenate([array, array])
        elif action == 5:
            array = rng.choice([array[::-1], np.sort(array), np.zeros_like(array), np.full_like(array, 255)])
        elif action == 6:
            array = np.array(
                array[:], rng.choice([np.uint8, np.uint16, np.uint32, np.int32, np.int64, np.float32, np.float64])
            )
            array = -array if array.dtype.kind == "i" and rng.random() < 0.5 else array
        elif action == 7:
            arrays[name], arrays[other] = arrays[other := rng.choice(names)], arrays[name]
            continue
        elif action == 8:
            array = np.array([rng.choice(EXTREMES) for _ in range(array.size)], np.int64).astype(array.dtype)
        arrays[name] = array
    return container.pack(header, arrays)


def try_mangled(mangled, content, check, *, times, most_mb):
    """check(mangled file) for many files, each soon and in little memory; it says whether the file was accepted."""
    before, survived = peak_mb(), 0
    for seed in range(times):
        began = time.perf_counter()
        survived += check(mangled(random.Random(seed), content))
        assert time.perf_counter() - began < 5, f"seed {seed} takes too long"
    assert peak_mb() - before < most_mb, "a mangled file made the loader ask for much memory"
    assert survived < times, "every mangled file was accepted: the mangling does nothing"
