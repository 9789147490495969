"""Types and small functions that custom optimizers import from ``torch.optim.optimizer``."""

from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any

from tensh.engine import find_public
from tensh.engine.autograd.modes import set_grad_enabled
from tensh.engine.core.tensor import Tensor
from tensh.engine.dtypes.dtype import float32, float64
from tensh.optim.checks import CAPTURING, require_fusible

Args, Kwargs, StateDict = tuple[Any, ...], dict[str, Any], dict[str, Any]
ParamsT = Iterable[Tensor] | Iterable[dict[str, Any]] | Iterable[tuple[str, Tensor]]
GlobalOptimizerPreHook = Callable[[Any, Args, Kwargs], tuple[Args, Kwargs] | None]
GlobalOptimizerPostHook = Callable[[Any, Args, Kwargs], None]

_params_doc = "params (iterable): parameters, pairs of names and parameters, or dictionaries that define groups"
_foreach_doc = "foreach (bool, optional): without meaning on a CPU"
_fused_doc = "fused (bool, optional): without meaning on a CPU"
_capturable_doc = "capturable (bool, optional): whether the step can be recorded on a device; not on a CPU"
_differentiable_doc = "differentiable (bool, optional): whether autograd records the step"
_maximize_doc = "maximize (bool, optional): ascend instead of descending"


def _use_grad_for_differentiable(func):
    """Record a ``step`` by autograd only if the optimizer is ``differentiable``."""

    @wraps(func)
    def step(self, *args, **kwargs):
        with set_grad_enabled(self.defaults["differentiable"]):
            return func(self, *args, **kwargs)

    return step


def _disable_dynamo_if_unsupported(single_tensor_fn=None):
    """Return a decorator that returns the function: compilation here supports all optimizers."""
    return lambda func: func


def _default_to_fused_or_foreach(params, differentiable, use_fused=False):
    """Return whether a step is (fused, foreach), which has no effect on a CPU."""
    fused = use_fused and not differentiable and all(p is None or p.is_floating_point() for p in params)
    return fused, False


def _device_dtype_check_for_fused(p, cuda_unsupported=False):
    """Raise RuntimeError for a parameter that a fused step does not support."""
    require_fusible([p])


def _view_as_real(params, *state_and_grads):
    """Replace the complex tensors of lists by their real views."""
    view_as_real = find_public("view_as_real")
    for number, p in enumerate(params):
        if p.is_complex():
            for each in (params, *state_and_grads):
                each[number] = view_as_real(each[number])


def _get_value(x):
    """Return the number in a tensor, or a number itself."""
    return x.item() if isinstance(x, Tensor) else x


def _to_scalar(x):
    """Return a tensor of one element as a 0-d tensor, or a number itself."""
    return x.squeeze() if isinstance(x, Tensor) and x.dim() else x


def _stack_if_compiling(x):
    """Return the list itself: steps of a compiled program are numbers, too."""
    return x


def _get_scalar_dtype(is_fused=None):
    """Return the dtype of step counters."""
    return float64 if not is_fused and find_public("get_default_dtype")() is float64 else float32


def _get_capturable_supported_devices(supports_xla=True):
    """Return the devices that can capture their work; the CPU cannot."""
    return CAPTURING[:] if supports_xla else CAPTURING[:-1]
