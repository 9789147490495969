"""Objects created since a moment, found by the garbage collector without cost for older ones."""

import gc


class Since:
    """A context in which ``has(value)`` tells whether an object was created within.

    Older objects are set aside by ``gc.freeze``, which takes no time whatever their number; objects tracked afterwards
    are new. If others are frozen already, by the program or by an enclosing context, these stay frozen: the ids of the
    rest are remembered instead.
    """

    is_freezing = False  # a context has set objects aside
    program_freezes = False  # seen once, since counting frozen objects visits each: for a second in a large test suite

    def __enter__(self):
        if not Since.is_freezing:
            Since.program_freezes = Since.program_freezes or gc.get_freeze_count() > 0
        self.frozen = not (Since.is_freezing or Since.program_freezes)
        if self.frozen:
            Since.is_freezing = True
            gc.freeze()
        else:
            self.before = {id(each) for each in gc.get_objects()}
        return self

    def __exit__(self, *failure):
        if self.frozen:
            gc.unfreeze()
            Since.is_freezing = False

    def has(self, value):
        """Return True if an object tracked by the collector was created within the context."""
        if self.frozen:
            return any(each is value for each in gc.get_objects())
        return any(each is value for each in gc.get_objects()) and id(value) not in self.before
