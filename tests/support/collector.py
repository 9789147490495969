"""Garbage collection as programs have it, for tests that trace."""

import gc

import pytest

from tensh.tracing.recording.newness import Since


@pytest.fixture(scope="module", autouse=True)
def thawed():
    """Thaw the objects that the collection of tests froze; finding new objects (`Since`) costs nothing then."""
    gc.unfreeze()
    Since.program_freezes = False
    yield
    gc.collect()
    gc.freeze()
