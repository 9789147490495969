"""What a name was probably meant to be, where none of that name exists."""

import builtins
from types import ModuleType


def suggestion(error, frame):
    """A name close to the one that a NameError or AttributeError did not find, or None. Nothing of the user's runs."""
    if isinstance(error, NotImplementedError):  # PyTorch has the name, which is meant as it is
        return None
    if isinstance(error, NameError) and error.name and frame:
        known = {*frame.f_locals, *frame.f_globals, *dir(builtins)}
    elif isinstance(error, AttributeError) and error.name:
        known = attributes(error.obj)
    else:
        return None
    return close(error.name, known)


def close(word, known):
    """The name among those known that comes closest to a word, or None."""
    from difflib import get_close_matches  # a millisecond that only a failure costs

    hidden = word.startswith("_")
    return next(iter(get_close_matches(word, [name for name in known if hidden or not name.startswith("_")], 1)), None)


def attributes(value):
    """The names of an object's attributes, without asking the object: a property could run for it."""
    if isinstance(value, ModuleType):
        return dir(value)
    try:
        own = object.__getattribute__(value, "__dict__")
    except AttributeError:  # it has slots, or nothing
        own = ()
    return {*dir(type(value)), *own}
