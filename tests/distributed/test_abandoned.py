"""Shared memory that killed processes of MPI leave behind."""

import mmap
import sys

import pytest

from tensh.cli.launching import abandoned

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory with names is that of Linux")


def test_only_memory_that_nobody_uses_is_removed(tmp_path, monkeypatch):
    monkeypatch.setattr(abandoned, "MEMORY", tmp_path)
    names = "mpich_shm_open", "mpich_shm_mapped", "mpich_shm_1a2b_0", "other"
    for name in names:
        (tmp_path / name).write_bytes(bytes(mmap.PAGESIZE))
    begin = (tmp_path / names[0]).stat().st_ctime
    abandoned.remove_abandoned(since=begin + 3600)
    assert {path.name for path in tmp_path.iterdir()} == {*names}
    with open(tmp_path / "mpich_shm_mapped", "r+b") as file:
        memory = mmap.mmap(file.fileno(), 0)
    with open(tmp_path / "mpich_shm_open"), memory:
        abandoned.remove_abandoned(since=begin)
        assert {path.name for path in tmp_path.iterdir()} == {*names} - {"mpich_shm_1a2b_0"}
    abandoned.remove_abandoned(since=begin)
    assert {path.name for path in tmp_path.iterdir()} == {"other"}
