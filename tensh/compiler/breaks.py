"""Why a function is not compiled."""

import os


class Missed(Exception):
    """What Python reads of elements in a graph's run is not what it read when the graph was captured."""


class Unsupported(RuntimeError):
    """A function cannot become one graph, and ``fullgraph`` asks for one."""

    __module__ = "torch._dynamo.exc"


class Break(Exception):
    """Something in a function that a compiled graph cannot do; ``place`` is the user's line as (file, number), or None."""

    def __init__(self, reason, place=None):
        super().__init__(reason)
        self.reason, self.place = reason, place

    def __str__(self):
        if self.place is None:
            return self.reason
        return f"{self.reason}, {os.path.basename(self.place[0])}, line {self.place[1]}"
