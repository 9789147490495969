"""What torch.load makes of a file beyond tensors, what it refuses, and what no file can do."""

import collections
import io
import mmap
import pickle
import sys

import numpy as np
import pytest

import tensh
from tests.support.checkpoints import PYTORCHS, contents, loaded, packed, saved, show

LEGACY = PYTORCHS.with_name("legacy.pt")  # plain(torch), as PyTorch 2.13 wrote it in the format from before 1.6
OLD = {"_use_new_zipfile_serialization": False}


def load(obj, torch=tensh, **options):
    return tensh.load(io.BytesIO(obj if isinstance(obj, bytes) else saved(obj, torch)), **options)


def write(obj, torch=tensh, **options):
    file = io.BytesIO()
    torch.save(obj, file, **options)
    return file.getvalue()


def plain(torch):
    """What a checkpoint of the old format may hold; PyTorch cannot read uint32 back from it."""
    return {key: value for key, value in contents(torch).items() if key != "u"}


def attributed(torch):
    """Tensors with all that is said of them beside their elements."""
    x = torch.arange(6.0).view(2, 3)
    weight, named = torch.nn.Parameter(torch.ones(2)), torch.ones(2)
    weight.rate, named.unit = 0.5, "m"
    return {
        "x": x, "column": x[:, 1], "row": x.t(), "wide": torch.ones(1, 3).expand(4, 3), "weight": weight, "named": named,
        "result": weight * 2, "turned": torch.ones(2, 3, 4).permute(2, 0, 1), "conj": torch.tensor([1 + 2j]).conj(),
        "neg": torch.tensor([1 + 2j]).conj().imag,
    }  # fmt: skip


def same_tensors(found, expected):
    for name, tensor in expected.items():
        there = found[name]
        assert repr(there.detach()) == repr(tensor.detach()), name
        assert (there.requires_grad, there.is_leaf) == (tensor.requires_grad, True), name
        assert name in ("conj", "neg") or there.stride() == tensor.stride(), name
    assert (found["weight"].rate, found["named"].unit) == (0.5, "m")
    found["x"][0, 1] = 9
    assert found["column"][0] == 9 and found["row"][1, 0] == 9


@pytest.mark.parametrize("options", [{}, OLD, {"pickle_protocol": 4}, {**OLD, "pickle_protocol": 5}])
def test_tensors_come_back_with_all_that_is_said_of_them(options):
    same_tensors(loaded(write(attributed(tensh), **options)), attributed(tensh))
    assert show(loaded(write(contents(tensh), **options))) == show(contents(tensh))


@pytest.mark.oracle
@pytest.mark.parametrize("options", [{}, OLD])
def test_tensors_go_both_ways(options):
    torch = pytest.importorskip("torch")
    same_tensors(loaded(write(attributed(torch), torch, **options)), attributed(tensh))
    same_tensors(loaded(write(attributed(tensh), **options), torch), attributed(torch))


# ── the format from before 1.6 ───────────────────────────────────────────────
def test_an_old_file_of_pytorch():
    there = tensh.load(LEGACY)
    assert show(there) == show(plain(tensh))
    there["a"][0, 1] = 99
    assert there["b"][0] == 99


@pytest.mark.oracle
def test_old_files_go_to_pytorch():
    torch = pytest.importorskip("torch")
    assert show(loaded(write(plain(tensh), **OLD), torch)) == show(plain(torch))


def test_old_files_one_behind_the_other():
    file = io.BytesIO()
    for number in range(3):
        tensh.save(tensh.full((2,), number), file, **OLD)
    file.seek(0)
    assert [tensh.load(file).tolist() for _ in range(3)] == [[0, 0], [1, 1], [2, 2]]


# ── weights_only ─────────────────────────────────────────────────────────────
def layers(torch):
    nn = torch.nn
    torch.manual_seed(0)
    return [
        nn.Linear(2, 3), nn.Conv2d(2, 4, 3, padding="same"), nn.BatchNorm2d(3), nn.Embedding(4, 3), nn.LSTM(2, 3, 2),
        nn.MultiheadAttention(4, 2), nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.Dropout()), nn.ModuleDict({"a": nn.GELU()}),
        nn.ParameterList([torch.ones(1)]), nn.CrossEntropyLoss(), nn.TransformerEncoderLayer(4, 2),
    ]  # fmt: skip


def odd(torch):
    """What comes back only where weights_only=False is said."""
    return [
        np.float64(2), np.arange(6).reshape(2, 3), np.array(["a", "bc"]), np.bool_(True), np.complex64(2j), frozenset([1]), range(3),
        collections.defaultdict(int, a=1), slice(1, 2), ..., torch.nn.ReLU, torch.nn.utils.rnn.pack_sequence([torch.ones(2)]),
    ]  # fmt: skip


def default(torch):
    """What always does."""
    return [b"abc", bytearray(b"a"), torch.strided, torch.Size([1]), 1 + 2j, {1: {2}}, collections.Counter("aa"), torch.device("cuda:1"),
            torch.float16, 2**70, [None, True, 1.5, "é\ud800"], torch.Generator().manual_seed(5).get_state()]  # fmt: skip


@pytest.mark.parametrize("number", range(11))
def test_whole_modules_are_loaded_where_it_is_said(number):
    layer = layers(tensh)[number]
    data = saved(layer)
    with pytest.raises(
        pickle.UnpicklingError, match="Weights only load failed.*With weights_only=False tensh builds it"
    ):
        load(data)
    there = load(data, weights_only=False)
    assert repr(there) == repr(layer) and type(there) is type(layer)
    assert all(tensh.equal(value, layer.state_dict()[name]) for name, value in there.state_dict().items())


@pytest.mark.parametrize("number", range(12))
def test_values_that_are_loaded_where_it_is_said(number):
    value = odd(tensh)[number]
    data = saved(value)
    with pytest.raises(pickle.UnpicklingError, match="Unsupported global: GLOBAL"):
        load(data)
    for protocol in 2, 4:
        there = load(write(value, pickle_protocol=protocol), weights_only=False)
        assert (repr(there), type(there)) == (repr(value), type(value))


@pytest.mark.oracle
def test_modules_and_values_go_both_ways():
    torch = pytest.importorskip("torch")
    for theirs, ours in zip(
        [*layers(torch), *odd(torch), *default(torch)], [*layers(tensh), *odd(tensh), *default(tensh)], strict=True
    ):
        assert repr(load(saved(theirs, torch), weights_only=False)) == repr(ours)
        assert repr(torch.load(io.BytesIO(saved(ours)), weights_only=False)) == repr(theirs)
    for theirs, ours in zip(default(torch), default(tensh), strict=True):
        assert repr(load(saved(theirs, torch))) == repr(ours) and repr(loaded(saved(ours), torch)) == repr(theirs)
    lstm, x = layers(tensh)[4], np.ones((3, 1, 2), np.float32)
    there = torch.load(io.BytesIO(saved(lstm)), weights_only=False)
    assert np.allclose(there(torch.from_numpy(x))[0].detach(), lstm(tensh.from_numpy(x))[0].detach(), atol=1e-6)


def test_a_generator_goes_on():
    generator = tensh.Generator().manual_seed(7)
    there = load(generator, weights_only=False)
    assert tensh.equal(tensh.rand(3, generator=there), tensh.rand(3, generator=generator))


CALLED = []


class Model(tensh.nn.Module):
    def __init__(self):
        super().__init__()
        CALLED.append("the constructor")
        self.weight = tensh.nn.Parameter(tensh.ones(2))

    def forward(self, x):
        return x * self.weight


class Meters(tensh.Tensor):
    pass


def test_a_class_of_the_program_is_made_without_its_constructor():
    data = saved(Model())
    CALLED.clear()
    there = load(data, weights_only=False)
    assert tensh.equal(there(tensh.ones(2)), tensh.ones(2)) and not CALLED
    assert type(load(tensh.ones(1).as_subclass(Meters), weights_only=False)) is Meters
    gone = data.replace(b"cModel", b"cModem") if b"cModel" in data else data.replace(b"\nModel\n", b"\nModem\n")
    assert gone != data
    with pytest.raises(pickle.UnpicklingError, match="tensh runs no code of a file, whatever weights_only is"):
        load(repacked(gone), weights_only=False)


def repacked(data):
    """An archive whose sums of its records are right again."""
    import zipfile

    start = data.index(b"\x80\x02")
    return packed(
        data[start : data.index(b".PK", start) + 1], [("data/0", np.ones(2, np.float32).tobytes())], zipfile.ZIP_STORED
    )


def test_no_module_is_imported_for_a_file():
    sys.modules.pop("this", None)
    for weights_only in True, False:
        with pytest.raises(pickle.UnpicklingError):
            load(packed(b"\x80\x02cthis\ns\n."), weights_only=weights_only)
    assert "this" not in sys.modules


# ── arguments ────────────────────────────────────────────────────────────────
CUDA = "Attempting to deserialize object on a CUDA device but torch.cuda.is_available() is False. If you are running on a CPU-only"
PLACES = {
    "None": (None, None), "a text": ("cpu", None), "a device": (tensh.device("cpu"), None), "a dict": ({"cuda:1": "cpu"}, None),
    "a function": (lambda storage, where: storage, None), "a function that leaves it": (lambda storage, where: None, None),
    "cuda": ("cuda:0", (RuntimeError, CUDA)), "to cuda": ({"cpu": "cuda:1"}, (RuntimeError, CUDA)),
    "nowhere": ("zzz", (RuntimeError, "don't know how to restore data location of torch.storage.UntypedStorage (tagged with zzz)")),
    "a number": (0, (TypeError, "'int' object is not callable")),
}  # fmt: skip


@pytest.mark.parametrize("place, error", PLACES.values(), ids=PLACES)
def test_where_tensors_are_to_be(place, error):
    for data in write({"a": tensh.ones(2)}), write({"a": tensh.ones(2)}, **OLD):
        if error is None:
            assert load(data, map_location=place)["a"].tolist() == [1, 1]
            continue
        with pytest.raises(error[0]) as refused:
            load(data, map_location=place)
        assert str(refused.value).startswith(error[1])


def test_a_file_from_another_device():
    data = repacked(saved(tensh.ones(2)).replace(b"cpuq", b"tpuq"))
    with pytest.raises(RuntimeError, match="tagged with tpu"):
        load(data)
    assert load(data, map_location="cpu").tolist() == [1, 1]
    asked = []
    load(data, map_location=lambda storage, where: asked.append((where, storage.nbytes())) or storage)
    assert asked == [("tpu", 8)]


def test_memory_that_is_mapped(tmp_path):
    path = tmp_path / "x.pt"
    tensh.save({"a": tensh.arange(6.0), "e": tensh.empty(0)}, path)
    there = tensh.load(path, mmap=True)["a"]
    there[0] = 9
    assert there.tolist() == [9, 1, 2, 3, 4, 5] and tensh.load(path)["a"][0] == 0
    with tensh.serialization.set_default_mmap_options(mmap.MAP_SHARED):
        tensh.load(path, mmap=True)["a"][0] = 7
    assert tensh.load(path, mmap=True)["a"][0] == 7
    with pytest.raises(ValueError, match="f must be a file path in order to use the mmap argument"):
        tensh.load(io.BytesIO(path.read_bytes()), mmap=True)
    tensh.save(1, path, **OLD)
    with pytest.raises(RuntimeError, match="mmap can only be used with files saved with"):
        tensh.load(path, mmap=True)


def test_other_arguments(tmp_path):
    data = saved({"a": 1})
    with pytest.raises(RuntimeError, match="Can not safely load weights when explicit pickle_module is specified"):
        load(data, pickle_module=pickle, weights_only=True)
    assert load(data, pickle_module=pickle) == {"a": 1}
    with pytest.warns(UserWarning, match="pickle_load_args only works if `weights_only=False`."):
        load(data, encoding="ascii")
    with pytest.raises(ValueError, match="pickle protocol must be <= 5"):
        write(1, pickle_protocol=9)
    from tensh.utils.safetensors.torch import save_file

    save_file({"a": tensh.ones(1)}, tmp_path / "x.safetensors")
    assert tensh.load(tmp_path / "x.safetensors") == {"a": tensh.ones(1)}


def test_names_that_a_file_asks_for():
    unsafe = tensh.serialization.get_unsafe_globals_in_checkpoint
    assert unsafe(io.BytesIO(saved([Model(), slice(1), tensh.ones(1)]))) == [f"{__name__}.Model", "builtins.slice"]
    for protocol in (2, 4, 5):  # from 4 on a name is put together of texts, and the second time a text is remembered
        found = unsafe(io.BytesIO(write([slice(1), range(2), slice(3)], pickle_protocol=protocol)))
        assert sorted(found) == ["builtins.range", "builtins.slice"]
    for code in (b"(ios\nsystem\n.", b"(cos\nsystem\no.", b"\x82\x01."):  # names that are hidden in other instructions
        try:
            assert unsafe(io.BytesIO(packed(b"\x80\x02" + code))) == ["os.system"]
        except pickle.UnpicklingError as error:
            assert "Unsupported operand" in str(error)
    with pytest.raises(ValueError, match="Expected input to be a checkpoint returned by torch.save"):
        unsafe(io.BytesIO(write(1, **OLD)))
    serialization = tensh.serialization
    serialization.add_safe_globals([Model, (slice, "builtins.slice")])
    try:
        assert serialization.get_safe_globals() == [Model, (slice, "builtins.slice")]
        assert load(slice(1, 2)) == slice(1, 2)
        with serialization.safe_globals([Model]):
            pass
        assert serialization.get_safe_globals() == [(slice, "builtins.slice")]
        serialization.add_safe_globals([(1, 2, 3)])
        with pytest.raises(ValueError, match="Expected tuple of length 2"):
            load(1)
    finally:
        serialization.clear_safe_globals()
    with (
        serialization.safe_globals([(print, "os.system")]),
        pytest.raises(pickle.UnpicklingError, match="module os is blocked"),
    ):
        load(packed(b"\x80\x02cos\nsystem\n."))


# ── what no file can do ──────────────────────────────────────────────────────
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
    "a name of a module of modules": b"ctorch.nn.modules.module\nagain\nX\x04\x00\x00\x00this\x86R",
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
    assert load(data).shape == (2**35,)


class Says:
    """What a pickle says is made by a function of some arguments, and then given a state."""

    def __init__(self, function, arguments, state):
        self.reduced = function, arguments, state

    def __reduce__(self):
        return self.reduced


def typed(code, *state):
    """A type of NumPy with a state of its own."""
    return Says(np.dtype, (code, False, True), state)


def elements(dtype, shape=(2,), content=b"\2" * 16, fortran=False, version=1):
    """An array of NumPy with a state of its own."""
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
KEPT = {  # what NumPy would make of a state, and what is made of it here
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


def test_an_interrupted_save_leaves_the_file_as_it_was(tmp_path, monkeypatch):
    path = tmp_path / "x.pt"
    tensh.save({"a": tensh.ones(3)}, path)
    from tensh.serialization.records import Records

    put = Records.put

    def interrupted(records, path, data):
        put(records, path, data)
        if path.startswith("data/"):
            raise KeyboardInterrupt

    monkeypatch.setattr(Records, "put", interrupted)
    with pytest.raises(KeyboardInterrupt):
        tensh.save({"a": tensh.zeros(3)}, path)
    assert list(tmp_path.iterdir()) == [path] and tensh.load(path)["a"].tolist() == [1, 1, 1]


if __name__ == "__main__":  # record the old file: in an environment that has PyTorch
    import torch

    torch.save(plain(torch), LEGACY, **OLD)
