"""Lines on which a statement could begin, told from the lines before in one pass: strings, brackets, backslashes."""

import re

IN_CODE = re.compile(r"#.*|\\\Z|\"\"\"|'''|[\"'([{})\]]")
IN_STRING = {quote: re.compile(rf"\\.|\\\Z|{quote}", re.S) for quote in ('"""', "'''", '"', "'")}


class Openness:
    """The statement, bracket or string that is open at the end of the lines so far."""

    def __init__(self):
        self.quote = None  # of the string
        self.depth = 0  # of the brackets
        self.continued = False  # by a backslash

    def __bool__(self):
        return bool(self.quote or self.depth or self.continued)

    def take(self, line):
        """Go over a line more."""
        self.continued, place = False, 0
        while found := (IN_STRING[self.quote] if self.quote else IN_CODE).search(line, place):
            place = found.end()
            self.meet(found[0])
        if self.quote in ('"', "'") and not self.continued:  # it had to end on this line: another error
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
