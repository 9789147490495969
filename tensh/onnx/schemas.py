"""Nodes of a file held against the standard: how many inputs an operator takes, and which attributes of which kind."""

import functools
import inspect

from tensh.onnx.errors import OnnxError
from tensh.onnx.library import require_onnx

MOST = 2**31 - 1  # the number of an operator that takes any number of inputs


@functools.cache
def find_schema(operator, opset):
    """Return the standard's schema of an operator in an opset, otherwise in the newest; None for an unknown operator."""
    defs = require_onnx("a file of ONNX").defs
    for version in (min(opset, MOST), MOST):
        if version > 0 and defs.has(operator, version, ""):
            return defs.get_schema(operator, version, "")
    return None


def check_node(node, opset):
    """Raise OnnxError for a node whose inputs or attributes are none that its operator has."""
    schema = find_schema(node.op_type, opset)
    if schema is None:
        return
    least, most, given = schema.min_input, schema.max_input, len(node.input)
    if not least <= given <= most:
        wanted = str(least) if least == most else f"at least {least}" if most == MOST else f"{least} to {most}"
        raise OnnxError(f"{describe_node(node)} has {given} inputs, but {wanted} were expected")
    kinds = kinds_of(schema)
    seen = set()
    for attribute in node.attribute:
        name, expected = attribute.name, kinds.get(attribute.name)
        if name in seen:
            raise OnnxError(f"{describe_node(node)} has the attribute {name!r} twice")
        seen.add(name)
        if attribute.ref_attr_name:
            raise OnnxError(
                f"the attribute {name!r} of {describe_node(node)} refers to an attribute of a function, but there is no function"
            )
        if expected is not None and attribute.type != expected[0]:
            raise OnnxError(
                f"the attribute {name!r} of {describe_node(node)} is of the kind {name_kind(attribute.type)}; "
                f"expected {name_kind(expected[0])}"
            )
    if missing := [name for name, (_kind, is_required) in kinds.items() if is_required and name not in seen]:
        raise OnnxError(f"{describe_node(node)} lacks the attribute {missing[0]!r}")


@functools.cache
def kinds_of(schema):
    """Name of an attribute -> (the number of its kind, whether there must be one)."""
    numbers = dict(require_onnx("a file of ONNX").AttributeProto.AttributeType.items())
    return {name: (numbers[each.type.name], each.required) for name, each in schema.attributes.items()}


def name_kind(number):
    """Return the word of the standard for the number of a kind."""
    kinds = require_onnx("a file of ONNX").AttributeProto.AttributeType.items()
    return next((name for name, known in kinds if known == number), str(number))


def describe_node(node):
    """Name a node and its operator."""
    return f"the node {node.name or next(iter(node.output), '')!r} ({node.op_type})"


@functools.cache
def parameters_of(function):
    """Return (the signature of an operator's function, whether it takes any attribute)."""
    signature = inspect.signature(function)
    return signature, any(each.kind is each.VAR_KEYWORD for each in signature.parameters.values())


def check_call(function, args, attributes, node):
    """Raise OnnxError for inputs and attributes that the function of an operator does not take."""
    signature, takes_any = parameters_of(function)
    unknown = [name for name in attributes if name not in signature.parameters]
    if unknown and not takes_any:
        raise OnnxError(f"{describe_node(node)} has the attribute {unknown[0]!r}, which tensh does not know")
    try:
        signature.bind(*args, **attributes)
    except TypeError as error:
        raise OnnxError(f"{describe_node(node)} does not fit its operator: {error}") from None
