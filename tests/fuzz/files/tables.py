"""Changes to JSON, to the header of safetensors, to the table of a session and to the header of a .npy file."""

import copy
import json
import re

from tests.fuzz.files.mutators import NUMBERS, change_bytes

ODD = [*NUMBERS, -1, -(2**63), 2**200, 0.5, 1e300, None, "x", "", "\x1b]52;c;eA==\a", "\ud800", [], {}, [[]], True, [2**63, 0], [0, 0],
       [1] * 100, "0x1p99999", "__import__('os').system('true')", "\u202e"]  # fmt: skip
KINDS = (
    "plain",
    "float",
    "complex",
    "list",
    "tuple",
    "set",
    "frozenset",
    "dict",
    "OrderedDict",
    "state",
    "Size",
    "dtype",
    "tensor",
    "array",
)


def places(value):
    """Every (container, key) of a JSON value."""
    found, waiting = [], [value]
    while waiting:
        container = waiting.pop()
        for key in container if isinstance(container, dict) else range(len(container)):
            found.append((container, key))
            if isinstance(container[key], (dict, list)):
                waiting.append(container[key])
    return found


def change_value(rng, value):
    """Replace, remove, double or wrap some parts of a JSON value."""
    for _ in range(rng.choice((1, 1, 2, 3))):
        all_places = places(value)
        if not all_places:
            return
        container, key = rng.choice(all_places)
        there, odd = container[key], copy.deepcopy(rng.choice(ODD))  # a shared list would soon contain itself
        match rng.randrange(7):
            case 0 | 1:
                container[key] = odd
            case 2:
                del container[key]
            case 3:
                other, name = rng.choice(all_places)
                if name in other if isinstance(other, dict) else name < len(other):
                    container[key] = again(other[name])
            case 4 if isinstance(there, list):
                there.append(rng.choice([odd, *there]))
            case 5 if isinstance(container, dict):
                container[rng.choice(KINDS)] = there
            case _:
                for _ in range(rng.choice((1, 3, 60, 60, 900))):
                    there = rng.choice(([there], {"list": [there]}, {"a": there}))
                container[key] = there


def again(value):
    """A copy of a JSON value, which may be nested more deeply than json allows."""
    try:
        return json.loads(json.dumps(value))
    except (RecursionError, ValueError):
        return 0


def change_json(rng, data, others=()):
    """A document of JSON."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return change_bytes(rng, data, others)
    if not isinstance(value, (dict, list)) or rng.random() < 0.25:
        return change_bytes(rng, data, others)
    change_value(rng, value)
    return write_value(rng, value)


def write_value(rng, value):
    try:
        text = json.dumps(value, ensure_ascii=rng.random() < 0.5).encode("utf-8", "surrogatepass")
    except (RecursionError, ValueError):
        return b"[" * 3000
    if rng.random() < 0.03:
        text = rng.choice((b"[", b'{"a":', b"-", b'"', b"[[],")) * rng.choice((1000, 20_000)) + text
    return text


def change_table(rng, data, others=()):
    """The header of a file of safetensors; in a session, the table that it holds as text."""
    length = int.from_bytes(data[:8], "little")
    try:
        header = json.loads(data[8 : 8 + length])
    except (ValueError, RecursionError):
        return change_bytes(rng, data, others)
    if not isinstance(header, dict) or rng.random() < 0.2:
        return change_bytes(rng, data, others)
    rest, texts = data[8 + length :], header.get("__metadata__")
    inside = isinstance(texts, dict) and texts.get("tensh")
    if isinstance(inside, str) and rng.random() < 0.8:
        texts["tensh"] = change_json(rng, inside.encode("utf-8", "surrogatepass")).decode("utf-8", "replace")
    else:
        change_value(rng, header)
    text = write_value(rng, header)
    length = rng.choice(NUMBERS) if rng.random() < 0.05 else len(text)
    return min(length, 2**64 - 1).to_bytes(8, "little") + text + rest


# ── .npy ─────────────────────────────────────────────────────────────────────

TYPES = ["|O", "<f8", ">f4", "<U1000000000", "<U3", "|V2000000000", "|V8", "<M8[s]", "<M8", "x", [("a", "<f8"), ("b", "|O")], [("a", "<f8", (2, 2))],
         "|S0", "<U0", "c16", "?", "<g", ("<f8", (2**31, 2**31)), "|b1", "e", "<m8[25ns]"]  # fmt: skip
TEXTS = [
    "(" * 5000,
    "{" * 5000,
    "__import__('os').system('true')",
    "[0] * 10 ** 12",
    "9" * 9000,
    "-" * 9000,
    "{'a': " * 90,
    "1 if 1 else 2",
]
PREFIX = 10  # bytes of the magic, the version and the length


def change_npy(rng, data, others=()):
    """The header of a .npy file with another shape, order or type."""
    length = int.from_bytes(data[8:10], "little")
    text, rest = data[PREFIX : PREFIX + length].decode("latin1"), data[PREFIX + length :]
    if not data.startswith(b"\x93NUMPY") or "shape" not in text or rng.random() < 0.3:
        return change_bytes(rng, data, others)
    match rng.randrange(6):
        case 0 | 1:
            sizes = ", ".join(
                str(rng.choice([*NUMBERS, -1, 1.5, "'a'", "()", "True"])) for _ in range(rng.choice((1, 1, 2, 3, 40)))
            )
            text = re.sub(r"\(.*\)", f"({sizes},)", text)
        case 2 | 3:
            text = re.sub(r"'descr': ('[^']*')", lambda _: f"'descr': {rng.choice(TYPES)!r}", text)
        case 4:
            text = rng.choice(TEXTS)
        case _:
            text = change_bytes(rng, text.encode("latin1")).decode("latin1")
    text = text.encode("latin1")[:60_000]
    version = bytes([rng.choice((1, 1, 1, 1, 2, 3, 9)), 0])
    length = len(text).to_bytes(2 if version[0] == 1 else 4, "little")
    return data[:6] + version + length + text + rest
