"""torch.autograd.function: write your own operator."""

from tensh.engine.autograd.context import BackwardCFunction, FunctionCtx
from tensh.engine.autograd.custom import Function, InplaceFunction
from tensh.engine.autograd.delayed import once_differentiable
from tensh.engine.methods.unsupported import unsupported_lookup

__all__ = ["BackwardCFunction", "Function", "FunctionCtx", "InplaceFunction", "once_differentiable"]

__getattr__ = unsupported_lookup("torch.autograd.function")
