"""Kernels that compute only shapes and dtypes, and operator functions that use them."""

from functools import cache
from math import inf

import numpy as np

from tensh.engine.arrays.absent import Absent, make_absent
from tensh.engine.arrays.orders import order_of
from tensh.engine.codegen.environment import ENVIRONMENT
from tensh.engine.codegen.source import compile_source
from tensh.engine.codegen.vocabulary import OPS
from tensh.engine.core.lift import Absence
from tensh.engine.core.tensor import as_array, wrap
from tensh.engine.dispatch.meta.probing import probe
from tensh.engine.dispatch.meta.rules import KERNELS
from tensh.engine.errors.messages import translate_error


class NeverRaised(BaseException):
    """An exception that is never raised, used for ``Lift`` where it is already handled."""


@cache
def function_of(name):
    """Return the function of an operator with a kernel that needs no elements."""
    op = OPS[name]
    op.write()
    environment = {
        **ENVIRONMENT, f"{name}_kernel": kernel_of(op), "asarray": as_array, "wrap": wrap, "PARALLEL_HEAVY": inf,
        "PARALLEL_LIGHT": inf, "ndarray": Absent, "Lift": NeverRaised, "translate_error": explain_by_shapes,
    }  # fmt: skip
    compile_source(op.text, f"{name} without elements", environment)
    return environment[name]


def explain_by_shapes(error, name, operands, *options):
    """Return PyTorch's exception for operands of these shapes and dtypes."""
    return translate_error(error, name, [a.layout if type(a) is Absent else a for a in operands], *options)


def kernel_of(op):
    """Return the kernel of an operator for absent arrays: a rule, elementwise, a view, or found by probing."""
    if op.name in KERNELS:
        return KERNELS[op.name]
    if op.view:
        return lambda *args, **options: view_of_shape(op, args, options)
    if op.pointwise:
        return lambda *args, **options: elementwise(op, args, options)
    return lambda *args, **options: probe(op.kernel, args, options, op.name)


def view_of_shape(op, args, options):
    """Return the view that NumPy makes from shape and strides alone."""
    try:
        return op.kernel(*args, **options)
    except Absence:
        return probe(op.kernel, args, options, op.name)


def elementwise(op, args, options):
    """Return an absent array of the broadcast shape, with the dtype that the kernel gives for single elements."""
    shapes, ones, full = [], [], None
    for value in args:
        array = type(value) in (Absent, np.ndarray)
        shapes += [value.shape] if array else []
        ones.append(np.ones((1,) * value.ndim, value.dtype) if array else value)
    dtype = op.kernel(*ones, **options).dtype
    shape = np.broadcast_shapes(*shapes)
    for value in args:
        if type(value) in (Absent, np.ndarray) and value.shape == shape and not value.flags.c_contiguous:
            full = order_of(shape, value.strides)
            break
        if type(value) in (Absent, np.ndarray) and value.shape == shape and 0 not in value.strides:
            break
    return make_absent(shape, dtype, full)
