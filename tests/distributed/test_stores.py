"""Stores of keys and values: files that no store has written, and time-outs and amounts beyond all measure."""

import os
import struct
from datetime import timedelta

import pytest

import tensh as torch

SIZES = struct.Struct("!Ii")
DAMAGED = {
    "text": b"hello, this is no store", "one byte": b"x", "a key that ends the file": SIZES.pack(10, 1) + b"ab",
    "a value that ends the file": SIZES.pack(1, 2**31 - 1) + b"a", "less than no value": SIZES.pack(1, -2) + b"a",
}  # fmt: skip


@pytest.mark.parametrize("data", DAMAGED.values(), ids=DAMAGED.keys())
def test_a_file_that_no_store_has_written_is_refused_and_kept(data, tmp_path):
    path = tmp_path / "file"
    path.write_bytes(data)
    with pytest.raises(torch.distributed.DistStoreError, match="is not the file of a store"):
        torch.distributed.FileStore(path, 1)
    assert path.read_bytes() == data


@pytest.mark.parametrize("path", ["/dev/zero", "/"])
def test_what_is_no_file_holds_no_store(path):
    if not os.path.exists(path):
        pytest.skip("there is no such path")
    with pytest.raises(torch.distributed.DistStoreError, match="is not a file"):
        torch.distributed.FileStore(path, 1)


def test_a_store_whose_file_was_spoiled_ends_in_silence(tmp_path, capsys):
    path = tmp_path / "file"
    store = torch.distributed.FileStore(path, 1)
    path.write_bytes(b"spoiled")
    del store
    assert capsys.readouterr().err == ""


def test_the_last_store_removes_its_file(tmp_path):
    path = tmp_path / "file"
    stores = [torch.distributed.FileStore(path, 2) for _ in range(2)]
    del stores[0]
    assert path.exists()
    del stores[0]
    assert not path.exists()


def stores(tmp_path):
    yield torch.distributed.HashStore()
    yield torch.distributed.FileStore(tmp_path / "file", 1)
    yield torch.distributed.TCPStore("127.0.0.1", 0, is_master=True)


@pytest.mark.parametrize("timeout", [1e300, float("inf"), timedelta.max])
def test_time_outs_of_ages_wait_as_long_as_python_can(timeout, tmp_path):
    for store in stores(tmp_path):
        store.set_timeout(timeout)
        store.set("a", "1")
        store.wait(["a"], timeout)
        assert store.get("a") == b"1" and store.timeout > timedelta(days=365)


def test_a_time_out_is_a_number(tmp_path):
    for store in stores(tmp_path):
        with pytest.raises(ValueError, match="nan"):
            store.wait(["a"], float("nan"))


@pytest.mark.parametrize("amount", [2**63, -(2**63) - 1, 2**5000])
def test_amounts_have_64_bits(amount, tmp_path):
    for store in stores(tmp_path):
        with pytest.raises(TypeError, match="64 bits"):
            store.add("a", amount)
