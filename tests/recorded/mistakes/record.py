"""Reports on mistakes that learners make, recorded from tensh itself, to be read."""

from tests.recorded.mistakes.cases import SCRIPTS, expected, explain


def record(wanted):
    for script in SCRIPTS:
        if wanted(script.stem):
            yield expected(script), explain(script)[1]
