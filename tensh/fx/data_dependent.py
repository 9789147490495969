"""Nodes whose results have a size that depends on elements."""

from tensh.engine.codegen.public_forms import name_in_space
from tensh.engine.core.tensor import Tensor

SOURCES = {
    "nonzero": 0, "argwhere": 0, "masked_select": 0, "unique": 0, "_unique2": 0, "unique_consecutive": 0, "unique_dim": 0,
    "bincount": 0,
}  # fmt: skip
"""Operator, or function without one -> the dimension of its results whose size depends on elements."""


def name_of(node):
    target = node.target
    return getattr(target, "_opname", None) or (target if isinstance(target, str) else name_in_space(target))


def dimension_of(node):
    """Return the dimension of a node's result whose size depends on elements, or on a choice between branches; or None."""
    name = name_of(node)
    if node.op not in ("call_function", "call_method"):
        return None
    if name == "where" and len(node.args) == 1:
        return 0
    if name == "index":
        return next((place for place, each in enumerate(node.args[1]) if is_mask(each)), None)
    return node.meta.get("varying", SOURCES.get(name))


def is_mask(node):
    value = getattr(node, "meta", {}).get("val")
    return isinstance(value, Tensor) and str(value.dtype) in ("torch.bool", "torch.uint8")
