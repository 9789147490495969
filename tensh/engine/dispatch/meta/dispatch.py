"""Dispatch of operators and functions on meta tensors."""

from tensh.engine.arrays.absent import Absent
from tensh.engine.codegen.vocabulary import OPS
from tensh.engine.core.tensor import Tensor
from tensh.engine.dispatch.meta.functions import FUNCTIONS
from tensh.engine.dispatch.meta.kernels import function_of
from tensh.engine.dispatch.meta.probing import probe
from tensh.engine.inplace.out import write_out
from tensh.engine.inplace.writes import begin_write, write_inplace


def operator(name, /, *args, out=None, **options):
    """Apply the operator ``name``; "add_" is the in-place form of "add"."""
    if name not in OPS:
        return write(name, args[0], operator, (name.removesuffix("_"), *args), options)
    result = function_of(name)(*args, **options)
    return result if out is None else write_out(out, result, name)


def function(name, fn, args, options, /):
    """Apply a composite that needs elements itself."""
    out = options.get("out")
    if out is not None:
        rest = {k: v for k, v in options.items() if k != "out"}
        return write_out(out, function(name, fn, args, rest), name)
    if name in FUNCTIONS:
        return FUNCTIONS[name](*args, **options)
    return probe(fn, args, options, name)


def write(name, target, call, args, options):
    """Write the result of a call into ``target``, if given."""
    others = [each for each in args[2:] if isinstance(each, Tensor)]
    since = begin_write(target, *others)
    value = call(*args, **options)
    if type(target.array) is not Absent:
        return target  # as in PyTorch, a CPU tensor stays unchanged
    return write_inplace(target, since, value, name)
