"""Stand-ins for the values of a program.

A stand-in has the shape and dtype of its tensor: zeros if all tensors together are small, otherwise a meta tensor,
which has no elements.
"""

import contextlib
import copy
import warnings

import numpy as np

from tensh.engine import find_public
from tensh.engine.autograd.modes import set_grad_enabled
from tensh.engine.core.lift import Lift
from tensh.engine.core.tensor import Tensor
from tensh.engine.dtypes.dtype import dtype as Dtype
from tensh.engine.dtypes.size import Size
from tensh.explain.trials.trusted import FEW, Unknown, is_layer, is_named_result, is_small_dict, is_tensh_value

PLAIN = (bool, int, float, complex, str, type(None), slice, type(Ellipsis), Dtype, Size)


class StandIns:
    """Makes stand-ins for the user's values, one per value; ``grad`` tells whether graphs are recorded."""

    def __init__(self, values, grad=False):
        self.is_small = sum(t.numel() for t in {id(t): t for t in tensors_in(values)}.values()) <= FEW
        self.device = "cpu" if self.is_small else "meta"
        self.grad = grad
        self.made = {}

    def imitate(self, value):
        """Return the stand-in of a value; raise Unknown for one that may run the user's code."""
        if isinstance(value, Tensor):
            make = self.imitate_tensor
        elif is_layer(value):
            make = self.imitate_layer
        elif type(value) in (list, tuple):
            return type(value)(self.imitate(each) for each in value)
        elif is_small_dict(value):
            return {key: self.imitate(each) for key, each in value.items()}
        elif is_named_result(value):
            return type(value)([self.imitate(each) for each in value])
        elif isinstance(value, PLAIN) or is_tensh_value(value):
            return value
        elif type(value) is np.ndarray and value.dtype.kind in "biufc" and value.size <= FEW:
            return np.zeros(value.shape, value.dtype)
        else:
            raise Unknown
        _, found = self.made.get(id(value), (None, None))
        return self.put(value, make(value)) if found is None else found

    def put(self, value, stand_in):
        """Register the stand-in of a value, which is kept, so that no later one gets its id."""
        self.made[id(value)] = value, stand_in
        return stand_in

    def imitate_tensor(self, value):
        requires_grad = self.grad and value.requires_grad
        if is_number(value):  # a number may be a size
            return find_public("tensor")(value.item(), dtype=value.dtype, requires_grad=requires_grad)
        make = find_public("zeros" if self.is_small else "empty")
        return make(value.shape, dtype=value.dtype, requires_grad=requires_grad)

    def imitate_layer(self, layer):
        """Return a copy of a layer with stand-ins for its tensors, which a call may change."""
        return copy.deepcopy(layer, {id(t): self.imitate_tensor(t) for t in (*layer.parameters(), *layer.buffers())})

    @contextlib.contextmanager
    def computing(self):
        """A context for computing with stand-ins, which restores the state of the random number generator."""
        state = find_public("get_rng_state")()
        try:
            with warnings.catch_warnings(), set_grad_enabled(self.grad), find_public("device")(self.device):
                warnings.simplefilter("ignore")
                yield
        except Lift:  # elements of a meta tensor were needed
            raise Unknown from None
        finally:
            find_public("set_rng_state")(state)


def tensors_in(values):
    """Yield the tensors among values, including those in lists and layers."""
    for value in values:
        if isinstance(value, Tensor):
            yield value
        elif type(value) in (list, tuple) or is_small_dict(value):
            yield from tensors_in(value.values() if type(value) is dict else value)
        elif is_layer(value):
            yield from value.parameters()
            yield from value.buffers()


def is_number(t):
    """Return True for a tensor of a single whole number, without dimensions."""
    return (
        type(t) is Tensor and not t.dim() and not (t.is_floating_point() or t.is_complex() or t.is_meta or t.is_sparse)
    )
