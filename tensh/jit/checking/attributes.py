"""The check of attributes and methods of values."""

import enum
import functools
import types
from pathlib import Path

from tensh.engine.core.tensor import Tensor
from tensh.engine.dtypes.device import device
from tensh.jit.checking.expressions import SLICE, Unusable, is_python_value, name_python_value
from tensh.jit.checking.values import UNKNOWN, Value, bind, describe, fits, has_variable, is_known
from tensh.jit.language.classes import functions_of, is_enum, is_interface, is_script_class
from tensh.jit.language.types import is_named_tuple, origin_of
from tensh.jit.scripting.calls.dtype_methods import TO
from tensh.jit.scripting.calls.signatures import overloads_of
from tensh.jit.scripting.kinds import fields_of, parts_of
from tensh.jit.scripting.sugar import Bound, Known, ModuleRef
from tensh.jit.scripting.syntax.expressions import FACTS, PROPERTIES

__all__ = ["Attributes"]

PYTHON_METHODS = frozenset(
    """apply_ as_subclass bfloat16 bool const_data_ptr data_ptr dim_order grad_dtype grad_fn is_shared map2_ map_ module_load ndimension
    nelement new new_tensor numpy register_hook register_post_accumulate_grad_hook reinforce share_memory_ storage storage_type
    to_sparse_coo unique untyped_storage volatile __class__ __dict__""".split()
)
"""Members of tensors that scripts do not have."""
OF_DEVICES = {"type": str, "index": int | None}


class Attributes:
    """The part of the checker that reads attributes."""

    def check_Attribute(self, node):
        owner, name = self.expression(node.value), node.attr
        if isinstance(owner, ModuleRef):
            return self.member(owner, name, node)
        if isinstance(owner, Known) and isinstance(owner.value, enum.Enum):
            owner = self.as_value(owner, node.value)
        if isinstance(owner, Known):
            return self.attribute_of_object(owner.value, name, node)
        if isinstance(owner, Unusable) and owner.name == SLICE:
            self.refuse(node, f"attribute lookup is not defined on {SLICE}")
        if not isinstance(owner, Value):
            return UNKNOWN
        kind = owner.kind
        if not is_known(kind):
            return UNKNOWN
        if is_script_class(kind):
            return self.attribute_of_instance(owner, name, node)
        if is_interface(kind) and name in functions_of(kind):
            return Bound(owner, name)
        if is_enum(kind):
            return self.attribute_of_enum(owner, name, node)
        if kind is Tensor:
            found = self.attribute_of_tensor(name)
            if found is not None:
                return found
        elif kind is device and name in OF_DEVICES:
            return Value(OF_DEVICES[name])
        elif is_named_tuple(kind) and name in fields_of(kind):
            return Value(fields_of(kind)[name])
        elif (fields := getattr(owner, "fields", ())) and name in fields:
            return Value(parts_of(kind)[fields.index(name)])
        if self.has_method(kind, name):
            return Bound(owner, name)
        if name in read_absent_operators():
            return UNKNOWN
        self.refuse(node, f"'{describe(owner)}' object has no attribute or method '{name}'.")

    @staticmethod
    def attribute_of_tensor(name):
        """Return an attribute of a tensor as a value, UNKNOWN for one without a known type, None if there is none."""
        if name in FACTS:
            return Value(FACTS[name] if name != "grad" else Tensor)
        if name in PROPERTIES:
            return Value({"shape": list[int], "ndim": int, "is_leaf": bool}.get(name, Tensor))
        if name in TO and name not in PYTHON_METHODS or overloads_of(name) or name == "tolist":
            return None
        return UNKNOWN if hasattr(Tensor, name) and name not in PYTHON_METHODS else None

    @staticmethod
    def has_method(kind, name):
        """Return True if values of a type have a method."""
        if kind is Tensor and name in TO and name not in PYTHON_METHODS:
            return True
        if kind is str and name == "format" or kind is Tensor and name == "tolist":
            return True
        for signature in overloads_of(name):
            own = next((each.kind for each in signature.formals if each.name == "self"), None)
            if own is not None and takes_self(own, kind):
                return True
        return False

    def attribute_of_object(self, owner, name, node):
        """Return an attribute of an object that is known beforehand."""
        if is_enum(owner):
            return self.member_of_enum(owner, name, node)
        if is_script_class(owner):
            return self.attribute_of_class(owner, name, node)
        if is_python_value(owner) and not isinstance(owner, types.ModuleType):
            self.refuse(node, f"attribute lookup is not defined on {name_python_value(owner)}")
        try:
            found = getattr(owner, name)
        except AttributeError as error:
            # PyTorch may have it
            known = name.startswith("_") or name in read_absent_operators() or bool(overloads_of(name))
            if isinstance(owner, types.ModuleType) and not known and not is_unsupported(error):
                self.refuse(node, f"object has no attribute {name}")
            return UNKNOWN
        if isinstance(owner, types.ModuleType) and type(found) in (bool, int, float, str):
            return Value(type(found), constant=found)
        if isinstance(owner, types.ModuleType):
            return Known(found)
        return UNKNOWN


@functools.cache
def read_absent_operators():
    """Return the names of operators that scripts have in PyTorch, but not here."""
    return frozenset(Path(__file__).with_name("absent.txt").read_text(encoding="utf-8").split())


def takes_self(formal, kind):
    """Return True if a method whose first parameter has a type belongs to values of another."""
    if has_variable(formal):
        return origin_of(formal) is not None and bind(formal, kind, {}) is None
    return fits(kind, formal) and (kind is not bool or formal is bool)


def is_unsupported(error):
    """Return True for the error of a name that PyTorch has."""
    return "support" in str(error)
