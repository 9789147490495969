"""Sources that run in a session of this process."""

from tensh.cli.session.session import Session
from tensh.cli.session.sources.source import Source


def run(text, session=None, keep_going=False, **reading):
    """All events of a source."""
    source = Source(text, "<test>", "test", **reading)
    return [*(session or Session()).run(source, keep_going)]
