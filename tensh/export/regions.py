"""Parts of exported programs without gradients or under autocast: graph modules that an operator calls, as in PyTorch.

Note [Regions] A trace has a node wherever the program switches a mode (``tracing/modes``). Switches of gradients divide
the graph into sections; one that differs from its surroundings becomes a graph module, called by
``wrap_with_set_grad_enabled``. In what is left, and in each such module, parts under autocast become graph modules,
too. Names count sections and operators as PyTorch does. Sections with branches or loops stay in the graph, where they
read the functions of these first.
"""

import operator

from tensh._higher_order_ops.wrappers import wrap_with_autocast, wrap_with_set_grad_enabled
from tensh.engine.autograd.modes import _set_grad_enabled
from tensh.engine.core.tensor import Tensor
from tensh.fx.branches import list_members, walk_nodes
from tensh.fx.graph import Graph
from tensh.fx.graph_module import GraphModule
from tensh.fx.node import map_arg
from tensh.tracing.modes import SWITCHES, enter_autocast, exit_autocast

__all__ = ["wrap_regions"]


def wrap_regions(graph, grad=True):
    """Replace the parts between switches by calls of graph modules; ``grad`` is whether gradients are recorded outside."""
    if any(node.target in SWITCHES for node in graph.nodes):
        replace_sections(graph, divide_by_grad(graph), lambda switch: grad_call(switch, grad))
        replace_sections(graph, divide_by_autocast(graph), autocast_call)
    for branch in (node for node in walk_nodes(graph) if node.graph is not graph):
        if branch.target in SWITCHES:
            branch.graph.erase_node(branch)


def grad_call(switch, around):
    """Return (operator, its first arguments) for a section after a switch of gradients; None if it is as around it."""
    return None if switch.args[0] is around else (wrap_with_set_grad_enabled, switch.args)


def autocast_call(switch):
    """Return (operator, its first arguments) for a part under autocast."""
    return wrap_with_autocast, switch.args


# ── sections ─────────────────────────────────────────────────────────────────
def divide_by_grad(graph):
    """Return the sections of a graph: each begins at a switch of gradients, outside of parts under autocast."""
    sections, depth = [[]], 0
    for node in list_steps(graph):
        depth += (node.target is enter_autocast) - (node.target is exit_autocast)
        if node.target is _set_grad_enabled and depth == 0:
            sections.append([])
        sections[-1].append(node)
    return sections


def divide_by_autocast(graph):
    """Return the sections of a graph: the parts under autocast, and those between them."""
    sections, depth, ended = [[]], 0, False
    for node in list_steps(graph):
        if depth == 0 and (ended or node.target is enter_autocast):
            sections.append([])
        depth += (node.target is enter_autocast) - (node.target is exit_autocast)
        ended = node.target is exit_autocast and depth == 0
        sections[-1].append(node)
    return sections


def list_steps(graph):
    """Return the nodes that compute something, or read a graph module for that."""
    return [
        node
        for node in graph.nodes
        if node.op.startswith("call") or node.op == "get_attr" and not isinstance(node.meta.get("val"), Tensor)
    ]


def replace_sections(graph, sections, choose):
    """Replace sections by calls; ``choose(switch)`` returns (operator, its first arguments), or None for one that stays."""
    if len(sections) == 1:
        return
    calls, functions = [], [list_functions(section) for section in sections]
    for section, found in zip(sections, functions):
        for each in found:
            next(node for node in section if node not in found).prepend(each)
    for place, (first, *nodes) in enumerate(sections[1:], 1):
        if first.target not in SWITCHES:
            name_parts(graph, [first, *nodes])
        elif functions[place] or (chosen := choose(first)) is None:
            name_parts(graph, nodes)
            graph.erase_node(first)
        else:
            last = nodes.pop() if nodes and nodes[-1].target is exit_autocast else None
            if last is not None:
                graph.erase_node(last)
            calls.append(Section(graph, place, first, nodes, *chosen))
    for number, section in enumerate(calls):
        section.replace(f"submod_{len(sections) + number}")
    if any(functions):
        parts = [node for node in graph.nodes if node.target is operator.getitem and node.name.startswith("getitem")]
        for number, node in enumerate(parts):
            node.name = f"getitem_{number}" if number else "getitem"


def list_functions(nodes):
    """Return the nodes that read functions of branches and loops."""
    return [node for node in nodes if node.op == "get_attr"]


def name_parts(graph, nodes):
    """Use up the names that PyTorch gives to the results of a section, if there are several."""
    results = list_results(graph, nodes)
    for each in results if len(results) > 1 else ():
        graph.erase_node(graph.call_function(operator.getitem, (each, 0)))


def list_results(graph, nodes):
    """Return the nodes among ``nodes`` that others use, in the order of the uses."""
    own = set(nodes)
    used = (each for node in graph.nodes if node not in own for each in node.all_input_nodes)
    return list(dict.fromkeys(each for each in used if each in own))


class Section:
    """A section that becomes a graph module: its nodes and results, the switch before them, the operator that calls it."""

    def __init__(self, graph, place, switch, nodes, called, before):
        self.graph, self.place, self.nodes, self.called, self.before = graph, place, nodes, called, before
        self.results, self.switch = list_results(graph, nodes), switch
        self.parts = self.add_parts() if len(self.results) > 1 else []

    def add_parts(self):
        """Add nodes for the results, of a call that is not there yet."""
        with self.graph.inserting_before(self.switch):
            return [self.graph.call_function(operator.getitem, (None, place)) for place in range(len(self.results))]

    def replace(self, name):
        """Put a call of a graph module into the place of the nodes."""
        graph, own = self.graph, set(self.nodes)
        operands = [each for node in self.nodes for each in node.all_input_nodes if each not in own]
        operands = list(dict.fromkeys(operands))
        module = self.make_module(operands)
        target, stack = self.find_free_name(), self.switch.meta.get("nn_module_stack", {})
        with graph.inserting_before(self.parts[0] if self.parts else self.switch):
            read = graph.get_attr(target)
            read.name, read.meta = name, {"val": module, "nn_module_stack": stack}
            call = graph.call_function(self.called, (*self.before, read, *operands), name=str(self.called))
        call.meta = {"val": tuple(each.meta.get("val") for each in self.results), "nn_module_stack": stack}
        kind = "".join(part.capitalize() for part in str(self.called).split("_"))
        call.meta["torch_fn"] = str(self.called), f"{kind}.{self.called}"
        names = [each.name for each in self.results]
        if len(self.results) == 1:
            with graph.inserting_after(call):
                self.parts = [graph.call_function(operator.getitem, (call, 0))]
        for place, (part, result) in enumerate(zip(self.parts, self.results, strict=True)):
            part.args, part.meta = (call, place), dict(result.meta)
            result.replace_all_uses_with(part)
        for node in (*reversed(self.nodes), self.switch):
            graph.erase_node(node)
        if len(names) == 1:
            call.name = names[0]
        else:
            for part, each in zip(self.parts, names):
                part.name = each

    def make_module(self, operands):
        """Return the graph module that computes the section from its operands."""
        inner, made = Graph(), {}
        for each in operands:
            made[each] = inner.placeholder(each.name)
            made[each].meta = dict(each.meta)
        for node in self.nodes:
            made[node] = inner.node_copy(node, made.__getitem__)
        inner.output(map_arg(tuple(self.results), made.__getitem__))
        wrap_regions(inner, self.before[0] if self.called is wrap_with_set_grad_enabled else True)
        return GraphModule(list_members(inner), inner, "GraphModule")

    def find_free_name(self):
        """Return the name of the graph module: that of its section, or the next that is free."""
        taken, place = list_members(self.graph), self.place
        while f"submod_{place}" in taken:
            place += 1
        return f"submod_{place}"
