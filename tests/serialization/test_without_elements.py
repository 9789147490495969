"""Tensors of the device "meta" in files: a file may say anything of them."""

import io
import pickle
import zipfile

import pytest

import tensh as torch


def said(kind, *facts):
    """A file that holds a tensor of the dtype ``kind`` without elements."""
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


def test_what_fits():
    found = torch.load(said("float32", (2, 3), (1, 2), True))
    assert (found.device.type, found.shape, found.stride(), found.requires_grad) == ("meta", (2, 3), (1, 2), True)
    assert torch.load(said("bool", (2**50,), (1,), False)).shape == (2**50,)


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
def test_what_does_not_fit_is_refused(name):
    for weights_only in (True, False):
        with pytest.raises((RuntimeError, pickle.UnpicklingError), match="damaged"):
            torch.load(said(*DAMAGED[name]), weights_only=weights_only)


def test_what_has_no_elements_of_its_own_is_not_saved():
    class Wrapper(torch.Tensor):
        @staticmethod
        def __new__(cls):
            return torch.Tensor._make_wrapper_subclass(cls, (2,))

        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            raise AssertionError("nobody asks")

    with pytest.raises(NotImplementedError, match="does not save a Wrapper"):
        torch.save([Wrapper()], io.BytesIO())
