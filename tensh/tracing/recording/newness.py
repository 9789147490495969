"""Objects created since a moment, found by the garbage collector without cost for older ones."""

import gc


class Since:
    """A context in which ``has(value)`` tells whether an object was created within.

    Older objects are set aside by ``gc.freeze``, which takes no time whatever their number; objects tracked afterwards
    are new. If the program has frozen objects itself, they stay frozen: their ids are remembered instead.
    """

    def __enter__(self):
        self.frozen = gc.get_freeze_count() == 0
        if self.frozen:
            gc.freeze()
        else:
            self.before = {id(each) for each in gc.get_objects()}
        return self

    def __exit__(self, *failure):
        if self.frozen:
            gc.unfreeze()

    def has(self, value):
        """Return True if an object tracked by the collector was created within the context."""
        if self.frozen:
            return any(each is value for each in gc.get_objects())
        return any(each is value for each in gc.get_objects()) and id(value) not in self.before
