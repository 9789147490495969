"""torch.library: user-defined operators with names and derivatives."""

from tensh._library.custom_ops import CPU, OPERATORS, CustomOpDef, find_definition
from tensh._library.opcheck import OpCheckError, opcheck  # noqa: F401  public here
from tensh._library.schema import infer_schema
from tensh.engine.methods.unsupported import unsupported_lookup

__all__ = [
    "Library",
    "custom_op",
    "define",
    "get_ctx",
    "impl",
    "impl_abstract",
    "infer_schema",
    "register_fake",
    "register_vmap",
    "triton_op",
    "wrap_triton",
]


def custom_op(name, fn=None, /, *, mutates_args, device_types=None, schema=None, tags=None):
    """Register a function as an operator, under a qualified name.

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
        declared = schema or infer_schema(fn, mutates_args=mutates_args)
        _space, _own = name.split("::")  # ValueError where it has another number of parts
        return CustomOpDef(name, fn, declared)

    return make if fn is None else make(fn)


triton_op = custom_op


def wrap_triton(triton_kernel, /):
    """Raise ModuleNotFoundError: kernels are Triton's, which tensh does not use."""
    raise ModuleNotFoundError("No module named 'triton'", name="triton")


def register_autograd(op, backward, /, *, setup_context=None, lib=None):
    """Register the derivative of an operator, given by itself or by name."""
    find_definition(op).register_autograd(backward, setup_context=setup_context)


def register_fake(op, func=None, /, *, lib=None, _stacklevel=1, allow_override=False):
    """Register a function that computes the shape of an operator's result; a decorator without ``func``."""

    def register(func):
        if isinstance(op, str) and op not in OPERATORS and not op.startswith("aten::"):
            raise RuntimeError(f"operator {op} does not exist")
        if not isinstance(op, str) or op in OPERATORS:
            find_definition(op).register_fake(func)
        return func

    return register if func is None else register(func)


impl_abstract = register_fake


def register_kernel(op, device_types, func=None, /, *, lib=None):
    """Register an implementation of an operator for some devices."""
    return find_definition(op).register_kernel(device_types, func)


def register_vmap(op, func=None, /, *, lib=None):
    """Register the batching rule of an operator."""
    return find_definition(op).register_vmap(func)


class Library:
    """A namespace of operators, extended by ``define`` and ``impl``."""

    def __init__(self, ns, kind, dispatch_key=""):
        if kind not in ("IMPL", "DEF", "FRAGMENT"):
            raise ValueError(f"Unsupported kind: {kind}")
        self.ns, self.kind, self.dispatch_key = ns, kind, dispatch_key

    def __repr__(self):
        return f"Library(kind={self.kind}, ns={self.ns}, dispatch_key={self.dispatch_key})>"

    def define(self, schema, alias_analysis="", *, tags=()):
        """Declare an operator by its schema; return its name."""
        name, bracket, rest = schema.partition("(")
        if not bracket and schema.isidentifier():
            raise RuntimeError("Tried to parse a function schema but only the operator name was given")
        define(f"{self.ns}::{name.strip()}", bracket + rest)
        return name.strip()

    def impl(self, op_name, fn, dispatch_key="", *, with_keyset=False, allow_override=False):
        """Register the implementation of an operator."""
        name = op_name if isinstance(op_name, str) else op_name.name()
        impl(name if "::" in name else f"{self.ns}::{name}", dispatch_key or self.dispatch_key, fn)


def define(qualname, schema, *, lib=None, tags=()):
    """Declare an operator by its schema, such as ``"(Tensor x) -> Tensor"``.

    ``define(library, "name(Tensor x) -> Tensor")`` is a decorator that registers the implementation, too.
    """
    if isinstance(qualname, Library):
        return lambda func: impl(qualname, qualname.define(schema))(func)
    if not isinstance(qualname, str):
        raise ValueError(f"define(qualname, schema): expected qualname to be instance of str, got {type(qualname)}")
    if not schema.startswith("("):
        raise ValueError(
            f'define(qualname, schema, ...): expected schema to look like e.g. "(Tensor x) -> Tensor" but got "{schema}"'
        )
    if qualname in OPERATORS:
        raise RuntimeError(
            f"Tried to register an operator ({qualname}{schema}) with the same name and overload name multiple times. Each "
            "overload's schema should only be registered with a single call to def()."
        )
    CustomOpDef(qualname, None, schema)
    for kinds, func in WAITING.pop(qualname, ()):
        add_implementation(qualname, kinds, func)
    return None


WAITING: dict = {}
"""Operator that is not declared yet -> its implementations, with the kinds of devices."""


def add_implementation(qualname, kinds, func):
    """Give an operator an implementation; one that is not declared yet gets it then."""
    if qualname not in OPERATORS:
        WAITING.setdefault(qualname, []).append((kinds, func))
        return
    if "Meta" in kinds:
        find_definition(qualname).register_fake(func)
    if any(kind in CPU for kind in kinds):
        find_definition(qualname).register_kernel(None, func)


def impl(qualname, types, func=None, *, lib=None):
    """Register the implementation of an operator for some kinds of devices; a decorator without ``func``.

    ``impl(library, name, key)`` is a decorator, too.
    """
    if isinstance(qualname, Library):
        return impl(f"{qualname.ns}::{types}", func or qualname.dispatch_key)

    def make(func):
        add_implementation(qualname, (types,) if isinstance(types, str) else types, func)
        return func

    if func is None:
        return make
    make(func)
    return None


def get_ctx():
    """Return None: outside of fake functions that ask for sizes, which are never run, there is no context."""


__getattr__ = unsupported_lookup("torch.library")
