"""The table of gradients: `grads`."""

import re
import sys

from tensh.show import describe
from tensh.show.containers import is_container, items
from tensh.show.measures import statistics
from tensh.show.page import View
from tensh.show.table import Table
from tensh.show.values import norm

BACKWARD = re.compile(r"(?P<name>\w+?)Backward\d*$")
WORD = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
LONGEST_FORMULA = 24  # of how a tensor was made, before its parts are left out
COLUMNS = ("name", "made by", "shape", "value", "is_leaf", "gradient", "kept", "note")


class Gradients(View):
    """Named tensors that take part in a graph: how each was made, its value, and its gradient or why there is none."""

    def __init__(self, names):
        found = {}  # id of a tensor -> the first name that it has, and itself
        for name, tensor in tensors_among(names):
            if not describe.has_history(tensor):
                continue
            found.setdefault(id(tensor), (name, tensor))
        self.tensors = {name: tensor for name, tensor in found.values() if tensor.requires_grad}
        self.unrecorded = [n for n, t in found.values() if not t.requires_grad and t.is_floating_point()]
        self.called = {}  # id of a node or a leaf -> its name
        for name, tensor in self.tensors.items():
            self.called.setdefault(id(tensor if tensor.is_leaf else tensor.grad_fn), name)
        self.roots = self._roots()
        self.uses = uses([self.tensors[name].grad_fn for name in self.roots])

    def _roots(self):
        """The names of the computed tensors that no other named one was computed from."""
        computed = {name: t.grad_fn for name, t in self.tensors.items() if not t.is_leaf}
        inside = uses(computed.values())
        return [name for name, node in computed.items() if id(node) not in inside]

    @property
    def rows(self):
        """(name, made by, shape, value, is_leaf, gradient, kept, note) of each tensor, in words."""
        return [self._row(name, tensor) for name, tensor in self.tensors.items()]

    def _row(self, name, tensor):
        grad = tensor.grad if tensor.is_leaf or tensor.retains_grad else None
        maker = "-" if tensor.is_leaf else self.formula(tensor.grad_fn)
        kept, why = ("yes", "") if grad is not None else self._why_not(tensor)
        gradient = "-" if grad is None else in_short(grad)
        notes = ", ".join([why] * bool(why) + [*self._notes(tensor, grad)])
        leaf = describe.yes_or_no(tensor.is_leaf)
        return name, maker, describe.shape(tensor), in_short(tensor.detach()), leaf, gradient, kept, notes

    def _why_not(self, tensor):
        """Whether a gradient that is not there is still to come, and if not why."""
        if not tensor.is_leaf:
            return ("not yet", "") if tensor.retains_grad else ("no", "")
        if id(tensor) in self.uses:
            return "not yet", ""
        return "no", f"not in {' or '.join(self.roots)}" if self.roots else "in no result with a name"

    def _notes(self, tensor, grad):
        number = self.uses.get(id(tensor), 0)
        if tensor.is_leaf and number > 1:
            yield f"sum of {number} uses" if len(self.roots) == 1 else f"used {number} times"
        if grad is None:
            return
        found = statistics(grad)
        yield from [f"NaN {found.nans:,}"] * bool(found.nans) + [f"inf {found.infinities:,}"] * bool(found.infinities)
        if found.count and found.zeros == found.count:
            yield "all zero"
        elif describe.numel(tensor) > 1 and norm(grad) > norm(tensor.detach()) > 0:
            yield "larger than the value"

    def remarks(self):
        """What holds for several rows."""
        if any(describe.numel(tensor) > 1 for tensor in self.tensors.values()):
            yield "the norm stands for a tensor of several elements"
        lost = [n for n, t in self.tensors.items() if not t.is_leaf and not t.retains_grad and n not in self.roots]
        if lost:
            yield f"only leaves keep their gradient · to keep another: {lost[0]}.retain_grad() before backward()"
        if not any(t.is_leaf and t.grad is not None for t in self.tensors.values()):
            yield "backward() has not run yet"
        if self.unrecorded:
            yield f"not recorded, requires_grad is False: {', '.join(self.unrecorded)}"

    def formula(self, node, inner=False):
        """How a node computes: the code if it is known, else `mul(a, b)` with names, or the formulas of what has none."""
        source = describe.source_of(node, LONGEST_FORMULA)
        if source:
            return source
        match = BACKWARD.match(node.name().rpartition("::")[2])
        word = WORD.sub("_", match["name"]).lower() if match else node.name()
        parts = [self._input(each, inner) for each, _ in node.next_functions]
        text = f"{word}({', '.join(parts)})"
        return text if len(text) <= LONGEST_FORMULA else f"{word}(...)"

    def _input(self, node, inner):
        if node is None:  # a number, or a tensor that is not recorded
            return "..."
        known = self.called.get(id(getattr(node, "variable", node)))
        return known or ("..." if inner or hasattr(node, "variable") else self.formula(node, inner=True))

    def title(self):
        """What the gradients are of, where that is one thing."""
        if len(self.roots) != 1:
            return ""
        root = self.tensors[self.roots[0]]
        made = f"{self.roots[0]} = {self.formula(root.grad_fn)}"
        value = f", value {describe.number(root.item())}" if describe.numel(root) == 1 else f", {describe.shape(root)}"
        return f"gradients of {made}{value}"

    def draw(self, page):
        if not self.tensors:
            yield "note", "no tensors that require grad yet"
            return
        columns, rows = COLUMNS, self.rows
        if not any(row[-1] for row in rows):
            columns, rows = columns[:-1], [row[:-1] for row in rows]
        yield from Table(columns, rows, self.title(), self.remarks(), wraps=len(columns) == len(COLUMNS)).draw(page)


def in_short(tensor):
    """The only element of a tensor, or its norm."""
    return describe.number(tensor.item() if tensor.shape == () else norm(tensor))


def tensors_among(names):
    """(name, tensor) for the tensors among names, in their containers, and the parameters of their modules."""
    for name, value in names.items():
        if describe.is_tensor(value):
            yield name, value
        elif is_container(value):
            found = ((key if key[0] == "[" else f"[{key}]", each) for key, each in items(value))
            yield from ((name + key, each) for key, each in found if describe.is_tensor(each))
        elif not isinstance(value, type) and callable(getattr(type(value), "named_parameters", None)):
            yield from ((f"{name}.{own}", parameter) for own, parameter in value.named_parameters())


def uses(nodes):
    """How often the nodes and leaves behind some nodes are used there, by the identity of node or leaf."""
    number, queue, seen = {}, [*nodes], {}
    while queue:
        node = queue.pop()
        if id(node) in seen:
            continue
        seen[id(node)] = node  # kept, so that no other takes its identity
        for each, _ in node.next_functions:
            if each is None:
                continue
            key = id(getattr(each, "variable", each))
            number[key] = number.get(key, 0) + 1
            queue.append(each)
    return number


def grads(names=None):
    """The tensors that require grad: how each was made, its value, and its gradient or why there is none.

    Args:
        names: a dict of them, in which modules and containers stand for their parameters and items; the global names
            of whoever calls, if nothing is given.

    >>> import tensh
    >>> x = tensh.tensor(2., requires_grad=True)
    >>> w = tensh.tensor(1., requires_grad=True)
    >>> a, b = x + w, w + 1
    >>> y = a * b
    >>> y.backward()
    >>> tensh.show.grads({"x": x, "w": w, "a": a, "b": b, "y": y})
    gradients of y = mul(a, b), value 6
    name  made by      shape  value  is_leaf  gradient  kept  note
    x     -            []     2      yes      2         yes
    w     -            []     1      yes      5         yes   sum of 2 uses
    a     add(x, w)    []     3      no       -         no
    b     add(w, ...)  []     2      no       -         no
    y     mul(a, b)    []     6      no       -         no
    # only leaves keep their gradient · to keep another: a.retain_grad() before backward()
    """
    if names is None:
        names = {name: value for name, value in sys._getframe(1).f_globals.items() if not name.startswith("_")}
    return Gradients(names)
