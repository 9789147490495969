"""torch.nn.utils: gradient clipping, parameters as one vector, parametrizations, padded and packed sequences."""

from tensh.engine.methods.namespaces import declare_namespace

# Module -> its public names. A module is loaded when one of its names is first requested.
WHERE = {
    "tensh.nn.utils._expanded_weights": "",
    "tensh.nn.utils._named_member_accessor": "",
    "tensh.nn.utils._per_sample_grad": "",
    "tensh.nn.utils.clip_grad": """clip_grad_norm clip_grad_norm_ clip_grad_value_ clip_grads_with_norm_ get_total_norm""",
    "tensh.nn.utils.convert_parameters": "parameters_to_vector vector_to_parameters",
    "tensh.nn.utils.fusion": "fuse_conv_bn_eval fuse_conv_bn_weights fuse_linear_bn_eval fuse_linear_bn_weights",
    "tensh.nn.utils.init": "skip_init",
    "tensh.nn.utils.memory_format": "convert_conv2d_weight_memory_format convert_conv3d_weight_memory_format",
    "tensh.nn.utils.parametrizations": "",
    "tensh.nn.utils.parametrize": "",
    "tensh.nn.utils.prune": "",
    "tensh.nn.utils.rnn": "",
    "tensh.nn.utils.spectral_norms": "spectral_norm remove_spectral_norm",
    "tensh.nn.utils.stateless": "",
    "tensh.nn.utils.weight_norms": "weight_norm remove_weight_norm",
}
PLACES = {name: module for module, names in WHERE.items() for name in names.split()}
SUBMODULES = tuple(module.rpartition(".")[2] for module in WHERE)

__all__ = [*PLACES, "parametrizations", "parametrize", "rnn", "stateless"]  # noqa: PLE0604 (they are strings)

__getattr__, __dir__ = declare_namespace("tensh.nn.utils", globals(), PLACES, SUBMODULES)
