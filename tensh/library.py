"""torch.library: user-defined operators with names and derivatives."""

from tensh._aten.schema import FunctionSchema
from tensh._library.custom_ops import CPU, OPERATORS, CustomOpDef, find_definition
from tensh._library.grammar import require_schema
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
        _space, own = name.split("::")  # ValueError where it has another number of parts
        require_schema(own + declared)
        written = {each.name for each in FunctionSchema(own + declared).arguments if each.alias_info}
        if schema is not None and {*mutates_args} != written:
            raise ValueError(
                f"Attempted to create a custom op with `mutates_args={mutates_args}` and `schema={schema}. The schema suggests that "
                f"the op mutates {written or set()}which is different from what was provided to us in `mutates_args`. Please make "
                "these consistent."
            )
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
        if ns in RESERVED and kind in ("DEF", "FRAGMENT"):
            raise ValueError(f"{ns} is a reserved namespace. Please try creating a library with another name.")
        self.ns, self.kind, self.dispatch_key = ns, kind, dispatch_key

    def __repr__(self):
        return f"Library(kind={self.kind}, ns={self.ns}, dispatch_key={self.dispatch_key})>"

    def define(self, schema, alias_analysis="", *, tags=()):
        """Declare an operator by its schema; return its name."""
        if alias_analysis not in ("", "FROM_SCHEMA", "CONSERVATIVE"):
            raise RuntimeError(f"Invalid alias_analysis type {alias_analysis}")
        require_schema(schema)
        name, bracket, rest = schema.partition("(")
        if not bracket:
            raise RuntimeError("Tried to parse a function schema but only the operator name was given")
        space, separator, own = name.strip().rpartition("::")
        if separator and space != self.ns:
            raise RuntimeError(
                f"Explicitly provided namespace ({space}) in schema string does not match namespace of enclosing TORCH_LIBRARY "
                f"block ({self.ns}).  Move this definition to the (unique) TORCH_LIBRARY block corresponding to this namespace "
                "(and consider deleting the namespace from your schema string.)"
            )
        define(f"{self.ns}::{own}", bracket + rest)
        return own

    def impl(self, op_name, fn, dispatch_key="", *, with_keyset=False, allow_override=False):
        """Register the implementation of an operator."""
        if not callable(fn):
            raise TypeError(f"Input function is required to be a callable but found type {type(fn)}")
        if not isinstance(op_name, str) and not hasattr(op_name, "name"):
            raise RuntimeError(
                "impl should be passed either a name or an OpOverload object as the first argument, got "
                + str(type(op_name))
            )
        name = op_name if isinstance(op_name, str) else op_name.name()
        space, separator, _ = name.rpartition("::")
        if separator and space != self.ns:
            raise RuntimeError(
                f'impl("{name}", ...): Explicitly provided namespace ({space}) in operator name does not match namespace of '
                f"enclosing TORCH_LIBRARY block ({self.ns}).  Move this definition to the TORCH_LIBRARY block corresponding to "
                "this namespace (and consider deleting the namespace from your schema string.)"
            )
        impl(name if "::" in name else f"{self.ns}::{name}", dispatch_key or self.dispatch_key, fn)


RESERVED = frozenset(["prim"])
"""Namespaces that programs cannot define operators in."""


def require_qualified(qualname):
    """Raise ValueError unless a name has a namespace."""
    if qualname.count("::") != 1:
        raise ValueError(
            f'Expected `qualname` to be of the form "namespace::name", but got {qualname}. The qualname passed to the torch.library '
            "APIs must consist of a namespace and a name, e.g. aten::sin"
        )


def define(qualname, schema, *, lib=None, tags=()):
    """Declare an operator by its schema, such as ``"(Tensor x) -> Tensor"``.

    ``define(library, "name(Tensor x) -> Tensor")`` is a decorator that registers the implementation, too.
    """
    if isinstance(qualname, Library):
        return lambda func: impl(qualname, qualname.define(schema))(func)
    if not isinstance(qualname, str):
        raise ValueError(f"define(qualname, schema): expected qualname to be instance of str, got {type(qualname)}")
    require_qualified(qualname)
    if not schema.startswith("("):
        raise ValueError(
            f'define(qualname, schema, ...): expected schema to look like e.g. "(Tensor x) -> Tensor" but got "{schema}"'
        )
    require_schema(qualname.rpartition("::")[2] + schema)
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

    require_qualified(qualname)

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
