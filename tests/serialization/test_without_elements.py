"""Tensors of the device "meta" in files, which may describe them wrongly."""

import io
import pickle
import zipfile

import pytest

import tensh as torch
from tensh.serialization import rebuilding
from tensh.serialization.containers import DamagedError


def make_file(kind, *facts):
    """Return a file with a tensor of the dtype ``kind`` without elements, described by facts."""
    parts = b"".join(pickle.dumps(each, 2)[2:-1] for each in facts)
    described = (
        b"\x80\x02ctorch._utils\n_rebuild_meta_tensor_no_storage\n(" + f"ctorch\n{kind}\n".encode() + parts + b"tR."
    )
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in {"data.pkl": described, "version": b"3", "byteorder": b"little"}.items():
            archive.writestr(f"archive/{name}", content)
    file.seek(0)
    return file


def test_descriptions_that_fit_are_loaded():
    found = torch.load(make_file("float32", (2, 3), (1, 2), True))
    assert (found.device.type, found.shape, found.stride(), found.requires_grad) == ("meta", (2, 3), (1, 2), True)
    assert torch.load(make_file("bool", (2**50,), (1,), False)).shape == (2**50,)


DAMAGED = {
    "negative": ("float32", (-1,), (1,), False),
    "a stride too few": ("float32", (2, 3), (1,), False),
    "a stride below zero": ("float32", (2,), (-1,), False),
    "too large": ("float32", (2**61, 4), (4, 1), False),
    "too far": ("float64", (2,), (2**61,), False),
    "dimensions": ("float32", (1,) * 70, (1,) * 70, False),
    "no size": ("float32", 3, 1, False),
    "no numbers": ("float32", ("a",), (None,), False),
    "no dtype": ("Size", (1,), (1,), False),
    "too few": ("float32",),
    "a gradient of integers": ("int64", (1,), (1,), True),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_descriptions_that_do_not_fit_are_refused(name):
    for weights_only in (True, False):
        with pytest.raises((RuntimeError, pickle.UnpicklingError), match="damaged"):
            torch.load(make_file(*DAMAGED[name]), weights_only=weights_only)


SAVED = {
    "numbers": torch.ones(2, 3),
    "no numbers": torch.ones(2, 0, 3),
    "part of nothing": torch.ones(3)[:0],
    "a module": torch.nn.Linear(2, 2).weight,
}
UNREADABLE = {
    "sparse": lambda: torch.eye(2).to_sparse(),
    "compressed": lambda: torch.eye(2).to_sparse_csr(),
    "strided": lambda: torch.nested.as_nested_tensor([torch.ones(2), torch.ones(1)]),
    "jagged": lambda: torch.nested.nested_tensor([torch.ones(2), torch.ones(1)], layout=torch.jagged),
    "a generator": lambda: torch.Generator(),
}


def load_on_meta(value, **options):
    file = io.BytesIO()
    torch.save(value, file, **options)
    file.seek(0)
    return torch.load(file, map_location="meta", weights_only=False)


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
@pytest.mark.parametrize("options", [{}, {"_use_new_zipfile_serialization": False}], ids=["archive", "legacy"])
def test_elements_can_be_left_in_the_file(options):
    for value in SAVED.values():
        found = load_on_meta(value, **options)
        assert (found.device.type, found.shape, found.dtype) == ("meta", value.shape, value.dtype)
        assert found.requires_grad == value.requires_grad
    for make in UNREADABLE.values():
        with pytest.raises(RuntimeError, match="this checkpoint holds a .* on the device 'meta'"):
            load_on_meta(make(), **options)


class Wrapper(torch.Tensor):
    """A class of tensors that wrap others, as a program that loads a file may allow it."""

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        raise AssertionError("loading calls no operator")


FACTS = {"cls": Wrapper, "kind": torch.float32, "size": (2,), "stride": (1,), "offset": 0, "layout": torch.strided}
MISFITS = {
    "no class": {"cls": "Wrapper"},
    "a class that wraps nothing": {"cls": torch.Tensor},
    "no dtype": {"kind": "float32"},
    "no size": {"size": 2},
    "more sizes than strides": {"size": (2, 3)},
    "a negative size": {"size": (-1,)},
    "a large size": {"size": (2**62,), "stride": (2**61,)},
    "an offset of another kind": {"offset": "0"},
    "another device": {"where": "cuda"},
}


@pytest.mark.parametrize("name", MISFITS)
def test_wrappers_that_do_not_fit_are_refused(name):
    facts = FACTS | {"where": torch.device("cpu"), "requires_grad": False}
    assert rebuilding.wrapper(**facts).shape == (2,)
    with pytest.raises(DamagedError):
        rebuilding.wrapper(**facts | MISFITS[name])
