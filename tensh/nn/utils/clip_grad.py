"""Gradient clipping, in place."""

import functools
import types

from tensh.engine import find_public
from tensh.engine.arrays.uninterrupted import Uninterrupted
from tensh.engine.autograd.modes import no_grad
from tensh.engine.core.tensor import Tensor
from tensh.engine.errors.tensor_lists import require_tensor_lists
from tensh.engine.errors.warnings import warn

__all__ = ["clip_grad_norm", "clip_grad_norm_", "clip_grad_value_"]


def _as_list(tensors):
    return [tensors] if isinstance(tensors, Tensor) else list(tensors)


def _grads(parameters):
    return [parameter.grad for parameter in _as_list(parameters) if parameter.grad is not None]


def _run_unrecorded(function):
    @functools.wraps(function)
    def wrapped(*args, **kwargs):
        with no_grad():
            return function(*args, **kwargs)

    return wrapped


@_run_unrecorded
def get_total_norm(tensors, norm_type=2.0, error_if_nonfinite=False, foreach=None):
    """Return the norm of all tensors, as if they were one vector.

    With ``error_if_nonfinite``, raise RuntimeError for a norm that is not finite. ``norm_type`` is the order of the
    norm (2 by default; inf for the largest absolute value).

    >>> import tensh as torch
    >>> torch.nn.utils.get_total_norm([torch.tensor([3.]), torch.tensor([4.])])
    tensor(5.)
    """
    from tensh import linalg

    tensors, norm_type = _as_list(tensors), float(norm_type)
    if not tensors:
        return find_public("tensor")(0.0)
    tensors[0].device  # noqa: B018 - the first attribute that is read, as in PyTorch
    require_tensor_lists([tensors])
    total = linalg.vector_norm(
        find_public("stack")([linalg.vector_norm(each, norm_type) for each in tensors]), norm_type
    )
    if error_if_nonfinite and not bool(total.isfinite()):
        raise RuntimeError(
            f"The total norm of order {norm_type} for gradients from `parameters` is non-finite, so it cannot be clipped. To "
            "disable this error and scale the gradients by the non-finite norm anyway, set `error_if_nonfinite=False`"
        )
    return total


@_run_unrecorded
def clip_grads_with_norm_(parameters, max_norm, total_norm, foreach=None):
    """Scale gradients in place so that a ``total_norm`` above ``max_norm`` becomes ``max_norm``.

    >>> import tensh as torch
    >>> p = torch.zeros(2, requires_grad=True)
    >>> p.grad = torch.tensor([3., 4.])
    >>> torch.nn.utils.clip_grads_with_norm_(p, 1.0, torch.tensor(5.))
    >>> p.grad
    tensor([0.6000, 0.8000])
    """
    grads, max_norm = _grads(parameters), float(max_norm)
    if not grads:
        return
    scale = (max_norm / (total_norm + 1e-6)).clamp(max=1.0)
    with Uninterrupted():
        for grad in grads:
            grad.mul_(scale)


@_run_unrecorded
def clip_grad_norm_(parameters, max_norm, norm_type=2.0, error_if_nonfinite=False, foreach=None):
    """Scale gradients in place so that their total norm is at most ``max_norm``, and return the norm before.

    With ``error_if_nonfinite``, raise RuntimeError for a norm that is not finite. ``parameters`` is one tensor or
    several; ``norm_type`` is the order of the norm (2 by default; inf for the largest absolute value).

    >>> import tensh as torch
    >>> p = torch.zeros(2, requires_grad=True)
    >>> p.grad = torch.tensor([3., 4.])
    >>> torch.nn.utils.clip_grad_norm_(p, 1.0), p.grad
    (tensor(5.), tensor([0.6000, 0.8000]))
    """
    is_generator = isinstance(parameters, types.GeneratorType)
    parameters = _as_list(parameters)
    if is_generator and not parameters:
        warn("`parameters` is an empty generator, no gradient clipping will occur.")
    total = get_total_norm(_grads(parameters), norm_type, error_if_nonfinite, foreach)
    clip_grads_with_norm_(parameters, max_norm, total, foreach)
    return total


def clip_grad_norm(parameters, max_norm, norm_type=2.0, error_if_nonfinite=False, foreach=None):
    """Scale gradients as ``clip_grad_norm_`` does, under its former name.

    With ``error_if_nonfinite``, raise RuntimeError for a norm that is not finite.

    >>> import tensh as torch
    >>> p = torch.zeros(2, requires_grad=True)
    >>> p.grad = torch.tensor([3., 4.])
    >>> torch.nn.utils.clip_grad_norm(p, 1.0)
    tensor(5.)
    """
    warn(
        "`torch.nn.utils.clip_grad_norm` is now deprecated in favor of `torch.nn.utils.clip_grad_norm_`.", FutureWarning
    )
    return clip_grad_norm_(parameters, max_norm, norm_type, error_if_nonfinite, foreach)


@_run_unrecorded
def clip_grad_value_(parameters, clip_value, foreach=None):
    """Clamp the elements of gradients to [-clip_value, clip_value], in place.

    >>> import tensh as torch
    >>> p = torch.zeros(2, requires_grad=True)
    >>> p.grad = torch.tensor([3., -0.5])
    >>> torch.nn.utils.clip_grad_value_(p, 1.0)
    >>> p.grad
    tensor([ 1.0000, -0.5000])
    """
    grads, clip_value = _grads(parameters), float(clip_value)
    with Uninterrupted():
        for grad in grads:
            grad.clamp_(min=-clip_value, max=clip_value)
