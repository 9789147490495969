"""Structures of nested values as JSON, in PyTorch's format, and back."""

import json
from collections import defaultdict
from importlib import import_module
from typing import Any, NamedTuple

from tensh.engine.dtypes.size import Size
from tensh.func import trees
from tensh.func.trees import TreeSpec

PROTOCOL = 1
UNNAMED = "NO_SERIALIZED_TYPE_NAME_FOUND"


class SerializedForm(NamedTuple):
    """The form in which structures of a type are written: a name, and functions that convert the context to and from JSON."""

    type: Any
    name: str
    dump: Any = None
    load: Any = None


def dump_defaultdict(context):
    factory, keys = context
    return {
        "default_factory_module": factory.__module__,
        "default_factory_name": factory.__qualname__,
        "dict_context": keys,
    }


def load_defaultdict(found):
    module = import_module(found["default_factory_module"])
    return [getattr(module, found["default_factory_name"]), found["dict_context"]]


def dump_namedtuple(context):
    if context not in SERIALIZED:
        raise NotImplementedError(
            f"Can't serialize TreeSpec of namedtuple class {context} because we didn't register a serializated_type_name. "
            "Please register using `_register_namedtuple`."
        )
    return SERIALIZED[context].name


SERIALIZED = {
    kind: SerializedForm(kind, "torch.Size" if kind is Size else f"{kind.__module__}.{kind.__name__}")
    for kind in trees.BUILT_IN
}
SERIALIZED[defaultdict] = SERIALIZED[defaultdict]._replace(dump=dump_defaultdict, load=load_defaultdict)
SERIALIZED[trees.NAMED] = SERIALIZED[trees.NAMED]._replace(dump=dump_namedtuple, load=lambda name: find_type(name))
"""Type of branch -> how structures of it are written."""


def register_serialized(cls, name=None, dump=None, load=None):
    """Let structures of a class be written, under a name if there is one."""
    if (dump is None) != (load is None):
        raise ValueError(f"Both to_dumpable_context and from_dumpable_context for {cls} must be None or registered.")
    SERIALIZED[cls] = SerializedForm(cls, UNNAMED if name is None else name, dump, load)


def find_type(name):
    """Return the class that is written under a name."""
    return next((kind for kind, each in SERIALIZED.items() if each.name == name), None)


def treespec_dumps(treespec, protocol=None):
    """Return the JSON text of a structure.

    >>> from tensh.utils._pytree import tree_structure, treespec_dumps
    >>> treespec_dumps(tree_structure([]))
    '[1, {"type": "builtins.list", "context": "null", "children_spec": []}]'
    """
    if not isinstance(treespec, TreeSpec):
        raise TypeError(f"Expected `treespec` to be an instance of PyTreeSpec but got item of type {type(treespec)}.")
    require_protocol(PROTOCOL if protocol is None else protocol)
    return json.dumps((PROTOCOL, dump_spec(treespec)))


def treespec_loads(serialized):
    """Return the structure that a JSON text describes."""
    protocol, found = json.loads(serialized)
    require_protocol(protocol)
    return load_spec(found)


def require_protocol(protocol):
    if protocol != PROTOCOL:
        raise ValueError(f"Unknown protocol {protocol}. Available protocols: [{PROTOCOL}]")


def dump_spec(spec):
    if spec.is_leaf():
        return {"type": None, "context": None, "children_spec": []}
    known = SERIALIZED.get(spec.type)
    if known is None or known.name == UNNAMED:
        raise NotImplementedError(
            f"No registered serialization name for {spec.type} found. Please update your _register_pytree_node call with a "
            "`serialized_type_name` kwarg."
        )
    if known.dump is not None:
        context = known.dump(spec.context)
    else:
        try:
            context = json.dumps(spec.context)
        except TypeError as error:
            raise TypeError(
                "Unable to serialize context. Please make the context json dump-able or register a custom serializer "
                "using _register_pytree_node."
            ) from error
    return {"type": known.name, "context": context, "children_spec": [dump_spec(each) for each in spec.children_specs]}


def load_spec(found):
    if found["type"] is None and found["context"] is None and not found["children_spec"]:
        return trees.LEAF
    kind = find_type(found["type"])
    if kind is None:
        raise NotImplementedError(f"Deserializing {found['type']} in pytree is not registered.")
    load = SERIALIZED[kind].load or json.loads
    return TreeSpec(kind, load(found["context"]), [load_spec(each) for each in found["children_spec"]])
