"""Every recorded session gives the same answers here as in PyTorch."""

import sys

import pytest

from tests.recorded.sessions.replay import FOLDER, replay, sections

CASES = {
    f"{path.stem}: {title}": session
    for path in sorted(FOLDER.glob("*.md"))
    for title, session in sections(path).items()
}

# what later versions say in other words
OF_PYTHON_3_11 = (
    "OrderedDict([(",
    "with abstract method",
    "unexpected keyword argument 'lrr'",
    "['fork', 'spawn', 'forkserver']",
)


@pytest.mark.parametrize("title", CASES)
def test_sessions_answer_as_recorded(title):
    import tensh

    if sys.version_info >= (3, 12) and any(words in CASES[title] for words in OF_PYTHON_3_11):
        pytest.skip("recorded with Python 3.11")
    assert replay(CASES[title], tensh) == CASES[title]


@pytest.mark.oracle
@pytest.mark.parametrize("title", CASES)
def test_recorded_as_pytorch_answers(title):
    torch = pytest.importorskip("torch")
    assert replay(CASES[title], torch) == CASES[title]
