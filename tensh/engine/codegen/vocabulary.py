"""The words of derivatives, in two meanings.

Every operator has one name in two dictionaries with one signature: ``ARRAYS[name]`` works on raw arrays,
``TENSORS[name]`` on tensors and is recorded.  A derivative is text in these words; with the first meaning it is fast, with
the second it can be differentiated again.
"""

from tensh.engine.codegen.registry import Registry


class Recorded(Registry):
    """Name -> meaning on tensors; that of an operator is its function, which is written when it is first asked for."""

    def __missing__(self, name):
        if name not in self:
            self[name] = OPS[name].fn
        return self[name]


ARRAYS = Registry("ARRAYS")
TENSORS = Recorded("TENSORS")
OPS = Registry("OPS")  # every declared operator by name


def recorded(name):
    """The meaning of a word on tensors."""
    return TENSORS[name]


def meanings(names, words):
    """Those of ``names`` that are words, with their meanings: what a derivative is compiled with."""
    return {name: words[name] for name in names if name in ARRAYS}


def claim(name):
    """Raise if ``name`` is a word already: a second declaration would silently change what derivatives say."""
    if dict.__contains__(ARRAYS, name):
        raise TypeError(f"the word {name!r} is declared twice")


def word(fn):
    """A helper that reads the same on both: it uses only methods that arrays and tensors share."""
    claim(fn.__name__)
    ARRAYS[fn.__name__] = TENSORS[fn.__name__] = fn
    return fn
