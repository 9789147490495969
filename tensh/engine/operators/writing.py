"""Operators that write into part of a tensor: declared by the function that writes into an array.

``NAME`` writes into a copy; ``NAME_`` writes straight into the tensor where nothing is recorded, and otherwise writes
NAME's result (see inplace/writes.py).
"""

import functools

import numpy as np

from tensh.engine.arrays import memory
from tensh.engine.codegen.describe import describe_inplace
from tensh.engine.codegen.registry import METHODS, PUBLIC
from tensh.engine.codegen.table import op
from tensh.engine.core import ports
from tensh.engine.core.clock import stamp_write
from tensh.engine.core.lift import Lift
from tensh.engine.core.tensor import Tensor
from tensh.engine.errors.messages import HALF_WAY
from tensh.engine.inplace.overlap import refuse_overlap, refuse_shared, warn_of_overlap
from tensh.engine.inplace.plain import is_plain
from tensh.engine.inplace.writes import begin_write, needs_no_record, write_inplace


def writes(write=None, *, dense=True, kept=False, expanded=None, early=False, shared=False, function=False, **keywords):
    """Declare an operator by ``write(input, ...)``, which checks its arguments, then changes the array ``input``.

    ``dense``: ``write`` receives a row-major array; otherwise it takes any.  The result is row-major then, unless ``kept``
    says that it is laid out as the input.
    ``expanded``, the public name, allows the in-place form for expanded tensors, with a warning; it is otherwise refused when
    the arguments are found to fit (``early``: when the dimensions are); ``shared`` allows arguments in the memory that
    it writes; ``function`` puts it into the torch namespace.
    """
    if write is None:
        return lambda w: writes(
            w, dense=dense, kept=kept, expanded=expanded, early=early, shared=shared, function=function, **keywords
        )
    name = write.__name__

    @functools.wraps(write)
    def kernel(input, *args, **options):
        # NumPy's 0-d results are scalars
        out = np.array(input, order="C") if dense or not input.ndim else memory.copy(input)
        write(out, *args, **options)
        return memory.copy_in_order_of(out, input) if kept else out

    declared = op(kernel, **{"out": False} | keywords)
    declared.write_ = declare_inplace(declared, write, dense, expanded, early, shared)
    if declared.public:
        METHODS[f"{name}_"] = declared.write_
    if function:
        PUBLIC[f"{name}_"] = declared.write_
    return declared


def declare_inplace(declared, write, dense, expanded, early, shared):
    """Return the form NAME_ of an operator that writes."""
    name = f"{declared.name}_"
    parameters = list(declared.parameters)[1:]
    most = sum(p.kind is p.POSITIONAL_OR_KEYWORD for p in declared.parameters.values()) - 1
    tensors = {p for p in declared.inputs if p in parameters}
    places = [place for place, p in enumerate(parameters) if p in tensors]
    least = max(places, default=-1) + 1

    def function(self, *args, **options):
        try:
            if not options and least <= len(args) <= most and is_plain(self, args, not shared):
                array = self.array
                if (not dense or array.flags.c_contiguous) and all([type(args[place]) is Tensor for place in places]):
                    write(array, *[each.array if type(each) is Tensor else each for each in args])
                    stamp_write(array)
                    return self
            if len(args) > most:
                raise TypeError(f"{name}() takes {most} positional arguments but {len(args)} were given")
            given = dict(zip(parameters, args, strict=False))
            if options:
                given |= options
            since = begin_write(self, *given.values(), may_overlap=shared)
            if not shared:
                refuse_shared(self.array, given.values())
            if needs_no_record(self, *given.values()) and all([isinstance(given.get(p), Tensor) for p in tensors]):
                array = self.array
                if memory.overlaps_itself(array):
                    if expanded:
                        warn_of_overlap(expanded)
                    else:
                        refuse_after(array, early, lambda: declared.fn(self, *args, **options))
                target = array.copy() if dense and not array.flags.c_contiguous else array
                write(target, **raw_of(given))
                if target is not array:
                    array[...] = target
                stamp_write(array)
                return self
            written = declared.fn(self, *args, **options)
            if expanded and memory.overlaps_itself(self.array):
                warn_of_overlap(expanded)
            return write_inplace(self, since, written, name, expanded and (lambda array: write(array, **raw_of(given))))
        except Lift:
            return ports.batched_operator(name, self, *args, **options)
        except HALF_WAY:
            stamp_write(self.array)  # some elements may have been written
            raise

    function.__name__ = function.__qualname__ = name
    function.__module__ = "torch"
    function.__wrapped__, function.passes_on = write, True  # users call its public wrapper, which knows the parameters
    function.__doc__ = describe_inplace(declared.name)
    return function


def refuse_after(array, early, compute):
    """Refuse an ``array`` that overlaps itself, after the failures that PyTorch finds without looking at elements."""
    try:
        compute()
    except (IndexError, RuntimeError, TypeError) as error:
        elements = "out of bounds" in str(error) or "out of range:" in str(error)
        if not elements and (not early or str(error).startswith("Dimension")):
            raise
    refuse_overlap(array)


def raw_of(given):
    """Return the arguments with arrays in place of tensors."""
    return {name: value.array if isinstance(value, Tensor) else value for name, value in given.items()}
