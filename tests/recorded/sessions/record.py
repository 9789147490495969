"""PyTorch's answers at a Python prompt: Markdown, a section for each session."""

from tests.recorded.sessions.replay import FOLDER, record_sections


def record(wanted):
    import torch

    for path in sorted(FOLDER.glob("*.md")):
        if wanted(path.stem):
            yield path, record_sections(path, torch)
