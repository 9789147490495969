"""Tests of values for the types that code in TorchScript files names."""

import ast

from tensh.engine.core.tensor import Tensor
from tensh.engine.dtypes.device import device
from tensh.jit.files.operators import Unknown


def has_type(value, node):
    """Return True if a value has the type, or one of the types, that the code names."""
    if isinstance(node, (ast.List, ast.Tuple)):
        return any(has_type(value, each) for each in node.elts)
    if isinstance(node, ast.Constant) and node.value is None:
        return value is None
    if isinstance(node, ast.Name):
        kind = TYPES.get(node.id)
        return type(value) is kind if kind in (int, float, bool) else kind is not None and isinstance(value, kind)
    if not isinstance(node, ast.Subscript) or not isinstance(node.value, ast.Name):
        raise Unknown("tensh does not know a type in TorchScript code")
    inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    match node.value.id:
        case "List":
            return isinstance(value, list) and all(has_type(each, inner[0]) for each in value)
        case "Dict":
            return isinstance(value, dict) and all(
                has_type(k, inner[0]) and has_type(v, inner[1]) for k, v in value.items()
            )
        case "Tuple":
            return isinstance(value, tuple) and len(value) == len(inner) and all(map(has_type, value, inner))
        case "Optional":
            return value is None or has_type(value, inner[0])
        case "Union":
            return any(has_type(value, each) for each in inner)
    raise Unknown(f"tensh does not know the type {node.value.id} in TorchScript code")


TYPES = {
    "int": int, "float": float, "bool": bool, "str": str, "complex": complex, "Tensor": Tensor, "NoneType": type(None), "Any": object,
    "list": list, "tuple": tuple, "dict": dict, "number": (int, float, complex), "Device": device,
}  # fmt: skip
