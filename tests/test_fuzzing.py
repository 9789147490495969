"""Files that were changed at random are loaded or refused, and files that once did harm stay harmless."""

from pathlib import Path

import fuzzing
import pytest
from fuzzing.targets import TARGETS
from fuzzing.worker import attempt

CORPUS = sorted((Path(__file__).parent / "fuzzing" / "corpus").glob("*-*"))


def test_files_that_were_changed_at_random():
    outcome = fuzzing.run(1000, seed=0, jobs=2)
    assert not outcome.wrong
    assert outcome.loaded > 150 and outcome.refused > 400


@pytest.mark.parametrize("path", CORPUS, ids=[path.name for path in CORPUS])
def test_a_file_that_once_did_harm(path, tmp_path):
    target = TARGETS[path.name.partition("-")[0]]
    message, _ = attempt(target, path.read_bytes(), str(tmp_path))
    assert message is None or not message.startswith("! ")
