"""The inputs of a graph: proxies for the parameters of the traced function."""

import inspect
from types import FunctionType

from tensh.engine.core.tensor import Tensor
from tensh.engine.errors.assertions import _assert
from tensh.engine.errors.warnings import warn
from tensh.func.trees import flatten, map_leaves, unflatten
from tensh.fx.node import base_types
from tensh.fx.pytree_codegen import PyTreeCodeGen, PyTreeInfo

STARRED = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS


class PHBase:
    """A leaf of ``concrete_args`` that nevertheless becomes an input of the graph."""

    def __repr__(self):
        return "PH"


PH = PHBase()


def create_inputs(tracer, function, is_module, concrete_args=None):
    """Return (function, arguments for it), with an input of the graph for each parameter.

    The function takes all inputs by position, also those for ``*args`` and ``**kwargs``. For nested ``concrete_args``
    it takes the leaves.
    """
    analysed = inspect.unwrap(function)
    code, signature = analysed.__code__, inspect.signature(analysed)
    count = code.co_argcount + code.co_kwonlyargcount
    names = list(code.co_varnames)
    if is_module and count == 0:
        raise RuntimeError("``self`` argument cannot be part of *args expansion!")
    args, own = ([tracer.root], names[1:count]) if is_module else ([], names[:count])
    if isinstance(concrete_args, tuple):
        if concrete_args and code.co_flags & STARRED and count == 1:
            inputs = [tracer.create_proxy("placeholder", f"input_{n}", (), {}) for n in range(len(concrete_args))]
            return function, args + inputs
        if len(own) != len(concrete_args):
            raise RuntimeError(f"Tracing expected {len(own)} arguments but got {len(concrete_args)} concrete arguments")
        concrete_args = dict(zip(own, concrete_args))

    def create_input(name):
        if concrete_args is not None and name in concrete_args:
            return specialize(tracer, name, concrete_args[name], signature.parameters[name].default)
        parameter = signature.parameters.get(name)
        default = () if parameter is None or parameter.default is parameter.empty else (parameter.default,)
        kind = analysed.__annotations__.get(name)
        return tracer.create_proxy("placeholder", name, default, {}, type_expr=kind)

    args += map(create_input, own)
    if code.co_flags & STARRED or code.co_kwonlyargcount:
        rest = names[count:]
        for flag, stars in ((inspect.CO_VARARGS, "*"), (inspect.CO_VARKEYWORDS, "**")):
            if code.co_flags & flag:
                args.append(create_input(stars + rest.pop(0)))
        function = take_by_position(function, len(args))
    leaves, spec = flatten(tuple(args))
    if all(child.is_leaf() for child in spec.children()):
        return function, args
    tracer.graph._codegen = PyTreeCodeGen(PyTreeInfo(names[:count], spec, None))

    def call_flat(*leaves):
        result, out_spec = flatten(function(*unflatten(list(leaves), spec)))
        codegen = tracer.graph._codegen
        codegen.pytree_info = codegen.pytree_info._replace(out_spec=out_spec)
        return result

    return call_flat, leaves


def take_by_position(function, count):
    """Return a copy of a function that takes all parameters by position, including ``*args`` and ``**kwargs``."""
    code = function.__code__
    code = code.replace(co_argcount=count, co_posonlyargcount=0, co_kwonlyargcount=0, co_flags=code.co_flags & ~STARRED)
    return FunctionType(code, function.__globals__, function.__name__, function.__defaults__, function.__closure__)


def specialize(tracer, name, value, default):
    """Return a concrete argument with proxies for the leaves ``PH``; the graph checks the other leaves."""
    default = () if default is inspect.Parameter.empty else (default,)
    counter = 0

    def specialize_leaf(leaf):
        nonlocal counter
        counter += 1
        proxy = tracer.create_proxy("placeholder", f"{name}_{counter}", default, {})
        if isinstance(leaf, PHBase):
            return proxy
        if isinstance(leaf, base_types) and not isinstance(leaf, Tensor):
            message = f"{name} has been specialized to have value {leaf} but got another value"
            tracer.create_proxy("call_function", _assert, (proxy == leaf, message), {})
        elif leaf is None:
            message = f"{name} has been specialized to have value None but got another value"
            tracer.create_proxy("call_function", _assert_is_none, (proxy, message), {})
        else:
            warn(
                f"Was not able to add assertion to guarantee correct input {name} to specialized function. It is up to the user to "
                "make sure that your inputs match the inputs you specialized the function with."
            )
        return leaf

    return map_leaves(specialize_leaf, value)


def _assert_is_none(value, msg):
    """Raise AssertionError unless ``value`` is None; graphs that were traced for None call this."""
    if value is not None:
        raise AssertionError(msg)
