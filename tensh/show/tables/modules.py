"""The modules of a model as a table: `summary`."""

from collections import Counter

import tensh.support.language as language
from tensh.engine.core.tensor import Tensor
from tensh.show.drawing.table import Table
from tensh.show.reading import describe
from tensh.support.language import _


def summary(model, *inputs, depth=None):
    """List the modules of a model: the shape of each output for some inputs, and the number of parameters.

    Args:
        model: a Module.
        inputs: the arguments of a single call without autograd; without them no shapes are shown.
        depth: the number of nested levels to show; default: all.

    A module that occurs several times has one row, and its parameters count once.

    >>> import tensh
    >>> model = tensh.nn.Sequential(tensh.nn.Linear(4, 8), tensh.nn.Linear(8, 3))
    >>> tensh.show.summary(model, tensh.ones(5, 4))
    module  type        output  parameters
    model   Sequential  [5, 3]
      0     Linear      [5, 8]  40
      1     Linear      [5, 3]  27
    # 67 parameters, 268 B, all of them require grad
    """
    if callable(getattr(model, "module", None)) and not hasattr(model, "named_modules"):
        model = model.module()  # an exported program
    if not hasattr(model, "named_modules"):
        raise TypeError(_("summary(): expected a Module, not {name}").format(name=type(model).__name__))
    shapes = outputs(model, inputs) if inputs else {}
    rows, uses = [], Counter(id(module) for _path, module in model.named_modules(remove_duplicate=False))
    for path, module in model.named_modules():
        level = path.count(".") + 1 if path else 0
        if depth is not None and level > depth:
            continue
        name = "  " * level + (path.rpartition(".")[2] if path else _("model"))
        own = list(module.parameters(recurse=depth is not None and level == depth))
        count = sum(parameter.numel() for parameter in own)
        count_of_uses = 1 if module is model else uses[id(module)]
        shared = "" if count_of_uses == 1 else _("used {uses} times").format(uses=count_of_uses)
        rows.append((name, type(module).__name__, shapes.get(module, ""), f"{count:,}" if count else "", shared))
    columns = [_("module"), _("type"), _("output"), _("parameters"), ""]
    keep = [i for i, column in enumerate(columns) if i in (0, 1, 3) or any(row[i] for row in rows)]
    return Table([columns[i] for i in keep], [[row[i] for i in keep] for row in rows], notes=[total(model)])


def outputs(model, inputs):
    """Return module -> shape of its output when the model is called."""
    import tensh

    found, handles = {}, []
    for module in model.modules():
        handles.append(module.register_forward_hook(lambda m, args, result: found.update({m: shape_of(result)})))
    try:
        with tensh.no_grad():
            model(*inputs)
    finally:
        for handle in handles:
            handle.remove()
    return found


def shape_of(result):
    """Format the shape of a tensor, or the shapes in a tuple or list."""
    if isinstance(result, Tensor):
        return describe.shape(result)
    if isinstance(result, tuple | list):
        return ", ".join(filter(None, map(shape_of, result)))
    return ""


def total(model):
    """Write the number of parameters, and their bytes."""
    parameters = list(model.parameters())
    count = sum(p.numel() for p in parameters)
    size = describe.amount(sum(map(describe.nbytes, parameters)))
    free = sum(p.numel() for p in parameters if p.requires_grad)
    grad = _("all of them require grad") if free == count else _("{free:,} of them require grad").format(free=free)
    return f"{language.count(count, 'parameter')}, {size}, {grad}" if count else _("no parameters")
