"""Functions and methods whose only effect is a new tensor, which is lost if a call is a statement."""

FUNCTIONS_OF_ONE = frozenset(
    "relu gelu silu elu selu leaky_relu tanh sigmoid softmax log_softmax softplus dropout dropout2d normalize layer_norm"
    " max_pool2d avg_pool2d adaptive_avg_pool2d flatten reshape squeeze unsqueeze transpose permute clamp pad interpolate".split()
)
METHODS = frozenset(
    "view reshape squeeze unsqueeze permute transpose flatten unflatten expand contiguous detach relu sigmoid tanh softmax"
    " log_softmax clamp".split()
)
"""Methods that only tensors have, so that their name identifies them."""
METHODS_OF_TENSORS = METHODS | frozenset(
    "float double half long int bool to type sort add sub mul div abs exp log sqrt pow t round neg clone cpu sum mean".split()
)
