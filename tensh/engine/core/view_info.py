"""The facts about a view that its place in memory does not tell."""


class ViewInfo:
    """The facts about a view that its place in memory does not tell.

    ``steps`` are the operator calls that lead from the base to a view of another dtype; None for all other views.
    ``locked`` is the reason why the view must not be written while gradients are recorded, or None.
    """

    __slots__ = ("steps", "locked")

    def __init__(self, steps=None, locked=None):
        self.steps, self.locked = steps, locked
