"""Swapping two tensors."""

import contextlib
import weakref

from tensh.engine.arrays.uninterrupted import without_interrupts
from tensh.engine.core.nodes import AccumulateGrad
from tensh.engine.core.tensor import Tensor

SLOTS = ("array", "node", "_base", "_view_info", "_time", "_kept")
POISONED = (
    "Trying to execute AccumulateGrad node that was poisoned by swap_tensors this can happen when you try to run backward on a "
    "tensor that was swapped. For a module m with `torch.__future__.set_swap_module_params_on_conversion(True)` you should not "
    "change the device or dtype of the module (e.g. `m.cpu()` or `m.half()`) between running forward and backward. To resolve "
    "this, please only change the device/dtype before running forward (or after both forward and backward)."
)


@without_interrupts
def swap_tensors(t1, t2):
    """Swap two tensors: class, elements and attributes.

    A graph that contains one of them can no longer be used.  Raise RuntimeError if there are weak references to one of
    them.

    >>> import tensh as torch
    >>> a, b = torch.ones(2), torch.zeros(1)
    >>> torch.utils.swap_tensors(a, b)
    >>> a, b
    (tensor([0.]), tensor([1., 1.]))
    """
    for number, tensor in enumerate((t1, t2), 1):
        own = tensor.node.reference if type(tensor.node) is AccumulateGrad else None
        if any(reference is not own for reference in weakref.getweakrefs(tensor)):
            raise RuntimeError(f"Cannot swap t{number} because it has weakref associated with it")
    for tensor in (t1, t2):
        if type(tensor.node) is AccumulateGrad:
            renew(tensor)
    t1.__class__, t2.__class__ = t2.__class__, t1.__class__
    t1.__dict__, t2.__dict__ = t2.__dict__, t1.__dict__
    first, second = take_slots(t1), take_slots(t2)
    give(t1, second)
    give(t2, first)
    for tensor in (t1, t2):
        if type(tensor.node) is AccumulateGrad:
            tensor.node.reference = weakref.ref(tensor)


def take_slots(tensor):
    """Return the slots of a tensor that have a value, which they have no more afterwards."""
    found = {}
    for slot in SLOTS:
        with contextlib.suppress(AttributeError):
            found[slot] = vars(Tensor)[slot].__get__(tensor)  # subclasses may answer otherwise
            vars(Tensor)[slot].__delete__(tensor)
    return found


def give(tensor, values):
    """Fill the slots of a tensor."""
    for slot, value in values.items():
        vars(Tensor)[slot].__set__(tensor, value)


def renew(leaf):
    """Give a leaf a new node; the old one, which graphs know, refuses from now on."""
    old = leaf.node
    leaf.node = AccumulateGrad(leaf)
    leaf.node.grad, leaf.node.hooks, old.hooks = old.grad, old.hooks, None

    def refuse(grads):
        raise RuntimeError(POISONED)

    old.register_prehook(refuse)
