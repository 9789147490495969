"""What no file can do: pickles that mean ill, files that unpack to a multiple of their length, states that NumPy fails at."""

import pickle

import numpy as np
import pytest

import tensh
from tests.serialization.files import load
from tests.support.checkpoints import packed, saved

TENSOR = b"ctorch._utils\n_rebuild_tensor_v2\n"
DOUBLED = b")" + b"q\x00h\x00\x86" * 60
ILL = {
    "an attribute of a function": TENSOR + b"N}X\x0c\x00\x00\x00__defaults__)s\x86b",
    "an attribute of a class": b"ctorch\nTensor\nN}X\x03\x00\x00\x00sumNs\x86b",
    "the state of a class": b"ccollections\nOrderedDict\n}X\x05\x00\x00\x00itemsNsb",
    "a tensor from its class": b"ctorch\nTensor\n)R",
    "a key of tuples in tuples": b"})" + b"\x85" * 300_000 + b"Ns",
    "a key that doubles itself": b"}" + DOUBLED + b"Ns",
    "a set of what doubles itself": b"c__builtin__\nset\n]" + DOUBLED + b"a\x85R",
    "a memo of four billion": b"Nr\xff\xff\xff\xff0j\xfe\xff\xff\xff",
    "a number of two billion bytes": b"\x8b\xff\xff\xff\x7f\x01",
    "bytes without end": b"\x8e\xff\xff\xff\xff\xff\xff\xff\x7f",
    "a bytearray of a number": b"c__builtin__\nbytearray\n\x8a\x06\x00\x00\x00\x00\x00\x10\x85R",
    "a name of a module of modules": b"ctorch.nn.modules.module\nrebuild_module\nX\x04\x00\x00\x00this\x86R",
    "a method of a class": b"cbuiltins\nstr.format\n.",
    "an instruction of another protocol": b"iposix\nsystem\n",
    "an extension": b"\x82\x01",
    "nothing on the stack": b"R",
    "a mark that nobody set": b"t",
    "a defaultdict that makes tensors": b"ccollections\ndefaultdict\n" + TENSOR + b"\x85R",
    "an array of objects": b"cnumpy\ndtype\nX\x02\x00\x00\x00O8\x89\x88\x87R",
    "text that is none": b"X\x02\x00\x00\x00\xff\xff",
}


@pytest.mark.parametrize("weights_only", [True, False])
@pytest.mark.parametrize("name", ILL)
def test_a_pickle_that_means_ill_is_refused(name, weights_only):
    before = tensh.Tensor.sum, tensh.serialization.load.__defaults__
    for data in packed(b"\x80\x02" + ILL[name] + b"."), b"\x80\x02" + ILL[name] + b".":
        with pytest.raises((RuntimeError, pickle.UnpicklingError, EOFError)) as refused:
            load(data, weights_only=weights_only)
        assert str(refused.value) and "\n" not in str(refused.value)
    assert (tensh.Tensor.sum, tensh.serialization.load.__defaults__) == before


TEXT = b"X\xa0\x86\x01\x00" + b"a" * 100_000 + b"q\x01X\x06\x00\x00\x00latin1q\x02"
LIST = b"](" + b"K\x01" * 100_000 + b"eq\x01"
ITEMS = b"".join(b"J" + number.to_bytes(4, "little") + b"N" for number in range(10_000))
BOMBS = {  # a little that is made a thousand times
    "a text": TEXT + b"c_codecs\nencode\nq\x03](" + b"h\x03h\x01h\x02\x86R" * 1000 + b"e",
    "a set": LIST + b"c__builtin__\nset\nq\x03](" + b"h\x03h\x01\x85R" * 1000 + b"e",
    "a size": LIST + b"\x85q\x01ctorch\nSize\nq\x03](" + b"h\x03h\x01R" * 1000 + b"e",
    "attributes": b"}(" + ITEMS + b"uq\x010](" + b"ccollections\nOrderedDict\n)Rh\x01b" * 1000 + b"e",
}
BOMBS_BEYOND = {"a generator": b"ctorch._C\nGenerator\nq\x01](" + b"h\x01)R" * 10_000 + b"e"}


@pytest.mark.parametrize("name", [*BOMBS, *BOMBS_BEYOND])
def test_what_a_file_makes_is_no_multiple_of_its_length(name):
    data = packed(b"\x80\x02" + (BOMBS | BOMBS_BEYOND)[name] + b".")
    for weights_only in [False] if name in BOMBS_BEYOND else [True, False]:
        with pytest.raises(
            RuntimeError,
            match="damaged: (it builds more values than a file of its length can hold|it contains an invalid size)",
        ):
            load(data, weights_only=weights_only)


def test_numbers_that_were_saved_with_a_conjugation_to_do_are_made_once():
    storage = (
        b"((X\x07\x00\x00\x00storagectorch\nComplexFloatStorage\nX\x01\x00\x00\x000X\x03\x00\x00\x00cpuK\x02tQK\x00"
    )
    size = b"\x8a\x05\x00\x00\x00\x00\x08\x85"  # 2^35 times the same element
    rest = b"\x89ccollections\nOrderedDict\n)R}X\x04\x00\x00\x00conj\x88st"
    pickled = b"\x80\x02ctorch._utils\n_rebuild_tensor_v2\n" + storage + size + b"K\x00\x85" + rest + b"R."
    data = packed(pickled, [("data/0", b"\0" * 16)])
    assert load(data).shape == load(data, map_location="meta").shape == (2**35,)


class Says:
    """What a pickle says is made by a function of some arguments, and then given a state."""

    def __init__(self, function, arguments, state):
        self.reduced = function, arguments, state

    def __reduce__(self):
        return self.reduced


def typed(code, *state):
    """A type of NumPy with a given state."""
    return Says(np.dtype, (code, False, True), state)


def elements(dtype, shape=(2,), content=b"\2" * 16, fortran=False, version=1):
    """An array of NumPy with a given state."""
    return Says(np._core.multiarray._reconstruct, (np.ndarray, (0,), b"b"), (version, shape, dtype, fortran, content))


NONE = (None, None, None)
STATES = {  # a type, or an array of it, that NumPy itself fails at or must not get to see
    "no bytes": typed("S4", 3, "|", *NONE, 0, 1, 0),
    "bytes below zero": typed("U3", 3, "<", *NONE, -12, 4, 8),
    "more bytes": typed("S4", 3, "|", *NONE, 2**40, 1, 0),
    "another order": typed("f8", 3, "?", *NONE, -1, -1, 0),
    "an order that is no text": typed("f8", 3, 1, *NONE, -1, -1, 0),
    "a part of arrays": typed("f8", 3, "<", ("f8", (2,)), None, None, 16, 8, 0),
    "names of parts": typed("f8", 3, "<", None, ("a",), {"a": (1, 0)}, 16, 8, 0),
    "a type without end": typed("U999999999", 3, "<", *NONE, -1, 4, 8),
    "a type of objects": typed("O", 3, "|", *NONE, -1, -1, 63),
    "a type of memory": typed("V8", 3, "|", *NONE, 8, 1, 0),
    "a time of no unit": typed("M8", 4, "<", *NONE, -1, -1, 0, (None, (b"xx", 1, 1, 1))),
    "a time of many units": typed("M8", 4, "<", *NONE, -1, -1, 0, (None, (b"ns", 2**40, 1, 1))),
    "a time divided by zero": typed("m8", 4, "<", *NONE, -1, -1, 0, (None, (b"ns", 1, 0, 1))),
    "an array longer than its shape": elements(np.dtype("f8"), (3,)),
    "a shape below zero": elements(np.dtype("f8"), (-1, -2)),
    "a shape that overflows": elements(np.dtype("f8"), (2**62, 2**62)),
    "an empty shape that overflows": elements(np.dtype("f8"), (0, 2**62, 2**62), b""),
    "an array of a number": elements(8),
    "elements that are a list": elements(np.dtype("f8"), (2,), [1.0, 2.0]),
}
KEPT = {  # a value that NumPy would make of a state, and the value here
    "an alignment of nothing": typed("f8", 3, "<", *NONE, -1, 0, 0),
    "an alignment below zero": typed("U3", 3, "<", *NONE, 12, -(2**31), 8),
    "flags of objects": typed("f8", 3, "<", *NONE, -1, -1, 63),
    "flags that are a text": typed("f8", 3, "<", *NONE, -1, -1, "x"),
}


@pytest.mark.parametrize("name", STATES)
def test_a_state_of_numpy_that_makes_no_sense_is_refused(name):
    with pytest.raises((RuntimeError, pickle.UnpicklingError)) as refused:
        load(packed(pickle.dumps(STATES[name], 2)), weights_only=False)
    assert str(refused.value) and "\n" not in str(refused.value)


@pytest.mark.parametrize("name", KEPT)
def test_no_number_of_a_state_gets_to_numpy(name):
    code = KEPT[name].reduced[1][0]
    made = load(packed(pickle.dumps(KEPT[name], 2)), weights_only=False)
    assert made == np.dtype(code)
    assert (made.itemsize, made.alignment, made.flags) == tuple(
        getattr(np.dtype(code), fact) for fact in ("itemsize", "alignment", "flags")
    )


@pytest.mark.parametrize(
    "code", ["f4", ">f4", "<u2", "?", "S3", "<U3", ">U3", "c16", "M8[ns]", "m8[25s]", ">M8[D]", "M8"]
)
def test_types_of_numpy_come_back(code):
    array = np.arange(6).astype(np.int64).view("M8[ns]" if "M" in code else "i8").astype(code).reshape(2, 3)
    for value in (array.dtype, array, array.T, array[1, 1], array[:0]):
        back = load(saved(value), weights_only=False)
        assert type(back) is type(value) and np.array_equal(back, value)
        if isinstance(value, np.ndarray):
            assert back.dtype == value.dtype.newbyteorder("=")  # as NumPy reads pickles


def test_truth_values_are_zero_or_one():
    truths = load(packed(pickle.dumps(elements(np.dtype("?"), (16,)), 2)), weights_only=False)
    assert truths.view(np.uint8).tolist() == [1] * 16
