"""A session that is written into a file says the same in every kind of file, however often it is converted."""

import os

import pytest

from tests.fuzz.round_trips.trips import findings

pytestmark = pytest.mark.thorough

SEEDS = int(os.environ.get("TENSH_ROUND_TRIPS", 8))  # a nightly run has 500


@pytest.mark.parametrize("seed", range(SEEDS))
def test_a_session_through_all_kinds_of_files(seed, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert findings(seed, str(tmp_path)) == []
