"""torch.library: user-defined operators with names and derivatives."""

import re
import sys
from contextlib import contextmanager
from functools import partial
from weakref import finalize

from tensh._aten import operator_classes
from tensh._aten.schema import FunctionSchema
from tensh._library.custom_ops import OPERATORS, CustomOpDef, find_definition
from tensh._library.dispatch_keys import NUMBERS, keys_of_devices, require_key
from tensh._library.grammar import require_schema
from tensh._library.kernels import FOR_ALL, fallthrough_kernel
from tensh._library.late import load_late
from tensh._library.opcheck import OpCheckError, opcheck  # noqa: F401  public here
from tensh._library.registry import BLOCKS, add_kernels, add_operator, remove_all, require_single
from tensh._library.schema import infer_schema
from tensh._library.tags import Tag
from tensh.engine.errors.warnings import warn
from tensh.engine.methods.unsupported import unsupported_lookup

__all__ = [
    "Library",
    "custom_op",
    "define",
    "fallthrough_kernel",
    "get_ctx",
    "get_kernel",
    "impl",
    "impl_abstract",
    "infer_schema",
    "register_autocast",
    "register_fake",
    "register_torch_dispatch",
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
        given = (tags,) if isinstance(tags, Tag) else tags or ()
        return CustomOpDef(name, fn, declared, (Tag.pt2_compliant_tag, *given), device_types)

    return make if fn is None else make(fn)


def triton_op(name, fn=None, /, *, mutates_args, schema=None):
    """Register a function as an operator, under a qualified name; tensh runs no kernels of Triton in it.

    >>> import tensh as torch
    >>> @torch.library.triton_op("mine::three_times", mutates_args=())
    ... def three_times(x: torch.Tensor) -> torch.Tensor:
    ...     return x * 3
    >>> three_times(torch.ones(2))
    tensor([3., 3.])
    """

    def dec(fn):
        return custom_op(name, fn, mutates_args=mutates_args, schema=schema)

    return dec if fn is None else dec(fn)


def wrap_triton(triton_kernel, /):
    """Raise ModuleNotFoundError: kernels are Triton's, which tensh does not use."""
    raise ModuleNotFoundError("No module named 'triton'", name="triton")


def register_autograd(op, backward, /, *, setup_context=None, lib=None):
    """Register the derivative of an operator, given by itself or by name."""
    find_definition(op, "register_autograd").register_autograd(backward, setup_context=setup_context)


def register_fake(op, func=None, /, *, lib=None, _stacklevel=1, allow_override=True):
    """Register a function that computes the shape of an operator's result; a decorator without ``func``."""

    def register(func):
        if isinstance(op, str) and op not in OPERATORS:
            load_late(op.partition("::")[0])
        if isinstance(op, str) and op not in OPERATORS and not op.startswith("aten::"):
            raise RuntimeError(f"operator {op} does not exist")
        if not isinstance(op, str) or op in OPERATORS:
            find_definition(op, "register_fake").register_fake(func)
        return func

    return register if func is None else register(func)


def impl_abstract(qualname, func=None, *, lib=None, _stacklevel=1):
    """Register a function that computes the shape of an operator's result: the former name of ``register_fake``."""
    warn(
        "`torch.library.impl_abstract` was renamed to `torch.library.register_fake`. Please use that instead; we will remove "
        "`torch.library.impl_abstract` in a future version of PyTorch.",
        FutureWarning,
    )
    return register_fake(qualname, func, lib=lib)


def register_kernel(op, device_types, func=None, /, *, lib=None):
    """Register an implementation of an operator for some devices."""
    return find_definition(op, "register_kernel").register_kernel(device_types, func)


def register_vmap(op, func=None, /, *, lib=None):
    """Register the batching rule ``func(info, in_dims, *args)`` of an operator; a decorator without ``func``."""

    def register(func):
        find_definition(op, "register_vmap").register_vmap(func)

    return register if func is None else register(func)


def register_autocast(op, device_type, cast_inputs, /, *, lib=None):
    """Convert an operator's floating point arguments to ``cast_inputs`` where autocast is on for a type of devices.

    >>> import tensh as torch
    >>> @torch.library.custom_op("mine::same", mutates_args=())
    ... def same(x: torch.Tensor) -> torch.Tensor:
    ...     return x.clone()
    >>> torch.library.register_autocast("mine::same", "cpu", torch.bfloat16)
    >>> with torch.autocast("cpu"):
    ...     same(torch.ones(2))
    tensor([1., 1.], dtype=torch.bfloat16)
    """
    find_definition(op, "register_autocast").register_autocast(device_type, cast_inputs)


def register_torch_dispatch(op, torch_dispatch_class, func=None, /, *, lib=None):
    """Return ``func`` and keep nothing: classes answer for an operator by their own ``__torch_dispatch__``."""
    if not isinstance(op, (str, operator_classes.OpOverload, CustomOpDef)):
        raise ValueError(f"register_torch_dispatch({op}): got unexpected type for op: {type(op)}")
    return (lambda func: func) if func is None else func


class Library:
    """A namespace of operators, extended by ``define`` and ``impl``; what it adds is removed together with it."""

    def __init__(self, ns, kind, dispatch_key=""):
        if kind not in ("IMPL", "DEF", "FRAGMENT"):
            raise ValueError(f"Unsupported kind: {kind}")
        if ns in RESERVED and kind in ("DEF", "FRAGMENT"):
            raise ValueError(f"{ns} is a reserved namespace. Please try creating a library with another name.")
        caller = sys._getframe(1)
        self._place = f"registered at {caller.f_code.co_filename}:{caller.f_lineno}"
        self.ns, self.kind, self.dispatch_key = ns, kind, require_key(dispatch_key)
        if dispatch_key and kind != "IMPL":
            raise RuntimeError(
                f"Only TORCH_LIBRARY_IMPL has a dispatch key {self._in_block()}: give it to impl, or make a Library of the kind IMPL"
            )
        self._removals = []
        if kind == "DEF":
            require_single(ns, self._place)
            self._removals.append(partial(BLOCKS.pop, ns, None))
        self._finalizer = finalize(self, remove_all, self._removals)

    def __repr__(self):
        return f"Library(kind={self.kind}, ns={self.ns}, dispatch_key={self.dispatch_key})>"

    def _block(self):
        return "TORCH_LIBRARY" + ("" if self.kind == "DEF" else f"_{self.kind}")

    def _in_block(self):
        return (
            f"(Error occurred while processing {self._block()} block at {self._place.removeprefix('registered at ')})"
        )

    def _destroy(self):
        """Remove all operators and implementations that the library has added."""
        self._finalizer()

    def define(self, schema, alias_analysis="", *, tags=()):
        """Declare an operator by its schema; return its name."""
        if alias_analysis not in ("", "FROM_SCHEMA", "CONSERVATIVE"):
            raise RuntimeError(f"Invalid alias_analysis type {alias_analysis}")
        require_schema(schema)
        name, bracket, rest = schema.partition("(")
        if not bracket:
            raise RuntimeError("Tried to parse a function schema but only the operator name was given")
        space, separator, own = name.strip().rpartition("::")
        if own.endswith(".default"):
            raise RuntimeError("default is not a legal overload name for aten operators")
        if self.kind == "IMPL":
            raise RuntimeError(
                f'def("{own}"): Cannot define an operator inside of a TORCH_LIBRARY_IMPL block.  All def()s should be placed in the '
                f"(unique) TORCH_LIBRARY block for their namespace.  {self._in_block()}"
            )
        if separator and space != self.ns:
            raise RuntimeError(
                f"Explicitly provided namespace ({space}) in schema string does not match namespace of enclosing TORCH_LIBRARY "
                f"block ({self.ns}).  Move this definition to the (unique) TORCH_LIBRARY block corresponding to this namespace "
                "(and consider deleting the namespace from your schema string.)"
            )
        qualified = f"{self.ns}::{own}"
        add_operator(qualified, bracket + rest, tags, self._place)
        self._removals.append(partial(OPERATORS.pop, qualified, None))
        return own.partition(".")[0]

    def impl(self, op_name, fn, dispatch_key="", *, with_keyset=False, allow_override=True):
        """Register the implementation of an operator under a dispatch key, by default for all devices."""
        if not callable(fn):
            raise TypeError(f"Input function is required to be a callable but found type {type(fn)}")
        if not isinstance(op_name, str) and not hasattr(op_name, "name"):
            raise RuntimeError(
                "impl should be passed either a name or an OpOverload object as the first argument, got "
                + str(type(op_name))
            )
        name = op_name if isinstance(op_name, str) else op_name.name()
        space, separator, own = name.rpartition("::")
        key = require_key(dispatch_key or self.dispatch_key) or "CompositeImplicitAutograd"
        if separator and space != self.ns:
            raise RuntimeError(
                f'impl("{name}", ...): Explicitly provided namespace ({space}) in operator name does not match namespace of '
                f"enclosing {self._block()} block ({self.ns}).  Move this definition to the {self._block()} block corresponding to "
                f"this namespace (and consider deleting the namespace from your schema string.)  {self._in_block()}"
            )
        qualified = f"{self.ns}::{own}"
        definition = OPERATORS.get(qualified)
        if key == "Meta" and definition is not None and definition._kernels.find("CompositeImplicitAutograd"):
            raise RuntimeError(
                f"We should not register a meta kernel directly to the operator '{own}', because it has a CompositeImplicitAutograd "
                "kernel in core. Instead we should let the operator decompose, and ensure that we have meta kernels for the base ops "
                "that it decomposes into."
            )
        self._removals.extend(add_kernels(qualified, [key], fn, with_keyset))

    def fallback(self, fn, dispatch_key="", *, with_keyset=False):
        """Raise an error: tensh's operators have no implementation besides their own."""
        if self.ns != "_":
            raise RuntimeError(
                f'Fallback can only be registered using library fragment on the global namespace "_" but it is {self.ns}'
            )
        raise NotImplementedError("tensh has no fallbacks for all operators")


@contextmanager
def _scoped_library(ns, kind, dispatch_key=""):
    """Yield a library whose operators are removed at the end of the ``with`` statement."""
    library = Library(ns, kind, dispatch_key)
    try:
        yield library
    finally:
        library._destroy()


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
    if not re.match(r"\(.*", schema, re.DOTALL):
        raise ValueError(
            f'define(qualname, schema, ...): expected schema to look like e.g. "(Tensor x) -> Tensor" but got "{schema}"'
        )
    name = qualname.rpartition("::")[2]
    if lib is not None:
        lib.define(name + schema, tags=tags)
        return None
    require_schema(name + schema)
    caller = sys._getframe(1)
    add_operator(qualname, schema, tags, f"registered at {caller.f_code.co_filename}:{caller.f_lineno}")
    return None


def impl(qualname, types, func=None, *, lib=None):
    """Register the implementation of an operator for some types of devices; a decorator without ``func``.

    ``impl(library, name, key)`` is a decorator, too.
    """
    if isinstance(qualname, Library):
        return lambda function: qualname.impl(types, function, func or "") or function

    require_qualified(qualname)
    names = (types,) if isinstance(types, str) else types
    keys = [each for name in names for each in (keys_of_devices([name]) if name not in NUMBERS else [name])]

    def make(func):
        add_kernels(qualname, keys, func)
        return func

    if func is None:
        return make
    make(func)
    return None


def get_kernel(op, dispatch_key):
    """Return the function of an operator for a dispatch key, which has ``call_boxed(keys, *args)``.

    Raise ValueError for a key that there is not, RuntimeError for an operator that there is not, or that has no such
    function.
    """
    if not isinstance(op, (str, operator_classes.OpOverload, CustomOpDef)):
        raise ValueError(f"get_kernel({op}): got unexpected type for op: {type(op)}")
    name = op if isinstance(op, str) else getattr(op, "_qualname", None) or op.name()
    key = getattr(dispatch_key, "name", dispatch_key)
    if key not in NUMBERS:
        raise ValueError(f"Invalid dispatch key: {key}")
    if name not in OPERATORS:
        raise RuntimeError(f"operator {name} does not exist")
    function = OPERATORS[name]._kernels.find(key, *(FOR_ALL if key == "CPU" else ()))
    if function is None:
        raise RuntimeError(f"no kernel for {key} for {name}")
    return SafeKernelFunction(function)


class SafeKernelFunction:
    """One function of an operator."""

    __module__ = "torch._C"

    def __init__(self, function):
        self._function = function

    def call_boxed(self, keyset, /, *args, **kwargs):
        """Return the result of the function, whatever the keys."""
        return self._function(*args, **kwargs)


def get_ctx():
    """Return None: outside of fake functions that ask for sizes, which are never run, there is no context."""


__getattr__ = unsupported_lookup("torch.library")
