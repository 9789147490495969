"""Regular expressions that are compiled when they are first used: those of the prompt take 3 ms, most are never used."""

import re


def pattern(text, flags=0):
    """Return a regular expression with the methods of ``re.compile(text, flags)``, compiled at the first use."""
    return LazyPattern(text, flags)


class LazyPattern:
    """The attributes of a compiled pattern, which is compiled when one of them is asked for."""

    def __init__(self, text, flags):
        self.arguments = text, flags

    def __getattr__(self, name):
        found = getattr(re.compile(*self.arguments), name)
        setattr(self, name, found)
        return found
