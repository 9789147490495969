"""The origin of a gradient, or the reason why it is missing: `why`."""

import sys

import numpy as np

from tensh.engine.core.nodes import AccumulateGrad
from tensh.engine.core.tensor import Tensor
from tensh.engine.core.views import refresh_node
from tensh.explain.nans.origins import find_origins, holds
from tensh.explain.nans.texts import describe_origins
from tensh.graph import chain, kept, tokens
from tensh.graph.assignments import assignments
from tensh.graph.elements import elements
from tensh.graph.names import list_named_tensors, write_in_python
from tensh.graph.reverse import GoneError, Pass
from tensh.graph.walk import Graph
from tensh.graph.why import explain, path_counts
from tensh.show.drawing.markup import text_block
from tensh.show.drawing.page import WIDE, Lines
from tensh.show.drawing.text import cells, wrap_lines
from tensh.show.reading.asking import sources_of_caller
from tensh.support.language import _, list_names


class Why(Lines):
    """The chain rule for one tensor, with names and numbers; `explanation` is data, `checked` finite differences."""

    def __init__(self, explanation, name, checked, notes):
        super().__init__(self._lines)
        self.explanation, self.name, self.checked, self.notes = explanation, name, checked, notes

    def _repr_html_(self):
        return text_block(self.draw(WIDE._replace(is_window=True)))  # keeps the headline within the page

    def _lines(self, page):
        head, *steps = chain.lines(
            self.explanation, self.name, "·" if page.unicode else "*", page.width - 1 if page.is_window else None
        )
        yield from fit_headline(head, page)
        yield from steps
        if self.checked:
            yield from chain.check_lines(self.explanation, self.name, self.checked)
        for note in self.notes:
            for line in wrap_lines(note, page.width - 3) if page.is_window else [note]:
                yield [("note", f"# {line}")]


def fit_headline(head, page):
    """Yield the headline, with its reason below if the window is too narrow for both."""
    *gradient, (kind, reason) = head
    if not page.is_window or cells("".join(text for _kind, text in head)) < page.width:
        yield head
        return
    yield gradient
    for line in wrap_lines(reason.strip(), page.width - 5):
        yield [(kind, "    " + line)]


def why(tensor, root=None, names=None, sources=None):
    """Explain the gradient of a tensor: every path of the chain rule from the root, and their sum.

    Args:
        tensor: a tensor from which the root was computed, usually a leaf; or its gradient, as in ``why(w.grad)``.
        root: the tensor to differentiate; default: the one computed last from `tensor`.
        names: a dict of the names of tensors; default: those of the caller.
        sources: a dict of file names and their texts, in the order in which they ran; default: the code of the session, if
            any. They serve to recompute the root, for comparing the gradient with finite differences, and to tell why a
            tensor has no gradient.

    The derivatives are computed anew. If there is no gradient, or the values that a derivative reads were freed, the reason
    is shown instead.

    Of a computed tensor that holds nan, the operation is named that the first nan comes from.

    >>> import tensh
    >>> x = tensh.tensor(3., requires_grad=True)
    >>> y = x * x
    >>> tensh.show.why(x, y, {"x": x, "y": y})
    x.grad = 6    because y, at x = 3, and x reaches y along 2 paths
    <BLANKLINE>
    path 1    y  <-  x
              d y / d x  = x = 3    product rule: the other factor
    path 2    y  <-  x
              d y / d x  = x = 3    product rule: the other factor
    sum       3 + 3 = 6
    # y.backward() has not run, or x.grad was set to None since
    """
    if not isinstance(tensor, Tensor):
        raise TypeError(_("expected a tensor with a gradient, not {kind}").format(kind=type(tensor).__name__))
    from tensh.explain.cuts.absence import GradientQuestion, sources_of

    sources = sources_of_caller() if sources is None and names is None else sources
    caller = sys._getframe(1)
    names = {**caller.f_globals, **caller.f_locals} if names is None else dict(names)
    tensor = owner_of(tensor, names)
    asked = GradientQuestion(names, sources or sources_of(caller))
    name = next((each for each, value in list_named_tensors(names) if value is tensor), "it")
    nan = describe_nan(tensor, name, names)
    answer = explain_gradient(tensor, name, root, names, sources, asked)
    return answer if nan is None else Lines(lambda page: [[("plain", nan)], *answer.lines(page)])


def describe_nan(tensor, name, names):
    """Return the sentence about the origin of nan in a computed tensor; None if it holds none, or the origin is unknown."""
    node = refresh_node(tensor)
    if node is None or type(node) is AccumulateGrad or not holds(tensor.array, np.isnan):
        return None
    origins = find_origins(Graph(tensor, names))
    return describe_origins(name, origins) if origins else None


def explain_gradient(tensor, name, root, names, sources, asked):
    """Return the explanation of the gradient of a tensor."""
    from tensh.explain.cuts.absence import reason

    found, node = assignments(sources or {}), refresh_node(tensor)
    absent = reason(tensor, name, asked)
    if node is None:
        return describe_unexplained(tensor, name, absent)
    graph = root_of(node, names) if root is None else Graph(root, names)
    if graph is None:
        return describe_unexplained(tensor, name, describe_missing_root(tensor, name, absent, asked))
    root_name = graph[graph.root].short
    if node not in graph.numbers:
        return describe_unexplained(
            tensor, name, _("no path leads from {root_name} to {name}").format(root_name=root_name, name=name)
        )
    try:
        explanation = explain(graph, graph.numbers[node])
    except GoneError:
        wanted = _("ask before {root_name}.backward(), or keep them: {root_name}.backward(retain_graph=True)").format(
            root_name=root_name
        )
        return describe_unexplained(
            tensor,
            name,
            absent or _("that pass freed the values that its derivatives need; {wanted}").format(wanted=wanted),
        )
    if explanation.gradient is None:
        return describe_unexplained(tensor, name, absent or describe_refusal(graph, explanation.target))
    if absent:
        value = tokens.values(explanation.gradient)
        return describe_reasons(
            _("{name}.grad is None: {reason}").format(name=name, reason=absent),
            _("to keep it: {name}.retain_grad() before {root_name}.backward(); it would be {value}").format(
                name=write_in_python(name), root_name=root_name, value=value
            ),
        )
    checked, notes = compare_with_differences(explanation, tensor, found, names) if sources else (None, [])
    return Why(explanation, name, checked, notes + grad_notes(tensor, name, root_name, explanation, asked))


def describe_missing_root(tensor, name, absent, asked):
    """Say why no named tensor leads to a tensor; ``absent`` is the reason for a missing gradient, if it is known."""
    from tensh.explain.cuts.absence import find_lost_result, find_lost_use

    if read_gradient(tensor) is not None:
        return _("the loss has no name, and its graph was freed; write loss = ..., then loss.backward()")
    if absent:
        return absent
    lost = find_lost_result(name, asked) or find_lost_use(name, asked)
    if not lost:
        return _("no named tensor was computed from {name}").format(name=name)
    return _("no named tensor with a history was computed from {name}; {reason}").format(
        name=name, reason=asked.sentence(lost)
    )


def describe_refusal(graph, target):
    """Name the operation that passes on no gradient: a user's function whose backward returns None for an operand."""
    counts, passed = path_counts(graph, target), Pass(graph)
    found = [
        (graph.order[number - 1].name(), graph[edge.number].short)
        for number in sorted(passed.arrived, reverse=True)
        for i, edge in enumerate(graph[number].edges)
        if counts.get(edge.number, 0) and (number, i) not in passed.brought
    ]
    if not found:
        return _("no path leads from {root_name} to {name}").format(
            root_name=graph[graph.root].short, name=graph[target].short
        )
    function, operand = found[0]
    return _("{function} returns None for {operand}").format(function=function, operand=operand)


def owner_of(tensor, names):
    """Return the named tensor whose gradient was passed, as in `why(w.grad)`; other tensors as they are."""
    if tensor.requires_grad:
        return tensor
    owners = (value for _name, value in list_named_tensors(names) if value.requires_grad and value.is_leaf)
    return next((value for value in owners if value.grad is tensor), tensor)


def describe_unexplained(tensor, name, why):
    """Return the explanation of a gradient without paths: its value, and why it cannot be explained."""
    held = read_gradient(tensor)
    if held is None:
        return describe_reasons(_("{name}.grad is None: {reason}").format(name=name, reason=why))
    return describe_reasons(
        _("{name}.grad = {value}, but its origin is not known: {reason}").format(
            name=name, value=tokens.values(elements(held.array)), reason=why
        )
    )


def read_gradient(tensor):
    """Return the gradient that a tensor keeps; None for other tensors, whose ``.grad`` would warn."""
    return tensor.grad if tensor.is_leaf or tensor.retains_grad else None


def describe_reasons(*sentences):
    return Lines(lambda page: [[("plain", sentence)] for sentence in sentences])


def compare_with_differences(explanation, tensor, found, names):
    """Return (result of the differences, None) or (None, notes on why there is none)."""
    from tensh.graph.check import UncheckedError, check_gradient

    graph = explanation.graph
    root = graph[graph.root]
    if type(refresh_node(tensor)) is not AccumulateGrad:
        return None, []
    if root.variable is None:
        return None, [_("not checked: the loss has no name")]
    if not np.isfinite(explanation.gradient).all():
        return None, [_("not checked: the gradient is not finite")]
    try:
        return check_gradient(tensor, explanation.gradient, graph.tensor, root.variable, found, names), []
    except UncheckedError as error:
        return None, [_("not checked: {error}").format(error=error)]


def is_multiple(held, gradient):
    """Return True if a gradient is an integer multiple of another, as after several passes."""
    if held.shape != gradient.shape or not np.isfinite(held).all() or not gradient.any():
        return False
    times = round(float(np.abs(held).sum() / np.abs(gradient).sum()))
    return times > 1 and np.allclose(held, times * gradient, rtol=1e-4)


def find_hooked(explanation):
    """Return the names of the nodes with user hooks on the path of a gradient."""
    graph, found = explanation.graph, {}
    for path in explanation.paths:
        for number in (*(number for number, _edge in path.edges), explanation.target):
            hooks = graph.order[number - 1].hooks
            if hooks is not None and (hooks.tensor or hooks.before or hooks.after or hooks.accumulated):
                found[graph[number].short] = None
    return [*found]


def grad_notes(tensor, name, root_name, explanation, asked):
    """Describe the contents of ``.grad`` if they differ from the explained gradient."""
    if tensor.grad is None:
        return [
            _("{root}.backward() has not run, or {name}.grad was set to None since").format(root=root_name, name=name)
        ]
    held = elements(tensor.grad.array)
    if (
        held is None
        or held.shape == explanation.gradient.shape
        and np.allclose(held, explanation.gradient, rtol=1e-4, equal_nan=True)
    ):
        return []
    hooked = find_hooked(explanation)
    if hooked and not is_multiple(held, explanation.gradient):
        text = _("{name}.grad holds {value}: a hook on {hooked} changes the gradient")
        return [text.format(name=name, value=tokens.values(held), hooked=list_names(hooked))]
    changed = asked.find_change(name) if asked else None
    if changed:
        text = _("{name}.grad holds {value}: `{code}` changed it afterwards")
        return [text.format(name=name, value=tokens.values(held), code=changed)]
    text = _("{name}.grad holds {value}: the sum of all backward passes since it was None or zero")
    return [text.format(name=name, value=tokens.values(held))]


def root_of(node, names):
    """Return the graph of the tensor computed last from a node; None if there is none."""
    known = [*(pair[1] for pair in list_named_tensors(names)), *kept.roots]
    made = [(refresh_node(t).time, i, t) for i, t in enumerate(known) if t.requires_grad]
    for *_time, tensor in sorted(made, key=lambda each: each[:2], reverse=True):
        if type(refresh_node(tensor)) is AccumulateGrad:
            continue
        graph = Graph(tensor, names)
        if node in graph.numbers and graph.top is not node:
            return graph
    return None
