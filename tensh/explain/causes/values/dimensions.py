"""Inputs with another number of dimensions than a layer takes: which dimensions it takes, by their meaning."""

import ast

from tensh.engine.core.tensor import Tensor
from tensh.explain.model import Explanation
from tensh.explain.situation import operand_of
from tensh.explain.trials.trusted import is_module
from tensh.support.language import _, deferred

WORDS = (
    "Expected input to be", "should be unbatched 2D or batched 3D", "(unbatched) or", "D input (got",
    "tensor expected for input",
)  # fmt: skip
IMAGE = {1: deferred("length"), 2: deferred("height, width"), 3: deferred("depth, height, width")}


def explain_dimensions(situation):
    """Explain an input whose number of dimensions no change of a single step mends."""
    path = situation.place.path()
    if not path or not isinstance(path[-1], ast.Call) or not any(situation.says(words) for words in WORDS):
        return None
    layer = situation.look_up(path[-1].func)
    call = situation.call
    layer = layer if is_module(layer) and sizes_of(layer) else getattr(call, "module", None)
    given = path[-1].args[0] if path[-1].args else None
    t = situation.tensor_of(given) if given is not None else None
    text = ast.unparse(given) if given is not None else None
    if layer is not situation.look_up(path[-1].func) and call is not None and call.tensors:
        t, text = call.tensors[0].value, "input"
    sizes = sizes_of(layer) if is_module(layer) else None
    if sizes is None or not isinstance(t, Tensor):
        return None
    batched, alone = sizes
    template = (
        _("{kind} takes {batched}, or {alone} of a single sample, but {text} is {shape}")
        if alone
        else _("{kind} takes {batched}, but {text} is {shape}")
    )
    rule = template.format(kind=type(layer).__name__, batched=batched, alone=alone, text=text, shape=[*t.shape])
    return Explanation("call", (operand_of(text, t),), rule)


def sizes_of(layer):
    """Return the dimensions that a layer takes, of a batch and of a single sample, as text; None for other layers."""
    kind = next((each.__name__ for each in type(layer).__mro__ if each.__name__ in KINDS), None)
    return KINDS[kind](layer) if kind else None


def steps(features):
    def sizes(layer):
        size = getattr(layer, features, None)
        size = layer.self_attn.embed_dim if size is None else size
        is_first = getattr(layer, "batch_first", None)
        is_first = layer.self_attn.batch_first if is_first is None else is_first
        batched = _("[batch, steps, {size}]") if is_first else _("[steps, batch, {size}]")
        return batched.format(size=size), _("[steps, {size}]").format(size=size)

    return sizes


def images(layer):
    places = _(IMAGE[len(layer.kernel_size)])
    batched = _("[batch, {size}, {places}]").format(size=layer.in_channels, places=places)
    return batched, f"[{layer.in_channels}, {places}]"


def rows(layer):
    return _("[batch, {size}]").format(size=layer.input_size), f"[{layer.input_size}]"


def channels(layer):
    places, size = type(layer).__name__[-2:-1], layer.num_features
    if places == "1":
        return _("[batch, {size}] or [batch, {size}, {places}]").format(size=size, places=_(IMAGE[1])), None
    return _("[batch, {size}, {places}]").format(size=size, places=_(IMAGE[int(places)])), None


def pooled(layer):
    name = type(layer).__name__
    places = _(IMAGE[int(name[name.index("Pool") + len("Pool")])])
    return _("[batch, channels, {places}]").format(places=places), _("[channels, {places}]").format(places=places)


KINDS = {
    "RNNBase": steps("input_size"), "RNNCellBase": rows, "MultiheadAttention": steps("embed_dim"),
    "TransformerEncoderLayer": steps("d_model"), "TransformerDecoderLayer": steps("d_model"), "_ConvNd": images, "_NormBase": channels, "_MaxPoolNd": pooled,
    "_AvgPoolNd": pooled, "_AdaptiveMaxPoolNd": pooled, "_AdaptiveAvgPoolNd": pooled,
}  # fmt: skip
