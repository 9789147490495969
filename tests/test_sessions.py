"""Every recorded session gives the same answers here as in PyTorch."""

import pytest
from sessions import FOLDER, replay, sections

CASES = {
    f"{path.stem}: {title}": session
    for path in sorted(FOLDER.glob("*.md"))
    for title, session in sections(path).items()
}


@pytest.mark.parametrize("title", CASES)
def test_session(title):
    import tensh

    assert replay(CASES[title], tensh) == CASES[title]


@pytest.mark.oracle
@pytest.mark.parametrize("title", CASES)
def test_recorded_as_pytorch_answers(title):
    torch = pytest.importorskip("torch")
    assert replay(CASES[title], torch) == CASES[title]
