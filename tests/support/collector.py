"""Garbage collection as programs have it, for tests that trace."""

import gc

import pytest


@pytest.fixture(scope="module", autouse=True)
def thawed():
    """Thaw the objects that the collection of tests froze; finding new objects (`Since`) costs nothing then."""
    gc.unfreeze()
    yield
    gc.collect()
    gc.freeze()
