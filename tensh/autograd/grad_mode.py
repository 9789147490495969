"""torch.autograd.grad_mode: switch recording off and on."""

from tensh.engine.absent import lacking
from tensh.engine.autograd.modes import enable_grad, inference_mode, no_grad, set_grad_enabled

__all__ = ["enable_grad", "inference_mode", "no_grad", "set_grad_enabled"]

__getattr__ = lacking("torch.autograd.grad_mode")
