"""The form of calls in PyTorch's exports: flags of a CUDA library, devices of new tensors, copies of constants."""

import tensh as torch
from tensh._aten.overloads import REQUIRED
from tensh.export.constants import copy_constants, insert_call

FLAGS = ("cudnn_enabled", "cudnn_enable")


def follow_conventions(program):
    """Rewrite the nodes of a trace as PyTorch's export does, without changing their results."""
    lower_names(program)
    last = {id(value): path for path, value in program.root.named_parameters(remove_duplicate=False)}
    follow(program.graph, last, program.made)


def lower_names(program):
    """Write the names of inputs in lower case, unless two of them become one."""
    small = [name.lower() for name, _ in program.leaves]
    if len({*small}) < len(small):
        return
    program.leaves = [(name.lower(), leaf) for name, leaf in program.leaves]
    for node in program.inputs:
        if node.target != node.target.lower():
            node.target = node.target.lower()
            node.name = node.target


def follow(graph, last, made):
    """Rewrite the nodes of a graph and of its branches.

    ``last`` maps ids of parameters to the last of their names, ``made`` maps ids of tensors that the run made from
    numbers to their origins.
    """
    copy_constants(graph, {key: made[key] for key in made if key not in last})
    for node in list(graph.nodes):
        if node.op == "get_attr":
            value = node.meta["val"]
            node.target = last.get(id(value), node.target)
            if isinstance(value, torch.fx.GraphModule):
                follow(value.graph, last, made)
                value.recompile()
        elif node.op == "call_function" and hasattr(node.target, "parameters"):
            write_flag(node)
            if node.target._opname == "to":
                note_kind(graph, node)
            elif node.target._opname != "_to_copy":
                write_place(node)


def write_flag(node):
    """Add the flag that a normalisation does not use cuDNN, after all other arguments."""
    names = [each.name for each in node.target.parameters]
    if (flag := next((each for each in FLAGS if each in names), None)) is None:
        return
    named = dict(node.kwargs)
    named.pop(flag, None)
    rest = node.target.parameters[len(node.args) : names.index(flag)]
    values = [named.pop(each.name, None if each.default is REQUIRED else each.default) for each in rest]
    node.args, node.kwargs = (*node.args[: names.index(flag)], *values, False), named


def write_place(node):
    """Add the CPU as a new tensor's device, unless it follows another tensor, and memory that is not pinned."""
    parameters = {each.name: each for each in node.target.parameters}
    if "pin_memory" not in parameters or "device" not in parameters:
        return
    follows = any(each.kind == "Tensor" for each in parameters.values())
    place = {} if follows else {"device": torch.device("cpu")}
    named = place | {"pin_memory": False} | node.kwargs
    node.kwargs = {name: named[name] for name in sorted(named, key=list(parameters).index)}


def note_kind(graph, node):
    """Add a check of a tensor's metadata before its conversion."""
    given = node.args[0].meta["val"]
    if not isinstance(given, torch.Tensor):
        return
    with graph.inserting_before(node):
        kind = {"dtype": given.dtype, "device": torch.device("cpu"), "layout": torch.strided}
        insert_call(graph, "_assert_tensor_metadata", "default", (node.args[0],), node, kind)
