"""torch.autograd: gradients, custom functions, and checks of both."""

from tensh.autograd import anomaly_mode, function, functional, grad_mode, graph, variable  # noqa: F401
from tensh.autograd.anomaly_mode import detect_anomaly, set_detect_anomaly
from tensh.autograd.function import Function
from tensh.autograd.grad_mode import (
    enable_grad,
    enforce_grad_layout_policy,
    inference_mode,
    is_multithreading_enabled,
    no_grad,
    set_grad_enabled,
    set_multithreading_enabled,
)
from tensh.autograd.gradcheck import gradcheck, gradgradcheck
from tensh.autograd.variable import Variable
from tensh.engine.autograd.gradients import backward, grad
from tensh.engine.methods.namespaces import declare_namespace

__all__ = [
    "Function", "Variable", "backward", "detect_anomaly", "enable_grad", "enforce_grad_layout_policy", "grad",
    "gradcheck", "grad_mode", "gradgradcheck", "inference_mode", "is_multithreading_enabled", "no_grad", "set_detect_anomaly",
    "set_grad_enabled", "set_multithreading_enabled", "variable",
]  # fmt: skip

backward.__module__ = grad.__module__ = "torch.autograd"

PROFILING = "_disable_profiler", "_profiler_enabled"
"""Private functions on the profile that records, which libraries call."""

__getattr__, __dir__ = declare_namespace(
    "tensh.autograd", globals(), dict.fromkeys(PROFILING, "tensh.profiler"), ("forward_ad", "profiler")
)
