"""What is said of mistakes that learners make: of tensh itself, to be read."""

import contextlib
import tempfile

from tests.recorded.mistakes.cases import SCRIPTS, expected, explain


def record(wanted):
    for script in SCRIPTS:
        if wanted(script.stem):
            with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):  # some scripts write files
                said = explain(script)[1]
            yield expected(script), said
