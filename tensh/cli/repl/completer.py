"""Completions for the editor: those of the session, as prompt_toolkit wants them."""

from prompt_toolkit.completion import Completer, Completion

from tensh.cli.session.completion import ahead, complete
from tensh.support.escaping import visible_line
from tensh.support.language import _


class SessionCompleter(Completer):
    """Completes in the names of a session, without running any code."""

    def __init__(self, session, idle=ahead.IDLE):
        self.session = session
        if idle is not None:
            ahead.begin(idle)

    def get_completions(self, document, complete_event):
        found = complete(document.text_before_cursor, self.session.namespace)
        for each in found.candidates:
            meta = "  ".join(filter(None, (each.kind and _(each.kind), each.detail)))
            yield Completion(each.text, -found.length, display=visible_line(each.text), display_meta=visible_line(meta))
