"""Writes of a trace that matter: those to outside memory, and those that are read later."""

from tensh.engine.core.clock import owner
from tensh.engine.core.tensor import Tensor

__all__ = ["drop_dead_code"]


def drop_dead_code(program):
    """Erase the lines of a traced program whose results are never read, directly or through shared memory."""
    live = find_live_writes(program)
    program.graph.eliminate_dead_code(is_impure_node=lambda node: node.op in ("placeholder", "output") or node in live)


def find_live_writes(program):
    """Return the lines that write into arguments or members, or into memory that a later live line reads."""
    nodes = list(program.graph.nodes)
    outside = {memory_of(node) for node in nodes if node.op == "placeholder" or is_member(node, program)} - {None}
    needed, read, live = set(), set(), set()
    for node in reversed(nodes):
        writes = getattr(node.target, "_opname", "").endswith("_")
        memory = memory_of(node.args[0]) if writes else None
        if writes and (memory is None or memory in outside or memory in read):
            live.add(node)
        if node in live or node in needed or node.op == "output":
            needed.update(node.all_input_nodes)
            read.update(memory_of(each) for each in node.all_input_nodes)
    return live


def is_member(node, program):
    """Return True for a parameter or a buffer, but not for a constant of the trace."""
    return node.op == "get_attr" and node.target not in program.constants


def memory_of(node):
    """Return the owner of the memory of a node's value; None if it is not a tensor."""
    value = node.meta.get("val")
    return id(owner(value.array)) if isinstance(value, Tensor) else None
