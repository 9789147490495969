"""Tensors that carry a mask of the elements that count."""

from tensh.namespace import declare_namespace

NAMES = dict.fromkeys("MaskedTensor masked_tensor as_masked_tensor".split(), "creation") | {"is_masked_tensor": "core"}

__all__ = ["MaskedTensor", "as_masked_tensor", "is_masked_tensor", "masked_tensor"]
__getattr__, __dir__ = declare_namespace("tensh.masked.maskedtensor", globals(), NAMES)
