"""An operator of the user's own: its schema, its functions for values, shapes and batches, and its derivative."""

import functools

import tensh as torch
from tensh._aten.operator_classes import OpOverload, OpOverloadPacket
from tensh._aten.schema import FunctionSchema
from tensh._library.schema import bind_arguments, print_schema, read_parameters
from tensh.autograd import Function
from tensh.engine.core.tensor import Tensor
from tensh.engine.dispatch.override.state import state
from tensh.func.trees import flatten, leaves_of, unflatten

OPERATORS = {}
"""Qualified name -> CustomOpDef."""


CPU = ("", "CPU", "cpu", "default", "CompositeImplicitAutograd", "CompositeExplicitAutograd")
"""The names of devices and of dispatch keys that the CPU answers to."""


class CustomOverload(OpOverload):
    """The one overload of an operator of the user's own, ``torch.ops.SPACE.NAME.default``."""

    def __init__(self, definition):
        self._definition = definition
        self.namespace, _, self._opname = definition._qualname.partition("::")
        self.__name__, self.__module__ = f"{self._opname}.default", f"torch._ops.{self.namespace}"
        self.__qualname__, self.tags = self.name(), list(definition._tags)

    _schema = property(lambda self: self._definition._schema)
    overloadpacket = _overloadpacket = property(lambda self: self._definition._packet)

    def __call__(self, *args, **kwargs):
        return self._definition.call(args, kwargs)


class CustomPacket(OpOverloadPacket):
    """An operator of the user's own, ``torch.ops.SPACE.NAME``."""

    def __init__(self, definition):
        self.default, self._qualified_op_name = definition._opoverload, definition._qualname
        self.__name__, self.__module__ = definition._opoverload._opname, definition._opoverload.__module__

    def overloads(self):
        """The names of the overloads."""
        return ["default"]

    def __call__(self, *args, **kwargs):
        return self.default(*args, **kwargs)


def refuse_record(definition, values):
    """Return NotImplemented: a mode that records no operators of programs."""
    return NotImplemented


class CustomOpDef:
    """An operator made by ``custom_op``: it is called as the function is, and can be given a derivative."""

    __module__ = "torch._library.custom_ops"

    def __init__(self, name, fn, schema, tags=()):
        self._tags = tags
        self._qualname, self._fn, self._schema = name, fn, FunctionSchema(name + print_schema(schema))
        self._parameters = read_parameters(schema)
        parameters = [text for text in schema.partition(" ->")[0].split(", ") if text.strip("( ") != "*"]
        self._written = [n for n, text in enumerate(parameters) if "!)" in text]
        self._backward = self._setup = self._fake = self._vmap = self._function = None
        self._declared = fn is None  # by a schema: its implementation may return an argument
        self._opoverload = CustomOverload(self)
        self._packet = CustomPacket(self)
        if fn is not None:
            functools.update_wrapper(self, fn)
        OPERATORS[name] = self

    def __repr__(self):
        return f"<CustomOpDef({self._qualname})>"

    def __call__(self, *args, **kwargs):
        return self.call(args, kwargs)

    def call(self, args, kwargs):
        """The result for these arguments: of the fake function for tensors without elements, recorded where one requires grad."""
        values = bind_arguments(self._qualname, self._schema, self._parameters, args, kwargs)
        for mode in reversed(state.modes):
            if (result := getattr(mode, "record_custom", refuse_record)(self, values)) is not NotImplemented:
                return result
        tensors = [t for t in leaves_of(values) if isinstance(t, Tensor)]
        if any(hasattr(type(t), "levels") for t in tensors):  # within vmap
            return self.record(values)
        if any(t.is_meta for t in tensors):
            return self.compute_fake(values)
        if not self._written and torch.is_grad_enabled() and any(t.requires_grad for t in tensors):
            return self.record(values)
        return self.compute(values)

    def split_arguments(self, values):
        """(arguments by position, arguments by name) of the function, for all arguments in the order of the schema."""
        named = {p.name: value for p, value in zip(self._parameters, values) if p.named}
        return [value for p, value in zip(self._parameters, values) if not p.named], named

    def compute(self, values):
        """The result of the function."""
        if self._fn is None:
            raise NotImplementedError(
                f"Could not run '{self._qualname}' with arguments from the 'CPU' backend: torch.library.impl gives it a function"
            )
        args, named = self.split_arguments(values)
        with torch.no_grad():
            result = self._fn(*args, **named)
        for place in self._written:
            torch.autograd.graph.increment_version([t for t in leaves_of(values[place]) if isinstance(t, Tensor)])
        if not self._written and not self._declared:
            self.refuse_shared_memory(values, result)
        return result

    def refuse_shared_memory(self, values, result):
        """Raise RuntimeError for a result in the memory of an argument, or of another result."""
        seen = [t.untyped_storage()._cdata for t in leaves_of(values) if isinstance(t, Tensor) and t.numel()]
        for t in leaves_of(result):
            if isinstance(t, Tensor) and t.numel():
                place = t.untyped_storage()._cdata
                if place in seen:
                    raise RuntimeError(
                        f"{self._opoverload._opname} (with implementation in {self._fn.__module__}): The output of this custom "
                        "operator (1) must not also be an input to this custom operator and (2) may not alias any inputs to this "
                        "custom operator or other returns. The most common way to trigger this error is if we have y = "
                        "custom_op(x) and y and x are the same Tensor. Please instead return a clone of the offending output "
                        "tensor(s) (e.g. return x.clone()) or refactor the custom operator to not return y."
                    )
                seen.append(place)

    def compute_fake(self, values):
        """The result of the fake function, for tensors without elements."""
        if self._fake is None:
            raise RuntimeError(
                f"There was no fake impl registered for {self}. This is necessary for torch.compile/export/fx tracing to work. "
                f"Please use `{getattr(self._fn, '__name__', self._opoverload._opname)}.register_fake` to add an fake impl."
            )
        args, named = self.split_arguments(values)
        return self._fake(*args, **named)

    def record(self, values):
        """The result as that of a custom function, whose inputs are the tensors among the arguments, also in lists."""
        leaves, form = flatten(list(values))
        return self.find_function().apply(form, *leaves)

    def find_function(self):
        """The custom function, made anew after its parts have changed."""
        if self._function is None:
            definition = self

            def forward(form, *leaves):
                return definition.compute(unflatten(leaves, form))

            def setup_context(ctx, inputs, output):
                form, *leaves = inputs
                ctx._form = form
                if definition._setup is not None:
                    args, named = definition.split_arguments(unflatten(leaves, form))
                    more = {"keyword_only_inputs": named} if named else {}
                    definition._setup(ctx=ctx, inputs=tuple(args), output=output, **more)

            def backward(ctx, *gradients):
                if definition._backward is None:
                    raise RuntimeError(
                        f"Trying to backward through {definition._opoverload} but no autograd formula was registered. Please use "
                        "register_autograd to add one."
                    )
                found = definition._backward(ctx, *gradients)
                found = list(found) if isinstance(found, tuple) else [found]
                found += [None] * sum(p.named for p in definition._parameters)
                places = ctx._form.children()
                if len(found) != len(places):
                    raise RuntimeError(
                        f"function {definition.find_function().__name__}Backward returned an incorrect number of gradients "
                        f"(expected {len(places)}, got {len(found)})"
                    )
                return None, *[
                    leaf
                    for each, part in zip(found, places)
                    for leaf in ([None] * part.num_leaves if each is None else leaves_of(each))
                ]

            def vmap(info, in_dims, form, *leaves):
                dims = in_dims[1:]
                if definition._vmap is not None:
                    args, _ = definition.split_arguments(unflatten(leaves, form))
                    places, _ = definition.split_arguments(unflatten(dims, form))
                    return definition._vmap(info, tuple(places), *args)
                samples = [
                    definition(*unflatten([t if d is None else t.select(d, i) for t, d in zip(leaves, dims)], form))
                    for i in range(info.batch_size)
                ]
                if isinstance(samples[0], tuple):
                    return tuple(map(torch.stack, zip(*samples))), (0,) * len(samples[0])
                return torch.stack(samples), 0

            members = {each.__name__: staticmethod(each) for each in (forward, setup_context, backward, vmap)}
            name = f"GeneratedBackwardFor_{self._qualname.replace('::', '_')}_default"
            self._function = type(name, (Function,), members)
        return self._function

    def register_autograd(self, backward, /, *, setup_context=None):
        """Give the operator a derivative: ``setup_context(ctx, inputs, output)``, ``backward(ctx, *gradients)``."""
        if self._written:
            raise RuntimeError(
                f"Cannot register autograd formula for non-functional operator {self} with schema {self._schema}. Please create a "
                "functional operator and register an autograd formula for that."
            )
        self._backward, self._setup, self._function = backward, setup_context, None

    def register_fake(self, fn, /):
        """Say what shape the result has: the function that answers for tensors of the device "meta"."""
        self._fake = fn
        return fn

    def register_kernel(self, device_types, fn=None, /):
        """Give the operator another function for some devices; that for the CPU counts."""

        def register(fn):
            kinds = (device_types,) if isinstance(device_types, str) else device_types
            if kinds is None or any(kind in CPU for kind in kinds):
                self._fn = fn
            return fn

        return register if fn is None else register(fn)

    def register_vmap(self, func=None, /):
        """Register the batching rule ``func(info, in_dims, *args)``; without one, the operator is called sample by sample."""

        def register(func):
            self._vmap, self._function = func, None
            return func

        return register if func is None else register(func)

    def register_torch_dispatch(self, torch_dispatch_class, fn=None, /):
        """Keep nothing: there is no dispatch by class."""
        return (lambda fn: fn) if fn is None else fn

    def set_kernel_enabled(self, device_type, enabled=True):
        """Do nothing: there is one kernel."""


def find_definition(op):
    """The definition that an object of the operator, or its name, stands for."""
    if isinstance(op, (OpOverload, OpOverloadPacket)):
        op = getattr(op, "default", op)._definition
    if isinstance(op, CustomOpDef):
        return op
    if op not in OPERATORS:
        space, _, name = op.partition("::")
        raise AttributeError(f"'_OpNamespace' '{space}' object has no attribute '{name}'")
    return OPERATORS[op]
