"""The errors of files of ONNX. Those of an export name the operator without a form and the line that calls it."""

import linecache


class OnnxError(ValueError):
    """A file is no model of ONNX, or is damaged, or asks for what tensh does not run."""

    __module__ = "torch.onnx.reading"


class OnnxExporterError(RuntimeError):
    """A model cannot be written as ONNX; the message names the operator and the line that calls it."""

    __module__ = "torch.onnx"


def name_of(node):
    """Return the name of an operator as users know it: ``aten::sort``, or a public function."""
    target = node.target
    if hasattr(target, "_opname"):
        return f"aten::{target._opname}"
    return f"Tensor.{target}" if isinstance(target, str) else f"{target.__module__}.{target.__name__}"


def describe_line(place):
    """Describe the line at a place (file, line, function); return "" if it is unknown."""
    if not place:
        return ""
    text = linecache.getline(place[0], place[1]).strip()
    return f", called at {place[0]}:{place[1]} in {place[2]}" + (f": {text}" if text else "")


def no_form(node, why=""):
    """Return the error for an operator without a form."""
    return OnnxExporterError(
        f"ONNX has no equivalent of {name_of(node)}{f' ({why})' if why else ''}{describe_line(node.meta.get('place'))}"
    )
