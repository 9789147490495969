"""torch.nested: batches of tensors of different sizes as single tensors."""

from tensh.engine.methods.namespaces import declare_namespace

__all__ = [
    "as_nested_tensor",
    "masked_select",
    "narrow",
    "nested_tensor",
    "nested_tensor_from_jagged",
    "to_padded_tensor",
]
__getattr__, __dir__ = declare_namespace("tensh.nested", globals(), dict.fromkeys(__all__, "creation"), ["_internal"])
