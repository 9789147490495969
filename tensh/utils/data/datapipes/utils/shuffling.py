"""The settings of steps that give samples in random order."""


class Shuffling:
    """The methods by which a user, or a loader, sets whether a step shuffles, and its seed."""

    def set_shuffle(self, shuffle=True):
        """Switch the step on or off."""
        self._enabled = shuffle
        return self

    def set_seed(self, seed):
        """Set the seed of the next pass."""
        self._seed = seed
        return self
