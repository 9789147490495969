"""Joining of nested tensors in the layout torch.jagged."""

import tensh as torch
from tensh.nested.core import Nested, elements_of, nest
from tensh.nested.jagged.dims import agree, inner_dim
from tensh.nested.jagged.form import NestedTensor
from tensh.nested.jagged.views import expand_as


def cat(func, tensors, dim=0, *, out=None):
    if out is not None:
        raise NotImplementedError("aten.cat.out")
    first = next(each for each in tensors if isinstance(each, Nested))
    tensors = [each if isinstance(each, Nested) else expand_as(None, each, first) for each in tensors]
    inner = inner_dim(first, dim, "cat")
    return nest(torch.cat(list(map(elements_of, tensors)), inner), tensors[0]._form)


def stack(func, tensors, dim=0, *, out=None):
    if out is not None:
        raise NotImplementedError("aten.stack.out")
    first = tensors[0]
    for each in tensors:
        if not isinstance(each, NestedTensor):
            raise RuntimeError("stack(): expected all nested tensors inputs")
        if each.ndim != first.ndim:
            raise RuntimeError("stack(): expected all nested tensors to have the same dim")
        if not agree(each, first._size):
            raise RuntimeError("stack(): expected all nested tensors to have the same nested structure")
    return nest(torch.stack(list(map(elements_of, tensors)), inner_dim(first, dim, "stack", more=1)), first._form)


JOINS = {"cat": cat, "concat": cat, "concatenate": cat, "stack": stack}
