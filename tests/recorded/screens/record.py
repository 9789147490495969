"""Screens of a terminal after lines were typed, recorded from tensh itself, to be read."""

from tests.recorded.screens.replay import FOLDER, record_sections


def record(wanted):
    for path in sorted(FOLDER.glob("*.md")):
        if wanted(path.stem):
            yield path, record_sections(path)
