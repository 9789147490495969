"""torch.autograd.function: write your own operator."""

from tensh.engine.absent import lacking
from tensh.engine.autograd.context import BackwardCFunction, FunctionCtx
from tensh.engine.autograd.custom import Function, InplaceFunction, once_differentiable

__all__ = ["BackwardCFunction", "Function", "FunctionCtx", "InplaceFunction", "once_differentiable"]

__getattr__ = lacking("torch.autograd.function")
