"""The machines of tensh launch: read from an option or a file, and passed to MPICH or Open MPI."""

import pytest

from tensh import distributed as dist
from tensh.cli.launching.hosts import count_processes, options_for, read_hosts
from tensh.cli.launching.launcher import launch
from tensh.cli.programs.options import UsageError
from tensh.distributed.mpi import world as mpi_world


@pytest.mark.parametrize(
    ("text", "found", "number"),
    [
        ("a", [("a", None)], 1),
        ("a,b:2", [("a", None), ("b", 2)], 3),
        ("a.example.org:4, 10.0.0.7", [("a.example.org", 4), ("10.0.0.7", None)], 5),
    ],
)
def test_machines_of_the_option(text, found, number):
    assert read_hosts(text, None) == found and count_processes(found) == number


def test_machines_of_a_file_as_mpich_and_open_mpi_write_them(tmp_path):
    path = tmp_path / "hosts"
    path.write_text("# two rooms\na:2\n\nb slots=3  # quick\nc slots=1 max_slots=4\nd\n")
    assert read_hosts(None, str(path)) == [("a", 2), ("b", 3), ("c", 1), ("d", None)]
    path.write_text("# none\n")
    with pytest.raises(UsageError, match="lists no machines"):
        read_hosts(None, str(path))
    assert read_hosts(None, None) == [] and count_processes([]) == 1


@pytest.mark.parametrize("text", ["a b", "a:0", "a:x", "-n", "a slots=0", "a,,b", "a;rm"])
def test_what_is_no_machine_is_refused(text):
    with pytest.raises(UsageError, match="expected a machine as name, name:2 or name slots=2"):
        read_hosts(text, None)


@pytest.mark.parametrize(
    ("file", "options", "said"),
    [
        ("folder", {}, "folder is a folder, not a file"),
        ("gone", {}, "there is no file"),
        ("train.py", {"hostfile": "folder"}, "folder is a folder, not a file"),
        ("train.py", {"hostfile": "gone"}, "there is no file"),
        ("train.py", {"hostfile": "train.py", "hosts": "a"}, "only one of them can be given"),
    ],
)
def test_files_that_are_none_are_refused(file, options, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "train.py").touch()
    with pytest.raises(UsageError, match=said):
        launch(None, 2, file, [], **options)


def test_a_host_file_that_cannot_be_read_is_named(tmp_path):
    with pytest.raises(UsageError, match=f"{tmp_path}: "):
        read_hosts(None, str(tmp_path))


@pytest.mark.parametrize(
    ("version", "option"), [("HYDRA build details:", "-hosts"), ("mpiexec (Open MPI) 5.0.11", "--host")]
)
def test_each_mpiexec_is_told_in_its_own_way(version, option, tmp_path):
    mpiexec = tmp_path / "mpiexec"
    mpiexec.write_text(f"#!/bin/sh\necho '{version}'\n")
    mpiexec.chmod(0o755)
    assert options_for(str(mpiexec), [("a", None), ("b", 2)]) == [option, "a,b:2"]
    assert options_for(str(mpiexec), []) == []


def test_mpi_that_would_count_the_processes_is_needed(monkeypatch):
    monkeypatch.setattr("tensh.distributed.groups.is_mpi_there", lambda: False)
    monkeypatch.setattr("tensh.distributed.mpi.world.is_mpi_there", lambda: False)
    monkeypatch.delenv("WORLD_SIZE", raising=False)
    with pytest.raises(dist.DistBackendError, match="need MPI: pip install"):
        dist.init_process_group("mpi")


def test_several_processes_without_mpi_are_refused_at_once(monkeypatch):
    monkeypatch.setattr(mpi_world, "is_mpi_there", lambda: False)
    for name, value in {"RANK": "0", "WORLD_SIZE": "2", "MASTER_ADDR": "localhost", "MASTER_PORT": "29533"}.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(dist.DistBackendError, match=r"need MPI: pip install 'tensh\[mpi\]'"):
        dist.init_process_group("gloo")


class Library:
    """Stands for mpi4py.MPI of an MPI."""

    def __init__(self, version):
        self.Get_library_version = lambda: version


OPEN, MPICH = "Open MPI v5.0.11, package: x", "MPICH Version:      5.0.2\nMPICH Release date: y\n"


@pytest.mark.parametrize(
    ("version", "environment", "said"),
    [
        (
            MPICH,
            {"OMPI_COMM_WORLD_SIZE": "3"},
            r"Open MPI's mpiexec started 3 processes, but mpi4py uses another MPI, MPICH",
        ),
        (
            OPEN,
            {"PMI_RANK": "0", "TENSH_LAUNCHED": "1", "WORLD_SIZE": "2"},
            r"MPICH's mpiexec started 2 .*, Open MPI v5.0.11\.",
        ),
        (OPEN, {"OMPI_COMM_WORLD_SIZE": "3", "PMI_RANK": "0"}, None),
        (MPICH, {"PMI_RANK": "0", "TENSH_LAUNCHED": "1"}, None),
        (OPEN, {"PMI_RANK": "0"}, None),  # begun by srun, which both understand
    ],
)
def test_an_mpiexec_of_another_mpi_is_named(version, environment, said, monkeypatch):
    for name in ("OMPI_COMM_WORLD_SIZE", "PMI_RANK", "TENSH_LAUNCHED", "WORLD_SIZE"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    if said is None:
        mpi_world.check_starter(Library(version))
        return
    with pytest.raises(dist.DistBackendError, match=said):
        mpi_world.check_starter(Library(version))
