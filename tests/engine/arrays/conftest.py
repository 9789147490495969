"""What all tests of this folder share."""

import pytest

from tensh.engine.arrays import threads


@pytest.fixture(autouse=True)
def threads_as_before():
    before = threads.pool.limit
    yield
    threads.pool.limit = before
