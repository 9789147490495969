"""Garbage collection as programs have it, for tests that trace."""

import gc

import pytest


@pytest.fixture(scope="module", autouse=True)
def thawed():
    """Thaw what the collection of tests has frozen: telling new objects from old ones (`Since`) takes no time then."""
    gc.unfreeze()
    yield
    gc.collect()
    gc.freeze()
