"""Signatures of calls being typed, for the toolbar and F1. Imported after the first paint."""

import contextlib

from tensh.cli.session.completion import signatures
from tensh.cli.session.static.known import find_known


class Signatures:
    """Finds the signature at the cursor, and caches it for the last text."""

    def __init__(self, session):
        self.session = session
        self.last = None, None  # the text and its signature

    def find_at(self, text):
        """Return the Signature of the call at the end of a text, or None."""
        if self.last[0] != text:
            found = None
            with contextlib.suppress(Exception):  # user classes may behave arbitrarily
                found = signatures.find_signature(text, self.session.namespace)
            self.last = text, found
        return self.last[1]

    def find_subject(self, text, name):
        """Return the name to explain: at the cursor if known, else the function being called, else the name."""
        namespace = self.session.namespace
        if name and find_known(name, namespace) is not None:
            return name
        call = signatures.find_call(text)
        return call.function if call and find_known(call.function, namespace) is not None else name
