"""Products of matrices and vectors, and layers that compute them."""

from tensh.explain.model import Explanation
from tensh.explain.rules.sequences import is_sequence
from tensh.explain.rules.shared import name_or_phrase, operand
from tensh.explain.trials.fixes import append_to_expression, change_call, each, fits, swap_operands
from tensh.support.language import _


def explain_product_shapes(call, text):
    """The columns of one matrix are as many as the rows of the other."""
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
            _("a matrix product needs at least one dimension; for numbers, use *"),
            fits(call, [write_product(a, "*", b)]),
        )
    if call.name == "scaled_dot_product_attention":
        return key_transposed(call, a, b)
    columns = one.shape[-1]
    rows_dim = two.dim() - 1 if call.name == "linear" else max(two.dim() - 2, 0)
    rows = two.shape[rows_dim]
    if call.name == "dot":
        return vectors(call, a, b)
    if call.name == "bmm" and (one.dim() != 3 or two.dim() != 3):
        rule = _("bmm multiplies batches of matrices, with three dimensions; for single matrices, use @")
        products = [write_product(a, "@", b), write_product(a, "@", b, ".T"), write_product(a, "@", b, ".mT")]
        return Explanation(call.symbol, (operand(a), operand(b)), rule, fits(call, products, most=1))
    if call.symbol == "mm" and max(one.dim(), two.dim()) > 2:
        rule = _("mm multiplies two matrices; for batches of matrices, use @")
        products = [write_product(a, "@", b), write_product(a, "@", b, ".mT")]
        return Explanation(call.symbol, (operand(a), operand(b)), rule, fits(call, products, most=1))
    if columns == rows:
        return stacks(call, a, b)
    rule = _("{one} of {first} ({columns}) must equal {other} of {second} ({rows})").format(
        one=_("columns") if one.dim() == 2 else _("last dimension"), first=name_or_phrase(a, _("the first")), columns=columns,
        other=_("columns") if call.name == "linear" else _("rows") if two.dim() > 1 else _("the length"),
        second=name_or_phrase(b, _("the second")), rows=rows,
    )  # fmt: skip
    column = each(call, a, ".squeeze(-1)") if one.dim() > 2 and columns == 1 else ()
    candidates = [
        *column, *each(call, b, ".T", ".mT"), *each(call, a, ".T", ".mT"), swap_operands(call), *each(call, a, *flattening(call, a), ".squeeze()"),
        *each(call, b, ".squeeze()", "[:, None]"), *each(call, a, "[:, None]"), change_call(call, {a: ".T", b: ".T"}),
    ]  # fmt: skip
    found = fits(call, candidates)
    return Explanation(
        call.symbol, (operand(a, {one.dim() - 1}), operand(b, {rows_dim})), rule, found,
        None if found else suggest_factor(call, a, b, columns, rows),
    )  # fmt: skip


def key_transposed(call, query, key):
    """Attention transposes its key itself."""
    rule = _(
        "attention compares rows of the query, {query}, with rows of the key, {key}: their last sizes must be equal"
    )
    turned = [".transpose(-1, -2)", ".transpose(-2, -1)", ".mT"]
    owner = next((key.text.removesuffix(each) for each in turned if (key.text or "").endswith(each)), None)
    codes = [call.rewrite({key: owner})] if owner else each(call, key, ".mT")
    codes += [call.rewrite({t: code}) for t in (query, key) if (code := exchange_heads(t))]
    rule = rule.format(query=[*query.value.shape], key=[*key.value.shape])
    last = [t.value.dim() - 1 for t in (query, key)]
    return Explanation(call.symbol, (operand(query, last[:1]), operand(key, last[1:])), rule, fits(call, codes, most=1))


def suggest_factor(call, a, b, columns, rows):
    """Suggest a change if no transposition fits: one of the two has the wrong size."""
    of_one = _("columns") if a.value.dim() > 1 else _("elements")
    of_two = _("columns") if call.name == "linear" else _("rows") if b.value.dim() > 1 else _("elements")
    return _("make {second} with {columns} {of_two}, or {first} with {rows} {of_one}").format(
        second=name_or_phrase(b, _("the second")),
        columns=columns,
        of_two=of_two,
        first=name_or_phrase(a, _("the first")),
        rows=rows,
        of_one=of_one,
    )


def vectors(call, a, b):
    """A dot product takes two vectors of the same length."""
    rule = _("dot expects two vectors of the same length; for matrices, use @")
    return Explanation(
        call.symbol,
        (operand(a), operand(b)),
        rule,
        fits(
            call,
            [
                write_product(a, "@", b),
                change_call(call, {a: ".flatten()", b: ".flatten()"}),
                *each(call, b, ".squeeze()"),
                *each(call, a, ".squeeze()"),
            ],
        ),
    )


def stacks(call, a, b):
    """The matrices fit, but not the dimensions before them."""
    if max(a.value.dim(), b.value.dim()) < 3:
        return None
    one, two = a.value.shape[:-2], b.value.shape[:-2]
    codes = [call.rewrite({t: t.text[:-2] + end}) for t in (a, b) if is_turned(t) for end in (".mT", "")]
    codes += [call.rewrite({t: code}) for t in (a, b) if (code := exchange_heads(t))]
    return Explanation(
        call.symbol, (operand(a, range(len(one))), operand(b, range(len(two)))),
        _("the matrices fit, but the dimensions before them, {first} and {second}, do not broadcast").format(first=list(one), second=list(two)),
        fits(call, codes),
    )  # fmt: skip


def is_turned(t):
    """Return True for `x.T` of more than two dimensions, which turns those of the batch with the others."""
    return (t.text or "").endswith(".T") and t.value.dim() > 2


def exchange_heads(t):
    """Write an operand of attention with its heads before its steps: `x.transpose(1, 2)`; None for other operands."""
    if not t.text or t.value.dim() != 4:
        return None
    owner, dot, step = t.text.partition(".transpose(-2, -1)")
    return append_to_expression(owner, ".transpose(1, 2)") + dot + step


def layer_features(call):
    """A layer takes the number of features that it was made for."""
    layer, a = call.module, call.tensors[0]
    sizes = f"{layer.in_features} -> {layer.out_features}"
    name = f"{call.symbol[:-1]} {sizes})" if call.symbol.endswith(")") else f"{call.symbol} ({sizes})"
    wanted, got = layer.in_features, a.value.shape[-1] if a.value.dim() else 1
    shape = [layer.out_features, wanted]
    if hasattr(layer, "weight") and [*layer.weight.shape] != shape:
        rule = _("the weight of {name} has the shape {shape}, but was replaced with one of {other}")
        rule = rule.format(name=name, shape=shape, other=[*layer.weight.shape])
        return Explanation(
            call.symbol, (operand(a),), rule, (), _("use a weight of the shape {shape}").format(shape=shape)
        )
    is_image = a.value.dim() == 2 and a.value.shape[0] == got and got * got == wanted
    whole = (".flatten()",) if a.value.dim() != 2 or is_image else ()  # it would merge several samples into one
    found = fits(call, each(call, a, *flattening(call, a), ".T", ".mT", *whole, ".squeeze()"))
    return Explanation(
        call.symbol, (operand(a, {a.value.dim() - 1}),),
        _("{name} expects {wanted} features in the last dimension, but got {got}").format(name=name, wanted=wanted, got=got),
        found, None if found else _("create the layer with in_features={got}, or pass it {wanted} features").format(got=got, wanted=wanted),
    )  # fmt: skip


def flattening(call, a):
    """Suggest `.flatten(1)`, but not after a recurrent layer: the number of steps is not a number of features."""
    return () if is_sequence(a.text, call.place, call.names) else (".flatten(1)",)


def write_product(a, symbol, b, change=""):
    """Write a product with an operator; None if an operand has no text."""
    if not a.text or not b.text:
        return None
    return f"{append_to_expression(a.text, '')} {symbol} {append_to_expression(b.text, change)}"


def explain_outer_product(call, text):
    """Suggest fixes for two vectors: drop an extra dimension, or take a vector from each row of two matrices."""
    if len(call.tensors) < 2:
        return None
    a, b = call.tensors[:2]
    rule = _("outer multiplies each element of one vector by each of another; {tensor} has {count} dimensions")
    wrong = a if a.value.dim() != 1 else b
    rule = rule.format(tensor=name_or_phrase(wrong), count=wrong.value.dim())
    flat = {t: ".flatten()" for t in (a, b) if t.value.dim() > 1}
    are_vectors = all(t.value.numel() == max(t.value.shape, default=0) for t in (a, b))
    one, two = a.text or "a", b.text or "b"
    rows = append_to_expression(one, ".unsqueeze(-1)") + " * " + append_to_expression(two, ".unsqueeze(-2)")
    candidates = [change_call(call, flat)] if are_vectors and flat else []
    if a.value.dim() == b.value.dim() > 1 and not are_vectors:
        candidates = [rows, change_call(call, flat)]
    elif not are_vectors:
        candidates = [change_call(call, flat)]
    return Explanation(call.symbol, (operand(a), operand(b)), rule, fits(call, candidates))
