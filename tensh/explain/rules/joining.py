"""Joining tensors."""

from tensh.explain.model import Explanation, Fit, Operand
from tensh.explain.source.rewriting import elements, rename_called, replace_spans, set_keyword
from tensh.explain.trials.fixes import append_to_expression, fits
from tensh.support.language import _

MOST_SHAPES = 4  # shapes shown
LITTLE = 8  # an image is cropped by at most this part of its size, or by one row


def explain_join(call, text):
    """All sizes but one must be equal."""
    given = call.arguments[0].value if call.arguments else ()
    if not isinstance(given, list | tuple) or not all(hasattr(t, "shape") for t in given):
        return None
    kind = call.name
    dim = next((a.value for a in call.arguments if a.name == "dim"), 0)
    parts = elements(call.arguments[0].text) if call.arguments[0].text else None
    names = [part for part, _ in parts] if parts and len(parts) == len(given) else [f"[{n}]" for n in range(len(given))]
    operands = tuple(
        Operand(names[n], tuple(t.shape), str(t.dtype).removeprefix("torch.")) for n, t in enumerate(given)
    )
    if kind == "stack":
        rule = _("stack adds a new dimension: all shapes must be equal")
    else:
        rule = _(
            "{kind} joins along dim {dim}: the number of dimensions, and all sizes but that of dim {dim}, must be equal"
        ).format(kind=kind, dim=dim)
    most = max(t.dim() for t in given)
    joined = rename_called(call.segment, "cat") if kind == "stack" else call.segment
    others = [set_keyword(joined, "dim", str(other)) for other in range(most) if kind == "stack" or other != dim]
    cropped = crop(call, given, names) if kind != "stack" and dim == 1 else []
    found = fits(call, [*add_dimensions(call, given, most), *cropped, *others], most=1)
    if kind == "stack" and most and parts is None and call.arguments[0].text and are_of_many_lengths(given):
        padded = f"torch.nn.utils.rnn.pad_sequence({call.arguments[0].text}, batch_first=True)"
        shape = [len(given), max(len(t) for t in given), *given[0].shape[1:]]
        found = (*found, Fit(padded, f"{', '.join(str(list(t.shape)) for t in given[:3])} -> {shape}"))
    return Explanation(kind, operands, rule, found)


def explain_lengths(call, text):
    """Sequences of a batch differ only in their lengths."""
    given = call.arguments[0].value if call.arguments else ()
    if call.name != "pad_sequence" or not isinstance(given, list | tuple) or are_of_many_lengths(given):
        return None
    shapes = ", ".join(str(list(t.shape)) for t in given[:MOST_SHAPES])
    rule = _("sequences are padded to one length in dim 0: their other sizes must be equal, but they are {shapes}")
    return Explanation(call.name, (), rule.format(shapes=shapes))


def are_of_many_lengths(tensors):
    """Return True if tensors differ only in length, as sequences do."""
    return len({(t.dim(), *t.shape[1:]) for t in tensors}) == 1


def crop(call, given, names):
    """Yield the call with images cropped to the smallest.

    They are a little larger: halving an odd size and doubling it again has lost a row.
    """
    text, span = call.arguments[0].text, call.arguments[0].span
    parts = elements(text) if text else None
    sizes = [tuple(t.shape[2:]) for t in given]
    if parts is None or len(parts) != len(given) or {t.dim() for t in given} not in ({4}, {5}):
        return
    least = tuple(map(min, zip(*sizes, strict=True)))
    if any(size - small > max(1, small // LITTLE) for each in sizes for size, small in zip(each, least, strict=True)):
        return
    smallest = next(
        (name for name, size in zip(names, sizes, strict=True) if size == least and name.isidentifier()), None
    )
    count = len(least)
    limits = [f":{smallest}.size({dim - count})" if smallest else f":{least[dim]}" for dim in range(count)]
    new = {
        place: append_to_expression(part, f"[..., {', '.join(limits)}]")
        for (part, place), size in zip(parts, sizes, strict=True)
        if size != least
    }
    yield call.segment[: span[0]] + replace_spans(text, new) + call.segment[span[1] :]


def add_dimensions(call, given, most):
    """Yield the call with an added dimension for the tensors that lack one."""
    text, span = call.arguments[0].text, call.arguments[0].span
    parts = elements(text) if text else None
    if parts is None or len(parts) != len(given):
        return
    for change in ("[None]", "[:, None]"):
        new = {
            place: append_to_expression(part, change)
            for (part, place), t in zip(parts, given, strict=True)
            if t.dim() == most - 1
        }
        if new:
            yield call.segment[: span[0]] + replace_spans(text, new) + call.segment[span[1] :]
