"""Contexts that are decorators, too, as modes are, and as libraries derive theirs: ``torch.utils._contextlib``."""

import functools
import inspect

from tensh.engine.errors.warnings import warn


class _DecoratorContextManager:
    """A context that can be a decorator: the function, or each step of the generator, runs within a new one.

    >>> from tensh.utils._contextlib import _DecoratorContextManager
    >>> class Loud(_DecoratorContextManager):
    ...     def __enter__(self):
    ...         print("in")
    ...     def __exit__(self, *error):
    ...         print("out")
    >>> @Loud()
    ... def f():
    ...     return 1
    >>> f()
    in
    out
    1
    """

    __module__ = "torch.utils._contextlib"

    def __call__(self, orig_func):
        if not inspect.isclass(orig_func):
            return context_decorator(self.clone, orig_func)
        warn(
            "Decorating classes is deprecated and will be disabled in future versions. You should only decorate "
            "functions or methods. To preserve the current behavior of class decoration, you can directly decorate "
            "the `__init__` method and nothing else.",
            FutureWarning,
        )
        return context_decorator(self.clone, lambda *args, **kwargs: orig_func(*args, **kwargs))

    def __enter__(self):
        raise NotImplementedError

    def __exit__(self, exc_type, exc_value, traceback):
        raise NotImplementedError

    def clone(self):
        """Return a new context of this kind, so that one object may be entered several times at once."""
        return type(self)()


class _NoParamDecoratorContextManager(_DecoratorContextManager):
    """A context without arguments, which can be a decorator without parentheses."""

    __module__ = "torch.utils._contextlib"

    def __new__(cls, orig_func=None):
        return super().__new__(cls) if orig_func is None else cls()(orig_func)


def context_decorator(ctx, func):
    """Return a function that runs within a context: ``ctx`` is one, or makes a new one for each call."""
    new = ctx if callable(ctx) and not hasattr(ctx, "__enter__") else lambda: ctx
    if inspect.isclass(func):
        raise RuntimeError(
            "Cannot decorate classes; it is ambiguous whether or not only the constructor or all methods should have the "
            "context manager applied; additionally, decorating a class at definition-site will prevent use of the "
            "identifier as a conventional type. To specify which methods to decorate, decorate each of them individually."
        )
    if inspect.isgeneratorfunction(func):
        return _wrap_generator(new, func)

    @functools.wraps(func)
    def decorate_context(*args, **kwargs):
        with new():
            return func(*args, **kwargs)

    return decorate_context


def _wrap_generator(ctx_factory, func):
    """Wrap a generator so that its code runs in a context and its consumer's code does not."""

    @functools.wraps(func)
    def generator_context(*args, **kwargs):
        generator = func(*args, **kwargs)
        proceed, value = generator.send, None
        while True:
            try:
                with ctx_factory():
                    item = proceed(value)
            except StopIteration as stop:
                return stop.value
            try:
                proceed, value = generator.send, (yield item)
            except GeneratorExit:
                with ctx_factory():
                    generator.close()
                raise
            except BaseException as error:
                proceed, value = generator.throw, error

    return generator_context
