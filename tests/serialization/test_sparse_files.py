"""Sparse tensors in files of every layout and both formats, between tensh and PyTorch; no file is trusted."""

import io
import pickle
import zipfile

import pytest

import tensh

SAMPLES = """
torch.eye(3).to_sparse()
torch.eye(3).to_sparse_csr()
torch.eye(3).to_sparse_csc()
torch.eye(4).to_sparse_bsr((2, 2))
torch.eye(4).to_sparse_bsc((2, 1))
torch.sparse_coo_tensor([[1, 0, 1], [2, 2, 2]], [1.0, 2.0, 3.0], (3, 3))
torch.sparse_coo_tensor([[1, 0, 1]], torch.ones(3, 4), (3, 4))
torch.sparse_coo_tensor(torch.zeros(2, 0, dtype=torch.int64), torch.zeros(0), (3, 3))
torch.sparse_coo_tensor(torch.zeros(0, 1, dtype=torch.int64), torch.ones(1), ())
(torch.eye(3) > 0).to_sparse()
torch.eye(3).to(torch.complex64).to_sparse()
torch.eye(3).to(torch.bfloat16).to_sparse_csr()
torch.eye(3).to_sparse().requires_grad_()
torch.nn.Parameter(torch.eye(3).to_sparse())
torch.sparse_csr_tensor(torch.tensor([0, 1, 2], dtype=torch.int32), torch.tensor([0, 1], dtype=torch.int32), torch.ones(2), (2, 2))
""".strip().splitlines()
FORMATS = {"zip": {}, "legacy": {"_use_new_zipfile_serialization": False}}


def copy_through_file(x, writer, reader, options):
    file = io.BytesIO()
    writer.save({"x": x, "more": [x]}, file, **options)
    file.seek(0)
    found = reader.load(file)
    assert found["x"] is found["more"][0]
    return found["x"]


def describe(x):
    return repr(x), str(x.dtype), str(x.layout), x.requires_grad, "coo" in str(x.layout) and x.is_coalesced()


@pytest.mark.parametrize("options", FORMATS.values(), ids=FORMATS)
@pytest.mark.parametrize("sample", SAMPLES)
def test_what_is_written_is_read(sample, options):
    x = eval(sample, {"torch": tensh})
    wanted = x if isinstance(x, tensh.nn.Parameter) else x.detach()
    assert describe(copy_through_file(x, tensh, tensh, options)) == describe(wanted)


@pytest.mark.oracle
@pytest.mark.parametrize("options", FORMATS.values(), ids=FORMATS)
@pytest.mark.parametrize("sample", SAMPLES)
@pytest.mark.filterwarnings("ignore:Sparse CSR tensor support is in beta state")
def test_pytorch_reads_what_is_written_and_the_other_way_round(sample, options):
    torch = pytest.importorskip("torch")
    ours, real = eval(sample, {"torch": tensh}), eval(sample, {"torch": torch})
    expected = describe(copy_through_file(real, torch, torch, options))
    assert describe(copy_through_file(ours, tensh, torch, options)) == expected
    assert describe(copy_through_file(real, torch, tensh, options)) == expected


def file_of(layout, *facts):
    """A file with a sparse tensor of a layout, made from ``facts``: a list is a tensor of int64 or float32."""
    stream, blocks = io.BytesIO(), []

    class Writer(pickle._Pickler):
        def save_list(self, numbers):
            flat = tensh.tensor(numbers)
            kind = "Long" if flat.dtype is tensh.int64 else "Float"
            blocks.append(flat.numpy().tobytes())
            self.write(
                b"ctorch._utils\n_rebuild_tensor_v2\n((X\x07\x00\x00\x00storagectorch\n" + f"{kind}Storage\n".encode()
            )
            for each in (str(len(blocks) - 1), "cpu", flat.numel()):
                self.save(each)
            self.write(b"tQ")
            for each in (0, tuple(flat.shape), flat.stride(), False):
                self.save(each)
            self.write(b"ccollections\nOrderedDict\n)RtR")

        dispatch = pickle._Pickler.dispatch | {list: save_list}

    stream.write(b"\x80\x02ctorch._utils\n_rebuild_sparse_tensor\n(ctorch.serialization\n_get_layout\n(")
    writer = Writer(stream, 2)
    writer.save(f"torch.{layout}")
    stream.write(b"tR")
    writer.save(facts)
    stream.write(b"tR.")
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in {"data.pkl": stream.getvalue(), "version": b"3", "byteorder": b"little"}.items():
            archive.writestr(f"archive/{name}", content)
        for number, block in enumerate(blocks):
            archive.writestr(f"archive/data/{number}", block)
    file.seek(0)
    return file


def test_files_made_here_are_read():
    found = tensh.load(file_of("sparse_coo", [[0, 1], [1, 0]], [1.0, 2.0], (2, 2), True))
    assert found.is_coalesced() and found.to_dense().tolist() == [[0.0, 1.0], [2.0, 0.0]]
    assert tensh.load(file_of("sparse_csr", [0, 1, 2], [1, 0], [1.0, 2.0], (2, 2))).to_dense().tolist() == [
        [0.0, 1.0],
        [2.0, 0.0],
    ]


DAMAGED = {
    "beyond the size": ("sparse_coo", [[0, 5]], [1.0, 2.0], (2,), True),
    "below zero": ("sparse_coo", [[0, -1]], [1.0, 2.0], (2,), False),
    "not coalesced": ("sparse_coo", [[1, 0]], [1.0, 2.0], (2,), True),
    "fewer values": ("sparse_coo", [[0, 1]], [1.0], (2,), False),
    "too large": ("sparse_coo", [[0, 1], [0, 1]], [1.0, 2.0], (2**62, 2**62), False),
    "no size": ("sparse_coo", [[0, 1]], [1.0, 2.0], "ab", False),
    "size of texts": ("sparse_coo", [[0, 1]], [1.0, 2.0], ("a",), False),
    "no truth value": ("sparse_coo", [[0, 1]], [1.0, 2.0], (2,), 1),
    "rows that end too early": ("sparse_csr", [0, 1, 1], [1, 0], [1.0, 2.0], (2, 2)),
    "rows that go back": ("sparse_csr", [0, 3, 2], [1, 0], [1.0, 2.0], (2, 2)),
    "a column beyond": ("sparse_csr", [0, 1, 2], [1, 2], [1.0, 2.0], (2, 2)),
    "one place twice": ("sparse_csr", [0, 2], [1, 1], [1.0, 2.0], (1, 2)),
    "dense": ("strided", [[0, 1]], [1.0, 2.0], (2,), False),
    "unknown layout": ("sparse_xyz", [[0, 1]], [1.0, 2.0], (2,), False),
}  # fmt: skip


@pytest.mark.parametrize("name", DAMAGED)
def test_what_does_not_fit_is_refused(name):
    for weights_only in (True, False):
        with pytest.raises((RuntimeError, pickle.UnpicklingError), match="damaged|sparse_xyz"):
            tensh.load(file_of(*DAMAGED[name]), weights_only=weights_only)
