"""Shapes and dtypes of results, found by a few calls on small arrays.

Note [Probing]
Sizes above ``LARGE`` are replaced by sizes between 25 and a few dozen with the same remainder modulo ``PERIOD``, in
shapes and in integer arguments; then each is increased separately by a multiple of ``PERIOD``.  The differences tell
how each size of a result depends on each size of the operands; strides of convolutions and pooling that divide
``PERIOD`` divide evenly.  One more call, with all sizes increased, must agree with the prediction; otherwise the result
does not depend linearly on sizes, and the call is refused. Operands with few elements are replaced by arrays of their
own size instead.
"""

import numpy as np

from tensh.engine.arrays import memory
from tensh.engine.arrays.absent import Absent, drop_elements, make_absent
from tensh.engine.arrays.bounds import view_memory
from tensh.engine.arrays.orders import order_of
from tensh.engine.core.tensor import Tensor, wrap

SMALL = 2**12  # operands with up to this number of elements are replaced by arrays of the same size
LARGE, PERIOD = 48, 24


class Probe:
    """One call: the stand-ins for absent arrays, with sizes translated by ``sizes``, and the result translated back."""

    def __init__(self, sizes=None):
        self.sizes, self.blocks, self.tensors = sizes or {}, {}, {}

    def call(self, call, args, options):
        """Return the result of the call, without elements."""
        return self.take(call(*self.put(args), **{k: self.put(v) for k, v in options.items()}))

    def put(self, value):
        """Return ``value`` with real arrays in place of absent ones."""
        kind = type(value)
        if kind is Absent:
            return self.array(value)
        if isinstance(value, Tensor):
            if type(value.array) is not Absent:
                return self.tensor(value) if self.sizes else value
            return self.tensor(value)
        if kind is np.ndarray:
            return self.array(value) if self.sizes else value
        if kind is int:
            return self.sizes.get(value, value)
        if isinstance(value, (tuple, list)):
            return kind(map(self.put, value)) if kind in (tuple, list) else type(value)([*map(self.put, value)])
        return value

    def tensor(self, t):
        if id(t) not in self.tensors:
            node = t.node if not self.sizes else None
            self.tensors[id(t)] = wrap(self.array(t.array), node), t
        return self.tensors[id(t)][0]

    def array(self, array):
        """Return a real array with the shape, strides and memory layout of ``array``."""
        if self.sizes:
            shape = tuple([self.sizes.get(n, n) for n in array.shape])
            order = order_of(array.shape, array.strides)
            values = make_acceptable([shape[d] for d in order], array.dtype).transpose(np.argsort(order))
            return values
        block = self.blocks.get(id(array.root))
        if block is None:
            root = array.root
            block = np.empty(root.nbytes // root.itemsize, root.dtype)
            self.blocks[id(root)] = block, root
        else:
            block, root = block
        block = block if block.dtype == array.dtype else block.view(array.dtype)
        seen = view_memory(block, array.dtype, array.shape, memory.strides(array), array.place())
        if not memory.overlaps_itself(seen):
            seen[...] = make_acceptable(array.shape, array.dtype)
        else:
            block.fill(1 if array.dtype.kind in "fcV" else 0)
        return seen

    def take(self, result):
        """Return ``result`` without elements; a view of a stand-in's memory becomes a view of the absent memory."""
        if isinstance(result, Tensor):
            for stand_in, own in self.tensors.values():
                if result is stand_in:
                    return own
            if type(result.array) is np.ndarray:
                result.array = self.take(result.array)
            return result
        if isinstance(result, np.generic):
            return make_absent((), result.dtype)
        if type(result) is np.ndarray:
            base = result.base
            for block, root in self.blocks.values():
                if base is block:
                    place = memory.distance(block, result) if block.dtype == result.dtype else 0
                    return view_memory(root, result.dtype, result.shape, memory.strides(result), place)
            return drop_elements(result)
        if isinstance(result, (tuple, list)):
            taken = [*map(self.take, result)]
            return type(result)(taken)
        return result


def make_acceptable(shape, dtype):
    """Return numbers that every operator accepts: positive definite matrices of floats, otherwise zeros."""
    values = np.zeros(shape, dtype)
    if dtype.kind in "fcV":
        values[...] = np.modf(np.arange(1, values.size + 1) * 0.618)[0].reshape(shape)
        if len(shape) > 1 and shape[-1] == shape[-2] and values.size:
            values[..., range(shape[-1]), range(shape[-1])] += np.asarray(shape[-1]).astype(dtype)
    return values


def probe(call, args, options, what):
    """Return the result of ``call(*args, **options)`` without its elements."""
    arrays = [*arrays_in((args, options))]
    if all(array.size <= SMALL and array.root.size <= SMALL for array in arrays if type(array) is Absent):
        return Probe().call(call, args, options)
    large = sorted({n for array in arrays for n in array.shape if n > LARGE})
    if not large:
        return Probe({-1: -1}).call(call, args, options)
    first = {n: 25 + (n - 25) % PERIOD for n in large}
    used = set()
    for n in large:
        while first[n] in used:
            first[n] += PERIOD
        used.add(first[n])
    results = [call_with_sizes(first, call, args, options)]
    results += [call_with_sizes({**first, n: first[n] + PERIOD * len(large)}, call, args, options) for n in large]
    check = call_with_sizes({n: first[n] + PERIOD * (len(large) + 1) for n in large}, call, args, options)
    return extend_result(results, check, large, first, what)


def call_with_sizes(sizes, call, args, options):
    one = Probe(sizes)
    return call(*one.put(args), **{k: one.put(v) for k, v in options.items()})


def extend_result(results, check, large, first, what):
    """Return the result for the true sizes, extrapolated from those for replaced sizes."""
    start = results[0]
    if isinstance(start, Tensor):
        start.array = extend_result([r.array for r in results], check.array, large, first, what)
        return start
    if isinstance(start, (tuple, list)):
        if len({len(each) for each in (*results, check)}) > 1:
            refuse(what)
        parts = [extend_result([*part], c, large, first, what) for *part, c in zip(*results, check)]
        return type(start)(parts)
    if isinstance(start, np.generic):
        return make_absent((), start.dtype)
    if not isinstance(start, np.ndarray):
        return start
    shape = []
    for d in range(start.ndim):
        size, predicted = start.shape[d], start.shape[d]
        for n, result in zip(large, results[1:]):
            slope = (result.shape[d] - start.shape[d]) / (PERIOD * len(large))
            size += slope * (n - first[n]) if slope != 1 else n - first[n]
            predicted += slope * PERIOD * (len(large) + 1)
        if predicted != check.shape[d] or size != int(size):
            refuse(what)
        shape.append(int(size))
    order = None if start.flags.c_contiguous else order_of(start.shape, start.strides)
    return make_absent(tuple(shape), start.dtype, order)


def refuse(what):
    raise NotImplementedError(f"{what}: the shape of so large a result is not known without computing it")


def arrays_in(value):
    """Yield the arrays within arguments."""
    if isinstance(value, Tensor):
        yield value.array
    elif type(value) in (Absent, np.ndarray):
        yield value
    elif isinstance(value, dict):
        yield from arrays_in([*value.values()])
    elif isinstance(value, (tuple, list)):
        for each in value:
            yield from arrays_in(each)
