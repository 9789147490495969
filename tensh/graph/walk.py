"""The graph behind a tensor: every node once, oldest first, described on demand.

The walk needs no recursion and stores two numbers for each node, so that it also handles a million nodes.
"""

from itertools import groupby

from tensh.engine.codegen.operator import Op
from tensh.engine.core.clock import is_written_after
from tensh.engine.core.nodes import AccumulateGrad, NoGradView, Output
from tensh.engine.core.tensor import Tensor
from tensh.engine.core.views import refresh_node
from tensh.engine.dtypes.dtype import BY_NUMPY
from tensh.graph import kept
from tensh.graph.calls import find_call
from tensh.graph.elements import elements
from tensh.graph.formats.repeats import period
from tensh.graph.model import Edge, GraphNode
from tensh.graph.names import names_of_layers, names_of_nodes
from tensh.graph.provenance import layer, place
from tensh.graph.source import piece
from tensh.support.language import _

KEPT = 1_000  # number of cached descriptions of nodes


class Graph:
    """The graph of one tensor: numbered nodes, read as ``graph[number]`` or in order of recording.

    ``names`` (a namespace, such as ``globals()``) gives the nodes their variables.  ``focus`` names a node, and
    restricts the graph to the nodes between it and the root, and those behind it; raise LookupError if there is no such
    node.
    """

    def __init__(self, tensor, names=(), focus=None):
        root = refresh_node(tensor)
        if root is None:
            raise ValueError(_("the tensor has no graph: it does not require grad"))
        self.tensor = tensor
        names = dict(names)
        self.namespace = names
        self.named, self.layers = names_of_nodes(names), names_of_layers(names)
        self._order_nodes(root.inputs[0] if type(root) is Output else root)
        if focus is not None:
            self._keep(find_paths_through(self, find_node(self, focus)))

    def _order_nodes(self, root):
        """Collect all nodes behind ``root``."""
        self.top, self.order = root, order_nodes(root)
        self._count()

    def _keep(self, numbers):
        """Keep only some of the nodes."""
        self.order = [self.order[number - 1] for number in sorted(numbers)]
        self._count()

    def _count(self):
        self.numbers = {node: number for number, node in enumerate(self.order, 1)}
        self.root = self.numbers[self.top]
        self.uses = [0] * (len(self.order) + 1)
        self.edge_count = 0
        for node in self.order:
            for other, _number in node.next_functions:
                if other in self.numbers:
                    self.edge_count += 1
                    self.uses[self.numbers[other]] += 1
        self._values = self._calls = self._constants = None
        self._made, self._found = {}, {}

    def __len__(self):
        return len(self.order)

    def __iter__(self):
        return map(self.describe, self.order)

    def __getitem__(self, number):
        made = self._made.get(number)
        if made is None:
            if len(self._made) == KEPT:
                self._made.clear()
            made = self._made[number] = self.describe(self.order[number - 1])
        return made

    @property
    def shared(self):
        """The numbers of the nodes to which more than one edge leads."""
        return [number for number, uses in enumerate(self.uses) if uses > 1]

    # ── one node ─────────────────────────────────────────────────────────────
    def describe(self, node):
        """Return the description of a node."""
        number = self.numbers[node]
        variable, tensor = self.named.get(node, (None, None))
        if type(node) is AccumulateGrad:
            tensor = node.variable
            return GraphNode(
                number, "leaf", "AccumulateGrad", None, variable, tuple(node.shape), dtype(node.dtype),
                value=array(tensor), grad=array(node.grad), uses=self.uses[number],
            )  # fmt: skip
        made = place(node)
        found = None if made is None else piece(*made)
        label, part_of = self._label(node, found)
        single = node.dtype is not None
        return GraphNode(
            number, "operation", type(node).__name__, label,
            variable or (found.target if found and not part_of and layer(node) is None else None),
            tuple(node.shape) if single else None, dtype(node.dtype) if single else None,
            edges=tuple(self.edges(node)), value=self.value(node, tensor), grad=self.gradient(tensor),
            uses=self.uses[number], place=found and where(found), part_of=part_of,
        )  # fmt: skip

    def _label(self, node, found):
        """Return (the text for a node's value, the text of which it is only a part): one of the two, or neither.

        The text is the user's source, or the name of the layer that computed it.
        """
        within = layer(node)
        text = found and found.text
        if within is not None:
            name = self.layers.get(id(within))
            text = f"{name} ({type(within).__name__})" if name else type(within).__name__
        if text is None:
            return None, None
        return (text, None) if self.calls.get(node, (node,))[-1] is node else (None, text)

    @property
    def constants(self):
        """id of an array -> the name of the tensor that holds it, for tensors without a history."""
        if self._constants is None:
            named = ((name, t) for name, t in self.namespace.items() if type(t) is Tensor and t.node is None)
            self._constants = {id(t.array): name for name, t in named if not name.startswith("_")}
        return self._constants

    # ── the calls that recorded nodes ────────────────────────────────────────
    @property
    def calls(self):
        """Node -> the nodes of its call, with the result last, if there are several."""
        if self._calls is None:
            self._calls = find_calls(self.order)
        return self._calls

    def call_nodes(self, number):
        """Return the nodes that the call of a node has recorded, with the result last."""
        node = self.order[number - 1]
        return self.calls.get(node, [node])

    def call(self, nodes):
        """Return the Call that recorded several nodes; None if it is unknown."""
        if nodes[-1] not in self._found:
            self._found[nodes[-1]] = find_call(self, nodes)
        return self._found[nodes[-1]]

    def edges(self, node):
        """Yield the destinations of a node's gradients, in the order of its operands."""
        targets = node.next_functions
        for (target, output), (parameter, formula) in zip(targets, operands(node, targets), strict=True):
            yield Edge(self.numbers.get(target), output, parameter, formula)

    def value(self, node, tensor):
        """Return the value of a node, if a variable holds it or another node saved it; None if it is gone."""
        if tensor is not None:
            return elements(tensor.array)
        if node is self.top and type(refresh_node(self.tensor)) is not Output:
            return elements(self.tensor.array)
        if self._values is None:
            self._values = saved_values(self.order)
        return self._values.get(node)

    def gradient(self, tensor):
        return None if tensor is None else array(tensor._kept)


def order_nodes(root):
    """Return all nodes that a gradient at ``root`` reaches, oldest first."""
    found, waiting = {root}, [root]
    while waiting:
        for node, _number in waiting.pop().next_functions:
            if node is not None and node not in found and type(node) is not NoGradView:
                found.add(node)
                waiting.append(node)
    return sorted(found, key=lambda node: node.time)


def operands(node, targets):
    """Return (parameter, derivative) of each operand of a node; (None, None) if the operator table lacks it."""
    unknown = [(None, None)] * len(targets)
    if not isinstance(node.op, Op):  # a user's function, or a write
        return unknown
    declared = list(node.derivatives.items())
    before, after = node.constant_edges
    if node.op.sequence and len(declared) == 1:
        name, formula = declared[0]
        return [(f"{name}[{index}]", formula) for index in range(len(targets))]
    if len(declared) + before + after == len(targets):
        return [(None, None)] * before + declared + [(None, None)] * after
    if len(targets) == 1:  # the other operand is a number
        return [next((d for d, n in zip(declared, node.inputs) if n is not None), (None, None))]
    return unknown


def find_calls(nodes):
    """Return node -> the nodes recorded by the same call of a function or layer, if there are several, in order.

    A loop makes the same call many times: among neighbours with the same place, each repetition is a call.
    """
    found = {}
    for (made, _layer), group in groupby(nodes, lambda node: (place(node), id(layer(node)))):
        if made is None:
            continue
        group = list(group)
        length = period([type(node) for node in group])
        length = length if 2 * length <= len(group) else len(group)
        for start in range(0, len(group) if length > 1 else 0, length):
            call = group[start : start + length]
            found.update(dict.fromkeys(call, call) if len(call) > 1 else {})
    return found


def saved_values(nodes):
    """Return node -> its output, from values that it or its users saved and that were not changed since."""
    values = {}
    for node in nodes:
        for role, value in zip(node.roles, kept.saved_by(node), strict=False):
            if type(role) is not int or role < -1 or not hasattr(value, "dtype") or is_written_after(node.time, value):
                continue
            owner = node if role == -1 else node.inputs[role]
            if owner is not None:
                values[owner] = value
    return values


def array(value):
    """Return the elements of a tensor; None for other values."""
    return elements(value.array) if isinstance(value, Tensor) else None


def dtype(of_array):
    return None if of_array is None else str(BY_NUMPY[of_array]).removeprefix("torch.")


def where(found):
    """Return ``file:line`` of a piece of source, and its function."""
    return f"{found.filename}:{found.line}" + (f" in {found.function}" if found.function else "")


def find_node(graph, name):
    """Return the number of the node with a name or a piece of source."""
    for node in reversed(list(graph)):
        if name in (node.variable, node.label):
            return node.number
    known = dict.fromkeys(node.variable for node in graph if node.variable)
    raise LookupError(
        _("{name} is not in this graph, which has {names}").format(name=name, names=", ".join(known) or _("none"))
    )


def find_paths_through(graph, number):
    """Return the numbers of the nodes on all paths from the root to a node, and of all nodes behind it."""
    numbers = {number}
    for user in range(number + 1, len(graph) + 1):  # users of a node are recorded after it
        if any(graph.numbers.get(target) in numbers for target, _ in graph.order[user - 1].next_functions):
            numbers.add(user)
    waiting = [number]
    while waiting:
        for operand in graph[waiting.pop()].edges:
            if operand.number is not None and operand.number not in numbers:
                numbers.add(operand.number)
                waiting.append(operand.number)
    return numbers
