"""Signatures of the calls that are typed, for the line at the foot and for F1. Imported after the first paint."""

import contextlib

from tensh.cli.session.completion import signatures
from tensh.cli.session.static.known import find_known


class Signatures:
    """Finds the signature at the cursor; each text is looked at once."""

    def __init__(self, session):
        self.session = session
        self.last = None, None  # the text, what was found for it

    def find_at(self, text):
        """The Signature of the call in which a text ends, or None."""
        if self.last[0] != text:
            found = None
            with contextlib.suppress(Exception):  # user classes may answer in any way
                found = signatures.find_signature(text, self.session.namespace)
            self.last = text, found
        return self.last[1]

    def find_subject(self, text, name):
        """The name to explain: one that means something, else the function that is called there, else the name."""
        namespace = self.session.namespace
        if name and find_known(name, namespace) is not None:
            return name
        call = signatures.find_call(text)
        return call.function if call and find_known(call.function, namespace) is not None else name
