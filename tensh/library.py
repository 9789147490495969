"""torch.library: operators of the user's own, by a name, with derivatives."""

import functools

from tensh.autograd import Function
from tensh.engine.methods.unsupported import unsupported_lookup

OPERATORS = {}
"""Qualified name -> CustomOpDef."""


class CustomOpDef:
    """An operator made by ``custom_op``: it is called as the function is, and can be given a derivative."""

    __module__ = "torch._library.custom_ops"

    def __init__(self, name, fn, mutates_args, schema=None):
        self._qualname, self._fn, self._mutates_args, self._schema = name, fn, mutates_args, schema
        self._backward = self._setup = self._fake = self._vmap = self._function = None
        functools.update_wrapper(self, fn)
        OPERATORS[name] = self

    def __repr__(self):
        return f"<CustomOpDef({self._qualname})>"

    def __call__(self, *args, **kwargs):
        if self._function is None:
            return self._fn(*args, **kwargs)
        import inspect

        bound = inspect.signature(self._fn).bind(*args, **kwargs)
        bound.apply_defaults()
        return self._function.apply(*bound.args, *bound.kwargs.values())

    def register_autograd(self, backward, /, *, setup_context=None):
        """Give the operator a derivative: ``setup_context(ctx, inputs, output)``, ``backward(ctx, *gradients)``."""
        fn, setup = self._fn, setup_context or (lambda ctx, inputs, output: None)
        members = {
            "forward": staticmethod(lambda *args: fn(*args)),
            "setup_context": staticmethod(lambda ctx, inputs, output: setup(ctx=ctx, inputs=inputs, output=output)),
            "backward": staticmethod(backward),
            "vmap": staticmethod(self._vmap) if self._vmap else Function.__dict__.get("vmap"),
            "generate_vmap_rule": self._vmap is None,
        }
        self._backward, self._setup = backward, setup_context
        if self._vmap is None:
            del members["vmap"]
        self._function = type(self._qualname.replace("::", "_"), (Function,), members)

    def register_fake(self, fn, /):
        """Say what shape the result has; kept, and not asked: tensh computes at once."""
        self._fake = fn
        return fn

    def register_kernel(self, device_types, fn=None, /):
        """Give the operator another function for some devices; that for the CPU counts."""

        def register(fn):
            kinds = (device_types,) if isinstance(device_types, str) else device_types
            if kinds is None or "cpu" in kinds:
                self._fn = fn
                if self._backward:
                    self.register_autograd(self._backward, setup_context=self._setup)
            return fn

        return register if fn is None else register(fn)

    def register_vmap(self, func=None):
        """Say how the operator computes a batch: ``func(info, in_dims, *args)``."""

        def register(func):
            self._vmap = func
            if self._backward:
                self.register_autograd(self._backward, setup_context=self._setup)
            return func

        return register if func is None else register(func)

    def register_torch_dispatch(self, torch_dispatch_class, fn=None, /):
        """Keep nothing: there is no dispatch by class."""
        return (lambda fn: fn) if fn is None else fn

    def set_kernel_enabled(self, device_type, enabled=True):
        """Do nothing: there is one kernel."""


def custom_op(name, fn=None, /, *, mutates_args, device_types=None, schema=None, tags=None):
    """Make an operator of a function, under a name with its namespace.

    >>> import tensh as torch
    >>> @torch.library.custom_op("mine::twice", mutates_args=())
    ... def twice(x: torch.Tensor) -> torch.Tensor:
    ...     return x * 2
    >>> twice.register_autograd(lambda ctx, g: g * 2)
    >>> x = torch.ones(2, requires_grad=True)
    >>> torch.autograd.grad(twice(x).sum(), x)
    (tensor([2., 2.]),)
    """

    def make(fn):
        space, _, own = name.partition("::")
        if not own:
            raise ValueError(f"Expected `name` to be of the form '<namespace>::<opname>', got {name!r}")
        return CustomOpDef(name, fn, mutates_args, schema)

    return make if fn is None else make(fn)


triton_op = custom_op


def _find(op):
    if isinstance(op, CustomOpDef):
        return op
    if op not in OPERATORS:
        raise RuntimeError(f"There is no operator {op}: torch.library.custom_op makes one")
    return OPERATORS[op]


def register_autograd(op, backward, /, *, setup_context=None, lib=None):
    """Give an operator, or the one of a name, a derivative."""
    _find(op).register_autograd(backward, setup_context=setup_context)


def register_fake(op, func=None, /, *, lib=None, _stacklevel=1, allow_override=False):
    """Say what shape the result of an operator has; a decorator without ``func``."""

    def register(func):
        if isinstance(op, CustomOpDef) or op in OPERATORS:
            _find(op).register_fake(func)
        return func

    return register if func is None else register(func)


impl_abstract = register_fake


def register_kernel(op, device_types, func=None, /, *, lib=None):
    """Give an operator another function for some devices."""
    return _find(op).register_kernel(device_types, func)


def register_vmap(op, func=None, /, *, lib=None):
    """Say how an operator computes a batch."""
    return _find(op).register_vmap(func)


class Library:
    """A namespace of operators: ``define`` and ``impl`` add to it."""

    def __init__(self, ns, kind, dispatch_key=""):
        self.ns, self.kind, self.dispatch_key = ns, kind, dispatch_key

    def define(self, schema, alias_analysis="", *, tags=()):
        """Announce an operator by its schema; its name."""
        return schema.partition("(")[0]

    def impl(self, op_name, fn, dispatch_key="", *, with_keyset=False, allow_override=False):
        """Give an operator its function."""
        if (dispatch_key or self.dispatch_key) in ("", "CPU", "CompositeImplicitAutograd", "CompositeExplicitAutograd"):
            CustomOpDef(f"{self.ns}::{op_name}", fn, ())


def define(qualname, schema, *, lib=None, tags=()):
    """Announce an operator by its schema."""


def impl(qualname, types, func=None, *, lib=None):
    """Give an operator its function; a decorator without ``func``."""
    make = lambda func: CustomOpDef(qualname, func, ()) and func  # noqa: E731
    return make if func is None else make(func)


def get_ctx():
    """Raise RuntimeError: fake functions, whose context this is, are not run."""
    raise RuntimeError("get_ctx() can only be called inside an abstract implementation")


__getattr__ = unsupported_lookup("torch.library")
