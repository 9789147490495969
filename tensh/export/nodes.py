"""Nodes in files of exported programs, as JSON and back."""

import keyword

from tensh.engine.core.tensor import Tensor
from tensh.export.descriptions import Expression, SymbolicTensor
from tensh.export.notes import decode_notes, encode_notes
from tensh.export.operators import find_operator, may_call_method, name_operator
from tensh.export.values import DamagedFile, decode, decode_value, encode
from tensh.fx.branches import list_members
from tensh.fx.graph import Graph
from tensh.fx.graph_module import GraphModule


def encode_node(node):
    """Encode a node as JSON."""
    entry = {
        "name": node.name,
        "op": node.op,
        "target": name_operator(node.target) if node.op == "call_function" else node.target,
        "args": encode(list(node.args)),
        "kwargs": encode(dict(node.kwargs)),
    }
    value = node.meta.get("val")
    if isinstance(value, GraphModule):
        entry["graph"] = [encode_node(each) for each in value.graph.nodes]
    if isinstance(value, (Tensor, SymbolicTensor)) and node.op != "get_attr":
        entry["val"] = {
            "shape": [each if isinstance(each, str) else int(each) for each in node.meta.get("sizes") or value.shape],
            "dtype": str(value.dtype)[6:],
        }
    elif isinstance(value, (list, tuple, range)):
        entry["val"] = {"parts": len(value)}
    elif isinstance(node.meta.get("sizes"), str):
        entry["val"] = {"number": node.meta["sizes"]}
    return entry | encode_notes(node.meta)


def list_tensors(graph, above=""):
    """Return path -> tensor of the constants in the branches of a graph, at any depth."""
    found = {}
    for name, value in list_members(graph).items():
        if isinstance(value, GraphModule):
            found |= list_tensors(value.graph, f"{above}{name}.")
        elif above:
            found[above + name] = value
    return found


def read_graph(entries, members, above=""):
    """Return the graph that a file describes as a list of nodes; ``members`` maps paths to what the nodes read."""
    graph, nodes = Graph(), {}
    for entry in entries:
        name = entry["name"]
        if not is_name(name) or name in nodes:
            raise DamagedFile(f"a node has an invalid or repeated name: {name!r}")
        nodes[name] = add_node(graph, entry, nodes, members, above)
    if [node.op for node in graph.nodes].count("output") != 1:
        raise DamagedFile("it does not have exactly one output")
    arguments = [node.target for node in graph.find_nodes(op="placeholder")]
    if len({*arguments}) < len(arguments):
        raise DamagedFile("two arguments have the same name")
    graph.lint()
    return graph


def add_node(graph, entry, nodes, members, above=""):
    """Add the node that a file describes; ``above`` is the path of the branch that it is in."""
    op, args, kwargs = entry["op"], tuple(decode(entry["args"], nodes)), decode(entry["kwargs"], nodes)
    if op == "output":
        if len(args) != 1:  # a second value would be read as the type of the first
            raise DamagedFile(f"its output has {len(args)} values")
        return graph.output(args[0])
    if op == "placeholder":
        if not is_name(entry["target"]):  # it becomes part of generated code
            raise DamagedFile(f"an input has an invalid name: {entry['target']!r}")
        made = graph.create_node("placeholder", entry["target"], name=entry["name"])
    elif op == "get_attr":
        made = graph.create_node("get_attr", str(entry["target"]), name=entry["name"])
        made.meta |= decode_notes(entry)
        if "graph" in entry:
            if not is_name(made.target):  # it becomes part of generated code
                raise DamagedFile(f"a branch has an invalid name: {made.target!r}")
            inner = read_graph(entry["graph"], members, f"{above}{made.target}.")
            made.meta["val"] = GraphModule(list_members(inner), inner, "<lambda>", _late=True)
        else:
            made.meta["val"] = members[above + made.target]
        return made
    elif op == "call_function":
        made = graph.create_node("call_function", find_operator(entry["target"]), args, kwargs, entry["name"])
    elif op == "call_method" and may_call_method(entry["target"]):
        made = graph.create_node("call_method", entry["target"], args, kwargs, entry["name"])
    else:
        raise DamagedFile(f"it calls {entry['target']!r}")
    made.meta["val"] = decode_value(entry.get("val"))
    if isinstance(made.meta["val"], Expression):
        made.meta["sizes"] = made.meta["val"]
    made.meta |= decode_notes(entry)
    return made


def is_name(text):
    """Return True for a valid identifier that is not a keyword."""
    return isinstance(text, str) and text.isidentifier() and not keyword.iskeyword(text)
