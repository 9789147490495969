"""What a file unpacks to is limited, and lies in memory once."""

import collections
import io
import json
import os
import struct
import tracemalloc
import zipfile

import numpy as np
import pytest

import tensh
from tensh.cli.documents import files
from tensh.cli.files import reading
from tensh.cli.programs.options import UsageError
from tensh.cli.session.files import numpy_files, opening
from tensh.support import bounded_json
from tensh.support.bounded_json import BoundError
from tensh.utils.safetensors.torch import load_file, save_file

pytestmark = pytest.mark.thorough

OLD = {"_use_new_zipfile_serialization": False}
SIZE = 2**25  # bytes of the arrays here


class Session:
    engine = "tensh"

    def __init__(self):
        self.namespace = {}


def peak_of(function):
    """Return (result, bytes that were taken at a time beyond those before) of a call."""
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        result = function()
        return result, tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()


def store(name, folder):
    """A file of SIZE bytes of ones, and the function that reads it."""
    path, tensor = os.path.join(folder, "file" + name[name.index(".") :]), tensh.ones(SIZE // 4)
    match name:
        case "archive.pt" | "legacy.pt":
            tensh.save({"x": tensor}, path, **(OLD if name == "legacy.pt" else {}))
            return lambda: tensh.load(path)
        case "copy.safetensors":
            save_file({"x": tensor}, path)
            return lambda: load_file(path, backend="pread")
        case "mapped.safetensors":
            save_file({"x": tensor}, path)
            return lambda: load_file(path)
        case "mapped.npy":
            np.save(path, tensor.numpy())
        case "stored.npz":
            np.savez(path, x=tensor.numpy())
        case "packed.npz":
            np.savez_compressed(path, x=tensor.numpy())
    return lambda: opening.define_names(Session(), path)


NAMES = "archive.pt legacy.pt copy.safetensors mapped.safetensors mapped.npy stored.npz packed.npz".split()


@pytest.mark.parametrize("name", NAMES)
def test_what_is_read_lies_in_memory_once(name, tmp_path):
    read = store(name, tmp_path)
    read()  # imports at first use
    found, peak = peak_of(read)
    (tensor,) = found.values()
    assert tensor.numel() == SIZE // 4 and tensor[-1] == 1
    tensor[0] = 2  # the tensor can be written, and the file stays unchanged
    assert next(iter(read().values()))[0] == 1
    assert peak < (2**21 if name.startswith("mapped") else SIZE + 2**23)


@pytest.mark.parametrize("name", ["archive", "legacy", "safetensors"])
def test_what_is_written_is_not_copied(name, tmp_path):
    tensors, path = {"x": tensh.ones(SIZE // 4)}, tmp_path / "file"
    write = {
        "archive": lambda: tensh.save(tensors, path),
        "legacy": lambda: tensh.save(tensors, path, **OLD),
        "safetensors": lambda: save_file(tensors, path),
    }[name]
    write()
    assert peak_of(write)[1] < 2**23


def test_an_archive_goes_into_an_open_file_at_once():
    file, later = io.BytesIO(), io.BytesIO()
    tensh.save(tensh.ones(3), file)
    later.write(b"before")
    tensh.save(tensh.ones(3), later)
    for data in (file.getvalue(), later.getvalue().removeprefix(b"before")):
        assert tensh.load(io.BytesIO(data)).tolist() == [1, 1, 1]


def test_a_file_without_readinto_can_be_read():
    class Reader:
        def __init__(self, data):
            self.file = io.BytesIO(data)
            self.read, self.seek, self.tell, self.seekable = (
                getattr(self.file, name) for name in ("read", "seek", "tell", "seekable")
            )

    for options in ({}, OLD):
        file = io.BytesIO()
        tensh.save({"x": tensh.arange(3)}, file, **options)
        assert tensh.load(Reader(file.getvalue()))["x"].tolist() == [0, 1, 2]


# ── bombs ────────────────────────────────────────────────────────────────────


def test_a_small_archive_is_not_unpacked_to_a_large_one(tmp_path, monkeypatch):
    monkeypatch.setattr(numpy_files, "ALWAYS", 2**23)
    path = str(tmp_path / "bomb.npz")
    np.savez_compressed(path, x=np.zeros(numpy_files.ALWAYS // 8 + 1))
    with pytest.raises(opening.OpeningError, match="bytes may unpack to at most"):
        opening.define_names(Session(), path)
    assert peak_of(lambda: pytest.raises(opening.OpeningError, opening.define_names, Session(), path))[1] < 2**22


def npy(header, data=b""):
    text = header.encode().ljust(118)
    return b"\x93NUMPY\1\0" + len(text).to_bytes(2, "little") + text + data


def described(descr, shape, data=b"\0" * 64, fortran=False):
    return npy(f"{{'descr': {descr!r}, 'fortran_order': {fortran}, 'shape': {shape}, }}", data)


HEADERS = {
    "objects": described("|O", "(2,)"),
    "records": described([("a", "<f8")], "(2,)"),
    "arrays in arrays": described(("<f8", (2, 2)), "(2,)"),
    "memory": described("|V8", "(2,)"),
    "no bytes": described("|S0", f"({2**32},)"),
    "endless texts": described("<U1000000000", "(0,)"),
    "longer than the file": described("<f8", "(9,)"),
    "a size below zero": described("<f8", "(-1,)"),
    "a size that overflows": described("<f8", f"({2**62}, {2**62})"),
    "an empty size that overflows": described("<f8", f"(0, {2**62}, {2**62})"),
    "a size that is true": described("<f8", "(True,)"),
    "too many sizes": described("<f8", "(" + "1, " * 65 + ")"),
    "no table": npy("[1]"),
    "a control character": described("1\x138", "(1,)"),
    "a call": npy("__import__('os').system('true')"),
}  # fmt: skip


@pytest.mark.parametrize("name", HEADERS)
@pytest.mark.parametrize("form", [".npy", ".npz"])
def test_a_header_that_makes_no_sense_is_refused(name, form, tmp_path):
    path = str(tmp_path / f"file{form}")
    if form == ".npz":
        with zipfile.ZipFile(path, "w") as zipped:
            zipped.writestr("x.npy", HEADERS[name])
    else:
        (tmp_path / "file.npy").write_bytes(HEADERS[name])
    with pytest.raises(opening.OpeningError) as refused:
        opening.define_names(Session(), path)
    assert str(refused.value).startswith(path) and str(refused.value).isprintable()


FACTS = {"descr": "'<f8'", "fortran_order": "False", "shape": "(2,)"}
WORDS = {  # message -> the facts of the header that differ, or the whole file
    "expected a tuple of at most 64 sizes for the shape of x.npy, but found [2]": {"shape": "[2]"},
    "expected a tuple of at most 64 sizes for the shape of x.npy, but found (2.0,)": {"shape": "(2.0,)"},
    "expected a tuple of at most 64 sizes for the shape of x.npy, but found Ellipsis": {"shape": "..."},
    "expected True or False for the order of x.npy, but found None": {"fortran_order": "None"},
    "x.npy has the type x, which NumPy does not have": {"descr": "'x'"},
    "x.npy has the type <M8[xx], which NumPy does not have": {"descr": "'<M8[xx]'"},
    "x.npy holds objects or records": {"descr": "None"},
    "an element of x.npy has 400,000,000 bytes; expected 1 to 16,777,216": {"descr": "'<U100000000'"},
    "expected a dictionary of descr, fortran_order, shape as the header of x.npy, but found {1, 2}": npy("{1, 2}"),
    "but found [[[": npy("[" * 5000),
    "but found {'descr': '<f8'}": npy("{'descr': '<f8'}"),
    "x.npy has a header of 60,000 bytes, more than the limit of 10,000": npy(" " * 60_000),
    "x.npy ends within its header": npy("{'descr': ")[:-90],
    "x.npy is not a .npy file: it does not begin like one": b"hello",
    "x.npy has format version (3, 0)": b"\x93NUMPY\3\0" + bytes(100),
}  # fmt: skip


@pytest.mark.parametrize("words", WORDS)
@pytest.mark.parametrize("form", [".npy", ".npz"])
def test_of_a_header_is_said_what_was_expected_and_what_came(words, form, tmp_path, recwarn):
    found = WORDS[words]
    if isinstance(found, dict):
        found = npy("{" + ", ".join(f"{name!r}: {text}" for name, text in (FACTS | found).items()) + "}", bytes(16))
    path = tmp_path / f"x{form}"
    if form == ".npz":
        with zipfile.ZipFile(path, "w") as zipped:
            zipped.writestr("x.npy", found)
    else:
        path.write_bytes(found)
    with pytest.raises(opening.OpeningError) as refused:
        opening.define_names(Session(), str(path))
    assert words in str(refused.value) and str(refused.value).isprintable() and not recwarn.list


def test_the_long_numbers_of_python_2_are_read(tmp_path, recwarn):
    (tmp_path / "x.npy").write_bytes(described("<f8", "(2L,)"))
    assert opening.define_names(Session(), str(tmp_path / "x.npy"))["x"].shape == (2,)
    assert not recwarn.list


def change_records(data, place, form, number):
    """An archive with another number in each record of its list."""
    data, at = bytearray(data), 0
    while (at := data.find(b"PK\1\2", at)) >= 0:
        struct.pack_into(form, data, at + place, number)
        at += 4
    return bytes(data)


ARCHIVES = {  # message -> how the archive is changed
    "expected an archive of arrays, but this is not one": lambda data: data[:50],
    "x.npy is encrypted": lambda data: change_records(data, 8, "<H", 1),
    "x.npy is compressed with an unsupported method": lambda data: change_records(data, 10, "<H", 99),
    "x.npy is damaged: its bytes do not match their description in the archive": lambda data: change_records(data, 16, "<I", 7),
    "its bytes do not match their description in the archive": lambda data: change_records(data, 42, "<I", 2**31),
}  # fmt: skip


@pytest.mark.parametrize("words, change", ARCHIVES.items(), ids=ARCHIVES)
def test_of_a_damaged_archive_of_arrays_is_said_what_is_wrong(words, change, tmp_path):
    path = tmp_path / "x.npz"
    np.savez_compressed(path, x=np.arange(9.0))
    path.write_bytes(change(path.read_bytes()))
    with pytest.raises(opening.OpeningError) as refused:
        opening.define_names(Session(), str(path))
    assert words in str(refused.value)


@pytest.mark.parametrize("form", [".npy", ".npz"])
def test_truth_values_of_numpy_are_zero_or_one(form, tmp_path):
    data, path = described("|b1", "(4,)", b"\0\1\2\xff"), str(tmp_path / f"x{form}")
    if form == ".npz":
        with zipfile.ZipFile(path, "w") as zipped:
            zipped.writestr("x.npy", data)
    else:
        (tmp_path / "x.npy").write_bytes(data)
    found = opening.define_names(Session(), path)["x"]
    assert found.view(tensh.uint8).tolist() == [0, 1, 1, 1]


@pytest.mark.parametrize("form", [".npy", ".npz"])
@pytest.mark.parametrize(
    "array",
    [
        np.arange(6.0).reshape(2, 3),
        np.asfortranarray(np.ones((2, 3), ">f4")),
        np.zeros((0, 2)),
        np.array(5),
        np.array(["a", "bc"]),
    ],
    ids=lambda array: array.dtype.str,
)
def test_arrays_come_back(array, form, tmp_path):
    path = str(tmp_path / f"x{form}")
    (np.save if form == ".npy" else lambda path, x: np.savez_compressed(path, x=x))(path, array)
    found = np.asarray(opening.define_names(Session(), path)["x"])
    assert found.shape == array.shape and np.array_equal(found, array)


VALUES = {
    "lists": '{"cells": [' + "[]," * 10_000 + "0]}",
    "objects": "[" + "{}," * 10_000 + "0]",
    "numbers": "[" + "0," * 20_000 + "0]",
    "escapes": '{"cells": "' + "\\n" * 20_001 + '"}',
}


@pytest.mark.parametrize("name", VALUES)
def test_json_of_too_many_parts_is_refused_before_it_is_made(name, monkeypatch):
    monkeypatch.setattr(bounded_json, "MOST_VALUES", 20_000)
    monkeypatch.setattr(bounded_json, "MOST_ESCAPES", 20_000)

    def refuse():
        with pytest.raises(BoundError, match="more than 20,000"):
            bounded_json.loads(VALUES[name])

    assert peak_of(refuse)[1] < 2**18
    with pytest.raises(ValueError, match="this is not a notebook: .* more than 20,000"):
        files.loads(VALUES[name], ".ipynb")


def test_what_only_looks_like_parts_is_no_part(monkeypatch):
    monkeypatch.setattr(bounded_json, "MOST_VALUES", 20_000)
    text = json.dumps(["[{," * 10_000, 'a"b\\' * 10_000, "\n" * 9_000])
    assert bounded_json.loads(text) == json.loads(text)


def test_a_document_is_not_nested_without_end():
    with pytest.raises(ValueError, match="this is not a notebook: it is nested too deeply"):
        files.loads('{"nbformat": 4, "cells": [], "metadata": ' + '{"a":' * 200 + "1" + "}" * 201, ".ipynb")


@pytest.mark.parametrize("code", [0x110000, 2**32 - 1])
def test_a_text_of_numpy_has_characters(code, tmp_path):
    path, data = tmp_path / "x.npy", described("<U1", "(1,)", code.to_bytes(4, "little"))
    path.write_bytes(data)
    with pytest.raises(opening.OpeningError, match="invalid characters"):
        opening.define_names(Session(), str(path))


def test_a_text_of_wide_characters_is_refused_before_it_is_decoded(monkeypatch):
    monkeypatch.setattr(reading, "MOST_IN_MEMORY", 1000)
    assert reading.decode(b"a" * 1000, "x.md") == "a" * 1000
    for sign in ("ł", "损", "🙂"):
        with pytest.raises(UsageError, match="x.md: its characters take"):
            reading.decode(b"a" * 998 + sign.encode(), "x.md")


CONTAINERS = {
    "sets": b"\x8f", "lists": b"]", "dictionaries": b"}", "frozen sets": b"(\x91", "marked lists": b"(l", "marked dictionaries": b"(d",
    "tuples": b"N\x85", "sets of one": b"\x8f(N\x90", "sets of three": b"\x8f(N\x88\x89\x90", "frozen sets of one": b"(N\x91",
    "dictionaries of one": b"}NNs", "lists of one": b"]Na", "values that are remembered": b"N\x94", "marks": b"((11N",
    "ordered dictionaries": b"h\x00)R", "ordered dictionaries of one": b"h\x00)RNNs", "texts": b"\x8c\x02ab", "bytes": b"C\x02ab",
    "numbers": b"F1\n", "byte arrays": b"\x96" + bytes(8),
}  # fmt: skip
LENGTH = 20_000  # bytes of a description
NESTED = {"tuples in tuples": b")" + b"\x85" * LENGTH, "marks": b"(" * LENGTH + b"N", "notes": b"N" + b"\x94" * LENGTH}
MOST_OF_A_BYTE = 110  # bytes of memory: what is counted, and the references to it


def checkpoint_of(description):
    """A checkpoint whose pickle has these instructions."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("x/data.pkl", b"\x80\x04" + description + b".")
        archive.writestr("x/version", "3\n")
    file.seek(0)
    return file


@pytest.mark.parametrize("weights_only", [True, False])
@pytest.mark.parametrize("name", [*CONTAINERS, *NESTED])
def test_values_of_a_checkpoint_take_memory_in_proportion_to_it(name, weights_only, monkeypatch):
    """Every kind of value that a few bytes make, without the 16 MiB that any file may make."""
    tensh.load(checkpoint_of(b"N"), weights_only=weights_only)  # import what loading needs
    monkeypatch.setattr("tensh.serialization.unpickling.ALWAYS", 1000)
    part = CONTAINERS.get(name, b"")
    many = b"ccollections\nOrderedDict\nq\x000](" + part * (LENGTH // max(len(part), 1)) + b"e"
    description = NESTED.get(name, many)

    def load():
        try:
            tensh.load(checkpoint_of(description), weights_only=weights_only)
        except RuntimeError as error:
            return str(error)

    error, peak = peak_of(load)
    assert error in (None, "this checkpoint is damaged: it builds more values than a file of its length can hold")
    assert peak < MOST_OF_A_BYTE * len(description) + 2**19


def test_a_checkpoint_of_empty_sets_is_refused():
    with pytest.raises(RuntimeError, match="damaged: it builds more values than a file of its length can hold"):
        tensh.load(checkpoint_of(b"](" + b"\x8f" * 300_000 + b"e"))


HONEST = {
    "whole numbers": list(range(20_000)),
    "a state": {f"layer.{i}.weight": i for i in range(10_000)},
    "empty lists": [[] for _ in range(20_000)],
    "empty dictionaries": [{} for _ in range(20_000)],
    "pairs": [(i, i + 1) for i in range(10_000)],
    "keys that are numbers": {i / 7: None for i in range(10_000)},
    "keys that are pairs": {(i, -i): None for i in range(5_000)},
    "sets of two": [{i, None} for i in range(5_000)],
    "small tables": {i: {"step": float(i), "average": [], "state": {}} for i in range(5_000)},
    "ordered dictionaries": [collections.OrderedDict(a=i) for i in range(5_000)],
}


@pytest.mark.parametrize("protocol", [2, 4])
@pytest.mark.parametrize("name", HONEST)
def test_large_checkpoints_of_plain_values_load(name, protocol, monkeypatch):
    monkeypatch.setattr("tensh.serialization.unpickling.ALWAYS", 1000)
    file = io.BytesIO()
    tensh.save(HONEST[name], file, pickle_protocol=protocol)
    file.seek(0)
    assert tensh.load(file) == HONEST[name]
