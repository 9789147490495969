"""Steps of datasets: pickled, by dill where pickle fails and dill is installed; files by their masks."""

import os
import pickle
import sys
from importlib.machinery import ModuleSpec
from types import ModuleType

import pytest

from tensh.utils.data.datapipes.datapipe import _IterDataPipeSerializationWrapper
from tensh.utils.data.datapipes.iter import FileLister, FileOpener, IterableWrapper


@pytest.fixture
def dill(monkeypatch):
    """A package in place of dill, which keeps what it pickles."""
    kept, package = [], ModuleType("dill")
    package.__spec__ = ModuleSpec("dill", None)
    package.dumps = lambda pipe: kept.append(pipe) or b"kept"
    package.loads = lambda text: kept.pop() if text == b"kept" else None
    monkeypatch.setitem(sys.modules, "dill", package)


def copy_pickled(pipe):
    return pickle.loads(pickle.dumps(_IterDataPipeSerializationWrapper(pipe)))


def test_what_pickle_refuses_is_pickled_by_dill(dill):
    assert list(copy_pickled(IterableWrapper([1, 2]).map(lambda x: 2 * x))) == [2, 4]


def test_what_pickle_takes_is_not_left_to_dill(dill):
    assert list(copy_pickled(IterableWrapper([1, 2]).map(abs))) == [1, 2]


@pytest.mark.parametrize(
    "masks, names", [("*.txt", ["a.txt"]), (["*.txt", "*.md"], ["a.txt", "b.md"]), ("", ["a.txt", "b.md"])]
)
def test_files_are_listed_by_their_masks(tmp_path, masks, names):
    for name in ("a.txt", "b.md"):
        (tmp_path / name).touch()
    assert sorted(os.path.basename(path) for path in FileLister(str(tmp_path), masks)) == names


@pytest.mark.parametrize("make", [FileLister, FileOpener])
def test_a_list_of_files_has_the_length_that_was_given(make):
    assert [len(make(["."], length=length)) for length in (0, 3)] == [0, 3]
    with pytest.raises(TypeError, match=rf"^{make.__name__} instance doesn't have valid length$"):
        len(make(["."]))


@pytest.mark.parametrize(
    "mode, encoding, content",
    [("r", "latin-1", "été"), ("rt", "latin-1", "été"), ("rb", None, b"\xe9t\xe9"), ("b", None, b"\xe9t\xe9")],
)
def test_files_are_opened_in_a_mode_and_an_encoding(tmp_path, mode, encoding, content):
    path = tmp_path / "a.txt"
    path.write_bytes(b"\xe9t\xe9")
    assert [file.read() for _, file in FileOpener([str(path)], mode=mode, encoding=encoding)] == [content]


@pytest.mark.parametrize(
    "mode, encoding, message",
    [("rb", "latin-1", "binary mode doesn't take an encoding argument"), ("w", None, "Invalid mode w")],
)
def test_files_are_not_opened_in_other_modes(mode, encoding, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        FileOpener(["a.txt"], mode=mode, encoding=encoding)
