"""The description of a graph's node, as plain data that needs no terminal."""

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Edge:
    """An edge from a node to one that receives its gradient.

    ``number`` is that node's number (None for a constant, or if no gradient is needed), ``output`` the index of its
    output, ``parameter`` the operator's name for the operand and ``formula`` the derivative in the vocabulary of the
    operator table.
    """

    number: int | None
    output: int = 0
    parameter: str | None = None
    formula: str | None = None


@dataclass(frozen=True, slots=True)
class GraphNode:
    """A node: an operation, or a leaf that accumulates.

    ``number`` counts from 1 in the order of recording; ``kind`` is "leaf" or "operation"; ``name`` is PyTorch's;
    ``label`` is the user's text for the value and ``variable`` its name, if known.  ``value`` and ``grad`` are arrays
    or None.  ``uses`` counts the edges to this node.
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
        """The node in the user's terms: ``y = a * b``, ``a * b``, ``w``, or the operation."""
        if self.variable and self.label and self.variable != self.label:
            return f"{self.variable} = {self.label}"
        return self.short

    @property
    def short(self):
        """The shortest description of the node: ``y``, ``a * b``, ``mul``."""
        return self.variable or self.label or (f"in {self.part_of}" if self.part_of else self.operation)

    @property
    def operation(self):
        """The operation in one word: ``mul``, ``tanh``, ``leaf``."""
        if self.kind == "leaf":
            return "leaf"
        return re.sub(r"(?<!^)(?=[A-Z])", "_", re.sub(r"Backward\d*$", "", self.name)).lower()
