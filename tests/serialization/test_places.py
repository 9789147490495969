"""Paths without a file are no damaged files, and raw files that take few bytes at a time are written whole."""

import io
import os

import pytest

import tensh as torch

VALUES = torch.arange(1000.0)
LOADERS = {
    "load": torch.load,
    "load mapped": lambda path: torch.load(path, mmap=True),
    "torchscript": torch.jit.load,
    "export": torch.export.load,
}
PLACES = {
    "missing": lambda path: None,
    "folder": os.mkdir,
    "link to itself": lambda path: path.symlink_to(path),
    "below a file": lambda path: path.parent.write_text(""),
}
PYTORCHS = {"missing": "does not exist", "folder": "is a directory"}
"""What `torch.jit.load` says instead of the system."""


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("loader", LOADERS)
def test_a_path_without_a_file_is_no_damaged_file(loader, place, tmp_path):
    path = tmp_path / "file.pt2" if place != "below a file" else tmp_path / "file" / "a.pt2"
    PLACES[place](path)
    with pytest.raises((OSError, ValueError)) as raised:
        LOADERS[loader](path)
    if loader == "torchscript":
        words = PYTORCHS.get(place, "does not exist")
        assert type(raised.value) is ValueError and str(raised.value) == f"The provided filename {path} {words}"
    else:
        assert isinstance(raised.value, OSError) and raised.value.filename == str(path)


# ── writing ──────────────────────────────────────────────────────────────────
class Short(io.RawIOBase):
    """A file that takes at most seven bytes at a time."""

    taken = 7

    def __init__(self):
        self.content = io.BytesIO()

    def writable(self):
        return True

    def seekable(self):
        return True

    def seek(self, *place):
        return self.content.seek(*place)

    def tell(self):
        return self.content.tell()

    def write(self, data):
        return self.content.write(bytes(data[: self.taken]))


def save_behind(file):
    file.content.write(b"other")
    torch.save(VALUES, file)


def load_behind(file):
    file.seek(5)
    return torch.load(file)


def exported(file):
    torch.export.save(torch.export.export(torch.nn.Linear(2, 3), (torch.ones(1, 2),)), file)


def traced(file):
    torch.jit.save(torch.jit.trace(torch.nn.Linear(2, 3), torch.ones(1, 2)), file)


SAVERS = {
    "save": (lambda file: torch.save(VALUES, file), torch.load),
    "save as before 1.6": (lambda file: torch.save(VALUES, file, _use_new_zipfile_serialization=False), torch.load),
    "save behind other bytes": (save_behind, load_behind),
    "torchscript": (traced, torch.jit.load),
    "export": (exported, torch.export.load),
}


@pytest.mark.parametrize("saver", SAVERS)
def test_raw_files_are_written_whole(saver):
    (save, load), file = SAVERS[saver], Short()
    save(file)
    found = load(io.BytesIO(file.content.getvalue()))
    assert not isinstance(found, torch.Tensor) or torch.equal(found, VALUES)


@pytest.mark.parametrize("saver", SAVERS)
def test_raw_files_that_take_nothing_are_refused(saver):
    file = Short()
    file.taken = 0
    with pytest.raises(OSError, match="accepts no more bytes"):
        SAVERS[saver][0](file)
