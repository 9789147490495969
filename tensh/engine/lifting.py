"""What happens when an operator meets a tensor with a hidden batch dimension: here is where it asks, and nothing else.

Note [Lifting]
Inside ``vmap`` a tensor is a ``Batched`` (see batching/): one sample as far as the function can see.  Asked for its node,
or for the elements of its array, it raises ``Lift``.  Every written function has ``except Lift`` beside the ``try`` that
is there, which costs nothing until it happens, and hands its arguments to the two functions below; so no operator has to
look for batches.  ``Lift`` is no ``Exception``: nothing that explains errors takes it for one.
"""

import functools

from numpy import ndarray


class Lift(BaseException):
    """An operator was given a tensor with a hidden batch dimension."""


def operator(name, /, *args, **options):
    """What the operator ``name`` gives for batches; "add_" is the in-place form of "add"."""
    from tensh.engine.batching.dispatch import operator as answer

    return answer(name, *args, **options)


def function(name, fn, args, options, /):
    """The same for a function made of operators, which is called ``name``; ``fn(args, options)`` calls it."""
    from tensh.engine.batching.dispatch import function as answer

    return answer(name, fn, args, options)


def answering(fn):
    """``fn``, a function that has no face, with the answer to a tensor with a hidden batch dimension."""

    @functools.wraps(fn)
    def answered(*args, **options):
        try:
            return fn(*args, **options)
        except Lift:
            return function(fn.__name__, fn, args, options)

    return answered


def gradients(*args):
    """``autograd.grad`` of batches, or by batched weights."""
    from tensh.engine.batching.differentiating import grad

    return grad(*args)


def gradients_by_batches(*args):
    """The same for ordinary tensors, by weights whose first dimension is a batch."""
    from tensh.engine.batching.differentiating import by_batches

    return by_batches(*args)


def applied(cls, args):
    """``cls.apply`` of batches, for a function with a derivative of the user's own."""
    from tensh.engine.batching.custom import applied as answer

    return answer(cls, args)


def whole(t):
    """The array of ``t``, of a batch the array of all samples: for checks that must hold for every one."""
    array = t.array
    return array if type(array) is ndarray else t.value.array
