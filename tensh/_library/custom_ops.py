"""An operator of the user's own: its schema, its functions for values, shapes and batches, and its derivative."""

import functools
import inspect

import tensh as torch
from tensh._aten.operator_classes import OpOverload, OpOverloadPacket
from tensh._aten.schema import FunctionSchema
from tensh._library.derivatives import make_function
from tensh._library.dispatch_keys import WITH_AUTOCAST, key_of_device, keys_of_devices
from tensh._library.kernels import FOR_ALL, Kernels, run_without_formula
from tensh._library.schema import bind_arguments, print_schema, read_parameters
from tensh.amp.custom import convert
from tensh.engine.core.tensor import Tensor
from tensh.engine.dispatch.override.dispatch import any_dispatches, ask, find_overriding
from tensh.engine.dispatch.override.state import ALL, state
from tensh.func.trees import flatten, leaves_of

OPERATORS = {}
"""Qualified name -> CustomOpDef."""


class CustomOverload(OpOverload):
    """An overload of an operator of the user's own, ``torch.ops.SPACE.NAME.OVERLOAD``."""

    def __init__(self, definition):
        self._definition = definition
        self.namespace, _, name = definition._qualname.partition("::")
        self._opname, _, overload = name.partition(".")
        self._overloadname = overload or "default"
        self.__name__, self.__module__ = f"{self._opname}.{self._overloadname}", f"torch._ops.{self.namespace}"
        self.__qualname__, self.tags = self.name(), list(definition._tags)

    _schema = property(lambda self: self._definition._schema)
    overloadpacket = _overloadpacket = property(lambda self: find_packet(self.namespace, self._opname))

    def __call__(self, *args, **kwargs):
        if found := find_override(self, args, kwargs):
            return found[0]
        return self._definition.call(args, kwargs)


class CustomPacket(OpOverloadPacket):
    """An operator of the user's own, ``torch.ops.SPACE.NAME``; called, it takes the overload that fits."""

    def __init__(self, name, overloads):
        self._qualified_op_name, self.__name__ = name, name.rpartition("::")[2]
        self.__module__ = f"torch._ops.{name.partition('::')[0]}"
        self._computed = {each._overloadname: each for each in overloads}
        self.__dict__.update(self._computed)

    def overloads(self):
        """Return the names of the overloads."""
        return list(self._computed)

    def __call__(self, *args, **kwargs):
        if found := find_override(self, args, kwargs):
            return found[0]
        first, *others = self._computed.values()
        if not others:
            return first(*args, **kwargs)
        from tensh._aten.misfits import describe_misfits

        for overload in (first, *others):
            if not describe_misfits([overload], args, kwargs, ""):
                return overload(*args, **kwargs)
        raise RuntimeError(describe_misfits(self._computed.values(), args, kwargs))


def find_packet(space, name):
    """Return the operator of the user's own with a name, or None."""
    full = f"{space}::{name}"
    found = [each._opoverload for each in OPERATORS.values() if each._qualname.partition(".")[0] == full]
    return CustomPacket(full, found) if found else None


def find_override(operator, args, kwargs):
    """Return the result of a class or mode that overrides functions, as a tuple of one; an empty one if there is none."""
    if state.below or state.off == ALL:
        return ()
    found = [] if state.off else find_overriding((*args, *kwargs.values()))
    if not found and (not state.modes or records(state.modes[-1])):
        return ()
    return (ask(operator, tuple(map(type, found)), found, args, kwargs, False),)


def records(mode):
    """Return True if a mode records calls of operators of programs, once their arguments are bound."""
    return hasattr(mode, "record_custom")


class CustomOpDef:
    """An operator made by ``custom_op``: it is called as the function is, and can be given a derivative."""

    __module__ = "torch._library.custom_ops"

    def __init__(self, name, fn, schema, tags=(), device_types=None):
        self._qualname, self._init_fn, self._tags = name, fn, tags
        self._namespace, _, self._name = name.partition("::")
        self._schema = FunctionSchema(name + print_schema(schema))
        self._parameters = read_parameters(schema)
        self._written = [
            n for n, each in enumerate(self._schema.arguments) if each.alias_info and each.alias_info.is_write
        ]
        self._backward = self._setup = self._fake = self._vmap = self._function = None
        self._declared = fn is None  # an implementation that is declared by a schema may return an argument
        self._kernels, self._autocast = Kernels(), None
        for key in keys_of_devices(device_types) if fn is not None else ():
            self._kernels.add(name, key, fn)
        OPERATORS[name] = self
        self._opoverload = CustomOverload(self)
        if fn is not None:
            functools.update_wrapper(self, fn)

    def __repr__(self):
        return f"<CustomOpDef({self._qualname})>"

    def __call__(self, *args, **kwargs):
        later = OPERATORS.get(self._qualname, self)  # a later definition takes the place of this one
        return later._opoverload(*args, **kwargs)

    def call(self, args, kwargs):
        """The result for these arguments, recorded if one requires grad; without elements, that of the fake function."""
        values = bind_arguments(self._qualname, self._schema, self._parameters, args, kwargs)
        for mode in filter(records, reversed(state.modes)):
            if (result := mode.record_custom(self, values)) is not NotImplemented:
                return result
        if self._autocast and torch.is_autocast_enabled(self._autocast[0]):
            with torch.autocast(self._autocast[0], enabled=False):
                return self.call_in_precision(convert(values, *self._autocast))
        return self.call_in_precision(values)

    def call_in_precision(self, values):
        """Return the result for these arguments, whatever the precision that autocast asks for."""
        tensors = [t for t in leaves_of(values) if isinstance(t, Tensor)]
        composite = self._declared and self._kernels.find("CPU", *FOR_ALL[:2]) is None
        own = self._kernels.find_autograd() or (self._kernels.find("CompositeImplicitAutograd") if composite else None)
        if any(hasattr(type(t), "levels") for t in tensors) and not own:  # within vmap
            return self.record(values)
        if any(t.is_meta for t in tensors) and (own or self._backward is None and self._declared):
            return self.compute_fake(values)
        if own:
            return self.apply(own, values)
        if self._backward is None and self._declared:
            return run_without_formula(self._qualname, self._kernels, lambda: self.compute(values, record=True), values)
        if not self._written and torch.is_grad_enabled() and any(t.requires_grad for t in tensors):
            return self.record(values)
        return self.compute(values)

    def apply(self, function, values):
        """Return the result of one of the functions of the operator."""
        args, named = self.split_arguments(values)
        return function(*args, **named)

    def split_arguments(self, values):
        """Return (arguments by position, arguments by name) of the function, for all arguments in the order of the schema."""
        named = {p.name: value for p, value in zip(self._parameters, values) if p.named}
        return [value for p, value in zip(self._parameters, values) if not p.named], named

    def list_given(self, values):
        """Return (arguments by position, arguments by name) as handlers see them, without what equals its default."""
        usual = [type(v) is type(p.default) and v == p.default for p, v in zip(self._parameters, values)]
        last = max((n for n, p in enumerate(self._parameters) if not (p.named or usual[n])), default=-1)
        args = [value for p, value in zip(self._parameters[: last + 1], values) if not p.named]
        named = {p.name: value for p, value, drop in zip(self._parameters, values, usual) if p.named and not drop}
        return tuple(args), named

    def compute(self, values, record=False):
        """Return the result of the function, whose own operators are recorded only if that is asked for."""
        if not state.dispatch_off and (state.dispatch_modes or any_dispatches(values)):
            from tensh._aten import handlers

            return handlers.ask(self._opoverload, handlers.handlers_for(values), *self.list_given(values))
        if any(t.is_meta for t in leaves_of(values) if isinstance(t, Tensor)):
            return self.compute_fake(values)
        function = self._kernels.require(self._qualname)
        with torch.set_grad_enabled(record and torch.is_grad_enabled()):
            result = self.apply(function, values)
        require_results(self._schema, result)
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
                        f"{self._opoverload._opname} (with implementation in {inspect.getmodule(self._init_fn)}): The output of this custom "
                        "operator (1) must not also be an input to this custom operator and (2) may not alias any inputs to this "
                        "custom operator or other returns. The most common way to trigger this error is if we have y = "
                        "custom_op(x) and y and x are the same Tensor. Please instead return a clone of the offending output "
                        "tensor(s) (e.g. return x.clone()) or refactor the custom operator to not return y."
                    )
                seen.append(place)

    def compute_fake(self, values):
        """Return the result of the fake function, for tensors without elements."""
        if self._fake is not None:
            return self.apply(self._fake, values)
        if function := self._kernels.find("Meta", *(FOR_ALL if self._declared else ())):
            return self.apply(function, values)
        if self._declared:
            raise NotImplementedError(
                f"{self._qualname}: attempted to run this operator with Meta tensors, but there was no fake impl or Meta kernel "
                "registered. You may have run into this message while using an operator with PT2 compilation APIs "
                "(torch.compile/torch.export); in order to use this operator with those APIs you'll need to add a fake impl. Please "
                "see the following for next steps:  https://pytorch.org/tutorials/advanced/custom_ops_landing_page.html"
            )
        raise RuntimeError(
            f"There was no fake impl registered for {self}. This is necessary for torch.compile/export/fx tracing to work. "
            f"Please use `{getattr(self._init_fn, '__name__', self._name)}.register_fake` to add an fake impl."
        )

    def record(self, values):
        """Return the result as that of a custom function, whose inputs are the tensors among the arguments, also in lists."""
        leaves, form = flatten(list(values))
        return self.find_function().apply(form, *leaves)

    def find_function(self):
        """Return the custom function, made anew after its parts have changed."""
        if self._function is None:
            self._function = make_function(self)
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
        """Give the operator another function for some devices."""

        def register(fn):
            for key in keys_of_devices(device_types):
                self._kernels.functions[key] = fn
            return fn

        return register if fn is None else register(fn)

    def register_autocast(self, device_type, cast_inputs):
        """Convert floating point arguments where autocast is on for a type of devices, and compute with autocast off."""
        key_of_device(device_type)
        if device_type not in WITH_AUTOCAST:
            raise ValueError(f"Device type '{device_type}' does not support autocast.")
        if device_type == "cpu":
            self._autocast = device_type, cast_inputs

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
        """Use the function for a type of devices, or that for all, within a ``with`` statement."""
        return self._kernels.set_enabled(device_type, enabled)


def require_results(schema, result):
    """Raise unless a function returned as many results as the schema has, and tensors where it has them."""
    kinds = [each.type for each in schema.returns]
    if len(kinds) > 1 and not isinstance(result, (tuple, list)):
        raise TypeError(f"Object of type '{type(result).__name__}' is not an instance of 'sequence'")
    if kinds == ["Tensor"] and not isinstance(result, Tensor) and result is not None:
        raise RuntimeError(f"Unable to cast {result} to Tensor")


def find_definition(op, caller="find_definition"):
    """The definition that an object of the operator, or its name, stands for; ``caller`` names the function in errors."""
    if isinstance(op, OpOverloadPacket):
        op = next(iter(op._computed.values()))
    if isinstance(op, CustomOpDef):
        return op
    if isinstance(op, OpOverload):
        op = op.name()
    if not isinstance(op, str):
        raise ValueError(f"{caller}({op}): got unexpected type for op: {type(op)}")
    if op not in OPERATORS:
        space, _, name = op.partition("::")
        if getattr(getattr(torch.ops, space), name.partition(".")[0]) is not None:
            raise NotImplementedError(f"{caller}: tensh computes {op} by its own functions only")
    return OPERATORS[op]
