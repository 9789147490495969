"""Leaving a lesson and coming back, at a terminal."""

import json

import pytest

from tensh.cli.lessons.progress import Keeper, Progress
from tests.support.command_line import Done
from tests.support.terminal import Terminal


def kept(folder):
    return json.loads((folder / "tensh" / "lessons" / "tensors.json").read_text(encoding="utf-8"))


@pytest.mark.thorough
@pytest.mark.parametrize("leave", ["quit\r", "\x04", "\x03", "kill"])
def test_progress_survives_leaving(tmp_path, leave):
    with Terminal("learn", "tensors", "--plain", XDG_STATE_HOME=str(tmp_path), LANG="C") as terminal:
        terminal.wait("1/")
        terminal.shows("?")
        terminal.type("5\r")
        terminal.wait("2/")
        terminal.shows("?")  # the prompt: a question may end so, too
        if leave == "kill":
            terminal.kill()
        else:
            terminal.type(leave)
            assert terminal.end() == 0
    assert kept(tmp_path)["results"] == {"1": "right"}
    with Terminal("learn", "tensors", "--plain", XDG_STATE_HOME=str(tmp_path), LANG="C") as terminal:
        terminal.wait("question 2 of")
        terminal.wait("2/")
        terminal.shows("?")
        terminal.type("quit\r")
        terminal.end()


def test_damaged_progress_is_as_if_there_were_none(tmp_path):
    keeper = Keeper({"XDG_STATE_HOME": str(tmp_path)})
    path = tmp_path / "tensh" / "lessons" / "tensors.json"
    path.parent.mkdir(parents=True)
    for content in (b"", b"\xff\xfe", b"[]", b"{}", b'{"at": -1}', b'{"at": "x", "results": []}', b"[" * 10_000):
        path.write_bytes(content)
        assert keeper.load("tensors") == Progress()


def test_nothing_is_kept_of_a_run_without_a_terminal(tmp_path):
    Done("learn", "tensors", stdin="5\n", XDG_STATE_HOME=str(tmp_path))
    assert [*tmp_path.iterdir()] == []


def test_a_narrow_window_breaks_no_word(tmp_path):
    with Terminal("learn", "tensors", "--plain", XDG_STATE_HOME=str(tmp_path), LANG="C", columns=50) as terminal:
        terminal.wait("1/14")
        assert "answer: hint, skip,\nback, quit\n" in terminal.screen.text()
        terminal.shows("?")
        terminal.type("quit\r")
        terminal.wait("0 of 14 answered; run the same command to\ncontinue")


@pytest.mark.parametrize("columns", [40, 60, 80])
def test_the_list_fits_the_window(columns, tmp_path):
    done = Done("learn", terminal=True, COLUMNS=str(columns), HOME=str(tmp_path), NO_COLOR="1")
    assert [line for line in done.output.split("\n") if len(line) > columns] == []
    assert "by numbers and by symbols" in " ".join(done.output.split())
