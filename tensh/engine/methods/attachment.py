"""Attachment of operators to Tensor as methods and as Python's operators, each on first use."""

import operator

from tensh.engine.arrays.uninterrupted import without_interrupts
from tensh.engine.codegen.public_forms import as_python_operator, function, public_object
from tensh.engine.codegen.registry import HANGING, MEMBERS, METHODS, PYTHON_ONLY
from tensh.engine.codegen.vocabulary import OPS
from tensh.engine.core.tensor import Tensor
from tensh.engine.dispatch.override.points import add_member, announce, armed, copy_of, own_code, watch_operator
from tensh.engine.methods import attributes, autograd  # noqa: F401 (whose properties are sealed here)
from tensh.engine.methods.autograd import make_refusal


def seal_property(name, member):
    """Return a property that cannot be set or deleted, with PyTorch's errors."""
    if type(member) is not property or member.fset is not None:
        return member
    return property(member.fget, refuse := make_refusal(name), refuse, doc=member.__doc__)


for _name, _each in list(vars(Tensor).items()):
    if type(_each) is property:
        setattr(Tensor, _name, seal_property(_name, _each))


class Late:
    """A placeholder for an attribute of Tensor, which imports the attribute on first use and sets it."""

    def __init__(self, name, resolve):
        self.name, self.resolve = name, resolve

    @without_interrupts
    def _settle(self):
        member = self.resolve(self.name)
        setattr(Tensor, self.name, member)
        if armed.now:
            add_member(self.name, member)
        announce(member, self.name)

    def __get__(self, t, kind):
        self._settle()
        return getattr(kind if t is None else t, self.name)

    def __set__(self, t, value):
        self._settle()
        setattr(t, self.name, value)

    def __delete__(self, t):
        self._settle()
        delattr(t, self.name)


def member_of(name):
    """Return the attribute of Tensor with a name."""
    return seal_property(name, MEMBERS[name]) if name in MEMBERS else public_object(METHODS[name], name, method=True)


OPERATORS = {
    "__add__": "add", "__sub__": "sub", "__mul__": "mul", "__truediv__": "div", "__div__": "div", "__floordiv__": "floor_divide",
    "__mod__": "remainder", "__pow__": "pow", "__matmul__": "matmul", "__and__": "bitwise_and", "__or__": "bitwise_or",
    "__xor__": "bitwise_xor", "__lshift__": "bitwise_left_shift", "__rshift__": "bitwise_right_shift",
    "__eq__": "eq", "__ne__": "ne", "__lt__": "lt", "__le__": "le", "__gt__": "gt", "__ge__": "ge",
    "__radd__": "add", "__rmul__": "mul", "__rand__": "bitwise_and", "__ror__": "bitwise_or", "__rxor__": "bitwise_xor",
    "__rsub__": "rsub", "__rtruediv__": "rdiv", "__rdiv__": "rdiv", "__rpow__": "rpow", "__rfloordiv__": "rfloordiv", "__rmod__": "rmod",
    "__rmatmul__": "rmatmul", "__rlshift__": "rlshift", "__rrshift__": "rrshift",
    "__neg__": "neg", "__pos__": "positive", "__abs__": "abs", "__invert__": "invert",
    "__iadd__": "add_", "__isub__": "sub_", "__imul__": "mul_", "__itruediv__": "div_", "__idiv__": "div_", "__ifloordiv__": "floor_divide_",
    "__imod__": "remainder_", "__ipow__": "pow_", "__iand__": "bitwise_and_", "__ior__": "bitwise_or_",
    "__ixor__": "bitwise_xor_", "__ilshift__": "bitwise_left_shift_", "__irshift__": "bitwise_right_shift_",
}  # fmt: skip
"""Python's operators -> the operator of the table, or the function of functional.py, that computes them."""
UNARY = ("__neg__", "__pos__", "__abs__", "__invert__")
APART = ("__rand__", "__ror__", "__rxor__")
"""Reflected operators for which overrides get another function than for the operators themselves."""


def python_operator(name):
    """Return the function that computes one of Python's operators."""
    entry = OPERATORS[name]
    if entry in OPS and OPS[entry].pointwise:
        made = OPS[entry].operator if len(OPS[entry].inputs) == 2 else OPS[entry].fn
        return watch_operator(copy_of(own_code(made)[1]), OPS[entry]) if name in APART else made
    fn = function(PYTHON_ONLY[entry] if entry in PYTHON_ONLY else METHODS[entry])
    return fn if name in UNARY else as_python_operator(fn)


def hang(names, resolve):
    """Attach the result of ``resolve`` to Tensor for each of the names."""
    for name in names:
        setattr(Tensor, name, Late(name, resolve))


hang(sorted(HANGING), member_of)
hang(OPERATORS, python_operator)
Tensor.__hash__ = lambda self: id(self)


def index_number(t):
    """Convert an integer tensor of one element, for ``range(t)`` and ``list[t]``."""
    if t.array.size != 1 or t.array.dtype.kind not in "iub":
        raise TypeError("only integer tensors of a single element can be converted to an index")
    return operator.index(t.array.item())


def delete_item(t, index):
    """Refuse ``del t[index]``."""
    raise TypeError("Tensor does not support deleting items")


Tensor.__index__, Tensor.__delitem__ = index_number, delete_item
