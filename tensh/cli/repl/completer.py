"""Completions for the editor: those of the session, as prompt_toolkit wants them."""

import threading

from prompt_toolkit.completion import Completer, Completion

from tensh.cli.session.completion import complete
from tensh.escaping import visible_line

IDLE = 2.0  # seconds after the prompt is there


def read_ahead():
    """Read what completion wants to tell of every name, before somebody asks: the first time takes a while."""
    import tensh

    complete("torch.", {"torch": tensh}, time=60)
    complete("torch.ones(1).", {"torch": tensh}, time=60)


class SessionCompleter(Completer):
    """Completes in the names of a session. Nothing of it runs."""

    def __init__(self, session, idle=IDLE):
        self.session = session
        if idle is not None:
            ahead = threading.Timer(idle, read_ahead)
            ahead.daemon = True
            ahead.start()

    def get_completions(self, document, complete_event):
        found = complete(document.text_before_cursor, self.session.namespace)
        for each in found.candidates:
            meta = "  ".join(filter(None, (each.kind, each.detail)))
            yield Completion(each.text, -found.length, display=visible_line(each.text), display_meta=visible_line(meta))
