"""Which writes of a trace matter: memory from outside keeps them, and so does what reads the memory afterwards."""

from tensh.engine.core.clock import owner
from tensh.engine.core.tensor import Tensor

__all__ = ["drop_dead_code"]


def drop_dead_code(program):
    """Erase the lines of a traced program whose results are never read, directly or through shared memory."""
    live = find_live_writes(program)
    program.graph.eliminate_dead_code(is_impure_node=lambda node: node.op in ("placeholder", "output") or node in live)


def find_live_writes(program):
    """The lines that write into arguments or members, or into what a later line that is needed reads."""
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
    """True for a parameter or a buffer; constants of the trace are its own."""
    return node.op == "get_attr" and node.target not in program.constants


def memory_of(node):
    """The owner of the memory of a node's value; None for what is no tensor."""
    value = node.meta.get("val")
    return id(owner(value.array)) if isinstance(value, Tensor) else None
