"""Hooks for saved tensors, as context managers."""

import contextlib

from tensh.engine.arrays.uninterrupted import entered_whole
from tensh.engine.autograd import saved_tensors
from tensh.engine.core.clock import mode

OUTSIDE = "Trying to backward outside of the 'allow_mutation_on_saved_tensors' contextin which the graph was originally recorded."


@entered_whole
class saved_tensors_hooks:
    """Within, ``pack_hook(tensor)`` is called for every tensor saved for a derivative, and its result is saved instead.

    ``unpack_hook`` receives this result when the derivative needs the tensor, and returns a tensor with the same
    values.  Of nested contexts the innermost counts.  A pack hook must not write into its tensor (RuntimeError); where
    an operation writes into a tensor that it saves, a copy is packed too.

    >>> import tensh as torch
    >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> with torch.autograd.graph.saved_tensors_hooks(lambda t: t.numpy(force=True), torch.from_numpy):
    ...     y = (x * x).sum()
    >>> y.backward()
    >>> x.grad
    tensor([2., 4.])
    """

    __module__ = "torch.autograd.graph"

    def __init__(self, pack_hook, unpack_hook):
        self.pack_hook, self.unpack_hook = pack_hook, unpack_hook

    def __enter__(self):
        saved_tensors.push(self.pack_hook, self.unpack_hook)

    def __exit__(self, *exception):
        saved_tensors.pop()


class save_on_cpu(saved_tensors_hooks):
    """Within, saved tensors are kept in CPU memory, where tensh's tensors always are.

    ``pin_memory`` keeps copies; ``device_type`` is accepted.

    >>> import tensh as torch
    >>> x = torch.tensor([0.0], requires_grad=True)
    >>> with torch.autograd.graph.save_on_cpu():
    ...     y = x.exp()
    >>> y.backward()
    >>> x.grad
    tensor([1.])
    """

    __module__ = "torch.autograd.graph"

    def __init__(self, pin_memory=False, device_type="cuda"):
        super().__init__(lambda tensor: tensor.clone() if pin_memory else tensor, lambda kept: kept)


@contextlib.contextmanager
def disable_saved_tensors_hooks(error_message):
    """Within, hooks for saved tensors raise RuntimeError with this message, also if there are some already.

    >>> import tensh as torch
    >>> with torch.autograd.graph.disable_saved_tensors_hooks("not here"):
    ...     with torch.autograd.graph.save_on_cpu():
    ...         pass
    Traceback (most recent call last):
    RuntimeError: not here
    """
    before = saved_tensors.refuse(error_message)
    try:
        if mode.packing:
            saved_tensors.require_allowed()
        yield
    finally:
        saved_tensors.refuse(before)


class _AllowMutationOnSavedContext:
    """The copies that a context of ``allow_mutation_on_saved_tensors`` has made."""

    def __init__(self):
        self.cloned, self.open = {}, True


@contextlib.contextmanager
def allow_mutation_on_saved_tensors():
    """Within, tensors saved for a derivative may be written: the derivative reads their old values.

    The backward pass must be in the context, too (AssertionError), and contexts cannot be nested (RuntimeError).
    Copies are made when tensors are saved, not when they are written.

    >>> import tensh as torch
    >>> x = torch.ones(2, requires_grad=True)
    >>> with torch.autograd.graph.allow_mutation_on_saved_tensors():
    ...     y = x.clone()
    ...     z = (y**2).sum()
    ...     y.sin_()
    ...     z.backward()
    tensor([0.8415, 0.8415], grad_fn=<SinBackward0>)
    >>> x.grad
    tensor([2., 2.])
    """
    if any(getattr(pack, "copies", False) for pack, _ in mode.packing):
        raise RuntimeError("allow_mutation_on_saved_tensors contexts cannot be nested")
    context = _AllowMutationOnSavedContext()

    def pack(tensor):
        number = len(context.cloned)
        context.cloned[number] = tensor.clone()
        return number

    def unpack(number):
        if number not in context.cloned:
            raise AssertionError(OUTSIDE)
        return context.cloned[number]

    pack.copies = True
    with saved_tensors_hooks(pack, unpack):
        try:
            yield context
        finally:
            context.cloned.clear()
