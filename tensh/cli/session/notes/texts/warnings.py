"""Notes on PyTorch's warnings: a gradient that is not kept, a softmax without a dimension."""

import ast

from tensh.cli.session.notes.texts.shared import (
    piece,
)
from tensh.explain.source.assignments import line_that_made
from tensh.graph.names import write_in_python
from tensh.support.language import _


def note_missing_dim(place, names):
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


def note_computed_tensor(place, names):
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
