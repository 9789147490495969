"""torch.autograd.forward_ad: dual tensors, which carry a tangent through every operation."""

from typing import NamedTuple

from tensh.engine.arrays.uninterrupted import entered_whole
from tensh.engine.autograd import tangent_levels
from tensh.engine.autograd.decorating import _DecoratorContextManager
from tensh.engine.core.clock import mode
from tensh.engine.core.tensor import Tensor

__all__ = ["UnpackedDualTensor", "dual_level", "enter_dual_level", "exit_dual_level", "make_dual", "unpack_dual"]


def __getattr__(name):
    """Return ``_current_level``, the number of the open level, or -1: libraries read it."""
    if name == "_current_level":
        return len(mode.levels) - 1
    raise AttributeError(f"module 'torch.autograd.forward_ad' has no attribute '{name}'")


class UnpackedDualTensor(NamedTuple):
    """The value and the tangent (or None) of a dual tensor, as ``unpack_dual`` returns them."""

    primal: Tensor
    tangent: Tensor | None


UnpackedDualTensor.__module__ = "torch.autograd.forward_ad"


def _maybe_load_decompositions():
    """Do nothing: derivatives are found when they are needed. Graphs of ``jvp`` call this step."""


_maybe_load_decompositions.__module__ = "torch.autograd.forward_ad"


def enter_dual_level():
    """Begin to carry tangents, until ``exit_dual_level``; returns the number of the level, which is 0.

    Raise RuntimeError if a level is open: unlike torch.func.jvp, levels cannot be nested.

    >>> import tensh as torch
    >>> import tensh.autograd.forward_ad as fwAD
    >>> fwAD.enter_dual_level()
    0
    >>> x = fwAD.make_dual(torch.tensor(3.0), torch.tensor(1.0))
    >>> fwAD.unpack_dual(x * x).tangent
    tensor(6.)
    >>> fwAD.exit_dual_level()
    """
    if mode.levels:
        raise RuntimeError("Nested forward mode AD is not supported at the moment")
    tangent_levels.open_level()
    return 0


def exit_dual_level(*, level=None):
    """Stop carrying tangents, and discard all tangents.

    Raise RuntimeError if no level is open, or ``level`` is not the last.
    """
    last = len(mode.levels) - 1
    if level is not None and level != last:
        raise RuntimeError(
            "Trying to exit a forward AD level that was not the last one that was created. This is not supported."
        )
    if last < 0:
        raise RuntimeError("Dual level must be a positive number.")
    tangent_levels.close_level()


@entered_whole
class dual_level(_DecoratorContextManager):
    """Inside, tensors can be dual: results computed from them carry tangents, too.

    One pass computes values and the derivative in one direction; unlike ``backward`` it keeps no history.

    >>> import tensh as torch
    >>> import tensh.autograd.forward_ad as fwAD
    >>> with fwAD.dual_level():
    ...     x = fwAD.make_dual(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 0.0]))
    ...     y = x.exp()
    ...     print(fwAD.unpack_dual(y).tangent)
    tensor([2.7183, 0.0000])
    """

    __module__ = "torch.autograd.forward_ad"

    def __enter__(self):
        return enter_dual_level()

    def __exit__(self, *error):
        exit_dual_level()


def make_dual(tensor, tangent, *, level=None):
    """Return a dual tensor: the memory of ``tensor`` together with a ``tangent`` of its shape.

    Differentiable in both.  Raise ValueError unless both are floating point or complex.

    >>> import tensh as torch
    >>> import tensh.autograd.forward_ad as fwAD
    >>> with fwAD.dual_level():
    ...     print(fwAD.make_dual(torch.tensor([1.0]), torch.tensor([2.0])))
    tensor([1.], tangent=tensor([2.]))
    """
    level = _choose_level(level)
    if level < 0:
        raise RuntimeError(
            "Trying to create a dual Tensor for forward AD but no level exists, make sure to enter_dual_level() first."
        )
    tangent_levels.check_dual(tensor, tangent)
    if level >= len(mode.levels):
        raise RuntimeError("Invalid level given to _make_dual")
    chosen = mode.levels[level]
    if tangent_levels.parts(tensor, chosen)[1] is not None:
        raise RuntimeError(
            "Making a dual Tensor based on a Tensor that already has a forward gradient at the same level "
            f"{level} is not supported."
        )
    if tangent_levels.parts(tangent, chosen)[1] is not None:
        raise RuntimeError(
            f"Setting a forward grad that itself has a forward gradient at the same level{level} is not supported."
        )
    return tangent_levels.dual_view(tensor, tangent, chosen)


def unpack_dual(tensor, *, level=None):
    """Return (the value without its tangent, the tangent or None) of a tensor, dual or not.

    >>> import tensh as torch
    >>> import tensh.autograd.forward_ad as fwAD
    >>> with fwAD.dual_level():
    ...     x = fwAD.make_dual(torch.tensor(1.0), torch.tensor(2.0))
    ...     print(fwAD.unpack_dual(x * x))
    UnpackedDualTensor(primal=tensor(1.), tangent=tensor(4.))
    """
    level = _choose_level(level)
    if level < 0:
        return UnpackedDualTensor(tensor, None)
    if not isinstance(tensor, Tensor):
        raise TypeError(f"_unpack_dual(): argument 'dual' (position 1) must be Tensor, not {type(tensor).__name__}")
    return UnpackedDualTensor(*tangent_levels.value_view(tensor, mode.levels[level]))


def _choose_level(level):
    return len(mode.levels) - 1 if level is None else level


def _is_fwd_grad_enabled():
    return mode.forward


class _set_fwd_grad_enabled(_DecoratorContextManager):
    """Switch tangents of operations on or off; as a context manager, until the block ends."""

    __module__ = "torch.autograd.forward_ad"

    def __init__(self, mode_):
        self.before, self.mode = mode.forward, mode_
        mode.forward = mode_

    def __enter__(self):
        pass

    def __exit__(self, *error):
        mode.forward = self.before

    def clone(self):
        return type(self)(self.mode)
