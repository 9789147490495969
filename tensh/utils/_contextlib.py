"""torch.utils._contextlib: contexts that are decorators, too, as libraries derive theirs."""

from tensh.engine.autograd.decorating import (
    _DecoratorContextManager,
    _NoParamDecoratorContextManager,
    _wrap_generator,
    context_decorator,
)

__all__ = ["_DecoratorContextManager", "_NoParamDecoratorContextManager", "_wrap_generator", "context_decorator"]
