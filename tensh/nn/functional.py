"""torch.nn.functional: layers as functions."""

import tensh.engine
from tensh.engine.codegen.public_forms import guard_call, public_object
from tensh.engine.codegen.registry import PUBLIC
from tensh.engine.operators.layers.composites.registry import LAYERS
from tensh.switched_off import lookup

BUILT_IN = frozenset(
    """
    adaptive_avg_pool1d avg_pool1d avg_pool2d avg_pool3d bilinear celu_ channel_shuffle conv1d conv2d conv3d conv_tbc
    conv_transpose1d conv_transpose2d conv_transpose3d cosine_similarity elu_ gelu hardshrink hardtanh_ leaky_relu_ linear
    logsigmoid native_channel_shuffle one_hot pairwise_distance pdist pixel_shuffle pixel_unshuffle prelu relu_ rrelu_ scaled_dot_product_attention selu_ softplus softshrink threshold_
""".split()
)
"""Functions that PyTorch implements in C, with errors for wrong arguments; the others are Python functions."""


SPOKEN = {"logsigmoid": "log_sigmoid"}
"""The names that errors give to C functions, where they differ."""


def __getattr__(name):
    if name in LAYERS:
        value = globals()[name] = find_function(name)
        return value
    if name == "grad":
        import tensh.nn.grad

        return tensh.nn.grad
    if name[0] == "_":
        from tensh.engine.operators.layers.composites.attention_parts import PARTS

        if name in PARTS:
            return PARTS[name]
    return switched_off(name)


switched_off = lookup("torch.nn.functional")


def find_function(name):
    """Return the public function of a name; C functions that torch has, too, are the same objects there."""
    if name not in BUILT_IN:
        return guard_call(LAYERS[name], name)
    if name in PUBLIC:
        return tensh.engine.find_public(name)
    return public_object(LAYERS[name], name, spoken=SPOKEN.get(name), home="torch.nn.functional")


def __dir__():
    return sorted(LAYERS)
