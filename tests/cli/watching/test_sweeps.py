"""Sweeps in `tensh watch`: their best runs, as they grow, beside what cannot be read."""

import io
import json
import os

import pytest

from tensh.cli.app import main
from tensh.cli.process.environment import Environment
from tensh.cli.sweeping.store import Store
from tensh.cli.sweeping.table import SweptRun
from tensh.cli.watching.page import FolderView


def watch(path, *options):
    """Return (status, stdout, stderr) of the command."""
    env = Environment(io.StringIO(), io.StringIO(), io.StringIO(), variables={"COLUMNS": "80"})
    return main(["watch", str(path), *options], env), env.stdout.getvalue(), env.stderr.getvalue()


def write(path, losses, rates):
    """Write the file of a sweep that has reported some losses."""
    store = Store(str(path), {"script": "train.tsh", "digest": "0"})
    store.add([{"rate": rate} for rate in rates], [0])
    waiting = store.waiting()
    store.begin(waiting[: len(losses)])
    store.finish([run._replace(state="done", values={"loss": loss}, seconds=1.0) for run, loss in zip(waiting, losses)])
    store.close()


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "a").mkdir()
    write(tmp_path / "a" / "runs.sqlite", [0.5, 0.25], ["0.1", "0.2", "0.3"])
    (tmp_path / "other.sqlite").write_bytes(b"SQLite format 3\0" + bytes(100))
    (tmp_path / "notes.txt").write_text("nothing")
    return tmp_path


def test_best_runs_come_first(folder):
    status, shown, said = watch(folder, "--once")
    assert (status, said) == (0, "") and "a/runs.sqlite: 2 done, 1 waiting" in shown
    rows = [line.split()[0] for line in shown[shown.index("run  ") :].splitlines()[1:4]]
    assert rows == ["2", "1", "3"] and "loss / rate" in shown and "other.sqlite: not a sweep file" in shown


def test_one_file(folder):
    assert "runs.sqlite: 2 done" in watch(folder / "a" / "runs.sqlite", "--once")[1]


def test_numbers_as_lines(folder):
    assert watch(folder, "--csv")[1].splitlines()[1:] == ["a/runs.sqlite,loss,1,,0.5", "a/runs.sqlite,loss,2,,0.25"]
    assert [json.loads(line)["value"] for line in watch(folder, "--json")[1].splitlines()] == [0.5, 0.25]


def test_values_by_name(folder):
    assert "runs.sqlite" not in watch(folder, "--once", "--tag", "accuracy")[1].replace(str(folder), "")
    assert "a/runs.sqlite" in watch(folder, "--once", "--tag", "lo*")[1]


def test_growing_file_is_read_again(folder):
    view, path = FolderView(str(folder)), folder / "a" / "runs.sqlite"
    assert not view.refresh()
    store = Store(str(path), {"script": "train.tsh", "digest": "0"})
    store.finish([SweptRun(3, {"rate": "0.3"}, 0, "done", {"loss": 0.125}, seconds=1.0)])
    store.close()
    assert view.refresh() and [run.state for run in view.sweeps.runs[str(path)]] == ["done"] * 3
    path.unlink()
    assert view.refresh() and str(path) not in view.sweeps.runs


def test_missing_path(tmp_path):
    assert watch(tmp_path / "no") == (2, "", f"tensh watch: there is no folder or file {tmp_path / 'no'}\n")
    assert watch(os.devnull) == (2, "", f"tensh watch: {os.devnull} is neither a folder nor a file\n")
