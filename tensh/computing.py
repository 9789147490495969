"""Functions and methods that give a new tensor of another one, and do nothing else: as a line of their own they are lost."""

FUNCTIONS_OF_ONE = frozenset(
    "relu gelu silu elu selu leaky_relu tanh sigmoid softmax log_softmax softplus dropout dropout2d normalize layer_norm"
    " max_pool2d avg_pool2d adaptive_avg_pool2d flatten reshape squeeze unsqueeze transpose permute clamp pad interpolate".split()
)
METHODS = frozenset(
    "view reshape squeeze unsqueeze permute transpose flatten unflatten expand contiguous detach relu sigmoid tanh softmax"
    " log_softmax clamp".split()
)
"""Methods that tensors alone have, so that a name need not be looked up."""
METHODS_OF_TENSORS = METHODS | frozenset(
    "float double half long int bool to type sort add sub mul div abs exp log sqrt pow t round neg clone cpu sum mean".split()
)
