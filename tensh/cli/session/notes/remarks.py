"""The texts of the notes for learners: (message, advice) for each."""

import ast

from tensh.engine.core.nodes import AccumulateGrad
from tensh.engine.core.tensor import Tensor
from tensh.explain.making import line_that_made
from tensh.explain.place import Place
from tensh.graph.names import names_of_nodes, write_in_python
from tensh.support.language import _


def piece(place):
    """Convert a place for the explanations."""
    known = place.column is not None
    where = (place.line, place.column, place.end_line, place.end_column) if known else (place.line, 0, place.line, 0)
    return Place(place.source.text, *where)


def remark_on_sums(leaves, lines, place, names):
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
    return message, find_uncalled(place) or _("{back} before each backward").format(back=back)


def is_replaced(names):
    """Return True if a name refers to a tensor computed from a leaf without a name, as after `w = w - rate * w.grad`."""
    known = {id(tensor) for tensor in names.values() if isinstance(tensor, Tensor)}
    computed = [each.grad_fn for each in names.values() if isinstance(each, Tensor) and each.grad_fn is not None]
    behind = [leaf for node in computed for leaf, _number in node.next_functions if type(leaf) is AccumulateGrad]
    return any(id(leaf.variable) not in known for leaf in behind)


def find_uncalled(place):
    """Find a `zero_grad` without parentheses; None if there is none."""
    for node in ast.walk(piece(place).tree() or ast.Module([], [])):
        match node:
            case ast.Expr(value=ast.Attribute(attr="zero_grad")):
                return _("on line {line}, call {code}()").format(line=node.lineno, code=ast.unparse(node))
    return None


def describe_change(node, code):
    """Write `line 4: total += loss.item()`."""
    return _("line {line}: {code}").format(line=node.lineno, code=code)


def is_optimizer(value):
    return hasattr(type(value), "zero_grad") and hasattr(value, "param_groups")


def holds(optimizer, leaves):
    """Return True if one of the leaf nodes belongs to a parameter of an optimizer."""
    ids = {id(leaf.variable) for leaf in leaves}
    return any(id(p) in ids for group in optimizer.param_groups for p in group["params"])


def without_dim(place, names):
    """Return the note on a softmax without a dimension, which PyTorch chooses by their number."""
    from tensh.explain.causes import Situation

    path = piece(place).path()
    node = path[-1] if path and isinstance(path[-1], ast.Call) and path[-1].args else None
    if node is None or not ast.unparse(node.func).endswith(("softmax", "softmin")):
        message = _("the layer has no dim, so that the number of dimensions of its input decides")
        return message, _("create it with the dimension of the classes: nn.Softmax(dim=-1)")
    given = Situation(None, names, piece(place), None).tensor_of(node.args[0])
    if given is None:
        return None
    dim = 0 if given.dim() in (0, 1, 3) else 1  # PyTorch's choice
    message = _(
        "dim={dim} was chosen, because {text} has {count} dimensions; the classes are mostly along the last one"
    )
    message = message.format(dim=dim, text=ast.unparse(node.args[0]), count=given.dim())
    return message, f"{ast.unparse(node)[:-1]}, dim=-1)"


def not_a_leaf(place, names):
    """Return the note on a gradient that is not kept because the tensor was computed."""
    from tensh.explain.causes import Situation
    from tensh.explain.causes.gradients.absent import find_rebinding, not_kept

    name = (place.segment or "").removesuffix(".grad") if (place.segment or "").endswith(".grad") else None
    situation = Situation(None, names, piece(place), None)
    if name and find_rebinding(situation, name):
        message, (fit, *_more), _advice = not_kept(situation, name)
        return message, _("line {line}: {code}").format(line=fit.line, code=fit.text)
    line = line_that_made(piece(place), name) if name and name.isidentifier() else None
    keep = _("call {name}.retain_grad() before backward()").format(name=write_in_python(name or "y"))
    if line:
        message = _("{name} was computed on line {line}: backward keeps gradients of leaves only")
    else:
        message = _("{name} was computed: backward keeps gradients of leaves only")
    return message.format(name=name or _("this tensor"), line=line), keep
