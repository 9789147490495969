"""What happens when an operator meets a tensor with a hidden batch dimension: here is where it asks, and nothing else.

Note [Batches]
Inside ``vmap`` a tensor is a ``Batched`` (see vmap/): one sample as far as the function can see.  Asked for its node,
or for the elements of its array, it raises ``Lift``.  Every written function has ``except Lift`` beside the ``try`` that
is there, which costs nothing until it happens, and hands its arguments to the ports of vmap; so no operator has to look for
batches.  ``Lift`` is no ``Exception``: nothing that explains errors takes it for one.
"""

import functools

from numpy import ndarray

from tensh.engine.core.ports import batched_function


class Lift(BaseException):
    """An operator was given a tensor with a hidden batch dimension."""


def for_batches(fn):
    """``fn``, a function that has no public wrapper, with the answer to a tensor with a hidden batch dimension."""

    @functools.wraps(fn)
    def answered(*args, **options):
        try:
            return fn(*args, **options)
        except Lift:
            return batched_function(fn.__name__, fn, args, options)

    return answered


def all_samples(t):
    """The array of ``t``, of a batch the array of all samples: for checks that must hold for every one."""
    array = t.array
    return array if type(array) is ndarray else t.value.array
