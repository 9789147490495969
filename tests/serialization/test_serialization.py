"""torch.save and torch.load: files go to PyTorch and come from it bit for bit, and no file runs code or is believed."""

import collections
import io
import pickle
import struct
import warnings
import zipfile

import numpy as np
import pytest

import tensh
from tensh.support.escaping import visible_line
from tests.support.checkpoints import PYTORCHS, contents, loaded, packed, saved, show

REFUSED = (RuntimeError, pickle.UnpicklingError, EOFError)


def test_what_is_saved_comes_back():
    there = loaded(saved(contents(tensh)))
    assert show(there) == show(contents(tensh))
    assert isinstance(there["p"], tensh.nn.Parameter)
    assert there["w"].is_leaf and there["w"].requires_grad and not there["a"].requires_grad


def test_memory_that_was_shared_is_shared():
    there = loaded(saved(contents(tensh)))
    there["a"][0, 1] = 99
    assert there["b"][0] == 99 and there["t"][1, 0] == 99


def test_a_file_of_pytorch():
    there = tensh.load(PYTORCHS)
    assert show(there) == show(contents(tensh))
    there["a"][0, 1] = 99
    assert there["b"][0] == 99


@pytest.mark.oracle
def test_checkpoints_go_both_ways():
    torch = pytest.importorskip("torch")
    assert show(loaded(saved(contents(tensh)), torch)) == show(contents(torch))
    assert show(loaded(saved(contents(torch), torch))) == show(contents(tensh))


@pytest.mark.oracle
def test_states_of_modules_go_both_ways():
    torch = pytest.importorskip("torch")
    theirs, ours = torch.nn.Linear(3, 2), tensh.nn.Linear(3, 2)
    ours.load_state_dict(loaded(saved(theirs.state_dict(), torch)))
    assert np.array_equal(ours.weight.detach().numpy(), theirs.weight.detach().numpy())
    with tensh.no_grad():
        ours.weight += 1
    state = loaded(saved(ours.state_dict()), torch)
    assert state._metadata == theirs.state_dict()._metadata
    theirs.load_state_dict(state)
    assert np.array_equal(ours.weight.detach().numpy(), theirs.weight.detach().numpy())


def test_the_memory_of_tensors_is_aligned():
    data = saved({"a": tensh.ones(3), "b": tensh.zeros(5, dtype=tensh.int8)})
    with zipfile.ZipFile(io.BytesIO(data)) as zipped:
        for info in zipped.infolist():
            if "/data/" in info.filename:
                name, extra = struct.unpack("<HH", data[info.header_offset + 26 : info.header_offset + 30])
                assert (info.header_offset + 30 + name + extra) % 64 == 0


def test_strided_and_negative_memory():
    base = tensh.arange(24.0).reshape(2, 3, 4)
    views = {
        "step": base[:, ::2],
        "flip": base.flip(0),
        "expand": tensh.ones(1, 3).expand(4, 3),
        "permute": base.permute(2, 0, 1),
    }
    there = loaded(saved(views))
    for name, view in views.items():
        assert tensh.equal(there[name], view)
    assert there["expand"].stride() == (0, 1) and there["permute"].stride() == base.permute(2, 0, 1).stride()
    odd = tensh.from_numpy(np.arange(10.0)[::-2].copy()[1:])
    assert tensh.equal(loaded(saved(odd)), odd)


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path):
    path = tmp_path / "model.pt"
    tensh.save({"a": tensh.ones(2)}, path)
    with pytest.raises(Exception, match="pickle"):
        tensh.save({"a": tensh.ones(2), "f": lambda: 0}, path)
    assert list(tmp_path.iterdir()) == [path]
    assert tensh.equal(tensh.load(path)["a"], tensh.ones(2))


def test_one_memory_has_one_dtype():
    x = tensh.ones(4)
    with pytest.raises(RuntimeError, match="view the same data as different types"):
        saved([x, x.view(tensh.int32)])


# ── files that mean ill ──────────────────────────────────────────────────────
RAN = []


class Runs:
    def __reduce__(self):
        return RAN.append, ("it ran",)


class Named:
    pass


class Mention:
    """A storage of a file that we make up."""

    def __init__(self, *what):
        self.what = what


class Lie:
    """Stands for a tensor with whatever facts."""


def described(offset, size, stride, count=4, key="0", kind="FloatStorage"):
    """The pickle of one tensor, with whatever facts."""
    from tensh.serialization import writing

    class Liar(writing.Writer):
        def persistent_id(self, obj):
            return (
                ("storage", self.mention_global("torch", kind), key, "cpu", count) if isinstance(obj, Mention) else None
            )

        def reducer_override(self, obj):
            if isinstance(obj, Lie):
                return writing.TENSOR, (Mention(), offset, size, stride, False, None)
            return NotImplemented

    file = io.BytesIO()
    Liar(file).dump(Lie())
    return file.getvalue()


FOUR = [("data/0", np.ones(4, np.float32).tobytes())]
BYTES = [("data/0", bytes(16))]


def of_bytes(*dtypes, metadata=""):
    """The pickle of tensors of several dtypes in one storage, with metadata."""
    text = "(lp1\n" + "".join(
        "ctorch._utils\n_rebuild_tensor_v3\n((Vstorage\nctorch.storage\nUntypedStorage\nV0\nVcpu\nI16\ntQ"
        f"I0\n(I1\nt(I1\ntI00\nNctorch\n{dtype}\n{metadata}tRa"
        for dtype in dtypes
    )
    return text.encode() + b"."


def keys_alike(count):
    """Instructions that make whole numbers whose hashes are all 0."""
    return [b"\x8a\x0a" + (i * (2**61 - 1)).to_bytes(10, "little") for i in range(1, count + 1)]


COUNTER, NEGATED = b"ccollections\nCounter\n", "(Vneg\nI01\nd"
ILL = {
    "code": packed(pickle.dumps({"a": Runs()}, 2)),
    "a class": packed(pickle.dumps({"a": Named()}, 2)),
    "eval": packed(b"\x80\x02c__builtin__\neval\nX\x03\x00\x00\x001+1\x85R."),
    "os.system": packed(b"\x80\x02cos\nsystem\nX\x02\x00\x00\x00ls\x85R."),
    "getattr": packed(b"\x80\x02c__builtin__\ngetattr\n."),
    "a huge bytearray": packed(b"\x80\x02c__builtin__\nbytearray\n\x8a\x06\x00\x00\x00\x00\x00\x10\x85R."),
    "a huge shape": packed(described(0, (2**40, 2**20), (2**20, 1)), FOUR),
    "beyond its storage": packed(described(2, (3,), (1,)), FOUR),
    "a negative offset": packed(described(-1, (2,), (1,)), FOUR),
    "a negative stride": packed(described(3, (2,), (-1,)), FOUR),
    "sizes that are no numbers": packed(described(0, ("a",), (1,)), FOUR),
    "more sizes than strides": packed(described(0, (2, 2), (1,)), FOUR),
    "a storage that is longer than its record": packed(described(0, (5,), (1,), count=5), FOUR),
    "a storage of a negative length": packed(described(0, (1,), (1,), count=-1), FOUR),
    "a storage that is not there": packed(described(0, (1,), (1,), key="7"), FOUR),
    "a storage outside of the folder": packed(described(0, (1,), (1,), key="../../x"), FOUR),
    "a Counter of a key in a key in a key": packed(COUNTER + b")" + b"\x85" * 1_000_000 + b"K\x01\x86\x85\x85R."),
    "keys of one hash, one by one": packed(b"}" + b"".join(key + b"Ns" for key in keys_alike(300)) + b"."),
    "keys of one hash in a set": packed(b"\x8f(" + b"".join(keys_alike(300)) + b"\x90."),
    "keys of one hash in a set that is made": packed(b"cbuiltins\nset\n](" + b"".join(keys_alike(300)) + b"e\x85R."),
    "tensors of two dtypes that are negated in one memory": packed(
        of_bytes("float32", "float64", metadata=NEGATED), BYTES
    ),
    "a compressed record": packed(described(0, (4,), (1,)), FOUR, zipfile.ZIP_DEFLATED),
    "no description": packed(b""),
    "half a description": packed(described(0, (4,), (1,))[:-20], FOUR),
    "an empty file": b"",
    "a text": b"hello",
    "a zip of something else": packed(b"")[:0]
    + (lambda f: (zipfile.ZipFile(f, "w").close(), f.getvalue())[1])(io.BytesIO()),
    "the beginning of a zip": saved({"a": tensh.ones(100)})[:700],
    "deep nesting": packed(b"\x80\x02" + b"]" * 100_000 + b"a" * 99_999 + b"."),
}


@pytest.mark.parametrize("name", ILL)
def test_a_file_that_means_ill_is_refused(name):
    if name == "deep nesting":  # a list within a list is nothing bad, only odd
        assert isinstance(loaded(ILL[name]), list)
        return
    with pytest.raises(REFUSED) as refused:
        loaded(ILL[name])
    assert not RAN
    assert str(refused.value)


# Names from a file are quoted in messages about it.
EVIL = "\x1b]0;x\x07\n\u202e"
STORED = "ctorch._utils\n_rebuild_tensor_v2\n((Vstorage\nctorch\nFloatStorage\nV{key}\nV{place}\nI4\ntQI0\n(I4\nt(I1\ntI00\nNtR."
QUOTING = {
    "a storage": STORED.format(key=EVIL.replace("\n", " "), place="cpu"),
    "a place": STORED.format(key="0", place=EVIL.replace("\n", " ")),
    "a long place": STORED.format(key="0", place="x" * 100_000),
    "a class": f"c{EVIL.partition(chr(10))[0]}\nx\n.",
    "a device": f"ctorch\ndevice\n(V{EVIL.encode('unicode_escape').decode()}\ntR.",
    "a layout": f"ctorch.serialization\n_get_layout\n(V{EVIL.encode('unicode_escape').decode()}\ntR.",
}


@pytest.mark.parametrize("name", QUOTING)
def test_what_is_said_of_a_file_is_one_line_that_can_be_shown(name):
    with pytest.raises(REFUSED) as refused:
        loaded(packed(QUOTING[name].encode("raw_unicode_escape"), FOUR))
    message = str(refused.value)
    assert message == visible_line(message) and len(message) < 2000


@pytest.mark.parametrize("what", ["X\1\0\0\0x", "}", "ccollections\nOrderedDict\n)R", "K\1"])
def test_what_no_name_gave_is_not_called(what):
    with pytest.raises(pickle.UnpicklingError, match="Trying to call reduce for unrecognized function"):
        loaded(packed(what.encode() + b")R."))


def test_of_two_records_with_one_name_the_first_counts():
    """PyTorch takes it; a program that looks at the first must not be shown another."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # zipfile's, of the double name
        data = packed(described(0, (4,), (1,)), [*FOUR, ("data/0", bytes(16)), ("data.pkl", b"N.")])
    assert loaded(data).tolist() == [1, 1, 1, 1]


def test_an_encrypted_record_is_refused():
    data = bytearray(packed(described(0, (4,), (1,)), FOUR))
    for begin, flags in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        data[data.index(begin) + flags] |= 1
    with pytest.raises(RuntimeError, match=r"the record data\.pkl is encrypted"):
        loaded(bytes(data))


def test_numbers_of_an_old_file_are_little_endian_on_every_machine():
    """PyTorch writes them so; the byte order in the file is only that of the machine."""
    file = io.BytesIO()
    tensh.save({"a": tensh.arange(3)}, file, _use_new_zipfile_serialization=False)
    said = pickle.dumps("little_endian", 2)[2:-3]
    data = file.getvalue()
    place = data.index(b"\x88", data.index(said))
    data = data[:place] + b"\x89" + data[place + 1 :]
    assert loaded(data)["a"].tolist() == [0, 1, 2]


def test_keys_of_few_equal_hashes_and_tensors_of_several_dtypes_are_loaded():
    found = loaded(packed(b"}" + b"".join(key + b"Ns" for key in keys_alike(50)) + b"."))
    assert len(found) == 50
    assert [t.dtype for t in loaded(packed(of_bytes("float32", "bool", "bool"), BYTES))] == [
        tensh.float32,
        tensh.bool,
        tensh.bool,
    ]


def test_truth_values_are_looked_at_once_for_all_tensors_of_a_storage():
    from tensh.serialization import rebuilding

    looked = []

    class Watched(np.ndarray):
        def max(self, **options):
            looked.append(self.size)
            return super().max(**options)

    storage = rebuilding.storage_over(np.zeros(8, np.uint8).view(Watched))
    for offset in range(8):
        rebuilding.tensor_of_dtype(storage, offset, (1,), (1,), False, None, tensh.bool)
    assert looked == [8]


@pytest.mark.parametrize("mapped", [False, True])
def test_an_archive_without_checksums_is_loaded(mapped, tmp_path):
    data = saved({"a": tensh.arange(5)})
    path = tmp_path / "a.pt"
    with zipfile.ZipFile(io.BytesIO(data)) as zipped:
        for info in zipped.infolist():
            data = data.replace(info.CRC.to_bytes(4, "little"), bytes(4))
    path.write_bytes(data)
    assert tensh.load(path, mmap=mapped)["a"].tolist() == [0, 1, 2, 3, 4]


def test_elements_are_left_out_on_request():
    whole, empty = io.BytesIO(), io.BytesIO()
    t = tensh.arange(4.0)
    tensh.save([t, t[2:]], whole)
    with tensh.serialization.skip_data():
        tensh.save([t, t[2:]], empty)
        of_whole = tensh.load(io.BytesIO(whole.getvalue()))
        with pytest.raises(RuntimeError, match="Cannot use skip_data=True"):
            tensh.save(t, io.BytesIO(), _use_new_zipfile_serialization=False)
    for found in (of_whole, tensh.load(io.BytesIO(empty.getvalue()))):
        found[0][2] = 5
        assert [each.tolist() for each in found] == [[0, 0, 5, 0], [5, 0]]
    assert len(empty.getvalue()) == len(whole.getvalue())
    assert tensh.load(io.BytesIO(whole.getvalue()))[1].tolist() == [2, 3]


def test_a_class_can_be_let_in():
    data = packed(pickle.dumps({"a": Named()}, 2))
    with tensh.serialization.safe_globals([Named]):
        assert isinstance(loaded(data)["a"], Named)
    with pytest.raises(pickle.UnpicklingError, match="add_safe_globals"):
        loaded(data)


def test_an_optimizer_can_be_let_in():
    file = io.BytesIO()
    weight = tensh.nn.Parameter(tensh.ones(2))
    before = tensh.optim.Adam([weight], lr=0.5)
    weight.grad = tensh.ones(2)
    before.step()
    tensh.save(before, file)
    file.seek(0)
    with tensh.serialization.safe_globals([tensh.optim.Adam, collections.defaultdict, dict]):
        after = tensh.load(file)
    assert isinstance(after, tensh.optim.Adam) and after.param_groups[0]["lr"] == 0.5
    own = after.param_groups[0]["params"][0]
    for each in (weight, own):
        each.grad = tensh.ones(2)
    before.step(), after.step()
    assert own.tolist() == weight.tolist()
