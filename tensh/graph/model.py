"""Facts about a node of a graph, as plain data that no terminal is needed for."""

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Edge:
    """From a node to one that its gradient goes on to.

    ``number`` is that node's (None for a constant, or what needs no gradient), ``output`` which of its outputs is meant,
    ``parameter`` the operator's name for the operand and ``formula`` the derivative in the names of the operator table.
    """

    number: int | None
    output: int = 0
    parameter: str | None = None
    formula: str | None = None


@dataclass(frozen=True, slots=True)
class GraphNode:
    """One node: an operation, or a leaf that accumulates.

    ``number`` counts from 1 in the order of recording; ``kind`` is "leaf" or "operation"; ``name`` is PyTorch's; ``label``
    is the user's own text for the value and ``variable`` the name it has, where they are known.  ``value`` and ``grad`` are
    arrays or None.  ``uses`` counts the edges that lead here.
    """

    number: int
    kind: str
    name: str
    label: str | None
    variable: str | None
    shape: tuple | None
    dtype: str | None
    edges: tuple[Edge, ...] = ()
    value: object = None
    grad: object = None
    uses: int = 0
    place: str | None = None
    part_of: str | None = None

    @property
    def title(self):
        """The node in the user's words: ``y = a * b``, ``a * b``, ``w``, or the operation."""
        if self.variable and self.label and self.variable != self.label:
            return f"{self.variable} = {self.label}"
        return self.short

    @property
    def short(self):
        """Describe the node in as few words as will do: ``y``, ``a * b``, ``mul``."""
        return self.variable or self.label or (f"in {self.part_of}" if self.part_of else self.operation)

    @property
    def operation(self):
        """The operation in a word: ``mul``, ``tanh``, ``leaf``."""
        if self.kind == "leaf":
            return "leaf"
        return re.sub(r"(?<!^)(?=[A-Z])", "_", re.sub(r"Backward\d*$", "", self.name)).lower()
