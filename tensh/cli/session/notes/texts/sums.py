"""The note on gradients that are the sum of several passes because they were not reset."""

from tensh.cli.session.notes.texts.shared import (
    find_uncalled,
    is_optimizer,
)
from tensh.engine.core.nodes import AccumulateGrad
from tensh.engine.core.tensor import Tensor
from tensh.graph.names import names_of_nodes, write_in_python
from tensh.support.language import _


def note_sums(leaves, lines, place, names):
    """Return the note that gradients are sums over several passes."""
    first, *more = [f"{name}.grad" for node, (name, _) in names_of_nodes(names).items() if node in leaves] or [""]
    if not first and is_replaced(names):
        return None
    where = [str(line) for line in dict.fromkeys(lines)]
    own, first = first, first or _("a gradient")
    if more:
        first = _("{name} (and {count} more)").format(name=first, count=len(more))
    if where[1:]:
        message = _("{name} is the sum of {count} backward passes, on lines {lines} and {last}: each adds to it, and it was never reset")  # fmt: skip
    else:
        message = _("{name} is the sum of {count} backward passes: each adds to it, and it was never reset")
    message = message.format(name=first, count=len(lines), lines=", ".join(where[:-1]), last=where[-1])
    optimizer = next((each for each, value in names.items() if is_optimizer(value) and holds(value, leaves)), None)
    if optimizer:
        back = f"{optimizer}.zero_grad()"
    elif hasattr(type(names.get(own.partition(".")[0])), "named_parameters"):
        back = f"{own.partition('.')[0]}.zero_grad()"
    else:
        back = f"{write_in_python(own or 'w.grad')} = None"
    return message, find_uncalled(place, "zero_grad") or _("{back} before each backward").format(back=back)


def is_replaced(names):
    """Return True if a name refers to a tensor computed from a leaf without a name, as after `w = w - rate * w.grad`."""
    known = {id(tensor) for tensor in names.values() if isinstance(tensor, Tensor)}
    computed = [each.grad_fn for each in names.values() if isinstance(each, Tensor) and each.grad_fn is not None]
    behind = [leaf for node in computed for leaf, _number in node.next_functions if type(leaf) is AccumulateGrad]
    return any(id(leaf.variable) not in known for leaf in behind)


def holds(optimizer, leaves):
    """Return True if one of the leaf nodes belongs to a parameter of an optimizer."""
    ids = {id(leaf.variable) for leaf in leaves}
    return any(id(p) in ids for group in optimizer.param_groups for p in group["params"])
