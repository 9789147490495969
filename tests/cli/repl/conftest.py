"""Fixtures that tests of the prompt share."""

import pytest


@pytest.fixture(scope="module")
def shell():
    """A prompt that several tests type at, each leaving it empty."""
    from tests.support.terminal import Terminal  # a pseudo-terminal is POSIX's

    with Terminal() as terminal:
        yield terminal.ready()
