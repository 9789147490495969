"""What is special about a view."""


class ViewInfo:
    """What is special about a view.

    ``steps`` are operator calls that lead from the base to the view where its place in the memory does not say enough
    (the view has another dtype); None otherwise.  ``locked`` is None, or why the view must not be written while
    gradients are recorded.
    """

    __slots__ = ("steps", "locked")

    def __init__(self, steps=None, locked=None):
        self.steps, self.locked = steps, locked
