"""The caller: the names and the code of the program that calls a function of this package without passing them.

A session knows which names are the user's and what has run in it; of any other program there are its global names.
"""

import sys
import weakref
from collections.abc import Mapping
from types import ModuleType

from tensh.language import _

sessions = weakref.WeakSet()  # those that run, each with `namespace`, `own_names()` and `texts()`


def names_of_caller(depth=1):
    """The user's names in the frame of the caller, or of its `depth`-th caller."""
    found = sys._getframe(depth + 1).f_globals
    session = session_of(found)
    if session:
        return session.own_names()
    return {name: value for name, value in found.items() if not (name.startswith("_") or is_module(value))}


def choose_names(names, depth=1):
    """A dict of names as it is; of the caller's, where there is none, those that patterns such as "w* b" are about, or all.

    Raise TypeError for anything but names and patterns.
    """
    if names is None or isinstance(names, str):
        return match_names(names_of_caller(depth + 1), names or "")
    if not isinstance(names, Mapping):
        kind = type(names).__name__
        raise TypeError(
            _(
                'a dict from names to values was expected, or a text of patterns such as "w* b", and this is a {kind}'
            ).format(kind=kind)
        )
    return names


def match_names(names, patterns):
    """The names that one of some patterns fits, which stand in a text; all for an empty one. LookupError names one that fits none."""
    import fnmatch  # brings patterns, which few programs ask for

    wanted = patterns.replace(",", " ").split()
    for pattern in wanted:
        if not fnmatch.filter(names, pattern):
            raise LookupError(_("there is no name {pattern}").format(pattern=pattern))
    fits = [name for name in names if any(fnmatch.fnmatch(name, each) for each in wanted)]
    return {name: names[name] for name in fits} if wanted else names


def sources_of_caller(depth=1):
    """The code that has run in the session of the caller, by file name; None where there is no session."""
    session = session_of(sys._getframe(depth + 1).f_globals)
    return session.texts() if session else None


def session_of(namespace):
    """The session whose names these are, if one runs."""
    return next((each for each in sessions if each.namespace is namespace), None)


def is_module(value):
    """True if a value is a module: a name that holds no data."""
    return issubclass(type(value), ModuleType)
