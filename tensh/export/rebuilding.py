"""Rebuilding an exported program from the JSON of its file, every part of which is checked."""

import re

import tensh as torch
from tensh.export.descriptions import SymbolicTensor
from tensh.export.exported_module import name_arguments
from tensh.export.exported_program import ExportedProgram, Range
from tensh.export.nodes import is_name, read_graph
from tensh.export.notes import read_texts
from tensh.export.values import DamagedFile, decode, is_size, read_spec
from tensh.func.trees import leaves_of
from tensh.fx.node import Node
from tensh.nn.modules.module import Module
from tensh.support.escaping import visible_line
from tensh.tracing.program import Place, Program, fill
from tensh.tracing.recording.call_signatures import CallSignature
from tensh.tracing.sizes.decisions import ARITHMETIC, COMPARISONS, list_names, roots_of

VERSION = 2
NUMBER = re.compile(r"(u|zuf)\d+")
"""The symbol of a number that a program reads from a tensor."""


def rebuild(content, tensors, example=None):
    """Rebuild the program that a file describes; ``example`` are the tensors of its example, in the order of its inputs."""
    if content.get("tensh") != VERSION:
        raise DamagedFile(f"its format version is {content.get('tensh')!r}, but tensh reads version {VERSION}")
    program = rebuild_program(content, tensors)
    ranges = read_ranges(content["bounds"])
    program.ranges = {name: each for name, each in ranges.items() if NUMBER.fullmatch(name)}
    dynamic = {
        int(place): {int(dim): str(name) for dim, name in table.items()} for place, table in content["dynamic"].items()
    }
    check_dynamic(program, dynamic, ranges)
    made = ExportedProgram.from_trace(program, dynamic, ranges, rebuild_example(program, example))
    made._paths = read_texts(content["modules"]) if "modules" in content else made._paths
    made.range_constraints.update({name: Range(*each) for name, each in ranges.items() if name not in program.ranges})
    return made


def rebuild_program(content, tensors):
    """Return the trace that a file describes: its graph, members and arguments, all of them checked."""
    root, constants = rebuild_members(content, tensors)
    members = {**dict(root.named_parameters()), **dict(root.named_buffers()), **constants}
    branches = list_branches(content["nodes"])
    inner = {path: value for path, value in tensors.items() if path.partition(".")[0] in branches}
    graph = read_graph(content["nodes"], members | inner)
    leaves = [(name, decode(leaf, {})) for name, leaf in content["leaves"]]
    program = Program(root, graph, decode(content["structure"], {}), None, constants, leaves)
    program.result_spec = read_spec(content["result"]) if "result" in content else None
    program.guards = [read_guard(each) for each in content.get("guards", ())]
    program.names = content.get("names", [])  # absent in files of earlier versions
    if not (isinstance(program.names, list) and all(map(is_name, program.names))):
        raise DamagedFile("an argument has an invalid name")
    (program.root_class,) = read_texts([content.get("class", "torch.nn.modules.module.Module")])
    nodes = {node.name: node for node in graph.nodes}
    program.signatures = {key: read_signature(*each, nodes) for key, *each in content.get("signatures", ())}
    check_structure(program)
    check_leaves(program)
    program.mutations = read_mutations(content.get("mutations", []), graph)
    return program


def rebuild_members(content, tensors):
    """Return (a module with the parameters and buffers of a file, path -> constant)."""
    if not (isinstance(tensors, dict) and all(isinstance(each, torch.Tensor) for each in tensors.values())):
        raise DamagedFile("it has parameters, buffers or constants that are not tensors")
    root, fixed, frozen = Module(), {*content["constants"]}, {*content.get("frozen", ())}
    for path in content["parameters"]:
        grad = path not in frozen and (tensors[path].is_floating_point() or tensors[path].is_complex())
        assign(root, path, torch.nn.Parameter(tensors[path], grad))
    for path in content["buffers"]:
        assign(root, path, tensors[path], path not in fixed)
    buffers = {*content["buffers"]}
    constants = {path: tensors[path] for path in content["constants"] if path not in buffers}
    for path, value in constants.items():  # as attributes of modules, so that they keep their names
        owner, name = find_owner(root, path)
        setattr(owner, name, value)
    return root, constants


def read_ranges(bounds):
    """Return name of a dynamic size -> its (smallest, largest) value."""
    wrong = next((name for name in bounds if not is_size(name)), None)
    if wrong is not None:
        raise DamagedFile(f"a dynamic size has an invalid name: {wrong!r:.80}")
    return {name: read_bounds(each) for name, each in bounds.items()}


def read_signature(inputs, outputs, in_spec, out_spec, nodes):
    """Return the signature of a call of a module."""
    read_texts([in_spec, out_spec])
    return CallSignature(decode(inputs, nodes), decode(outputs, nodes), read_spec(in_spec), read_spec(out_spec))


def rebuild_example(program, example):
    """Return the (args, kwargs) from which a program was made, or None if its file has none."""
    if example is None:
        return None
    fits = isinstance(example, list) and all(isinstance(each, torch.Tensor) for each in example)
    if not fits or len(example) != len(program.inputs):
        raise DamagedFile(f"its example is not a list of {len(program.inputs)} tensors")
    return fill(program.structure, example)


def list_branches(nodes):
    """Return the names of the branches of a graph."""
    return {each["target"] for each in nodes if each["op"] == "get_attr" and "graph" in each}


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
        if type(node.meta["val"]) is not SymbolicTensor:
            raise DamagedFile(f"the input {node.name!r} has no shape and dtype")


def check_leaves(program):
    """Raise DamagedFile unless the named arguments are those of the structure, with printable names."""
    if any(visible_line(str(name)) != str(name) for name, _ in program.leaves):
        raise DamagedFile("an argument has control characters in its name")
    if [*map(repr, leaves_of(program.structure))] != [repr(leaf) for _, leaf in program.leaves]:
        raise DamagedFile("its arguments do not match the names that it lists for them")
    if not all(is_name(name) for name, _ in program.leaves):
        raise DamagedFile("an argument has an invalid name")
    names = [*name_arguments(program, len(program.structure[0])), *program.structure[1]]
    if len({*names}) < len(names) or len({name for name, _ in program.leaves}) < len(program.leaves):
        raise DamagedFile("two arguments have the same name")


def read_guard(entry):
    """Return what sizes must satisfy: a comparison of two expressions."""
    if not (isinstance(entry, list) and len(entry) == 3 and entry[0] in COMPARISONS):
        raise DamagedFile(f"a guard is invalid: {entry!r:.80}")
    return entry[0], *map(read_expression, entry[1:])


def read_expression(entry):
    """Return an expression of sizes: a number, a name, or (operator, operand, operand)."""
    if type(entry) is int or isinstance(entry, str) and entry.isidentifier():
        return entry
    if not (isinstance(entry, list) and len(entry) == 3 and entry[0] in ARITHMETIC):
        raise DamagedFile(f"an expression of sizes is invalid: {entry!r:.80}")
    return entry[0], *map(read_expression, entry[1:])


def read_mutations(entries, graph):
    """Return the writes after everything else: node -> (True for a member, its path or the name of an input)."""
    nodes, found = {node.name: node for node in graph.nodes}, {}
    for name, member, target in entries:
        node = nodes.get(name)
        written = node.args[0] if node is not None and len(node.args) == 2 else None
        fits = getattr(getattr(node, "target", None), "_opname", "") == "copy_" and not node.users
        if not (fits and isinstance(written, Node) and isinstance(node.args[1], Node) and type(member) is bool):
            raise DamagedFile(f"it has no write of the name {name!r:.80}")
        if (written.op, written.target) != ("get_attr" if member else "placeholder", target):
            raise DamagedFile(f"it does not write to {target!r:.80}")
        found[node] = member, target
    return found


def list_places(value):
    """Return the input positions in a structure, in order."""
    return [int(leaf) for leaf in leaves_of(value) if isinstance(leaf, Place)]


def read_bounds(entry):
    """Return the (smallest, largest) value of a dynamic size, each an integer or None."""
    if not (isinstance(entry, list) and len(entry) == 2 and all(each is None or type(each) is int for each in entry)):
        raise DamagedFile(f"the bounds of a dynamic size are invalid: {entry!r:.80}")
    return tuple(entry)


def check_dynamic(program, dynamic, ranges):
    """Raise DamagedFile for a dynamic size of a missing input, or without bounds."""
    inputs = program.inputs
    for place, table in dynamic.items():
        for dim, name in table.items():
            if not (0 <= place < len(inputs) and 0 <= dim < len(inputs[place].meta["val"].shape)):
                raise DamagedFile(f"dimension {dim} of input {place} is marked as dynamic, but does not exist")
            if name not in ranges:
                raise DamagedFile(f"the dynamic size {name!r:.40} has no bounds")
    known = {*roots_of(name for table in dynamic.values() for name in table.values())}
    for guard in program.guards:
        if not list_names(guard[1]) | list_names(guard[2]) <= known:
            raise DamagedFile(f"a guard is about a size that no input has: {guard!r:.80}")


def find_owner(root, path):
    """Return (module, name) of a member; modules on the way to it are made if they are absent."""
    if visible_line(path) != path:
        raise DamagedFile("a parameter has control characters in its name")
    *parents, name = path.split(".")
    module = root
    for parent in parents:
        if parent not in module._modules:
            module.add_module(parent, Module())
        module = module._modules[parent]
    return module, name


def assign(root, path, value, persistent=True):
    """Give a module a parameter or a buffer."""
    module, name = find_owner(root, path)
    if isinstance(value, torch.nn.Parameter):
        module.register_parameter(name, value)
    else:
        module.register_buffer(name, value, persistent)
