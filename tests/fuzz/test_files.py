"""Files that were changed at random are loaded or refused, and files that once did harm stay harmless."""

import json
import random
from pathlib import Path

import pytest

from tests.fuzz import files as fuzzing
from tests.fuzz.files import tables
from tests.fuzz.files.targets import TARGETS
from tests.fuzz.files.worker import attempt

pytestmark = pytest.mark.thorough

CORPUS = sorted((Path(__file__).parent / "files" / "corpus").glob("*-*"))


def test_files_that_were_changed_at_random():
    outcome = fuzzing.run(1000, seed=0, jobs=2)
    assert not outcome.wrong
    assert outcome.loaded > 150 and outcome.refused > 400


@pytest.mark.parametrize("path", CORPUS, ids=[path.name for path in CORPUS])
def test_a_file_that_once_did_harm(path, tmp_path):
    target = TARGETS[path.name.partition("-")[0]]
    message, _ = attempt(target, path.read_bytes(), str(tmp_path))
    assert message is None or not message.startswith("! ")


def test_a_file_is_the_same_whatever_was_changed_before_it():
    """Mutators must not share lists: one would come to contain itself."""
    document = json.dumps({"cells": [{"source": [[]], "metadata": {}}], "nbformat": 4}).encode()

    def changed():
        return [tables.change_json(random.Random(number), document) for number in range(300)]

    assert changed() == changed()
