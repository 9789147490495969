"""The functions that a test file defines within another function."""

from inspect import isfunction


def collect(given, module, *helpers):
    """Return name -> function of those that a module has in a function, without its helpers."""
    own = {name: each for name, each in given.items() if isfunction(each) and each.__module__ == module}
    return {name: each for name, each in own.items() if name not in helpers}
