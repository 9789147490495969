"""The classes of operators and of their overloads, for operators of ``aten`` and of programs alike."""

from functools import cached_property


class OperatorBase:
    """The base of all operators."""

    __module__ = "torch._ops"

    def __deepcopy__(self, memo):
        return self


class OpOverload(OperatorBase):
    """One overload of an operator, ``torch.ops.SPACE.NAME.OVERLOAD``."""

    __module__ = "torch._ops"
    namespace, _opname, _overloadname = "aten", "", "default"

    def __init_subclass__(cls):
        cls.__name__, cls.__qualname__, cls.__module__ = "OpOverload", "OpOverload", "torch._ops"

    def name(self):
        """Return the qualified name, with that of the overload unless it is ``default``."""
        return f"{self.namespace}::{self._opname}" + (
            f".{self._overloadname}" if self._overloadname != "default" else ""
        )

    @cached_property
    def is_view(self):
        """True if a result shares the memory of an argument that is not written."""
        shared = [each.alias_info.is_write for each in self._schema.arguments if each.alias_info]
        return bool(shared) and not any(shared)

    def __str__(self):
        return f"{self.namespace}.{self._opname}.{self._overloadname}"

    def __repr__(self):
        return f"<OpOverload(op='{self.namespace}.{self._opname}', overload='{self._overloadname}')>"


class OpOverloadPacket(OperatorBase):
    """An operator, ``torch.ops.SPACE.NAME``, with its overloads as attributes."""

    __module__ = "torch._ops"
    _qualified_op_name = ""

    def __init_subclass__(cls):
        cls.__name__, cls.__qualname__, cls.__module__ = "OpOverloadPacket", "OpOverloadPacket", "torch._ops"

    def overloads(self):
        """The names of the overloads."""
        raise NotImplementedError

    def __iter__(self):
        return iter(self.overloads())

    @property
    def _overload_names(self):
        return ["" if each == "default" else each for each in self.overloads()]

    @property
    def _schemas(self):
        return {name: getattr(self, name or "default")._schema for name in self._overload_names}

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        raise AttributeError(f"The underlying op of '{self}' has no overload name '{name}'")

    def __str__(self):
        return self._qualified_op_name.replace("::", ".")

    def __repr__(self):
        return f"<OpOverloadPacket(op='{self}')>"
