"""Functions of the engine and of modules that are exchanged while a training is watched.

The engine has no hooks at these places, because every program would pay for them.
"""

import contextlib


class Replacements:
    """Functions that stand in the place of others, until all are undone."""

    def __init__(self):
        self.undoing = contextlib.ExitStack()

    def replace(self, owner, name, new):
        """Put a function in the place of another; return (the other, what undoes it)."""
        before = getattr(owner, name)
        setattr(owner, name, new)

        def undo():
            if getattr(owner, name) is new:
                setattr(owner, name, before)

        self.undoing.callback(undo)
        return before, undo

    def undo(self):
        """Give back what was there before."""
        self.undoing.close()

    def undo_with(self, function):
        """Call ``function``, too, when all is undone."""
        self.undoing.callback(function)
