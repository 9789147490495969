"""The methods of named tensors: those of plain tensors, and some along named dimensions."""

from tensh.engine.core.tensor import Tensor as Plain
from tensh.functorch.dim.arranging import order
from tensh.functorch.dim.calls import call
from tensh.functorch.dim.dimensions import DimList
from tensh.functorch.dim.indexing import index
from tensh.functorch.dim.tensors import Named

OWN = frozenset(
    """__init__ __new__ __class__ __dict__ __doc__ __module__ __repr__ __str__ __hash__ __dir__ __getattr__ __getattribute__
    __setattr__ __delattr__ __init_subclass__ __subclasshook__ __torch_function__ __reduce__ __reduce_ex__ __sizeof__
    __weakref__ __slots__ __format__ __getstate__ __setstate__""".split()
)
"""Special methods that are not those of a plain tensor."""


def answer(cls, func, types, args=(), kwargs=None):
    """Compute a function with named tensors among its arguments."""
    return call(func, args, kwargs or {})


def find_attribute(tensor, name):
    """Return an attribute of plain tensors for a named one."""
    found = getattr(Plain, name)
    if not callable(found):
        return call(found.__get__, (tensor,), {})
    return make_method(name, found).__get__(tensor)


def make_method(name, function):
    """Make the method of named tensors that computes a method of plain ones."""

    def method(*args, **options):
        return call(function, args, options)

    method.__name__ = method.__qualname__ = name
    method.__doc__ = function.__doc__
    return method


def add_methods():
    """Add the methods of plain tensors to named ones: special ones now, others when they are asked for."""
    for name in dir(Plain):
        if name.startswith("__") and name.endswith("__") and name not in OWN and callable(getattr(Plain, name)):
            setattr(Named, name, make_method(name, getattr(Plain, name)))
    Named.__getattr__, Named.order, Named.index = find_attribute, order, index
    Named.__torch_function__ = DimList.__torch_function__ = classmethod(answer)


add_methods()
