"""Objects made since a moment, told by Python's garbage collector at no cost for older ones."""

import gc


class Since:
    """While this is entered, ``has(value)`` tells whether an object was made since.

    What was there is put aside by ``gc.freeze``, which takes no time however much that is; what is listed afterwards is new. A
    program that has frozen objects itself keeps them so: their ids are remembered instead.
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
        """True if an object that the collector tracks was made since."""
        if self.frozen:
            return any(each is value for each in gc.get_objects())
        return any(each is value for each in gc.get_objects()) and id(value) not in self.before
