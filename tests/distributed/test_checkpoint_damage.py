"""Damaged and hostile checkpoints: clear errors, no memory beyond that of the files, and no code is run."""

import importlib
import io
import os
import pickle
import pickletools
import re
import shutil
import sys

import pytest

import tensh as torch
from tensh.distributed import checkpoint as dcp
from tensh.distributed.checkpoint import metadata_file
from tensh.distributed.checkpoint.state_dict_loader import _load_state_dict_from_keys
from tensh.distributed.checkpoint.storage import _StorageInfo

pytestmark = pytest.mark.filterwarnings("ignore:torch.distributed is")


@pytest.fixture
def checkpoint(tmp_path):
    dcp.save({"w": torch.arange(6.0), "v": torch.ones(2, 2), "n": 3}, checkpoint_id=tmp_path)
    return tmp_path


def load_whole(folder):
    """All that a checkpoint contains, as text."""
    return repr(_load_state_dict_from_keys(checkpoint_id=folder))


def failure_of(folder):
    with pytest.raises(dcp.CheckpointException) as caught:
        load_whole(folder)
    return caught.value.failures[0][0]


def place(metadata, **changes):
    index = next(index for index in metadata.storage_data if index.fqn == "w")
    fields = vars(metadata.storage_data[index]) | changes
    metadata.storage_data[index] = _StorageInfo(**fields)


HARM = {
    "lies outside": (lambda m: place(m, relative_path="../secret"), "not a file of its folder"),
    "absolute": (lambda m: place(m, relative_path="/etc/passwd"), "not a file of its folder"),
    "beyond the end": (lambda m: place(m, offset=10**6), "bytes of"),
    "negative": (lambda m: place(m, offset=-1), "has no place"),
    "too long": (lambda m: place(m, length=10**12), "share bytes|bytes of"),
    "too short": (lambda m: place(m, length=10), "takes 24 bytes"),
    "compressed": (lambda m: place(m, transform_descriptors=["zstd"]), "compressed"),
    "shared": (lambda m: place(m, **vars(next(p for i, p in m.storage_data.items() if i.fqn == "v"))), "share bytes"),
    "nowhere": (lambda m: m.storage_data.clear(), "where"),
    "no places": (lambda m: setattr(m, "storage_data", None), "where its parts are"),
    "huge": (lambda m: setattr(m.state_dict_metadata["w"], "size", torch.Size([10**15])), "volume"),
    "huge chunk": (lambda m: setattr(m.state_dict_metadata["w"].chunks[0], "sizes", torch.Size([10**15])), "takes"),
    "no dtype": (lambda m: setattr(m.state_dict_metadata["w"].properties, "dtype", 3), "dtype"),
    "other dtype": (lambda m: setattr(m.state_dict_metadata["w"].properties, "dtype", torch.int32), "is not the tensor"),
    "other shape": (lambda m: [m.state_dict_metadata["v"].__setattr__("size", torch.Size([4])), m.state_dict_metadata["v"].__setattr__("chunks", [dcp.ChunkStorageMetadata(torch.Size([0]), torch.Size([4]))])], "where"),
    "no kind": (lambda m: m.state_dict_metadata.update(w=5), "unknown kind"),
    "a path of numbers": (lambda m: m.planner_data.update(w=(3, 4)), "invalid path"),
    "a long list": (lambda m: m.planner_data.update(w=("w", 10**12)), "cannot have an element"),
    "a path of paths": (lambda m: m.planner_data.update(w="w"), "invalid path"),
}  # fmt: skip


@pytest.mark.parametrize("name", HARM)
def test_descriptions_that_contradict_themselves(checkpoint, name):
    harm, text = HARM[name]
    metadata = metadata_file.read(checkpoint / ".metadata")
    harm(metadata)
    metadata_file.write(metadata, checkpoint / ".metadata", False)
    error = failure_of(checkpoint)
    assert isinstance(error, RuntimeError | ValueError)
    assert re.search(text, str(error)), error


class Hostile:
    def __init__(self, *call):
        self.call = call

    def __reduce__(self):
        return self.call


@pytest.mark.parametrize(
    "hostile",
    [
        (os.system, ("touch RUN",)),
        (eval, ("open('RUN', 'w')",)),
        (getattr, (dict, "clear")),
        (importlib.import_module, ("antigravity",)),
        (bytearray, (10**12,)),
    ],
    ids=lambda call: call[0].__name__,
)
@pytest.mark.parametrize("protocol", [2, 4])
def test_no_code_is_run(checkpoint, hostile, protocol, monkeypatch):
    monkeypatch.chdir(checkpoint)
    data = pickle.dumps({"x": Hostile(*hostile)}, protocol)
    for name in [".metadata", "__0_0.distcp"]:
        shutil.copytree(checkpoint, copy := checkpoint / f"copy{name}")
        (copy / name).write_bytes(data + bytes(10**5) if name != ".metadata" else data)
        failure_of(copy)
    assert not (checkpoint / "RUN").exists() and "antigravity" not in sys.modules


@pytest.mark.parametrize("repeated", [b"\x85" * 10**6, b"0h\x00h\x00\x86\x94q\x00" * 200], ids=["deep", "doubling"])
def test_a_name_whose_hash_never_ends(checkpoint, repeated):
    """The name of a part is a tuple nested a million times, or one that doubles two hundred times."""
    index = b"}ctorch.distributed.checkpoint.metadata\nMetadataIndex\n)\x81}X\x03\x00\x00\x00fqnNq\x00"
    (checkpoint / ".metadata").write_bytes(b"\x80\x02" + index + repeated + b"sbK\x01s.")
    assert "a part without a name" in str(failure_of(checkpoint))


@pytest.mark.thorough
def test_every_cut_and_change_of_a_description_is_refused_or_harmless(checkpoint):
    whole, path = (checkpoint / ".metadata").read_bytes(), checkpoint / ".metadata"
    expected = load_whole(checkpoint)
    changed = 0
    for at in range(0, len(whole), 3):
        for data in (whole[:at], whole[:at] + bytes([whole[at] ^ 0x15]) + whole[at + 1 :]):
            path.write_bytes(data)
            try:
                changed += load_whole(checkpoint) != expected
            except dcp.CheckpointException as error:
                assert isinstance(error.failures[0][0], Exception), at
                assert isinstance(error.failures[0][0], RuntimeError | ValueError | OSError), (at, error.failures[0][0])
    assert changed < len(whole) / 6  # those that change a name or an object


def test_missing_and_cut_files(checkpoint):
    data = (checkpoint / "__0_0.distcp").read_bytes()
    (checkpoint / "__0_0.distcp").write_bytes(data[:-100])
    assert "bytes of" in str(failure_of(checkpoint))
    (checkpoint / "__0_0.distcp").unlink()
    assert isinstance(failure_of(checkpoint), FileNotFoundError)


def test_a_changed_element_is_noticed(checkpoint):
    path = checkpoint / "__0_0.distcp"
    data = path.read_bytes()
    at = data.index(torch.arange(6.0).numpy().tobytes())
    path.write_bytes(data[:at] + b"\7" + data[at + 1 :])
    assert "CRC" in str(failure_of(checkpoint))


def test_a_description_names_no_class_of_tensh(checkpoint):
    data = io.BytesIO((checkpoint / ".metadata").read_bytes())
    names = {argument for code, argument, _ in pickletools.genops(data) if code.name == "GLOBAL"}
    assert names and not any("tensh" in name for name in names)
