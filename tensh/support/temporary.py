"""Attributes that have another value for the duration of a context."""

from contextlib import contextmanager


@contextmanager
def temporarily(owner, **values):
    """Set attributes of an object within the context, and restore them afterwards, also after an exception.

    Attributes of a ``threading.local`` change for the calling thread alone. Code that runs for each operation or call
    of ``vmap`` writes this out instead, since a context takes a microsecond or two.
    """
    before = {name: getattr(owner, name) for name in values}
    for name, value in values.items():
        setattr(owner, name, value)
    try:
        yield
    finally:
        for name, value in before.items():
            setattr(owner, name, value)
