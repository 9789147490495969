"""Exceptions of other threads and processes, which come as a type and a text, and are raised again."""


class KeyErrorMessage(str):
    """A text that a KeyError shows without quotes."""

    __slots__ = ()

    def __repr__(self):
        return str(self)


def make_exception(kind, text):
    """Make an exception of a type from a text; a RuntimeError if the type needs other arguments."""
    if kind is KeyError:
        return KeyError(KeyErrorMessage(text))
    try:
        return kind(message=text) if getattr(kind, "message", None) else kind(text)
    except Exception:
        return RuntimeError(text)
