"""The record of a call as values that are compared: equal for all calls that one graph of a back end can replace."""

from tensh.compiler.capture.kinds import read_key
from tensh.compiler.capture.results import ArgumentNumber, Constant, InputRef, ObjectRef, Shared
from tensh.compiler.fx_graphs.number_recording import DynamicInt
from tensh.engine.core.tensor import Tensor
from tensh.fx.node import map_arg
from tensh.tracing.sizes.numbers import plain_number


def describe_guards(guards, recorder):
    """Return the guards on values other than tensors and dynamic numbers."""
    numbers = list(map(describe_number, recorder.numbers.values()))
    dynamic = {f"type({path}) is {kind} and {path} == {number!r}" for path, kind, number in numbers}
    dynamic |= {f"str({path}) == {str(number)!r}" for path, _, number in numbers}
    checks, names = guards.kind
    return tuple(each for each in checks if each not in dynamic), names


def describe_number(number):
    """Return (path, name of the type, value) of a dynamic number."""
    value = plain_number(number)
    return number.path, type(value).__name__, value


def describe_record(recorder, guards, given, structure, kind):
    """Return what is equal for all calls with one graph: nodes, constants, inputs, guards and the result, without sizes."""
    inputs = [
        each.path
        if isinstance(each, DynamicInt)
        else recorder.floats[id(each)]
        if id(each) in recorder.floats
        else (guards.tensors[id(each)][0], *describe_tensor(each), recorder.dims[id(each)])
        for each in recorder.used
    ]
    nodes = describe_nodes(recorder.graph, recorder.modules)
    fixed = [
        tuple(size for dim, size in enumerate(each.array.shape) if dim not in recorder.dims[id(each)])
        for each in recorder.used if isinstance(each, Tensor)
    ]  # fmt: skip
    result = describe_result(structure.structure, given, structure.objects)
    changes = [
        [describe_result(place, given, structure.objects), gone, describe_result(part, given, structure.objects)]
        for place, gone, part in structure.changes
    ]
    return inputs, nodes, fixed, kind, result, changes


def describe_nodes(graph, scopes):
    """Return the nodes of a graph, and those of the graphs within it."""
    names = {node: f"%{number}" for number, node in enumerate(graph.nodes)}
    nodes = [
        (
            node.op,
            node.target if node.op != "placeholder" else None,
            repr(map_arg((node.args, node.kwargs), lambda each: Name(names[each]))),
        )
        for node in graph.nodes
    ]
    return nodes, [describe_nodes(each.graph, each.modules) for each in scopes.values()]


class Name(str):
    """The name of a node, as which a record shows it."""

    __repr__ = str.__str__


def describe_tensor(tensor):
    """Return the properties of a tensor on which its graph depends, apart from sizes."""
    strides = tensor.stride()
    order = None if tensor.is_contiguous() else tuple(sorted(range(len(strides)), key=lambda dim: -strides[dim]))
    return type(tensor), tensor.dtype, tensor.dim(), tensor.requires_grad, order


def describe_result(part, given, objects):
    """Return the structure of a result for comparisons; values by type and text, given tensors by their paths."""
    if isinstance(part, InputRef):
        return given[part].path
    if isinstance(part, ObjectRef):
        return objects[part - len(given)].path
    if isinstance(part, int):
        return int(part)
    if isinstance(part, ArgumentNumber):
        return part.path
    if isinstance(part, Constant):
        return read_key(part.value)
    if isinstance(part, Shared):
        return describe_result(part.part, given, objects)
    kind, parts = part
    if kind is dict or parts and type(parts[0]) is tuple and type(parts[0][0]) is str:
        return kind, [(name, describe_result(each, given, objects)) for name, each in parts]
    return kind, [describe_result(each, given, objects) for each in parts]
