"""Attention and transformers made for other sizes."""

import ast
import re

from tensh.engine.core.tensor import Tensor
from tensh.explain.causes.models.layers import find_maker, try_shape
from tensh.explain.model import Explanation
from tensh.explain.situation import first_explanation, message_of, operand_of
from tensh.explain.source.replacing import replace_node
from tensh.explain.source.rewriting import set_keyword
from tensh.explain.trials.trusted import is_module
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
    node = situation.place.node()
    if not isinstance(node, ast.Call):
        return None
    kinds = (
        explain_uneven_heads,
        explain_number_of_features,
        explain_order_of_batch,
        explain_mask_of_positions,
        explain_mask_of_other_steps,
        explain_none_among_inputs,
    )
    return first_explanation(kinds, situation, node)


def explain_order_of_batch(situation, node):
    """Explain inputs of a transformer whose batch is dim 0, as with batch_first=True."""
    is_transformer = situation.says("the batch number of src and tgt must be equal")
    is_attention = type(situation.look_up(node.func)).__name__ == "MultiheadAttention" and situation.says(
        "is invalid for"
    )
    if not (is_transformer or is_attention) or len(node.args) < 2:
        return None
    shapes = [getattr(situation.tensor_of(each), "shape", ()) for each in node.args[:2]]
    made = find_maker(node.func, situation)
    if {*map(len, shapes)} != {3} or shapes[0][0] != shapes[1][0] or not isinstance(made, ast.Call):
        return None
    if any(each.arg == "batch_first" for each in made.keywords):
        return None
    rule = _("the batch is dim 1 of the input, but both inputs have one size in dim 0, as with batch_first=True")
    fit = replace_node(situation.place, made, f"{ast.unparse(made)[:-1]}, batch_first=True)")
    return Explanation("attention", (), rule, (fit,) if fit else ())


def explain_mask_of_positions(situation, node):
    """Explain a mask of the positions of each sequence, [batch, keys], that is given as attn_mask."""
    if situation.says("The shape of the 2D attn_mask is") and (found := positions_of_encoder(situation, node)):
        return found
    given = next((each for each in node.keywords if each.arg == "attn_mask"), None)
    if not situation.says("The shape of the 2D attn_mask is") or given is None or len(node.args) < 2:
        return None
    layer, keys = situation.look_up(node.func), situation.tensor_of(node.args[1])
    mask = situation.tensor_of(given.value)
    if not is_module(layer) or keys is None or mask is None or keys.dim() != 3:
        return None
    batch = keys.shape[:2] if getattr(layer, "batch_first", False) else keys.shape[1::-1]
    if mask.shape != batch or any(each.arg == "key_padding_mask" for each in node.keywords):
        return None
    text = ast.unparse(given.value)
    rule = _(
        "attn_mask is [queries, keys]; {text}, {shape}, is [batch, keys]: the positions to ignore in each sequence"
    )
    fit = replace_node(situation.place, given, f"key_padding_mask={text}")
    return Explanation("attention", (), rule.format(text=text, shape=[*mask.shape]), (fit,) if fit else ())


def positions_of_encoder(situation, node):
    """Explain a mask of the positions of each sequence, [batch, steps], that is given to an encoder as its src_mask."""
    layer = situation.look_up(node.func)
    given = [*node.args[1:2], *(each for each in node.keywords if each.arg in ("src_mask", "mask"))]
    if not type(layer).__name__.startswith("TransformerEncoder") or len(given) != 1:
        return None
    inputs, text = situation.tensor_of(node.args[0]), ast.unparse(getattr(given[0], "value", given[0]))
    mask = situation.tensor_of(ast.parse(text, mode="eval").body)
    attention = next(each for each in layer.modules() if type(each).__name__ == "MultiheadAttention")
    if inputs is None or mask is None or inputs.dim() != 3:
        return None
    batch = inputs.shape[:2] if attention.batch_first else inputs.shape[1::-1]
    if mask.shape != batch:
        return None
    rule = _(
        "the mask of an encoder is [steps, steps]; {text}, {shape}, is [batch, steps]: the positions to ignore in each sequence"
    )
    fit = replace_node(situation.place, given[0], f"src_key_padding_mask={text}")
    return Explanation("attention", (), rule.format(text=text, shape=[*mask.shape]), (fit,) if fit else ())


def explain_mask_of_other_steps(situation, node):
    """Explain `generate_square_subsequent_mask(2)` for sequences of another length."""
    found = re.search(
        r"attn_mask is torch.Size\(\[(\d+), \1\]\), but should be \((\d+), \2\)", message_of(situation.error)
    )
    given = next((each.value for each in node.keywords if each.arg in ("attn_mask", "mask")), None)
    if not found or given is None:
        return None
    made = find_maker(given, situation)
    if not isinstance(made, ast.Call) or not ast.unparse(made.func).endswith("generate_square_subsequent_mask"):
        return None
    rule = _("the mask is made for {size} steps, but the sequences have {steps}").format(size=found[1], steps=found[2])
    fit = replace_node(situation.place, made.args[0], found[2]) if made.args else None
    return Explanation("attention", (), rule, (fit,) if fit else ())


def explain_none_among_inputs(situation, node):
    """Explain `attention(x, x, None)`."""
    layer = situation.look_up(node.func)
    given = [each for each in node.args[:3] if not (isinstance(each, ast.Constant) and each.value is None)]
    if type(layer).__name__ != "MultiheadAttention" or not situation.says("'NoneType' object") or not given:
        return None
    left_out = next((each for each in node.args[:3] if each not in given), None)
    texts = {ast.unparse(each) for each in (given if len(node.args[:3]) < 3 else given[-1:])}
    if left_out is None or len(texts) != 1:
        return None
    rule = _(
        "attention needs a query, a key and a value; the value is mostly the key, and all are one in self-attention"
    )
    fit = replace_node(situation.place, left_out, texts.pop())
    return Explanation("attention", (), rule, (fit,) if fit else ())


def sizes_in(node):
    """Return the expressions for features and heads in a call that makes a layer; None if one is missing."""
    names = PARAMETERS.get(ast.unparse(node.func).rpartition(".")[2])
    if names is None:
        return None
    given = dict(zip(names, node.args)) | {each.arg: each.value for each in node.keywords}
    return (given[names[0]], given[names[1]]) if {*names} <= given.keys() else None


def explain_uneven_heads(situation, node):
    """Explain `MultiheadAttention(10, 3)`."""
    if not situation.says("embed_dim must be divisible by num_heads"):
        return None
    sizes = sizes_in(node) or sizes_of_transformer(node)
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
    fit = None
    if not hasattr(sizes[1], "lineno"):
        fit = replace_node(situation.place, node, set_keyword(ast.unparse(node), "nhead", str(best)))
    elif isinstance(sizes[1], ast.Constant):
        fit = replace_node(situation.place, sizes[1], str(best))
    return Explanation("attention", (), rule, (fit,) if fit else ())


def sizes_of_transformer(node):
    """Return the features and heads of a Transformer, one of which is left to its default; None for other layers."""
    names = PARAMETERS["Transformer"]
    given = dict(zip(names, node.args)) | {each.arg: each.value for each in node.keywords}
    if not ast.unparse(node.func).endswith("Transformer") or None in given:
        return None
    return given.get(names[0], ast.Constant(512)), given.get(names[1], ast.Constant(8))


def explain_number_of_features(situation, node):
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
    made = find_maker(node.func, situation)
    if isinstance(made, ast.Call) and ast.unparse(made.func).endswith(STACKS) and made.args:
        made = made.args[0] if isinstance(made.args[0], ast.Call) else find_maker(made.args[0], situation)
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
