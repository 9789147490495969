"""The exception by which an operator hands a tensor with a hidden batch dimension to vmap.

Note [Batches]
Inside ``vmap`` a tensor is a ``BatchedTensor`` (see dispatch/vmap/), which the function sees as one sample.  Asked for its
node, or for the elements of its array, a ``BatchedTensor`` raises ``Lift``.  Each generated function catches ``Lift`` and
passes its arguments to the ports of vmap, so no operator has to look for batches; the ``except`` is free until it is used.
``Lift`` is not a subclass of ``Exception``, so that code which explains errors does not catch it.
"""

import functools

from numpy import empty, ndarray

from tensh.engine.core.ports import batched_function


class Lift(BaseException):
    """An operator was given a tensor with a hidden batch dimension; ``package`` answers."""

    package = "vmap"


class Absence(Lift):
    """An operator was given a tensor without elements, of the device "meta"."""

    package = "dispatch.meta"

    def __str__(self):
        return "a tensor of the device 'meta' has no elements"


def accept_batches(fn):
    """Wrap ``fn``, a function without public wrapper, so that it accepts tensors with a hidden batch dimension."""

    @functools.wraps(fn)
    def answer(*args, **options):
        try:
            return fn(*args, **options)
        except Lift:
            return batched_function(fn.__name__, fn, args, options)

    answer.accepting = fn
    return answer


def all_samples(t):
    """Return the array of ``t``, or of all samples of a batch, for checks of every sample; empty if ``t`` has no elements."""
    array = t.array
    if type(array) is ndarray:
        return array
    return t.value.array if hasattr(t, "value") else empty((0, *array.shape[1:]), array.dtype)
