"""Batches of a loader, samples of a dataset, and layers made for other batches."""

import ast
import re

from tensh.engine.core.tensor import Tensor
from tensh.explain.causes.data.collating import explain_part_without_batch
from tensh.explain.causes.data.loops import loop_over_loader
from tensh.explain.causes.models.layers import construction
from tensh.explain.model import Explanation, Fit
from tensh.explain.situation import first_explanation, message_of, operand_of
from tensh.explain.source.replacing import replace_node
from tensh.explain.source.statements import class_of
from tensh.support.language import _

# by number of dimensions of the input
BATCH_NORMS = {2: "BatchNorm1d", 3: "BatchNorm1d", 4: "BatchNorm2d", 5: "BatchNorm3d"}


def explain_batch(situation):
    """Return the Explanation of the first kind that applies."""
    return first_explanation(
        (
            explain_parts_of_batch,
            explain_keys_of_batch,
            explain_shuffled_sampler,
            explain_rows_of_dataset,
            explain_samples_of_many_shapes,
            explain_sample_of_none,
            explain_part_without_batch,
            explain_dims_of_norm,
            explain_features_of_norm,
        ),
        situation,
    )


def explain_parts_of_batch(situation):
    """Explain `for x, y, z in loader`, of batches of two."""
    found = re.search(
        r"(?:not enough|too many) values to unpack \(expected (\d+)(?:, got (\d+))?\)", message_of(situation.error)
    )
    loop = loop_over_loader(situation)
    if (
        not isinstance(situation.error, ValueError)
        or found is None
        or loop is None
        or not isinstance(loop[0].target, ast.Tuple)
    ):
        return None
    data = getattr(loop[1], "dataset", loop[1])
    tensors = getattr(data, "tensors", None)
    count = int(found[2]) if found[2] else len(tensors) if isinstance(tensors, tuple) else None
    names = [ast.unparse(each) for each in loop[0].target.elts]
    used = {each.id for inner in getattr(loop[0], "body", ()) for each in ast.walk(inner) if isinstance(each, ast.Name)}
    if isinstance(data, Tensor):
        rule = _("each batch is one tensor, but there are {names} names").format(names=len(names))
        fit = None if used & {*names[1:]} else replace_node(situation.place, loop[0].target, names[0])
        advice = None if fit else _("put what belongs together into a TensorDataset(x, y)")
        return Explanation("unpack", (), rule, (fit,) if fit else (), advice)
    if count is None:
        return None
    rule = (
        _("each batch has 1 part, but there are {names} names")
        if count == 1
        else _("each batch has {count} parts, but there are {names} names")
    ).format(count=count, names=len(names))
    new = (
        ", ".join(names[:count]) + "," * (count == 1)
        if count < len(names)
        else ", ".join([*names, *["_"] * (count - len(names))])
    )
    if used & {*names[count:]}:
        return Explanation("unpack", (), rule, (), _("use a name for each part"))
    fit = replace_node(situation.place, loop[0].target, new)
    return Explanation("unpack", (), rule, (fit,) if fit else ())


def explain_keys_of_batch(situation):
    """Explain `for x, y in loader` of samples that are dicts: x and y are keys."""
    if not situation.says("'str'") and not situation.says("not str"):
        return None
    tree, line, path = situation.place.tree(), situation.place.line, situation.place.path()
    used = {each.id for node in path[-1:] for each in ast.walk(node) if isinstance(each, ast.Name)}
    for loop in ast.walk(tree) if tree else ():
        if not isinstance(loop, ast.For) or not loop.lineno <= line <= loop.end_lineno:
            continue
        names = [*map(ast.unparse, loop.target.elts)] if isinstance(loop.target, ast.Tuple) else []
        keys = [situation.names.get(name) for name in names]
        if names and used & {*names} and all(type(key) is str for key in keys) and is_loader(loop.iter, situation):
            rule = _("each batch is a dict, and a loop over a dict yields its keys: {keys}").format(
                keys=", ".join(map(repr, keys))
            )
            parts = ", ".join(f"batch[{key!r}]" for key in keys)
            code = f"for batch in {ast.unparse(loop.iter)}:"
            fits = (
                Fit(code, "", loop.lineno, "", (Fit(f"    {', '.join(names)} = {parts}", "", loop.lineno, "after"),)),
            )
            return Explanation("DataLoader", (), rule, fits if loop.body[0].lineno > loop.lineno else ())
    return None


def is_loader(node, situation):
    """Return True if an expression is a loader or makes one."""
    if isinstance(node, ast.Call):
        return ast.unparse(node.func).endswith("DataLoader")
    return hasattr(situation.look_up(node), "dataset")


def explain_shuffled_sampler(situation):
    """Explain `DataLoader(data, sampler=..., shuffle=True)`."""
    path = situation.place.path()
    node = path[-1] if path else None
    if not isinstance(node, ast.Call) or not situation.says("sampler option is mutually exclusive with shuffle"):
        return None
    rule = _("a sampler determines the order of the samples itself")
    node = ast.parse(ast.unparse(node), mode="eval").body
    node.keywords = [each for each in node.keywords if each.arg != "shuffle"]
    fit = replace_node(situation.place, path[-1], ast.unparse(node))
    return Explanation("DataLoader", (), rule, (fit,) if fit else ())


def explain_rows_of_dataset(situation):
    """Explain `TensorDataset(x, y)` of tensors of different lengths."""
    node = situation.place.node()
    if not situation.says("Size mismatch between tensors") or not isinstance(node, ast.Call):
        return None
    values = [situation.tensor_of(each) for each in node.args]
    if not all(isinstance(each, Tensor) and each.dim() for each in values):
        return None
    texts = [*map(ast.unparse, node.args)]
    given = tuple(operand_of(text, t) for text, t in zip(texts, values, strict=True))
    counts = ", ".join(f"{text} {len(t)}" for text, t in zip(texts, values, strict=True))
    rule = _("all tensors of a dataset must have the same number of rows, one per sample: {counts}").format(
        counts=counts
    )
    return Explanation("TensorDataset", given, rule, (), _("each needs one row per sample"))


def explain_samples_of_many_shapes(situation):
    """Explain samples of a batch that cannot be stacked."""
    if not situation.says("stack expects each tensor to be equal size") or loop_over_loader(situation) is None:
        return None
    one, number, other = re.search(
        r"got (\[.*?\]) at entry 0 and (\[.*?\]) at entry (\d+)", message_of(situation.error)
    ).group(1, 3, 2)
    _node, loader = loop_over_loader(situation)
    data = getattr(loader, "dataset", loader)
    if type(data) is tuple and len(data) < len(data[0]) and len({len(each) for each in data}) == 1:
        return Explanation(
            "DataLoader", (), _("a tuple of {count} tensors is a dataset of {count} samples").format(count=len(data)), (),
            _("TensorDataset(x, y) in place of (x, y): its samples are the rows of both"),
        )  # fmt: skip
    return Explanation(
        "DataLoader", (), _("the samples of a batch are stacked, but sample 0 is {one} and sample {number} is {other}").format(one=one, number=number, other=other), (),
        _("return one shape from __getitem__ (cut, pad or resize), or pass collate_fn=, with nn.utils.rnn.pad_sequence"),
    )  # fmt: skip


def explain_sample_of_none(situation):
    """Explain a `__getitem__` that returns None."""
    loop = loop_over_loader(situation)
    if not situation.says("default_collate: batch must contain", "NoneType") or loop is None:
        return None
    kind = type(getattr(loop[1], "dataset", loop[1])).__name__
    if loop[1] is None and isinstance(loop[0].iter.args[0], ast.Call):
        kind = ast.unparse(loop[0].iter.args[0].func)
    definition = class_of(situation.place, kind)
    for node in definition.body if definition else ():
        if (
            isinstance(node, ast.FunctionDef)
            and node.name == "__getitem__"
            and not any(isinstance(e, ast.Return) for e in ast.walk(node))
        ):
            last = node.body[-1]
            rule = _("{kind}.__getitem__ (line {line}) returns nothing: it has no return").format(
                kind=kind, line=node.lineno
            )
            if isinstance(last, ast.Expr):
                return Explanation(
                    "DataLoader", (), rule, (replace_node(situation.place, last, f"return {ast.unparse(last)}"),)
                )
            if isinstance(last, ast.Assign) and isinstance(last.targets[0], ast.Name) and last.lineno != node.lineno:
                fit = Fit(f"return {last.targets[0].id}", "", last.end_lineno, "after")
                return Explanation("DataLoader", (), rule, (fit,))
            return Explanation("DataLoader", (), rule, (), _("return the sample at its end"))
    return None


# ── layers ───────────────────────────────────────────────────────────────────
def failing_layer(situation):
    """Return (the layer that failed, the call that made it); None if unknown."""
    made = construction(situation)
    return None if made is None else (situation.call.module, made)


def explain_dims_of_norm(situation):
    """Explain `BatchNorm1d` of images."""
    found = re.search(r"expected \dD(?: or \dD)? input \(got (\d)D input\)", message_of(situation.error))
    layer = failing_layer(situation)
    if found is None or layer is None or not type(layer[0]).__name__.startswith("BatchNorm"):
        return None
    other, own = BATCH_NORMS.get(int(found[1])), type(layer[0]).__name__
    if other is None or other == own:
        return None
    fit = replace_node(situation.place, layer[1].func, ast.unparse(layer[1].func).replace(own, other))
    rule = _("{own} expects inputs of {numbers} dimensions, but this one has {wanted}").format(
        own=own, numbers=_(" or ").join(str(n) for n, name in BATCH_NORMS.items() if name == own), wanted=found[1]
    )
    return Explanation("norm", (), rule, (fit,) if fit else ())


def explain_features_of_norm(situation):
    """Explain `LayerNorm(16)` of 8 features."""
    found = re.search(
        r"Given normalized_shape=\[(\d+)\].*got input of size\[(?:.*, )?(\d+)\]", message_of(situation.error)
    )
    layer = failing_layer(situation)
    if found is None or layer is None:
        return None
    made, got = layer[1], found[2]
    for node in (*made.args, *(each.value for each in made.keywords)):
        if isinstance(node, ast.Constant) and node.value == int(found[1]):
            rule = _("{code} expects {wanted} features in the last dimension, but got {got}").format(
                code=situation.call.symbol, wanted=found[1], got=got
            )
            return Explanation("norm", (), rule, (replace_node(situation.place, node, got),))
    return None


def explain_unknown_device(situation):
    """Explain a `device` that is never assigned."""
    if not isinstance(situation.error, NameError) or situation.error.name != "device" or "torch" not in situation.names:
        return None
    rule = _("device is not predefined: no line of the program assigns it")
    line = situation.place.line
    fit = Fit('device = torch.device("cuda" if torch.cuda.is_available() else "cpu")', "", line, "before")
    return Explanation("name", (), rule, (fit,))


def explain_format(situation):
    """Explain `f"{x:.2f}"` of a tensor of several numbers, and `f"{x:d}"` of a float."""
    if situation.says("Unknown format code 'd' for object of type 'float'"):
        rule = _("d formats whole numbers, and this is a float")
        return Explanation("format", (), rule, (), _(":.2f shows two decimals, :.0f none"))
    if not situation.says("unsupported format string passed to Tensor.__format__"):
        return None
    for node in formatted_in(ast.Module([*situation.place.path()], [])):
        value = situation.tensor_of(node)
        if value is not None and value.numel() != 1:
            text = ast.unparse(node)
            rule = _("a format applies to one number, but {text} has {count}").format(text=text, count=value.numel())
            advice = _("one of them ({text}[0]), or their sum or mean; {{{text}}} shows all").format(text=text)
            return Explanation("format", (), rule, (), advice)
    return None


def formatted_in(tree):
    """Yield what is formatted by an f-string, by `format(x, ".2f")` and by `"{:.2f}".format(x)`."""
    for node in ast.walk(tree):
        match node:
            case ast.FormattedValue(value=value, format_spec=ast.AST()):
                yield value
            case ast.Call(func=ast.Name(id="format"), args=[value, _spec]):
                yield value
            case ast.Call(func=ast.Attribute(value=ast.Constant(value=str()), attr="format"), args=values):
                yield from values
