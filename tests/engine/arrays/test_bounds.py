"""Nothing leads out of its memory: the proof itself, all that asks it, and that nothing else makes such arrays."""

import ast
import itertools
import random
import re
from pathlib import Path

import numpy as np
import pytest

import tensh
from tensh.engine.arrays.bounds import MOST, count_elements, view_memory

ROOM = np.arange(7, dtype=np.float32)
HUGE = [
    0,
    1,
    2,
    3,
    7,
    2**24,
    2**31,
    2**32,
    2**40,
    2**61,
    2**61 + 1,
    2**62,
    2**63 - 1,
    2**63,
    2**64,
    2**64 + 1,
    -1,
    -(2**63),
]


# ── the proof ────────────────────────────────────────────────────────────────


def reached(shape, steps, start):
    """The places of all elements, in order, one after the other."""
    return [
        start + sum(i * s for i, s in zip(place, steps, strict=True)) for place in itertools.product(*map(range, shape))
    ]


def check(room, shape, steps, start):
    """An array is made if all its elements lie in the memory, and then has these; otherwise it is refused."""
    inside = start >= 0 and all(step >= 0 for step in steps)
    places = reached(shape, steps, start) if inside else []
    try:
        array = view_memory(room, room.dtype, shape, steps, start)
    except RuntimeError:
        array = None
    fits = inside and max(places, default=-1) < room.size
    assert fits == (array is not None), (shape, steps, start)
    assert not fits or array.reshape(-1).tolist() == places
    return fits


@pytest.mark.parametrize("ndim", [0, 1, 2])
def test_every_small_layout_is_made_or_refused_as_its_places_say(ndim):
    made = [
        check(ROOM[:size], shape, steps, start)
        for size in (0, 1, 4, 7)
        for shape in itertools.product(range(4), repeat=ndim)
        for steps in itertools.product(range(-1, 4), repeat=ndim)
        for start in range(-1, 8)
    ]
    assert 0 < sum(made) < len(made)


def test_small_layouts_of_more_dimensions():
    draw = random.Random(0).choices
    made = [check(ROOM, draw(range(4), k=3), draw(range(-1, 4), k=3), draw(range(-1, 4))[0]) for _ in range(4000)]
    assert 100 < sum(made) < len(made)


@pytest.mark.parametrize("dtype", [np.uint8, np.float32, np.complex128, tensh.bfloat16.numpy])
def test_huge_layouts_are_refused_unless_they_stay_inside(dtype):
    room, rng, made = np.zeros(7, dtype), random.Random(1), 0
    for _ in range(3000):
        ndim = rng.randrange(4)
        shape, steps = rng.choices(HUGE, k=ndim), rng.choices(HUGE, k=ndim)
        start = rng.choice(HUGE)
        try:
            array = view_memory(room, room.dtype, shape, steps, start)
        except RuntimeError:
            continue
        made += 1
        assert list(array.shape) == shape and start >= 0
        assert 0 in shape or 0 < count_elements(shape, steps, start) <= room.size
        assert array.nbytes <= MOST
    assert made


@pytest.mark.parametrize("number", [1.0, "1", None, [1], 1e300, float("nan")], ids=repr)
def test_what_is_no_whole_number_is_refused(number):
    for layout in (([number], [1], 0), ([1], [number], 0), ([1], [1], number)):
        with pytest.raises(TypeError):
            view_memory(ROOM, ROOM.dtype, *layout)


def test_whole_numbers_of_numpy_do_not_overflow():
    for kind in (np.int8, np.int64, np.uint8):
        assert view_memory(ROOM, ROOM.dtype, [kind(2)], [kind(3)], kind(1)).tolist() == [1, 4]
    with pytest.raises(RuntimeError):
        view_memory(ROOM, ROOM.dtype, [np.int64(2**61 + 1)], [np.int64(8)])


# ── who asks ─────────────────────────────────────────────────────────────────

OVERFLOW = "Storage size calculation overflowed with sizes={} and strides={}"
UNPACK = "{}(): argument '{}' failed to unpack the object at pos 1 with error \"Overflow when unpacking long long"
COUNT = "numel: integer multiplication overflow"
MISFIT = "set_() received an invalid combination of arguments"
CALLS = {  # a call of x, six numbers from 0 on, or of its storage s -> the error of PyTorch, or what comes out
    "x.set_(x, 0, (3,), (-1,))": OVERFLOW.format([3], [-1]),
    "x.set_(x, 0, (-3,), (1,))": COUNT,
    "x.set_(x, -1, (3,), (1,))": "Tensor: invalid storage offset -1",
    "x.set_(x, 0, (3, 3), (1,))": "unequal size length (2) and stride length (1)",
    "x.set_(x, 0, (2**24,), (2**40,))": OVERFLOW.format([2**24], [2**40]),
    "x.set_(x, 0, (2**61 + 1,), (8,))": OVERFLOW.format([2**61 + 1], [8]),
    "x.set_(x, 0, (2**62, 2), (1, 1))": COUNT,
    "x.set_(x, 2**62, (2,), (1,))": OVERFLOW.format([2], [1]),
    "x.set_(x, 2**64, (2,), (1,))": "Overflow when unpacking long long",
    "x.set_(x, 0, (2**63,), (1,))": UNPACK.format("set_", "size"),
    "x.set_(x, 0, (2,), (2**64,))": UNPACK.format("set_", "stride"),
    "x.set_(x, 0, (2.5,), (1,))": MISFIT,
    "x.set_(x, 0, 'ab', (1,))": MISFIT,
    "x.set_(x, True, (2,), (1,))": MISFIT,
    "x.set_(x, 0)": MISFIT,
    "x.set_(x, 0, 5)": MISFIT,
    "x.set_(5)": MISFIT,
    "x.set_(x.int())": "Could not set tensor of type int to a tensor of type float",
    "x.set_(s, 0, (3,), (-1,))": OVERFLOW.format([3], [-1]),
    "x.set_(s, 0, (2**24,), (2**40,))": OVERFLOW.format([2**24], [2**40]),
    "x.set_(s, 4, (2,), (1,)).tolist()": [4, 5],
    "x.set_(s, 0, (2, 2), (2, 1)).tolist()": [[0, 1], [2, 3]],
    "x.set_(x, 1, (2,), (3,)).tolist()": [1, 4],
    "x.set_(x, 0, (4,), (0,)).tolist()": [0, 0, 0, 0],
    "x.set_(x, 0, (8,), (1,)).tolist()[:6]": [0, 1, 2, 3, 4, 5],
    "x.set_(x.storage(), 0, (2,), (1,)).tolist()": [0, 1],
    "x.set_(torch.ones(7, dtype=torch.uint8).untyped_storage()).shape": (1,),
    "x.set_().shape": (0,),
    "torch.FloatTensor(x.storage()).tolist()": [0, 1, 2, 3, 4, 5],
    "x.as_strided((3,), (-1,))": "as_strided: Negative strides are not supported at the moment, got strides: [-1]",
    "x.as_strided((-3,), (1,))": OVERFLOW.format([-3], [1]),
    "x.as_strided((3,), (1,), -1)": "Tensor: invalid storage offset -1",
    "x.as_strided((3,), (1,), 4)": "setStorage: sizes [3], strides [1], storage offset 4, and itemsize 4 requiring a "
    "storage size of 28 are out of bounds for storage of size 24",
    "x.as_strided((3, 3), (1,))": "mismatch in length of strides and shape",
    "x.as_strided((2**24,), (2**40,))": OVERFLOW.format([2**24], [2**40]),
    "x.as_strided((2**61 + 1,), (8,))": OVERFLOW.format([2**61 + 1], [8]),
    "x.as_strided((2**62, 2), (0, 0))": COUNT,
    "x.as_strided((2**63,), (0,))": UNPACK.format("as_strided", "size"),
    "x.as_strided((2,), (2**62,))": OVERFLOW.format([2], [2**62]),
    "x.as_strided((2,), (1,), 2**63 - 1)": OVERFLOW.format([2], [1]),
    "x.as_strided((2,), (1,), 2**64)": "Overflow when unpacking long long",
    "x.as_strided((0,), (-1,))": "as_strided: Negative strides are not supported at the moment, got strides: [-1]",
    "x.as_strided_((7,), (1,))": "setStorage: sizes [7], strides [1], storage offset 0, and itemsize 4 requiring a "
    "storage size of 28 are out of bounds for storage of size 24",
    "x.as_strided_((-3,), (1,))": COUNT,
    "torch.as_strided_copy(x, (2**24,), (2**40,))": OVERFLOW.format([2**24], [2**40]),
    "torch.as_strided_scatter(x, x, (2**24,), (2**40,))": OVERFLOW.format([2**24], [2**40]),
    "torch.as_strided_scatter(x, x, (3,), (1,), -1)": "Tensor: invalid storage offset -1",
    "torch.empty_strided((3,), (-1,))": OVERFLOW.format([3], [-1]),
    "torch.empty_strided((-3,), (1,))": "Trying to create tensor with negative dimension -3: [-3]",
    "torch.empty_strided((2**24,), (2**40,))": OVERFLOW.format([2**24], [2**40]),
    "torch.empty_strided((2**62, 4), (1, 1))": OVERFLOW.format([2**62, 4], [1, 1]),
    "torch.empty_strided((2**63,), (1,))": UNPACK.format("empty_strided", "size"),
    "torch.empty_strided((1,), (-1,)).stride()": (1,),
    "x.new_empty_strided((2**24,), (2**40,))": OVERFLOW.format([2**24], [2**40]),
    "x.resize_(2**62)": f"Storage size calculation overflowed with sizes={[2**62]}",
    "x.resize_(2**61, 8)": COUNT,
    "x.resize_(2**63)": UNPACK.format("resize_", "size"),
    "x.resize_(-1)": COUNT,
    "x.resize_(2**46)": "[enforce fail at alloc_cpu.cpp:127] err == 0. DefaultCPUAllocator: can't allocate memory: you "
    f"tried to allocate {2**48} bytes. Error code 12 (Cannot allocate memory)",
    "x.unfold(0, 2, 2**62).tolist()": [[0, 1]],
    "x.unfold(0, 2**62, 1)": f"maximum size for tensor at dimension 0 is 6 but size is {2**62}",
    "torch.frombuffer(bytearray(8), dtype=torch.float32, offset=2**62)": f"offset ({2**62} bytes) must be non-negative "
    "and no greater than buffer length (8 bytes) minus 1",
    "torch.UntypedStorage(-1)": "[enforce fail at alloc_cpu.cpp:98] ((ptrdiff_t)nbytes) >= 0. alloc_cpu() seems to have "
    "been called with negative number: 18446744073709551615",
    "torch.UntypedStorage(2**64)": "Overflow when unpacking long long",
    "torch.UntypedStorage([1, 2]).tolist()": [1, 2],
    "torch.UntypedStorage('a')": "torch.UntypedStorage(): tried to construct a storage from a sequence (str), but one of "
    "the items was of type str instead of int",
    "torch.UntypedStorage().nbytes()": 0,
    "s[0:2].tolist()": [0, 0],
    "s[100]": "index 100 out of range for storage of size 24",
    "s[-25]": "index -1 out of range for storage of size 24",
    "torch.FloatStorage(2**61)": "Overflow when unpacking long long",
    "x.storage().resize_(-1)": "[enforce fail at alloc_cpu.cpp:98] ((ptrdiff_t)nbytes) >= 0. alloc_cpu() seems to have "
    "been called with negative number: 18446744073709551612",
}  # fmt: skip


def run(code, torch):
    """What a call gives, or (type, first line) of the error that it raises."""
    x = torch.arange(6.0)
    try:
        made = eval(code, {"torch": torch, "x": x, "s": x.untyped_storage()})
    except Exception as error:
        return type(error).__name__, str(error).partition("\n")[0]
    return tuple(made) if type(made).__name__ == "Size" else made


@pytest.mark.parametrize("code, expected", CALLS.items(), ids=CALLS)
@pytest.mark.filterwarnings("ignore:TypedStorage is deprecated")
def test_calls_that_lead_out_of_the_memory_are_refused(code, expected):
    found = run(code, tensh)
    assert found[1].startswith(expected) if isinstance(expected, str) else found == expected


@pytest.mark.filterwarnings("ignore:TypedStorage is deprecated")
@pytest.mark.parametrize("code", CALLS)
def test_pytorch_refuses_them_in_the_same_words(code, oracle):
    expected, found = run(code, oracle), run(code, tensh)
    if isinstance(expected, tuple) and expected and isinstance(expected[0], str):
        assert found[0] == expected[0] and found[1].startswith(expected[1].rstrip('"'))
    else:
        assert found == expected


def test_memory_of_another_library_is_not_read_backwards():
    with pytest.raises(RuntimeError, match="Storage size calculation overflowed"):
        tensh.from_dlpack(np.arange(4.0)[::-1])


# ── nobody else makes such arrays ────────────────────────────────────────────

SOURCES = Path(tensh.__file__).parent
UNPROVED = {  # where arrays are made of addresses or strides without the proof, and why
    "engine/arrays/absent.py": "arrays that say what has no elements, and of which nothing is read",
    "engine/arrays/bounds.py": "the proof itself",
    "engine/arrays/memory.py": "arrays over the same memory as one that is there, of the same extent",
    "engine/dispatch/vmap/batched.py": "an array that answers for a sample refuses to show its memory",
    "engine/operators/basic.py": "expand: strides are those of the array or 0, which leads nowhere else; a third of the time",
    "serialization/writing.py": "the address of a block tells whether it was written already",
    "engine/methods/creation/capsules.py": "two bytes of the table behind a capsule, which is no array",
    "engine/arrays/floating_errors.py": "the settings of NumPy, at the address in its capsule, which are no array",
    "cli/session/files/saving.py": "the same",
}
NAMES = {"as_strided", "__array_interface__", "__array_struct__", "from_address", "from_buffer", "sliding_window_view"}
MENTIONS = re.compile("|".join([*NAMES, "ndarray", "stride_tricks"]))  # others need not be parsed


def makes_arrays(tree):
    """Return True if code calls ``ndarray`` with a buffer, or names what else makes an array of an address or of strides."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and len(node.args) + len(node.keywords) > 2:
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            if name == "ndarray":
                return True
        if isinstance(node, ast.Attribute) and node.attr in NAMES:
            library = getattr(node.value, "attr", getattr(node.value, "id", ""))
            if node.attr != "as_strided" or library in ("stride_tricks", "np"):
                return True
        if isinstance(node, ast.ImportFrom) and node.module and "stride_tricks" in node.module:
            return True
    return False


def test_arrays_of_strides_are_made_where_they_are_proved():
    texts = {path.relative_to(SOURCES).as_posix(): path.read_text(encoding="utf-8") for path in SOURCES.rglob("*.py")}
    found = {path for path, text in texts.items() if MENTIONS.search(text) and makes_arrays(ast.parse(text))}
    assert found == UNPROVED.keys()
