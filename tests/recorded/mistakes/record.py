"""What is said of mistakes that learners make: of tensh itself, to be read."""

from tests.recorded.mistakes.cases import SCRIPTS, expected, explain


def record(wanted):
    for script in SCRIPTS:
        if wanted(script.stem):
            yield expected(script), explain(script)[1]
