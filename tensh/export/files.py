"""Files of exported programs: a zip archive with the graph as JSON and the tensors in the format of torch.save.

Nothing in a file is executed: operators are looked up in the table of ``aten``, names must be identifiers, and Python
code is generated only from the graph. The format is specific to tensh.
"""

import io
import json
import keyword
import operator
import re
import zipfile
from types import FunctionType

import tensh as torch
from tensh._aten.overloads import schemas_for_files
from tensh.bounded_json import loads
from tensh.engine.core.tensor import Tensor
from tensh.escaping import visible_line
from tensh.export.descriptions import SymbolicTensor
from tensh.export.exported_program import ExportedProgram, Range
from tensh.func.trees import leaves_of
from tensh.fx.graph import Graph
from tensh.fx.node import Node
from tensh.nn.modules.module import Module
from tensh.replacing import replace_file
from tensh.serialization.reading import DAMAGE, describe_damage, one_line, require_file
from tensh.tracing.numbers import ARITHMETIC
from tensh.tracing.program import Place, Program

__all__ = ["load", "save"]

VERSION = 2
LARGEST = 2**28  # maximum size of the graph's text, in bytes
OPERATORS = {each.__name__: each for each in (operator.getitem, *ARITHMETIC)}
"""Python operators that a graph may call."""


class DamagedFile(ValueError):
    """The file is not an exported program, or it is damaged."""


def save(ep, f, *, extra_files=None, opset_version=None):
    """Write an ``ExportedProgram`` to a path or binary file; ``extra_files`` (name -> text) are added.

    >>> import tensh as torch, io
    >>> program = torch.export.export(torch.nn.Linear(2, 1), (torch.ones(1, 2),))
    >>> file = io.BytesIO()
    >>> torch.export.save(program, file)
    >>> _ = file.seek(0)
    >>> x = torch.randn(1, 2)
    >>> torch.equal(torch.export.load(file).module()(x), program.module()(x))
    True
    """
    if not isinstance(ep, ExportedProgram):
        raise TypeError(
            f"The 'ep' parameter must be an instance of 'ExportedProgram', got '{type(ep).__name__}' instead."
        )
    program = ep._traced
    text = json.dumps({
        "tensh": VERSION,
        "nodes": [encode_node(node) for node in program.graph.nodes],
        "structure": encode(program.structure),
        "leaves": [[name, encode(leaf)] for name, leaf in program.leaves],
        "dynamic": {str(place): {str(dim): name for dim, name in table.items()} for place, table in program.dynamic.items()},
        "bounds": {name: [each.lower, each.upper] for name, each in program.bounds.items()},
        "parameters": list(ep.graph_signature.parameters),
        "buffers": list(ep.graph_signature.buffers),
        "constants": list(ep.constants),
    })  # fmt: skip
    tensors = io.BytesIO()
    torch.save({name: value.detach() for name, value in {**ep.state_dict, **ep.constants}.items()}, tensors)
    if hasattr(f, "write"):
        write_archive(f, text, tensors.getvalue(), extra_files)
    else:
        with replace_file(f) as file:
            write_archive(file, text, tensors.getvalue(), extra_files)


def write_archive(file, text, tensors, extra_files):
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("program.json", text)
        archive.writestr("tensors.pt", tensors)
        for name, content in (extra_files or {}).items():
            archive.writestr(f"extra/{name}", content)


def load(f, *, extra_files=None, expected_opset_version=None):
    """Load an ``ExportedProgram`` from a file written by ``save``.  Nothing in it runs before the program is called.

    ``extra_files`` (a dictionary) receives the extra texts, by its keys. Raise DamagedFile (a ValueError) for any other
    file.
    """
    try:
        require_file(f)
        with zipfile.ZipFile(f) as archive:
            if archive.getinfo("program.json").file_size > LARGEST:
                raise DamagedFile(f"the graph has more than {LARGEST} bytes")
            said = loads(read_record(archive, "program.json").decode("utf-8"), deepest=100)
            tensors = torch.load(io.BytesIO(read_record(archive, "tensors.pt")))
            for name in extra_files or {}:
                extra_files[name] = read_record(archive, f"extra/{name}").decode("utf-8")
        return rebuild(said, tensors)
    except DamagedFile as error:
        raise DamagedFile(one_line(error)) from None
    except (FileNotFoundError, IsADirectoryError, PermissionError):
        raise
    except DAMAGE as error:
        raise DamagedFile(f"this is not an exported program of tensh: {describe_damage(error)}") from None


def read_record(archive, name):
    """Return the bytes of an uncompressed record, so that a small file cannot need much memory."""
    if archive.getinfo(name).compress_type != zipfile.ZIP_STORED:
        raise DamagedFile(f"its record {name} is compressed")
    return archive.read(name)


def rebuild(said, tensors):
    """Rebuild the program that a file describes."""
    if said.get("tensh") != VERSION:
        raise DamagedFile(f"its format version is {said.get('tensh')!r}, but tensh reads version {VERSION}")
    root = Module()
    for path in said["parameters"]:
        assign(root, path, torch.nn.Parameter(tensors[path]) if tensors[path].is_floating_point() else tensors[path])
    for path in said["buffers"]:
        assign(root, path, tensors[path], path not in said["constants"])
    constants = {path: tensors[path] for path in said["constants"] if path not in said["buffers"]}
    members = {**dict(root.named_parameters()), **dict(root.named_buffers()), **constants}
    graph, nodes = Graph(), {}
    for each in said["nodes"]:
        name = each["name"]
        if not is_name(name) or name in nodes:
            raise DamagedFile(f"a node has an invalid or repeated name: {name!r}")
        nodes[name] = add_node(graph, each, nodes, members)
    if [node.op for node in graph.nodes].count("output") != 1:
        raise DamagedFile("it does not have exactly one output")
    arguments = [node.target for node in graph.find_nodes(op="placeholder")]
    if len({*arguments}) < len(arguments):
        raise DamagedFile("two arguments have the same name")
    leaves = [(name, decode(leaf, {})) for name, leaf in said["leaves"]]
    program = Program(root, graph, decode(said["structure"], {}), None, constants, leaves)
    check_structure(program)
    check_leaves(program)
    ranges = {name: read_bounds(each) for name, each in said["bounds"].items()}
    if not all(is_size(name) for name in ranges):
        raise DamagedFile(
            f"a dynamic size has an invalid name: {next(name for name in ranges if not is_size(name))!r:.80}"
        )
    dynamic = {
        int(place): {int(dim): str(name) for dim, name in table.items()} for place, table in said["dynamic"].items()
    }
    check_dynamic(program, dynamic, ranges)
    graph.lint()
    made = ExportedProgram.from_trace(program, dynamic, ranges, None)
    made.range_constraints.update({name: Range(*each) for name, each in ranges.items()})
    return made


def check_structure(program):
    """Raise DamagedFile unless a program takes (args, kwargs) with one tensor for each of its inputs."""
    structure, inputs = program.structure, program.inputs
    if not (isinstance(structure, tuple) and [type(each) for each in structure] == [tuple, dict]):
        raise DamagedFile(f"its arguments are not a tuple and a dictionary of keywords, but {structure!r:.80}")
    if not all(map(is_name, structure[1])):
        raise DamagedFile("a keyword argument has an invalid name")
    if list_places(structure) != [*range(len(inputs))]:
        raise DamagedFile(f"its arguments do not correspond to its {len(inputs)} inputs")
    for node in inputs:
        if not isinstance(node.meta["val"], SymbolicTensor):
            raise DamagedFile(f"the input {node.name!r} has no shape and dtype")


def check_leaves(program):
    """Raise DamagedFile unless the named arguments are those of the structure, with printable names."""
    if any(visible_line(str(name)) != str(name) for name, _ in program.leaves):
        raise DamagedFile("an argument has control characters in its name")
    if [*map(repr, leaves_of(program.structure))] != [repr(leaf) for _, leaf in program.leaves]:
        raise DamagedFile("its arguments do not match the names that it lists for them")
    if not all(is_name(name) for name, _ in program.leaves):
        raise DamagedFile("an argument has an invalid name")


def list_places(value):
    """Return the input positions in a structure, in order."""
    if isinstance(value, Place):
        return [int(value)]
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, (tuple, list)) else ()
    return [place for part in parts for place in list_places(part)]


def read_bounds(said):
    """Return the (smallest, largest) value of a dynamic size, each an integer or None."""
    if not (isinstance(said, list) and len(said) == 2 and all(each is None or type(each) is int for each in said)):
        raise DamagedFile(f"the bounds of a dynamic size are invalid: {said!r:.80}")
    return tuple(said)


def check_dynamic(program, dynamic, ranges):
    """Raise DamagedFile for a dynamic size of a missing input, or without bounds."""
    inputs = program.inputs
    for place, table in dynamic.items():
        for dim, name in table.items():
            if not (0 <= place < len(inputs) and 0 <= dim < len(inputs[place].meta["val"].shape)):
                raise DamagedFile(f"dimension {dim} of input {place} is marked as dynamic, but does not exist")
            if name not in ranges:
                raise DamagedFile(f"the dynamic size {name!r:.40} has no bounds")


def assign(root, path, value, persistent=True):
    if visible_line(path) != path:
        raise DamagedFile("a parameter has control characters in its name")
    *parents, name = path.split(".")
    module = root
    for parent in parents:
        if parent not in module._modules:
            module.add_module(parent, Module())
        module = module._modules[parent]
    if isinstance(value, torch.nn.Parameter):
        module.register_parameter(name, value)
    else:
        module.register_buffer(name, value, persistent)


def is_name(text):
    """Return True for a valid identifier that is not a keyword."""
    return isinstance(text, str) and text.isidentifier() and not keyword.iskeyword(text)


def add_node(graph, said, nodes, members):
    """Add the node that a file describes."""
    op, args, kwargs = said["op"], tuple(decode(said["args"], nodes)), decode(said["kwargs"], nodes)
    if op == "output":
        if len(args) != 1:  # a second value would be read as the type of the first
            raise DamagedFile(f"its output has {len(args)} values")
        return graph.output(args[0])
    if op == "placeholder":
        if not is_name(said["target"]):  # it becomes part of generated code
            raise DamagedFile(f"an input has an invalid name: {said['target']!r}")
        made = graph.create_node("placeholder", said["target"], name=said["name"])
    elif op == "get_attr":
        made = graph.create_node("get_attr", str(said["target"]), name=said["name"])
        made.meta["val"] = members[made.target]
        return made
    elif op == "call_function":
        made = graph.create_node("call_function", find_operator(said["target"]), args, kwargs, said["name"])
    elif op == "call_method" and said["target"] in METHODS:
        made = graph.create_node("call_method", said["target"], args, kwargs, said["name"])
    else:
        raise DamagedFile(f"it calls {said['target']!r}")
    made.meta["val"] = decode_value(said.get("val"))
    return made


METHODS = frozenset(name for name, value in vars(Tensor).items() if callable(value) and not name.startswith("_"))


def find_operator(name):
    """Return the function that a file names: an operator of ``aten``, of Python, or a public function of torch."""
    if name in OPERATORS:
        return OPERATORS[name]
    space, _, rest = name.partition(".")
    if space == "aten":
        operator_name, _, overload = rest.partition(".")
        return schemas_for_files()[operator_name][overload]
    *path, last = name.split(".")[1:]
    if space == "torch" and (path in LIBRARIES or not path and last in DRAWING) and last in list_functions(path):
        return getattr(find_place(path), last)
    raise DamagedFile(f"it calls {name!r}, which is not an operator")


LIBRARIES = (["nn", "functional"], ["linalg"], ["special"], ["fft"])
"""Namespaces of functions that graphs may call where there is no operator: they have no side effects."""
DRAWING = frozenset("rand randn randint rand_like randn_like bernoulli multinomial normal poisson".split())
"""Functions of torch that draw random numbers."""


def find_place(path):
    place = torch
    for part in path:
        place = getattr(place, part)
    return place


def list_functions(path):
    """Return the public functions of a namespace."""
    place = find_place(path)
    return {name for name in dir(place) if name[0] != "_" and isinstance(getattr(place, name), FunctionType)}


# ── values as JSON ───────────────────────────────────────────────────────────
def encode_node(node):
    """Encode a node as JSON."""
    target = node.target
    if node.op == "call_function":
        if hasattr(target, "_opname"):
            target = f"aten.{target._opname}.{target._overloadname}"
        elif OPERATORS.get(target.__name__) is target:
            target = target.__name__
        elif target.__name__ in DRAWING or target.__module__.split(".")[1:] in LIBRARIES:
            target = f"{target.__module__}.{target.__name__}"
        else:
            raise RuntimeError(f"a file of an exported program cannot call {target.__module__}.{target.__name__}")
    said = {
        "name": node.name,
        "op": node.op,
        "target": target,
        "args": encode(list(node.args)),
        "kwargs": encode(dict(node.kwargs)),
    }
    value = node.meta.get("val")
    if isinstance(value, (Tensor, SymbolicTensor)) and node.op != "get_attr":
        said["val"] = {
            "shape": [each if isinstance(each, str) else int(each) for each in node.meta.get("sizes") or value.shape],
            "dtype": str(value.dtype)[6:],
        }
    elif isinstance(value, (list, tuple)):
        said["val"] = {"parts": len(value)}
    return said


def decode_value(said):
    if isinstance(said, dict) and "dtype" in said:
        shape = said["shape"]
        if not isinstance(shape, list) or not all(is_size(each) for each in shape):
            raise DamagedFile(f"a shape is invalid: {shape!r:.80}")
        return SymbolicTensor(shape, read_dtype(said["dtype"]))
    return [None] * min(int(said["parts"]), 10_000) if isinstance(said, dict) and "parts" in said else None


SIZE = re.compile(r"[\w ()+*/-]{1,200}", re.ASCII)
"""A dynamic size: a name, or an expression of names, which is printed and appears in errors."""


def is_size(value):
    """Return True for a size: an integer that a tensor can have, or the expression of a dynamic size."""
    return type(value) is int and 0 <= value < 2**63 or isinstance(value, str) and SIZE.fullmatch(value) is not None


def read_dtype(name):
    found = getattr(torch, name, None) if isinstance(name, str) else None
    if not isinstance(found, torch.dtype):
        raise DamagedFile(f"{name!r} is not a dtype")
    return found


def encode(value):
    """Encode an argument as JSON; values that JSON lacks become a table with one key."""
    if isinstance(value, Node):
        return {"node": value.name}
    if isinstance(value, Place):
        return {"place": int(value)}
    if isinstance(value, tuple):
        return {"tuple": [encode(each) for each in value]}
    if isinstance(value, list):
        return [encode(each) for each in value]
    if isinstance(value, dict):
        return {"dict": [[encode(key), encode(each)] for key, each in value.items()]}
    if isinstance(value, slice):
        return {"slice": [encode(each) for each in (value.start, value.stop, value.step)]}
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return {"float": repr(float(value))}
    if isinstance(value, complex):
        return {"complex": [repr(value.real), repr(value.imag)]}
    for kind in ("dtype", "device", "layout", "memory_format"):
        if isinstance(value, getattr(torch, kind)):
            return {kind: str(value)}
    raise RuntimeError(f"a file of an exported program cannot hold {value!r:.80}")


def decode(said, nodes):
    """Decode an argument from JSON."""
    if isinstance(said, list):
        return [decode(each, nodes) for each in said]
    if not isinstance(said, dict):
        return said
    ((kind, value),) = said.items()
    if kind == "node":
        return nodes[value]
    if kind == "place":
        return Place(value)
    if kind == "tuple":
        return tuple(decode(each, nodes) for each in value)
    if kind == "dict":
        return {decode(key, nodes): decode(each, nodes) for key, each in value}
    if kind == "slice":
        return slice(*(decode(each, nodes) for each in value))
    if kind == "float":
        return float(value)
    if kind == "complex":
        return complex(*map(float, value))
    if kind == "device":
        return torch.device(value)
    if kind in ("dtype", "layout", "memory_format"):
        found = getattr(torch, value.removeprefix("torch."), None)
        if isinstance(found, getattr(torch, kind)):
            return found
    raise DamagedFile(f"it holds a {kind!r:.40}")
