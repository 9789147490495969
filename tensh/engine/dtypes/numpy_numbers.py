"""NumPy's numbers as Python's."""

import numpy as np


def as_python(value):
    """Return NumPy's numbers as Python's, also within lists, tuples and dictionaries: operators are chosen by types."""
    if isinstance(value, np.generic):
        return value.item()
    if type(value) in (list, tuple):
        return type(value)(map(as_python, value))
    return {name: as_python(each) for name, each in value.items()} if type(value) is dict else value
