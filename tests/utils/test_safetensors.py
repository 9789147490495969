"""Files of safetensors: bit for bit those of the package of that name, which programs get under its name."""

import json
import os
import stat
import subprocess
import sys

import numpy as np
import pytest

import tensh
from tensh.alias import torch_is_tensh
from tensh.support.escaping import visible_line
from tensh.utils import safetensors as ours
from tensh.utils.safetensors import numpy as our_numpy
from tensh.utils.safetensors import safe_open
from tensh.utils.safetensors import torch as our_torch
from tests.support.project import RECORDED

PACKAGES = RECORDED / "checkpoints" / "package.safetensors"  # contents(torch), written by the package 0.8.0
METADATA = {'损失 \n\x01"': "\\ /"}
DTYPES = """
    bool uint8 int8 int16 uint16 float16 bfloat16 int32 uint32 float32 complex64 float64 int64 uint64 float8_e5m2
    float8_e4m3fn float8_e4m3fnuz float8_e5m2fnuz
""".split()


def contents(torch):
    """Tensors of all dtypes, sizes and places that the format has."""
    numbers = torch.tensor([0.0, 1.0, 2.5, float("inf"), -0.0])
    every = {f"x.{name}": torch.tensor([0, 1, 3, 100]).to(getattr(torch, name)) for name in DTYPES}
    whole = torch.arange(6)
    return every | {
        "numbers": numbers, "a half": numbers.to(torch.bfloat16), "nan": torch.tensor([float("nan")]), "a\"\\损": torch.ones(1),
        "number": torch.tensor(5.0), "empty": torch.empty(0, 3), "no rows": torch.empty(2, 0, dtype=torch.int8),
        "part": whole[1:3], "other part": whole[3:], "one row": torch.ones(3, 1).t(), "truth": torch.tensor(True),
        "powers": torch.tensor([1.0, 2.0]).to(torch.float8_e8m0fnu), "weight": torch.nn.Parameter(torch.ones(2, 2)), "complex": torch.tensor([[1 + 2j], [-3j]]),
    }  # fmt: skip


def test_the_bytes_are_those_of_the_package():
    assert our_torch.save(contents(tensh), METADATA) == PACKAGES.read_bytes()


def check_contents(found, torch=tensh):
    expected = contents(torch)
    assert {name: repr(value) for name, value in found.items()} == {
        name: repr(value.detach()) for name, value in expected.items()
    }


def test_a_file_of_the_package():
    check_contents(our_torch.load_file(PACKAGES))
    check_contents(our_torch.load(PACKAGES.read_bytes()))
    with safe_open(PACKAGES, framework="pt") as file:
        assert file.metadata() == METADATA
        assert file.keys() == sorted(contents(tensh)) and set(file.offset_keys()) == set(file.keys())
        check_contents({name: file.get_tensor(name) for name in contents(tensh)})


@pytest.mark.oracle
def test_safetensors_go_both_ways(tmp_path):
    torch = pytest.importorskip("torch")
    package = pytest.importorskip("safetensors.torch")
    assert package.save(contents(torch), METADATA) == PACKAGES.read_bytes()
    our_torch.save_file(contents(tensh), tmp_path / "ours", METADATA)
    check_contents(package.load_file(tmp_path / "ours"), torch)


def test_what_is_loaded_belongs_to_the_program(tmp_path):
    path = tmp_path / "x.safetensors"
    our_torch.save_file({"x": tensh.zeros(3)}, path)
    first = our_torch.load_file(path)["x"]
    first += 1
    assert our_torch.load_file(path)["x"].sum() == 0
    with safe_open(path, "pt") as file:
        part = file.get_slice("x")[1:]
        part += 1
        assert file.get_tensor("x").sum() == 0


PARTS = ["[:]", "[1]", "[-1]", "[1:3]", "[:, 2]", "[:, ::2]", "[..., 1]", "[[0, 2]]", "[:, [1, 3]]", "[None]", "[1, 2]", "[()]", "[2:1]"]  # fmt: skip


@pytest.mark.parametrize("part", PARTS)
def test_a_part_of_a_tensor_is_that_of_the_tensor(part, tmp_path):
    x = tensh.arange(24.0).view(4, 6)
    our_torch.save_file({"w": x}, tmp_path / "x")
    with safe_open(tmp_path / "x", "pt") as file:
        whole = file.get_slice("w")
        assert (whole.get_shape(), whole.get_dtype()) == ([4, 6], "F32")
        assert repr(eval("whole" + part)) == repr(eval("x" + part))


WITHIN = "[:] [()] [...] [...,0] [0] [-1] [[]] [::2] [1:1] [0,0] [True] [2:,-5] [0,:] [:,...,0] [:,0:0]".split()
# of an array of shape (10, 5): what the package 0.8.0 says
OUTSIDE = {
    "[-11]": "Invalid index -11 for dimension 0 of size 10",
    "[10]": "Error during slicing [10] with shape [10, 5]: index 10 out of bounds for tensor dimension #0 of size 10",
    "[2:,-6]": "Invalid index -6 for dimension 1 of size 5",
    "[20:,20]": "Error during slicing [20:, 20] with shape [10, 5]: index 20 out of bounds for tensor dimension #1 of size 5",
    "[:20]": "Error during slicing [:20] with shape [10, 5]: index 19 out of bounds for tensor dimension #0 of size 10",
    "[0:20:3]": "Error during slicing [0:20:3] with shape [10, 5]: index 19 out of bounds for tensor dimension #0 of size 10",
    "[0,0,0]": "Error during slicing [0, 0, 0] with shape [10, 5]: more slicing indexes than dimensions in tensor",
    "[...,20]": "Error during slicing [:, 20] with shape [10, 5]: index 20 out of bounds for tensor dimension #1 of size 5",
    "[[0,1]]": "Non empty lists are not implemented",
    "[:,[1]]": "Unsupported slice index at position 1: expected slice, int, or ellipsis",
    "[None]": "Unsupported slice index at position 0: expected slice, int, or ellipsis",
    "[1.0]": "Unsupported slice index at position 0: expected slice, int, or ellipsis",
    "[...,...]": "Only one ellipsis (...) is allowed in slice index",
    "[::-1]": "Slice step must be a positive integer, got -1",
    "[-3:]": "can't convert negative int to unsigned",
}


@pytest.mark.parametrize("part", [*WITHIN, *OUTSIDE])
def test_a_part_of_an_array_lies_within_it(part, tmp_path):
    x = np.arange(50.0).reshape(10, 5)
    our_numpy.save_file({"w": x}, tmp_path / "x")
    with safe_open(tmp_path / "x", "np") as file:
        given = {"x": file.get_slice("w")}
        if part in WITHIN:
            found = eval("x" + part, given)
            assert type(found) is np.ndarray and np.array_equal(found, eval("x[1]" if part == "[True]" else "x" + part))
        else:
            with pytest.raises(OverflowError if part == "[-3:]" else ours.SafetensorError) as refused:
                eval("x" + part, given)
            assert str(refused.value) == OUTSIDE[part]


def test_numpys_arrays(tmp_path):
    with torch_is_tensh():
        from safetensors.numpy import load, load_file, save, save_file
    arrays = {"a": np.arange(3, dtype=">i2"), "b": np.ones((2, 2))[:, 0]}
    save_file(arrays, tmp_path / "x", {"a": "b"})
    for found in load_file(tmp_path / "x"), load(save(arrays)):
        assert {name: (array.tolist(), array.dtype.str[1:]) for name, array in found.items()} == {
            "a": ([0, 1, 2], "i2"),
            "b": ([1, 1], "f8"),
        }
    with safe_open(tmp_path / "x", "np") as file:
        assert type(file.get_tensor("a")) is np.ndarray
    assert ours.deserialize(save({"a": np.arange(2, dtype=np.int8)})) == [
        ("a", {"data": bytearray(b"\0\1"), "shape": [2], "dtype": "I8"})
    ]


shared = tensh.zeros(4)
REFUSED = {
    "a list": ([1], ValueError, "Expected a dict of [str, torch.Tensor] but received <class 'list'>"),
    "a number": ({"a": 1}, ValueError, "Key `a` is invalid, expected torch.Tensor but received <class 'int'>"),
    "a key": ({1: shared}, TypeError, "argument 'tensor_dict': 'int' object is not an instance of 'str'"),
    "a sparse matrix": ({"a": tensh.eye(2).to_sparse()}, ValueError, "You are trying to save a sparse tensors: `['a']` which"),
    "a transposed matrix": ({"a": tensh.ones(2, 3).t()}, ValueError, "You are trying to save a non contiguous tensor: `a` which"),
    "two names": ({"a": shared, "b": shared}, RuntimeError, "Some tensors share memory, this will lead to duplicate"),
    "an overlap": ({"a": shared[:3], "b": shared[2:]}, RuntimeError, "when loading them again: [{'a', 'b'}]"),
    "complex128": ({"a": tensh.ones(1, dtype=tensh.complex128)}, ValueError, "`a` is of complex128, which the"),
}  # fmt: skip


@pytest.mark.parametrize("tensors, kind, words", REFUSED.values(), ids=REFUSED)
def test_what_is_refused_leaves_the_file_as_it_was(tensors, kind, words, tmp_path):
    path = tmp_path / "x"
    our_torch.save_file({"a": tensh.ones(1)}, path)
    before = path.read_bytes()
    with pytest.raises(kind) as refused:
        our_torch.save_file(tensors, path)
    assert words in str(refused.value)
    assert path.read_bytes() == before and list(tmp_path.iterdir()) == [path]


def read_tensor(path, name="a", framework="pt", **more):
    with safe_open(path, framework, **more) as file:
        return file.get_tensor(name)


def test_error_messages_are_those_of_the_package(tmp_path):
    path = tmp_path / "x"
    our_torch.save_file({"a": tensh.ones(1)}, path)
    error = ours.SafetensorError
    for kind, words, call in [
        (FileNotFoundError, "No such file or directory: nowhere", lambda: our_torch.load_file("nowhere")),
        (error, "File does not contain tensor b", lambda: read_tensor(path, "b")),
        (error, "framework zzz is invalid", lambda: read_tensor(path, framework="zzz")),
        (error, "device zzz is invalid", lambda: read_tensor(path, device="zzz")),
        (AssertionError, "Torch not compiled with CUDA enabled", lambda: read_tensor(path, device="cuda")),
        (error, 'backend "z" is invalid (expected one of: "mmap", "pread")', lambda: read_tensor(path, backend="z")),
        (TypeError, "argument 'bytes': 'str' object is not an instance of 'bytes'", lambda: our_torch.load("a")),
        (TypeError, "argument 'metadata': 'int' object is not an instance of 'str'", lambda: our_torch.save({}, {"a": 1})),
        (error, "Error while deserializing: header too small", lambda: our_torch.load(b"")),
        (error, "Error while serializing: I/O error: Is a directory (os error 21)", lambda: our_torch.save_file({}, tmp_path)),
    ]:  # fmt: skip
        with pytest.raises(kind) as refused:
            call()
        assert str(refused.value) == words
    with safe_open(path, "pt") as file:
        pass
    with pytest.raises(error, match="File is closed"):
        file.keys()


spec = ours.TensorSpec(dtype="int8", shape=[1], data_ptr=shared.data_ptr(), data_len=1)
# what the package 0.8.0 says
WRONG_SPECS = {
    "serialize({'a': {'dtype': 'F32'}})": "TypeError: argument 'tensor_dict': 'dict' object is not an instance of 'TensorSpec'",
    "serialize_file({'a': 1}, 'x')": "TypeError: argument 'tensor_dict': 'int' object is not an instance of 'TensorSpec'",
    "serialize([1])": "TypeError: argument 'tensor_dict': 'list' object is not an instance of 'dict'",
    "serialize(None)": "TypeError: argument 'tensor_dict': 'None' is not an instance of 'dict'",
    "serialize({1: spec})": "TypeError: argument 'tensor_dict': 'int' object is not an instance of 'str'",
    "TensorSpec(dtype=1, shape=[], data_ptr=0, data_len=0)": "TypeError: argument 'dtype': 'int' object is not an instance of 'str'",
    "TensorSpec(dtype='F32', shape=1, data_ptr=0, data_len=0)": "TypeError: argument 'shape': 'int' object is not an instance of 'Sequence'",
    "TensorSpec(dtype='F32', shape=[1.5], data_ptr=0, data_len=0)": "TypeError: argument 'shape': 'float' object cannot be interpreted as an integer",
    "TensorSpec(dtype='F32', shape=[-1], data_ptr=0, data_len=0)": "OverflowError: can't convert negative int to unsigned",
    "TensorSpec(dtype='F32', shape=[1], data_ptr='a', data_len=0)": "TypeError: argument 'data_ptr': 'str' object cannot be interpreted as an integer",
}


@pytest.mark.parametrize("call", WRONG_SPECS)
def test_described_arrays_are_checked(call):
    with pytest.raises((TypeError, OverflowError)) as refused:
        eval(call, {name: getattr(ours, name) for name in ours.__all__} | {"spec": spec})
    assert f"{type(refused.value).__name__}: {refused.value}" == WRONG_SPECS[call]


def test_a_file_that_is_open_is_read_by_its_name(tmp_path):
    our_torch.save_file({"a": tensh.ones(2)}, tmp_path / "x")
    with open(tmp_path / "x") as file, ours._safe_open_handle(file, framework="pt") as opened:
        assert opened.get_tensor("a").tolist() == [1, 1]
    with pytest.raises(AttributeError, match="'str' object has no attribute 'fileno'"):
        ours._safe_open_handle("x", framework="pt")


def test_a_meta_tensor_has_no_elements_to_save(tmp_path):
    with pytest.raises(NotImplementedError, match="Cannot copy out of meta tensor; no data!"):
        our_torch.save_file({"a": tensh.zeros(2, device="meta")}, tmp_path / "x")


whole, meta = tensh.zeros(8), tensh.zeros(4, device="meta")
GROUPS = [
    ({"a": whole, "b": whole[:1]}, [{"a", "b"}]),
    ({"b": whole[:4], "a": whole[4:]}, [{"b"}, {"a"}]),
    ({"b": whole[:4], "c": whole[3:]}, [{"b", "c"}]),
    ({"b": whole[:4], "c": whole[4:], "d": whole[:1]}, [{"b", "d"}, {"c"}]),
    ({"a": whole[::2], "b": whole[7:]}, [{"a"}, {"b"}]),
    ({"d": whole, "a": tensh.ones(1), "c": whole}, [{"d", "c"}, {"a"}]),
    ({"a": meta, "b": meta[:1], "c": tensh.ones(0)}, []),
]


@pytest.mark.parametrize("tensors, groups", GROUPS)
def test_tensors_that_overlap(tensors, groups):
    assert our_torch._find_shared_tensors(tensors) == groups


KEPT = [
    ({}, {"a": ["b", "c"]}),
    ({"preferred_names": ["b"]}, {"b": ["a", "c"]}),
    ({"preferred_names": ["c"]}, {"a": ["b", "c"]}),
    ({"discard_names": ["a"]}, {"b": ["a", "c"]}),
    ({"discard_names": ["a", "b"]}, {"a": ["b", "c"]}),
    ({"discard_names": ["a"], "preferred_names": ["a"]}, {"a": ["b", "c"]}),
]


@pytest.mark.parametrize("wishes, removed", KEPT)
def test_the_name_that_is_kept(wishes, removed):
    assert our_torch._remove_duplicate_names({"c": whole[:2], "b": whole, "a": whole}, **wishes) == removed


def test_memory_of_tensors():
    assert our_torch._end_ptr(whole[1::2]) - whole.data_ptr() == 32 and our_torch._end_ptr(whole[3:3]) == 0
    assert [our_torch._is_complete(x) for x in (whole, whole[:1], whole[::2], meta)] == [True, False, False, True]
    assert our_torch._getdtype("BF16") is tensh.bfloat16 and our_torch._SIZE[tensh.int16] == 2
    with pytest.raises(RuntimeError, match="no suitable name to keep for saving amongst: {'a'}"):
        our_torch._remove_duplicate_names({"a": whole[:1]})


class Tied(tensh.nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = tensh.nn.Linear(2, 2, bias=False), tensh.nn.Linear(2, 2, bias=False)
        self.b.weight = self.a.weight


@pytest.mark.parametrize("begin", [0, 4])
def test_an_error_message_is_one_line_without_control_characters(begin):
    name = "\x1b]0;x\x07\n\u202e" + "x" * 10_000
    header = json.dumps(
        {name: {"dtype": "U8" if begin else name, "shape": [1], "data_offsets": [begin, begin + 1]}}
    ).encode()
    with pytest.raises(ours.SafetensorError) as refused:
        our_torch.load(len(header).to_bytes(8, "little") + header + b"x")
    message = str(refused.value)
    assert message == visible_line(message) and len(message) < 2000


def test_models_whose_weights_are_tied(tmp_path):
    model, path = Tied(), tmp_path / "x"
    our_torch.save_model(model, path)
    with safe_open(path, "pt") as file:
        assert (file.keys(), file.metadata()) == (["a.weight"], {"b.weight": "a.weight"})
    other = Tied()
    assert our_torch.load_model(other, path) == (set(), [])
    assert tensh.equal(other.b.weight, model.a.weight)
    with pytest.raises(RuntimeError) as refused:
        our_torch.load_model(tensh.nn.Linear(2, 3), path)
    assert str(refused.value) == (
        'Error(s) in loading state_dict for Linear:\n    Missing key(s) in state_dict: "bias", "weight"\n'
        '    Unexpected key(s) in state_dict: "a.weight"'
    )
    assert our_torch.load_model(tensh.nn.Linear(2, 3), path, strict=False) == ({"bias", "weight"}, ["a.weight"])
    our_torch.save_model(tensh.nn.Linear(600, 600), path)  # its memory comes from where large arrays' comes from


def test_a_program_imports_the_package(tensh_command, tmp_path):
    done = tensh_command(
        "-c",
        "import torch, safetensors\nfrom safetensors.torch import save_file, load_file\nfrom safetensors import safe_open\n"
        f"save_file({{'w': torch.ones(2)}}, {str(tmp_path / 'x')!r})\nprint(load_file({str(tmp_path / 'x')!r}))\n"
        "import safetensors.nowhere",
    )
    assert done.stdout == "{'w': tensor([1., 1.])}\n"
    assert "ModuleNotFoundError: No module named 'safetensors.nowhere'" in done.stderr


def test_elsewhere_the_package_is_itself():
    code = "import sys, tensh.alias as i\nwith i.torch_is_tensh():\n    import safetensors\nprint('safetensors' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"


def test_a_file_keeps_its_permissions_and_its_place(tmp_path):
    path, link = tmp_path / "x", tmp_path / "link"
    our_torch.save_file({"a": tensh.ones(1)}, path)
    path.chmod(0o640)
    link.symlink_to(path)
    our_torch.save_file({"a": tensh.ones(2)}, link)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640 and link.is_symlink()
    assert our_torch.load_file(path)["a"].shape == (2,)
    our_torch.save_file({"a": tensh.ones(2)}, os.devnull)
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)


if __name__ == "__main__":  # record the file: in an environment that has PyTorch and the package
    import torch
    from safetensors.torch import save_file

    save_file(contents(torch), PACKAGES, METADATA)
