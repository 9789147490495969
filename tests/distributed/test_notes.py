"""The notes by which the processes of a launch tell how they end."""

import builtins
import io
from types import SimpleNamespace

import pytest

from tensh.cli.launching import __main__ as process
from tensh.cli.launching.launcher import Launch


def test_a_note_is_whole_or_absent(tmp_path, monkeypatch):
    process.note(str(tmp_path), "0.status", "3")
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("0.status", "3")]

    def open_and_stop(*args, **options):
        builtins.open(*args, **options).close()
        raise KeyboardInterrupt

    monkeypatch.setattr(process, "open", open_and_stop, raising=False)
    with pytest.raises(KeyboardInterrupt):
        process.note(str(tmp_path), "1.status", "3")
    assert not list(tmp_path.glob("1.status"))


EXPLAINED = {
    "a status": (["1.status"], 3, "rank 1 failed with status 3"),
    "a status among others that ended": (["0.early", "1.status"], 3, "rank 1 failed with status 3"),
    "an early end": (["1.early"], 1, "rank 1 ended early, without an error"),
    "an early end after all others": (["0.done", "1.early"], 1, "rank 1 ended early, without an error"),
    "nothing": ([], 137, "a rank was killed by signal SIGKILL"),
}


@pytest.mark.parametrize("name", EXPLAINED)
def test_the_reason_of_a_failure_is_in_the_notes(name, tmp_path):
    notes, status, said = EXPLAINED[name]
    for note in ["0.pid", "1.pid", *notes]:
        (tmp_path / note).write_text("3")
    launch = Launch(SimpleNamespace(stderr=io.StringIO()), ["mpiexec"], 2, {}, [])
    launch.folder = tmp_path
    assert launch.explain(9) == status
    assert launch.env.stderr.getvalue() == f"tensh launch: {said}; the others were stopped\n"
