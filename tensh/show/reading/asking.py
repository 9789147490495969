"""The names and the code of the caller, for a function of this package that is called without arguments.

A session knows which names are the user's and what it has run; for any other program there are only its global names.
"""

import re
import sys
import weakref
from collections.abc import Mapping
from types import ModuleType

from tensh.support.language import _

sessions = weakref.WeakSet()  # running sessions, each with `namespace`, `own_names()` and `texts()`


def names_of_caller(depth):
    """Return the user's names in the frame of the caller's `depth`-th caller."""
    found = sys._getframe(depth + 1).f_globals
    session = session_of(found)
    if session:
        return session.own_names()
    return {name: value for name, value in found.items() if not (name.startswith("_") or is_module(value))}


def choose_names(names):
    """Return a dict of names as it is; else those of the caller, all or only those that match patterns such as "w* b".

    Raise TypeError for anything but names and patterns.
    """
    if names is None or isinstance(names, str):
        return match_names(names_of_caller(2), names or "")
    if not isinstance(names, Mapping):
        kind = type(names).__name__
        raise TypeError(
            _('expected a dict from names to values, or a string of patterns such as "w* b", but got a {kind}').format(
                kind=kind
            )
        )
    return names


def match_names(names, patterns):
    """Return the names that match one of the patterns in a text; all for "".

    A pattern that matches none may match tensors within modules and containers: `net.0.weight`, `net.0` for all of a layer.
    Raise LookupError for a pattern without a match.
    """
    import fnmatch  # loads modules that few programs need

    wanted = patterns.replace(",", " ").split()
    found = dict.fromkeys(name for name in names if any(fnmatch.fnmatch(name, each) for each in wanted))
    for pattern in wanted:
        if not fnmatch.filter(names, pattern):
            inner = find_inner(names, pattern)
            if not inner:
                raise LookupError(_("there is no name {pattern}").format(pattern=pattern))
            found |= inner
    return {name: names.get(name, value) for name, value in found.items()} if wanted else names


def find_inner(names, pattern):
    """Return the tensors within modules and containers whose paths match a pattern, or begin with it."""
    import fnmatch

    from tensh.graph.names import list_named_tensors

    pattern = re.sub(r"\[(\d+)\]", r".\1", pattern)  # an index is no set of characters
    return {
        path: tensor
        for path, tensor in list_named_tensors(names)
        if any(fnmatch.fnmatch(re.sub(r"\[(\d+)\]", r".\1", path), each) for each in (pattern, f"{pattern}.*"))
    }


def sources_of_caller():
    """Return the code that the caller's session has run, by file name; None without a session."""
    session = session_of(sys._getframe(2).f_globals)
    return session.texts() if session else None


def session_of(namespace):
    """Return the session with this namespace, or None."""
    return next((each for each in sessions if each.namespace is namespace), None)


def is_module(value):
    """Return True if a value is a module, which is not data."""
    return issubclass(type(value), ModuleType)
