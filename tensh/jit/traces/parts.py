"""Parts of a trace: what each call of a submodule computes, as a separate program, which a file has as its method."""

from tensh.engine.core.tensor import Tensor
from tensh.fx.graph import Graph
from tensh.fx.node import map_aggregate
from tensh.tracing.program import Place

__all__ = ["Part", "name_methods", "take_parts"]


class Part:
    """The program of one call of the submodule at ``path``; ``taken`` and ``given`` are its nodes in the program around it.

    ``calls`` are the calls around the lines of the part, the last is the one that it stands for; ``method`` is its name.
    """

    def __init__(self, calls, taken, given, constants):
        self.calls, self.path, self.taken, self.given, self.constants = calls, calls[-1].path, taken, given, constants
        self.graph, self.method = Graph(), ""
        names = [each.name if each.op == "placeholder" else f"argument_{place}" for place, each in enumerate(taken, 1)]
        self.arguments = [(name, Place(place)) for place, name in enumerate(names)]
        values = [each.meta["val"] for each in given]
        self.result = values[0] if len(values) == 1 else tuple(values)

    @property
    def inputs(self):
        """The nodes of the inputs."""
        return self.graph.find_nodes(op="placeholder")


def take_parts(program, prefix=()):
    """Return call -> ``Part`` for the calls of submodules in a program or part; ``prefix`` are the calls around it.

    Calls are left out that take or give anything but tensors, or read members of other modules.
    """
    found = {}
    for node in program.graph.nodes:
        calls = node.meta.get("calls", ())
        if len(calls) > len(prefix):
            found.setdefault(calls[len(prefix)], []).append(node)
    parts = ((call, take_part(program, (*prefix, call), nodes)) for call, nodes in found.items())
    return {call: part for call, part in parts if part is not None}


def take_part(program, calls, nodes):
    """Return the part that consists of some nodes; None if it cannot be a method."""
    inside = {each for each in nodes if each.op != "get_attr"}
    around, path = calls[-2].path if len(calls) > 1 else "", calls[-1].path
    read = [each for node in nodes if node in inside for each in node.all_input_nodes if each not in inside]
    members = dict.fromkeys(each for each in read if each.op == "get_attr")
    taken = list(dict.fromkeys(each for each in read if each.op != "get_attr"))
    given = [each for each in nodes if each in inside and any(user not in inside for user in each.users)]
    own = all(each.target.startswith(f"{path}.") or each.target in program.constants for each in members)
    own = own and all(each.target.startswith(f"{path}.") for each in inside if each.op == "call_module")
    tensors = all(isinstance(each.meta.get("val"), Tensor) for each in (*taken, *given))
    if not given or not own or not tensors or around and not path.startswith(f"{around}."):
        return None
    part = Part(calls, taken, given, program.constants)
    copies = {}
    for (name, _), node in zip(part.arguments, taken):
        copies[node] = part.graph.placeholder(name)
        copies[node].meta["val"] = node.meta["val"]
    for node in (*members, *(each for each in nodes if each in inside)):
        copies[node] = part.graph.node_copy(node, copies.__getitem__)
        if node.op in ("get_attr", "call_module"):
            copies[node].target = node.target.removeprefix(f"{path}.")
    part.graph.output(map_aggregate(given[0] if len(given) == 1 else tuple(given), copies.get))
    return part


def name_methods(programs, root):
    """Return path -> parts of the calls of submodules of ``root`` in programs, in the order of methods, and name these.

    ``parts`` of every program and part are the parts of the calls in it, by call. Scripted submodules have their own methods.
    """
    found = {}
    scripted = {path for path, each in root.named_modules() if isinstance(getattr(type(each), "_original", None), type)}

    def visit(program, prefix):
        parts = take_parts(program, prefix)
        program.parts = {call: part for call, part in parts.items() if part.path not in scripted}
        for part in program.parts.values():
            own = found.setdefault(part.path, [])
            part.method = f"forward{len(own)}" if own else "forward"
            own.append(part)
            visit(part, part.calls)

    for program in programs:
        visit(program, ())
    return found
