"""Output of `tensh graph` for scripts, recorded from tensh itself, to be read."""

from tests.recorded.graphs.cases import SCRIPTS, expected, transcript


def record(wanted):
    for script in SCRIPTS:
        if wanted(script.stem):
            yield expected(script), transcript(script)
