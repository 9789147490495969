"""Products of matrices and vectors, and layers that are products."""

from tensh.explain.model import Explanation
from tensh.explain.rules.shared import name_or_phrase, operand
from tensh.explain.trying import behind, change_call, each, fits, swap_operands


def product_shapes(call, text):
    """Columns of the one must be rows of the other."""
    if call.module is not None and hasattr(call.module, "in_features"):
        return layer_features(call)
    if len(call.tensors) < 2:
        return None
    a, b = call.tensors[-2:] if call.name in ("addmm", "baddbmm", "addmv") else call.tensors[:2]
    one, two = a.value, b.value
    if one.dim() == 0 or two.dim() == 0:
        return Explanation(
            call.symbol,
            (operand(a), operand(b)),
            "a product of matrices needs at least one dimension; for numbers there is *",
            fits(call, [between(a, "*", b)]),
        )
    columns = one.shape[-1]
    rows_dim = two.dim() - 1 if call.name == "linear" else max(two.dim() - 2, 0)
    rows = two.shape[rows_dim]
    if call.name == "dot":
        return vectors(call, a, b)
    if call.name == "bmm" and (one.dim() != 3 or two.dim() != 3):
        rule = "bmm multiplies stacks of matrices, of three dimensions; for single matrices there is @"
        products = [between(a, "@", b), between(a, "@", b, ".T"), between(a, "@", b, ".mT")]
        return Explanation(call.symbol, (operand(a), operand(b)), rule, fits(call, products, most=1))
    if columns == rows:
        return stacks(call, a, b)
    what = "last dimension" if one.dim() != 2 else "columns"
    rule = f"{what} of {name_or_phrase(a, 'the first')} ({columns}) must equal {'columns' if call.name == 'linear' else 'rows' if two.dim() > 1 else 'the length'} of {name_or_phrase(b, 'the second')} ({rows})"
    candidates = [
        *each(call, b, ".T", ".mT"), *each(call, a, ".T", ".mT"), swap_operands(call), *each(call, a, ".flatten(1)", ".squeeze()"),
        *each(call, b, ".squeeze()", "[:, None]"), *each(call, a, "[:, None]"), change_call(call, {a: ".T", b: ".T"}),
    ]  # fmt: skip
    found = fits(call, candidates)
    return Explanation(
        call.symbol, (operand(a, {one.dim() - 1}), operand(b, {rows_dim})), rule, found,
        None if found else anew(call, a, b, columns, rows),
    )  # fmt: skip


def anew(call, a, b, columns, rows):
    """What to do where no transposition fits: one of the two has another size than it should."""
    of_one = "columns" if a.value.dim() > 1 else "elements"
    of_two = "columns" if call.name == "linear" else "rows" if b.value.dim() > 1 else "elements"
    return f"make {name_or_phrase(b, 'the second')} with {columns} {of_two}, or {name_or_phrase(a, 'the first')} with {rows} {of_one}"


def vectors(call, a, b):
    """A dot product is of two vectors of one length."""
    rule = "dot is for two vectors of one length; for matrices there is @"
    return Explanation(
        call.symbol,
        (operand(a), operand(b)),
        rule,
        fits(
            call,
            [
                change_call(call, {a: ".flatten()", b: ".flatten()"}),
                *each(call, b, ".squeeze()"),
                *each(call, a, ".squeeze()"),
            ],
        ),
    )


def stacks(call, a, b):
    """The matrices fit, the dimensions before them do not."""
    if max(a.value.dim(), b.value.dim()) < 3:
        return None
    one, two = a.value.shape[:-2], b.value.shape[:-2]
    return Explanation(
        call.symbol, (operand(a, range(len(one))), operand(b, range(len(two)))),
        f"the matrices fit, but the dimensions before them, {list(one)} and {list(two)}, do not broadcast",
    )  # fmt: skip


def layer_features(call):
    """A layer got another number of features than it was made for."""
    layer, (a, *_) = call.module, call.tensors
    sizes = f"{layer.in_features} -> {layer.out_features}"
    name = f"{call.symbol[:-1]} {sizes})" if call.symbol.endswith(")") else f"{call.symbol} ({sizes})"
    wanted, got = layer.in_features, a.value.shape[-1] if a.value.dim() else 1

    whole = () if a.value.dim() == 2 else (".flatten()",)  # of several samples it would make one
    found = fits(call, each(call, a, ".flatten(1)", ".T", ".mT", *whole, ".squeeze()"))
    return Explanation(
        call.symbol, (operand(a, {a.value.dim() - 1}),),
        f"{name} takes {wanted} features in the last dimension, and got {got}",
        found, None if found else f"make the layer with in_features={got}, or give it {wanted} features",
    )  # fmt: skip


def between(a, symbol, b, change=""):
    """A product as it is written with an operator; None where an operand has no text."""
    if not a.text or not b.text:
        return None
    return f"{behind(a.text, '')} {symbol} {behind(b.text, change)}"
