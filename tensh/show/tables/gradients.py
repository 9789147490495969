"""The table of gradients: `grads`."""

from tensh.engine.core.nodes import AccumulateGrad, Parts
from tensh.engine.core.tensor import Tensor
from tensh.engine.core.views import refresh_node
from tensh.graph import flaws, tokens
from tensh.graph.elements import elements
from tensh.graph.names import list_named_tensors, write_in_python
from tensh.graph.reverse import GoneError, Pass
from tensh.graph.walk import Graph
from tensh.show.drawing.table import Table, Tables
from tensh.show.reading import describe
from tensh.show.reading.asking import choose_names
from tensh.show.reading.values import array_of, norm
from tensh.support.language import _, deferred

FEW = 4  # uses whose shares are listed
LONGEST = 32  # columns of the code that made a tensor


class Gradients(Tables):
    """A table of named tensors that require grad: origin, value, a root's gradient, and whether that is kept.

    `root` is the tensor that is differentiated, `names` a dict of names.
    """

    nothing = deferred("no tensors that require grad yet")

    def __init__(self, root, names):
        self.names, self.tensors = names, first_names(names)
        root = newest_root(self.tensors.values()) if root is None else root
        self.graph = None if root is None else Graph(root, names)
        self.passed = None
        if self.graph:
            try:
                self.passed = Pass(self.graph)
            except GoneError:
                self.passed = None  # a backward pass happened before recording began

    @property
    def columns(self):
        of = (
            _("d {root} / d name").format(root=tokens.shorten(self.graph[self.graph.root].short, 12))
            if self.graph
            else _("gradient")
        )
        return _("name"), _("made by"), _("shape"), _("value"), "is_leaf", of, _("kept"), _("note")

    @property
    def rows(self):
        """Return texts (name, made by, shape, value, is_leaf, derivative, kept, note) of each tensor that requires grad."""
        return [self._row(name, tensor) for name, tensor in self.tensors.items() if tensor.requires_grad]

    def _number(self, tensor):
        """Return the number of a tensor's node in the graph of the root; None if it is not in the graph."""
        return self.graph.numbers.get(node_of(tensor)) if self.graph else None

    def _row(self, name, tensor):
        number = self._number(tensor)
        held = tensor.grad if tensor.is_leaf or tensor.retains_grad else None
        gradient = self._gradient(tensor, number, held)
        awaited = held is None and number is not None and (tensor.is_leaf or tensor.retains_grad)
        return (
            name, self._maker(tensor, number), describe.shape(tensor), summarize_gradient(elements(tensor.array)),
            describe.yes_or_no(tensor.is_leaf), "-" if gradient is None else summarize_gradient(gradient),
            _("not yet") if awaited else describe.yes_or_no(held is not None),
            ", ".join(note for note in self._notes(tensor, number, gradient, held) if note),
        )  # fmt: skip

    def _maker(self, tensor, number):
        """Return the code that made a tensor, or the operation with the names of its inputs."""
        if tensor.is_leaf:
            return "-"
        graph = self.graph if number is not None else Graph(tensor, self.names)
        node = graph[graph.numbers[node_of(tensor)]]
        return tokens.shorten(node.label or describe_call(graph, node), LONGEST)

    def _gradient(self, tensor, number, held):
        """Return the gradient with respect to a tensor: recomputed from the graph, else the one it holds."""
        if self.passed and number in self.passed.arrived:
            found = self.passed.arrived[number]
            return found.get(getattr(refresh_node(tensor), "index", 0)) if type(found) is Parts else found
        return None if held is None else elements(held.array)

    def _notes(self, tensor, number, gradient, held):
        if number is None and self.graph:
            yield _("not in {short}").format(short=tokens.shorten(self.graph[self.graph.root].short, 30))
        if number is None and not self.graph and held is None:
            yield _("not used in any named result")
        if self.passed and number in self.passed.arrived:
            yield self._sum(number)
            yield flaws.describe_flaw(self.passed, number)
        elif held is not None:
            yield _(flaws.flaw(elements(held.array)) or "")
        if gradient is None or elements(tensor.array) is None:
            return
        if tensor.is_leaf and tensor.array.size > 1 and norm(gradient) > norm(tensor) > 0:
            yield _("{norm} times its value").format(norm=describe.number(norm(gradient) / norm(tensor)))
        if held is not None and summarize_gradient(elements(held.array)) != summarize_gradient(gradient):
            yield _(".grad is {value}, with other passes added").format(value=summarize_gradient(elements(held.array)))

    def _sum(self, number):
        """Return `used 2 times: 2 + 3` for a gradient that is a sum."""
        shares = [self.passed.brought[at] for at in self.passed.senders[number]]
        if len(shares) < 2:
            return ""
        text = _("used {shares} times").format(shares=len(shares))
        if len(shares) > FEW or any(type(share) is Parts or share.size != 1 for share in shares):
            return text
        return f"{text}: {' + '.join(map(summarize_gradient, shares))}"

    def title(self):
        """Name the tensor whose gradients are shown."""
        root = self.graph[self.graph.root]
        value = elements(self.graph.tensor.array)
        made = root.title if root.label else f"{root.short} = {describe_call(self.graph, root)}"
        return _("gradients of {made}").format(made=made) + (
            _(", value {value}").format(value=summarize_gradient(value))
            if value is not None and value.size == 1
            else ""
        )

    def remarks(self):
        """Yield notes on several rows, or on tensors without rows."""
        shown = {name: t for name, t in self.tensors.items() if t.requires_grad}
        if any(t.array.size > 1 for t in shown.values()):
            yield _("the norm stands for a tensor of several elements")
        root = self.graph.tensor if self.graph else None
        lost = [n for n, t in shown.items() if not t.is_leaf and not t.retains_grad and t is not root]
        if lost:
            yield _("only leaves keep their gradient · to keep another: {name}.retain_grad() before backward()").format(
                name=write_in_python(lost[0])
            )
        if root is not None and not any(t.is_leaf and t.grad is not None for t in shown.values()):
            yield _("backward() has not run yet")
        unrecorded = [n for n, t in self.tensors.items() if not t.requires_grad and t.is_floating_point()]
        if unrecorded:
            yield _("not recorded, requires_grad is False: {unrecorded}").format(unrecorded=", ".join(unrecorded))

    def tables(self):
        columns, rows = self.columns, self.rows
        if not rows:
            return []
        if not any(row[-1] for row in rows):
            columns, rows = columns[:-1], [row[:-1] for row in rows]
        title = self.title() if self.graph else ""
        return [Table(columns, rows, title, self.remarks(), wraps=len(columns) == 8)]


def first_names(names):
    """Return name -> tensor, each tensor under its first name."""
    found = {}
    for name, tensor in list_named_tensors(names):
        if describe.has_history(tensor):
            found.setdefault(id(tensor), (name, tensor))
    return dict(found.values())


def node_of(tensor):
    """Return the node that represents a tensor in a graph."""
    node = refresh_node(tensor)
    return node.inputs[0] if hasattr(node, "index") else node


def newest_root(tensors):
    """Return the tensor computed last; None if none has a history."""
    computed = [t for t in tensors if t.requires_grad and type(refresh_node(t)) is not AccumulateGrad]
    return max(computed, key=lambda t: node_of(t).time, default=None)


def describe_call(graph, node):
    """Write the call of an operation with the names of its operands: `mul(a, b)`."""
    operands = ["..." if e.number is None else graph[e.number].variable or "..." for e in node.edges]
    return f"{node.operation}({', '.join(operands)})"


def summarize_gradient(array):
    """Return the only element of an array, or its norm; a dash if it has no elements in memory."""
    if array is None:
        return "-"
    return describe.number(array.item() if array.size == 1 and array.dtype.kind != "V" else norm(array))


def grads(names=None, root=None):
    """List the tensors that a result was computed from: how each was made, its value, its gradient, and whether it is kept.

    Args:
        names: a dict of names, in which modules and containers stand for their parameters and items; default: the
            global names of the caller.
        root: the tensor to differentiate; default: the one among the names computed last.

    The gradients are computed from the graph, so that those that no tensor keeps are shown, too.

    >>> import tensh
    >>> x = tensh.tensor(2., requires_grad=True)
    >>> w = tensh.tensor(1., requires_grad=True)
    >>> a, b = x + w, w + 1
    >>> y = a * b
    >>> y.backward(retain_graph=True)
    >>> tensh.show.grads({"x": x, "w": w, "a": a, "b": b, "y": y})
    gradients of y = mul(a, b), value 6
    name  made by      shape  value  is_leaf  d y / d name  kept  note
    x     -            []     2      yes      2             yes
    w     -            []     1      yes      5             yes   used 2 times: 2 + 3
    a     add(x, w)    []     3      no       2             no
    b     add(w, ...)  []     2      no       3             no
    y     mul(a, b)    []     6      no       1             no
    # only leaves keep their gradient · to keep another: a.retain_grad() before backward()
    """
    names = choose_names(names)
    others = {name: t for name, t in names.items() if describe.is_tensor(t) and not issubclass(type(t), Tensor)}
    return describe_foreign_gradients(others) if others else Gradients(root, names)


def describe_foreign_gradients(tensors):
    """Describe tensors of another library, whose graphs cannot be read."""
    rows = [
        (name, t.grad_fn.name() if t.grad_fn is not None else "-", describe.shape(t), summarize_gradient(array_of(t)),
         describe.yes_or_no(t.is_leaf), "-" if not t.is_leaf or t.grad is None else summarize_gradient(array_of(t.grad)))
        for name, t in tensors.items()
        if t.requires_grad
    ]  # fmt: skip
    return Table((_("name"), _("made by"), _("shape"), _("value"), "is_leaf", _("gradient")), rows)
