"""torch.autograd: gradients, functions of your own, and checks of both."""

import importlib

from tensh.autograd import anomaly_mode, function, functional, grad_mode, graph  # noqa: F401
from tensh.autograd.anomaly_mode import detect_anomaly, set_detect_anomaly
from tensh.autograd.function import Function
from tensh.autograd.grad_mode import enable_grad, inference_mode, no_grad, set_grad_enabled, set_multithreading_enabled
from tensh.autograd.gradcheck import gradcheck, gradgradcheck
from tensh.autograd.variable import Variable
from tensh.engine.autograd.gradients import backward, grad
from tensh.engine.methods.unsupported import unsupported_name

__all__ = [
    "Function", "Variable", "backward", "detect_anomaly", "enable_grad", "grad", "gradcheck", "gradgradcheck",
    "inference_mode", "no_grad", "set_detect_anomaly", "set_grad_enabled", "set_multithreading_enabled",
]  # fmt: skip


def __getattr__(name):
    if name in ("forward_ad", "profiler"):
        return importlib.import_module(f"tensh.autograd.{name}")
    raise unsupported_name("torch.autograd", name)
