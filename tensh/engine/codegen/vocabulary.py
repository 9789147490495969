"""The words of derivatives, with two meanings each.

Every operator has one name in two dictionaries with one signature: ``ARRAYS[name]`` works on raw arrays,
``TENSORS[name]`` on tensors and is recorded.  A derivative is text in these words; with the first meaning it is fast, with
the second it can be differentiated again.
"""

from tensh.engine.codegen.registry import Registry
from tensh.engine.core.clock import mode


class RecordedWords(Registry):
    """Name -> meaning on tensors: for an operator its function, generated at the first look-up."""

    def __missing__(self, name):
        if name not in self:
            self[name] = OPS[name].fn
        return self[name]


ARRAYS = Registry("ARRAYS")
TENSORS = RecordedWords("TENSORS")
OPS = Registry("OPS")  # every declared operator by name


def on_tensors(name):
    """Return the meaning of a word on tensors; in a backward pass that a mode sees, a call of PyTorch's operator."""
    return TENSORS[name] if mode.watch is None else mode.watch.word(name)


def meanings(names, words):
    """Return the words among ``names`` with their meanings: the namespace in which a derivative is compiled."""
    return {name: words[name] for name in names if name in ARRAYS}


def claim(name):
    """Raise if ``name`` is a word already: a second declaration would silently change what derivatives say."""
    if dict.__contains__(ARRAYS, name):
        raise TypeError(f"the word {name!r} is declared twice")


def word(fn):
    """Declare a helper for arrays and tensors alike, which uses only methods that both have."""
    claim(fn.__name__)
    ARRAYS[fn.__name__] = TENSORS[fn.__name__] = fn
    return fn
