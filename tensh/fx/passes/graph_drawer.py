"""Pictures of graphs: the nodes as boxes of Graphviz, by way of the package pydot."""

from tensh.engine.core.tensor import Tensor
from tensh.engine.methods.attributes import typename
from tensh.engine.methods.unsupported import unsupported_lookup
from tensh.fx.graph_module import GraphModule, get_member
from tensh.fx.names import qualified_name

__all__ = ["FxGraphDrawer"]

COLOURS = {
    "placeholder": "AliceBlue", "call_module": "LemonChiffon1", "get_attr": "LightGrey", "output": "PowderBlue",
    "call_function": "Khaki1", "call_method": "PeachPuff1", "get_parameter": "Salmon", "get_buffer": "Salmon",
}  # fmt: skip
"""Kind of a node -> the colour of its box."""
FACTS = ("dtype", "shape", "requires_grad", "stride")


class FxGraphDrawer:
    """The graph of a module as a graph of pydot, of Graphviz, for pictures.

    Boxes show the name, kind and target of a node, settings of layers, and shapes where ``ShapeProp`` has found them.
    ``get_dot_graph().to_string()`` is its text, ``get_dot_graph().write_svg(file)`` draws it where Graphviz is installed.

    Args:
        graph_module: the module; ``name`` is that of the graph.
        ignore_getattr: leave out nodes that read attributes.
        ignore_parameters_and_buffers: leave out weights of layers.
        skip_node_names_in_args: do not repeat other nodes among the arguments.
        dot_graph_shape: the form of the boxes instead of "record".

    Raise RuntimeError if pydot is not installed.
    """

    __module__ = "torch.fx.passes.graph_drawer"

    def __init__(
        self, graph_module, name, ignore_getattr=False, ignore_parameters_and_buffers=False, skip_node_names_in_args=True,
        parse_stack_trace=False, dot_graph_shape=None, normalize_args=False,
    ):  # fmt: skip
        try:
            import pydot
        except ImportError:
            raise RuntimeError(
                "FXGraphDrawer requires the pydot package to be installed. Please install pydot through your favorite Python package "
                "manager."
            ) from None
        self._pydot, self._name = pydot, name
        self.ignore_getattr, self.with_members = ignore_getattr, not ignore_parameters_and_buffers
        self.short_arguments, self.shape = skip_node_names_in_args, dot_graph_shape or "record"
        self._dot_graphs = {name: self._draw(graph_module, name)}
        for node in graph_module.graph.find_nodes(op="call_module"):
            leaf = get_member(graph_module, node.target)
            if isinstance(leaf, GraphModule):
                self._dot_graphs[f"{name}_{node.target}"] = self._draw(leaf, f"{name}_{node.target}")

    def get_dot_graph(self, submod_name=None):
        """Return the graph of pydot; with a name, that of a submodule which is a graph itself."""
        return self._dot_graphs[self._name if submod_name is None else f"{self._name}_{submod_name}"]

    def get_main_dot_graph(self):
        """Return the graph of the module."""
        return self.get_dot_graph()

    def get_submod_dot_graph(self, submod_name):
        """Return the graph of a submodule."""
        return self.get_dot_graph(submod_name)

    def get_all_dot_graphs(self):
        """Return name -> graph."""
        return self._dot_graphs

    # ── boxes and arrows ─────────────────────────────────────────────────────
    def _draw(self, module, name):
        drawn = self._pydot.Dot(name, rankdir="TB")
        nodes = [node for node in module.graph.nodes if not (self.ignore_getattr and node.op == "get_attr")]
        for node in nodes:
            self._add_box(drawn, node.name, self._label(module, node), node.op)
            leaf = get_member(module, node.target) if node.op == "call_module" else None
            if self.with_members and leaf is not None and not isinstance(leaf, GraphModule):
                self._add_members(drawn, node, leaf)
        for node in nodes:
            for user in node.users:
                drawn.add_edge(self._pydot.Edge(node.name, user.name))
        return drawn

    def _add_box(self, drawn, name, label, kind):
        box = {"shape": self.shape, "fillcolor": COLOURS[kind], "style": '"filled,rounded"', "fontcolor": '"#000000"'}
        drawn.add_node(self._pydot.Node(name, label=label, **box))

    def _add_members(self, drawn, node, leaf):
        for kind, members in (("get_parameter", leaf.named_parameters()), ("get_buffer", leaf.named_buffers())):
            for path, value in members:
                name = f"{node.target}.{path}"
                self._add_box(drawn, name, f"{{{name}|op_code={kind}{value.dtype}{list(value.shape)}\\n}}", kind)
                drawn.add_edge(self._pydot.Edge(name, node.name))

    def _label(self, module, node):
        parts = [f"name=%{node.name}", f"op_code={node.op}\\n"]
        if node.op == "call_module":
            leaf = get_member(module, node.target)
            parts[-1] += f"\\n{typename(leaf)}\\n"
            parts += [f"{leaf.extra_repr()}\\n"] if leaf.extra_repr() else []
        else:
            target = node.target if isinstance(node.target, str) else qualified_name(node.target)
            parts.append(f"target={target}\\n")
            parts += self._arguments(node)
            parts.append(f"num_users={len(node.users)}\\n")
        meta = node.meta.get("tensor_meta")
        if meta is not None and not isinstance(meta, (tuple, list)) or hasattr(meta, "_fields"):
            parts += [f"{each}={tuple(v) if isinstance(v := getattr(meta, each), tuple) else v}\\n" for each in FACTS]
        return f"{{{'|'.join(escape(each) for each in parts)}}}"

    def _arguments(self, node):
        """Show the arguments of a node; other nodes only if they are asked for."""

        def shown(value):
            return not (self.short_arguments and hasattr(value, "graph"))

        args = tuple(each for each in node.args if shown(each) and not isinstance(each, Tensor))
        kwargs = {name: each for name, each in node.kwargs.items() if shown(each)}
        if node.op == "output":
            return []
        return [f"args={args}"] * bool(args) + [f"kwargs={kwargs}"] * bool(kwargs)


def escape(text):
    """Write text so that Graphviz does not take characters of it for those of records."""
    return "".join(f"\\{each}" if each in "{}<>" else each for each in text)


__getattr__ = unsupported_lookup("torch.fx.passes.graph_drawer")
