"""Products and sums of tensors and plain numbers in recorded derivatives.

For the user ``x * 2`` is a ``MulBackward0`` of two inputs, the second without a gradient.  PyTorch's derivatives
multiply by the number itself: a ``MulBackward1`` of one input.  So generated derivatives call ``mul_number(x, 2)``.
"""

import ast
import functools
import operator

from tensh.engine.codegen.vocabulary import ARRAYS, OPS, TENSORS
from tensh.engine.core.lift import Lift
from tensh.engine.core.nodes import uses_gradient
from tensh.engine.core.tensor import Tensor

NODES = {"add": "AddBackward1", "sub": "SubBackward1", "mul": "MulBackward1", "div": "DivBackward1"}
PYTHON = {"add": operator.add, "sub": operator.sub, "mul": operator.mul, "div": operator.truediv}
OPERATIONS = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div"}
COUNTS = {"count", "per_freedom"}  # words whose value is a number


@functools.cache
def node_beside_number(name):
    """Return the class of the nodes of the operator ``name`` of a tensor and a number."""
    second = list(OPS[name].inputs)[1]
    kind = OPS[name].make_number_node_class(second, NODES[name])
    if name in ("mul", "div"):
        place = kind.reads.index(second)
        kind.keeps_arrays = False  # only the number is saved, so that the node can be used again
        kind.backward_graph = lambda node, g: (combine_with_number(name, g, node.saved[place].item().conjugate()), None)
    return kind


def combine_with_number(name, t, number):
    """Return the operator ``name`` of a tensor and a number."""
    result = OPS[name].fn(t, number)
    try:
        if uses_gradient(result.node):
            result.node.__class__ = node_beside_number(name)
    except Lift:
        pass  # a batch's node is that of its value
    return result


def accept_number(name):
    """Return the operator ``name`` with two operands, one of which may be a number."""

    def word(a, b):
        if isinstance(a, Tensor) is isinstance(b, Tensor):
            return PYTHON[name](a, b)
        if not isinstance(b, Tensor):
            return combine_with_number(name, a, b)
        return combine_with_number(name, b, a) if name in ("add", "mul") else OPS[name].fn(a, b)

    return word


for _name in NODES:
    ARRAYS[f"{_name}_number"], TENSORS[f"{_name}_number"] = PYTHON[_name], accept_number(_name)


class Rewritten(ast.NodeTransformer):
    """Rewrites the text of a derivative so that operations on numbers are named; ``plain`` are the names of numbers."""

    def __init__(self, plain):
        self.plain = plain

    def visit_BinOp(self, node):
        self.generic_visit(node)
        name = OPERATIONS.get(type(node.op))
        if name is None or self.is_number(node.left) is self.is_number(node.right):
            return node
        return ast.Call(ast.Name(f"{name}_number"), [node.left, node.right], [])

    def is_number(self, node):
        match node:
            case ast.Constant(value=value):
                return isinstance(value, (int, float, complex))
            case ast.Name(id=name):
                return name.isupper() or name in self.plain
            case ast.UnaryOp(operand=inner) | ast.Attribute(value=inner):
                return self.is_number(inner)
            case ast.BinOp(left=left, right=right):
                return self.is_number(left) and self.is_number(right)
            case ast.Call(func=ast.Name(id=name)):
                return name in COUNTS
            case ast.Call(func=inner):
                return self.is_number(inner)
        return False


def name_numbers(text, plain):
    """``text`` with named operations on numbers, as for a recorded derivative."""
    return ast.unparse(Rewritten(plain).visit(ast.parse(text, mode="eval")))
