"""Sizes in the printed form of a traced graph: in TorchScript they are tensors, which operators read as numbers."""

import tensh as torch
from tensh._aten.overloads import schemas
from tensh.fx.node import Node
from tensh.jit.graphs.graph_objects import type_of
from tensh.jit.graphs.scopes import place_of
from tensh.jit.language.constants import WRAPPED
from tensh.jit.language.value_text import tensor_text

__all__ = ["SCALARS", "SizeLines", "holds_size"]

SIZES = {
    "add": "aten::add", "sub": "aten::sub", "mul": "aten::mul", "floordiv": "aten::floor_divide", "mod": "aten::remainder",
    "pow": "aten::pow", "neg": "aten::neg", "truediv": "aten::div",
}  # fmt: skip
"""Operator of Python on sizes -> that of their tensors."""
SCALARS = SIZES | {"floordiv": "aten::floordiv"}
"""Operators on sizes."""
REFLECTED = {"aten::add": "aten::add", "aten::mul": "aten::mul", "aten::sub": "aten::rsub"}
"""Operator -> the one that takes a tensor first and a number after it, and computes the same."""
SCALED = {
    "aten::add": schemas()["add"]["Tensor"].parameters,
    "aten::sub": schemas()["sub"]["Tensor"].parameters,
    "aten::rsub": schemas()["rsub"]["Scalar"].parameters,
}
"""Operators with a factor as their last argument -> their parameters."""


def holds_size(node):
    """Return True for a node of a size, or of what is computed of sizes."""
    return type(node.meta.get("val")) in (int, float)


class SizeLines:
    """The part of ``Lines`` that writes sizes."""

    def write_size(self, node, place):
        """Write a size, or what is computed of sizes."""
        if getattr(node.target, "_opname", "") in ("sym_size", "numel"):
            taken = [self.names[node.args[0]], *(self.value(each, place) for each in node.args[1:])]
            kind = "aten::numel" if node.target._opname == "numel" else "aten::size"
            size = self.make("int", kind, taken, place)
            self.names[node] = self.make("Long(device=cpu)", "prim::NumToTensor", [size], place.without_line())
        else:
            place = place if "place" in node.meta else place_of(next(iter(node.users), node), self.members is None)
            name = SIZES.get(node.target.__name__, f"tensh::{node.target.__name__}")
            self.take_names(node)
            args = list(node.args)
            if len(args) == 2 and not isinstance(args[0], Node) and name in REFLECTED:
                name, args = REFLECTED[name], args[::-1]
            as_written = name in ("aten::pow", "aten::rsub")  # these take numbers, too
            taken = [self.size_operand(each, place, as_written) for each in args]
            more = [self.value(1, place)] if name in SCALED else []
            result = torch.tensor(node.meta["val"], dtype=torch.int64 if type(node.meta["val"]) is int else None)
            self.names[node] = self.make(type_of(result), name, [*taken, *more], place)
            self.lines[-1].parameters = SCALED.get(name)
        self.sizes.add(self.names[node])

    def size_operand(self, value, place, as_written):
        if isinstance(value, Node):
            return self.names[value]
        return self.value(value, place) if as_written else self.number_as_tensor(value, place)

    def is_size(self, value):
        """Return True for a node of which the tensor stands for a size."""
        return isinstance(value, Node) and self.names.get(value) in self.sizes

    def as_number(self, text, kind, name, place):
        """Return the number of a size, read on the line after the size; a later reading stands first."""
        at = self.lines.index(self.found[name].node()) + 1
        made = self.make(text, kind, [name], place.without_line())
        self.lines.insert(at, self.lines.pop())
        return made

    def number_as_tensor(self, value, place):
        made = torch.tensor(value, dtype=WRAPPED[type(value)])
        return self.make(type_of(made), "prim::Constant", [], place, ("value", made, tensor_text(made)), made)
