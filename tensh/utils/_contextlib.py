"""torch.utils._contextlib: contexts that are decorators, too, as libraries derive theirs."""

import functools
import inspect


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

    def __call__(self, orig_func):
        return context_decorator(self.clone, orig_func)

    def __enter__(self):
        raise NotImplementedError

    def __exit__(self, exc_type, exc_value, traceback):
        raise NotImplementedError

    def clone(self):
        """A new context of the same kind."""
        return type(self)()


class _NoParamDecoratorContextManager(_DecoratorContextManager):
    """A context without arguments, which can be a decorator without parentheses."""

    def __new__(cls, orig_func=None):
        made = super().__new__(cls)
        return made if orig_func is None else made(orig_func)


def context_decorator(ctx, func):
    """A function that runs within a context: ``ctx`` is one, or makes a new one for each call."""
    new = ctx if callable(ctx) and not hasattr(ctx, "__enter__") else lambda: ctx
    if isinstance(func, type):
        raise RuntimeError(
            "Cannot decorate classes; it is ambiguous whether or not only the constructor or all methods should have the "
            "context manager applied; additionally, decorating a class at definition-site will prevent use of the "
            "identifier as a conventional type. To specify which methods to decorate, decorate each of them individually."
        )
    if inspect.isgeneratorfunction(func):
        return _wrap_generator(new, func)

    @functools.wraps(func)
    def decorated(*args, **kwargs):
        with new():
            return func(*args, **kwargs)

    return decorated


def _wrap_generator(ctx_factory, func):
    @functools.wraps(func)
    def steps(*args, **kwargs):
        generator = func(*args, **kwargs)
        proceed = functools.partial(next, generator)
        while True:
            try:
                with ctx_factory():
                    value = proceed()
            except StopIteration as end:
                return end.value
            try:
                sent = yield value
            except GeneratorExit:
                with ctx_factory():
                    generator.close()
                raise
            except BaseException as error:
                proceed = functools.partial(generator.throw, error)
            else:
                proceed = functools.partial(generator.send, sent)

    return steps
