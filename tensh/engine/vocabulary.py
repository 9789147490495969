"""The words of derivatives, in two meanings.

Every operator has one name in two dictionaries with one signature: ``ARRAYS[name]`` works on raw arrays,
``TENSORS[name]`` on tensors and is recorded.  A derivative is text in these words; compiled into ``ARRAYS`` it is fast,
compiled into ``TENSORS`` it can be differentiated again.
"""

ARRAYS: dict = {}
TENSORS: dict = {}
OPS: dict = {}  # every declared operator by name


def recorded(name):
    """The meaning of a word on tensors; an operator's function is written when it is first asked for."""
    if name not in TENSORS:
        TENSORS[name] = OPS[name].fn
    return TENSORS[name]


def claim(name):
    """Raise if ``name`` is a word already: a second declaration would silently change what derivatives say."""
    if name in ARRAYS:
        raise TypeError(f"the word {name!r} is declared twice")


def word(fn):
    """A helper that reads the same on both: it uses only methods that arrays and tensors share."""
    claim(fn.__name__)
    ARRAYS[fn.__name__] = TENSORS[fn.__name__] = fn
    return fn
