"""Attention and transformers made for other sizes."""

import ast
import re

from tensh.engine.core.tensor import Tensor
from tensh.explain.causes.layers import maker, try_shape
from tensh.explain.causes.situation import message_of, operand_of, replace_node
from tensh.explain.model import Explanation
from tensh.explain.shadow import is_module
from tensh.support.language import _

MOST_HEADS = 64
PARAMETERS = {  # the parameters for features and heads, in order
    "MultiheadAttention": ("embed_dim", "num_heads"),
    "TransformerEncoderLayer": ("d_model", "nhead"),
    "TransformerDecoderLayer": ("d_model", "nhead"),
    "Transformer": ("d_model", "nhead"),
}
STACKS = "TransformerEncoder", "TransformerDecoder"  # layers that are made of given layers
INPUTS = {"MultiheadAttention": 3, "TransformerEncoderLayer": 1, "TransformerEncoder": 1}
EXPECTED = re.compile(r"was expecting embedding dimension of (\d+), but got (\d+)")


def explain_attention(situation):
    """Explain heads that do not divide the features, or inputs with another number of features."""
    path = situation.place.path()
    node = path[-1] if path else None
    return (uneven_heads(situation, node) or other_features(situation, node)) if isinstance(node, ast.Call) else None


def sizes_in(node):
    """Return the expressions for features and heads in a call that makes a layer; None if one is missing."""
    names = PARAMETERS.get(ast.unparse(node.func).rpartition(".")[2])
    if names is None:
        return None
    given = dict(zip(names, node.args)) | {each.arg: each.value for each in node.keywords}
    return (given[names[0]], given[names[1]]) if {*names} <= given.keys() else None


def uneven_heads(situation, node):
    """Explain `MultiheadAttention(10, 3)`."""
    sizes = sizes_in(node) if situation.says("embed_dim must be divisible by num_heads") else None
    if sizes is None:
        return None
    size, count = map(situation.evaluate, sizes)
    if type(size) is not int or type(count) is not int:
        return None
    nearest = [n for n in range(1, min(size, MOST_HEADS) + 1) if size % n == 0]
    rule = _(
        "each of {count} heads gets an equal share of {size} features; numbers that divide {size}: {names}"
    ).format(count=count, size=size, names=", ".join(map(str, nearest)))
    best = min(nearest, key=lambda n: (abs(n - count), n))
    fit = replace_node(situation.place, sizes[1], str(best)) if isinstance(sizes[1], ast.Constant) else None
    return Explanation("attention", (), rule, (fit,) if fit else ())


def other_features(situation, node):
    """Explain inputs with another number of features than the layer."""
    found = EXPECTED.fullmatch(message_of(situation.error))
    layer = situation.look_up(node.func) if found else None
    given = situation.evaluate(node.args[0]) if node.args else None
    if not is_module(layer) or not isinstance(given, Tensor):
        return None
    wanted, got = found.groups()
    kind = type(layer).__name__
    if not given.dim() or given.shape[-1] != int(got):
        return None
    operand = operand_of(ast.unparse(node.args[0]), given)._replace(marked=frozenset({given.dim() - 1}))
    rule = _("{name} expects {wanted} features in the last dimension, but got {got}").format(
        name=kind, wanted=wanted, got=got
    )
    made = maker(node.func, situation)
    if isinstance(made, ast.Call) and ast.unparse(made.func).endswith(STACKS) and made.args:
        made = made.args[0] if isinstance(made.args[0], ast.Call) else maker(made.args[0], situation)
    sizes = sizes_in(made) if isinstance(made, ast.Call) else None
    fit = None
    if sizes and isinstance(sizes[0], ast.Constant) and kind in INPUTS:
        own = ast.unparse(made).replace(ast.unparse(sizes[0]), got, 1)
        code = f"nn.{kind}({own}, 1)" if kind in STACKS else own
        shape = try_shape(f"({code})({', '.join(['it'] * INPUTS[kind])})", situation, given)
        fit = replace_node(situation.place, sizes[0], got) if shape else None
        fit = fit and fit._replace(result=f"{[*given.shape]} -> {shape}")
    advice = None if fit else _("create it for {got} features, or pass it {wanted}").format(got=got, wanted=wanted)
    return Explanation("attention", (operand,), rule, (fit,) if fit else (), advice)
