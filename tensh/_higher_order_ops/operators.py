"""Operators on functions, which a graph calls for a branch or a loop: its functions are separate graph modules."""

from tensh.engine.dispatch.override.state import state

__all__ = ["HigherOrderOperator"]


class HigherOrderOperator:
    """An operator on functions, such as ``torch.ops.higher_order.cond``; ``compute`` is what it does with values.

    ``graphs`` are the names of its functions in a graph, ``first`` is the position of the first function among the arguments.
    Operands come after the functions, in one tuple; with ``apart``, a second tuple has what the functions take from
    outside. With ``rows``, operands are lists, of which the last has tensors that the function gets row by row.
    """

    __module__ = "torch.ops.higher_order"
    known = {}

    def __init__(self, name, compute, graphs, first=0, apart=False, rows=False):
        self.__name__ = self._name = name
        self.compute, self.graphs, self.first, self.apart, self.rows = compute, graphs, first, apart, rows
        self.known[name] = self

    def __call__(self, *args):
        for mode in (*reversed(state.dispatch_modes), *reversed(state.modes)):
            record = getattr(mode, "record_higher_order", None)
            if record is not None:
                return record(self, args)
        return self.compute(*args)

    def name(self):
        """Return the name of the operator."""
        return self._name

    def __str__(self):
        return self._name
