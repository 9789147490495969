"""Every recorded screen is the current output of a terminal."""

import pytest

from tests.recorded.screens.replay import FOLDER, replay, sections

CASES = {
    f"{path.stem}: {title}": (variables, screen)
    for path in sorted(FOLDER.glob("*.md"))
    for title, variables, screen in sections(path)
}


@pytest.mark.parametrize("title", CASES)
def test_typed_lines_show_the_recorded_screen(title, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    variables, screen = CASES[title]
    assert replay(screen, variables) == screen


@pytest.mark.parametrize("title", [title for title, (variables, _) in CASES.items() if "COLUMNS" in variables])
def test_nothing_is_wider_than_a_narrow_window(title):
    variables, screen = CASES[title]
    shown = [line for line in screen.splitlines() if not line.startswith((">>> ", "... "))]
    assert [line for line in shown if len(line) > int(variables["COLUMNS"])] == []
