"""Functions of the engine and of modules that are replaced while a training is observed.

The engine has no hooks at these places, because every program would pay for them.
"""

import contextlib


class Replacements:
    """Replaced functions, until all are restored."""

    def __init__(self):
        self.undoing = contextlib.ExitStack()

    def replace(self, owner, name, new):
        """Replace a function; return (the original, a function that restores it)."""
        before = getattr(owner, name)
        setattr(owner, name, new)

        def undo():
            if getattr(owner, name) is new:
                setattr(owner, name, before)

        self.undoing.callback(undo)
        return before, undo

    def undo(self):
        """Restore all functions."""
        self.undoing.close()

    def undo_with(self, function):
        """Call ``function``, too, when all are restored."""
        self.undoing.callback(function)
