"""A session that tests type at."""

import pytest

from tensh.cli.session.events import Failed, Notice, Text, Value
from tensh.cli.session.session import Session
from tensh.cli.session.sources.source import Source


@pytest.fixture
def prompt(tmp_path, monkeypatch):
    """A session in a separate folder, with the usual printing options afterwards."""
    import tensh

    monkeypatch.chdir(tmp_path)
    typed = Prompt()
    yield typed
    typed.session.close()  # or the engine goes on noting where operations come from
    tensh.set_printoptions(profile="default")


class Prompt:
    """Types blocks into a session and keeps what happens."""

    def __init__(self):
        self.session = Session()
        self.session.preload()
        self.session.remember()
        self.number = 0

    def __call__(self, *blocks):
        """Run blocks one after another; all their events. A failure of one does not keep the next from running."""
        events = []
        for block in blocks:
            self.number += 1
            events += self.session.run(Source(block, f"<input {self.number}>", ""))
        return events

    def values(self, *blocks):
        return [event.value for event in self(*blocks) if isinstance(event, Value)]

    def notices(self, *blocks):
        return [event.text for event in self(*blocks) if isinstance(event, Notice)]

    def text(self, *blocks):
        """What is shown, as plain text."""
        found = []
        for event in self(*blocks):
            if isinstance(event, Value):
                found.append(repr(event.value))
            elif isinstance(event, Text):
                found.append("".join(text for _, text in event.tokens).rstrip("\n"))
        return "\n".join(found)

    def message(self, *blocks):
        """The message of the only failure."""
        (failed,) = [event for event in self(*blocks) if isinstance(event, Failed)]
        return failed.failure.message

    def __getitem__(self, name):
        return self.session.namespace[name]
