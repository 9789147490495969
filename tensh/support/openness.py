"""Finding the lines on which a statement can begin, in one pass: tracks strings, brackets and backslashes."""

import re

from tensh.support.patterns import pattern

IN_CODE = pattern(r"#.*|\\\Z|\"\"\"|'''|[\"'([{})\]]")
IN_STRING = {quote: pattern(rf"\\.|\\\Z|{quote}", re.S) for quote in ('"""', "'''", '"', "'")}


class Openness:
    """The open strings, brackets and continuations at the end of the lines so far."""

    def __init__(self):
        self.quote = None  # the quote of the open string
        self.depth = 0  # the number of open brackets
        self.continued = False  # True after a backslash

    def __bool__(self):
        return bool(self.quote or self.depth or self.continued)

    def take(self, line):
        """Process another line."""
        self.continued, place = False, 0
        while found := (IN_STRING[self.quote] if self.quote else IN_CODE).search(line, place):
            place = found.end()
            self.meet(found[0])
        if self.quote in ('"', "'") and not self.continued:  # unterminated string: reported elsewhere
            self.quote = None

    def meet(self, sign):
        if sign == "\\":
            self.continued = True
        elif self.quote:
            self.quote = None if sign == self.quote else self.quote
        elif sign in IN_STRING:
            self.quote = sign
        elif sign in "([{":
            self.depth += 1
        elif sign in ")]}":
            self.depth = max(self.depth - 1, 0)
