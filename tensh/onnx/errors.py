"""Errors of export: the operator without a form in ONNX, and the line of the program that calls it."""

import linecache


class OnnxExporterError(RuntimeError):
    """A model cannot be written as ONNX: the message says which operator, and which line calls it."""

    __module__ = "torch.onnx"


def name_of(node):
    """An operator as users know it: ``aten::sort``, or a public function."""
    target = node.target
    if hasattr(target, "_opname"):
        return f"aten::{target._opname}"
    return f"Tensor.{target}" if isinstance(target, str) else f"{target.__module__}.{target.__name__}"


def place_of(node):
    """The line that calls a node's operator, in words; empty where it is not known."""
    place = node.meta.get("place")
    if not place:
        return ""
    text = linecache.getline(place[0], place[1]).strip()
    return f", called at {place[0]}:{place[1]} in {place[2]}" + (f": {text}" if text else "")


def no_form(node, why=""):
    """The error for an operator without a form."""
    return OnnxExporterError(f"ONNX has no form of {name_of(node)}{f' ({why})' if why else ''}{place_of(node)}")
