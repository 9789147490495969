"""Tensors with a mask of the valid elements."""

from tensh.masked.maskedtensor import rules  # noqa: F401  without them the class knows no function
from tensh.masked.maskedtensor.core import MaskedTensor, is_masked_tensor
from tensh.masked.maskedtensor.creation import as_masked_tensor, masked_tensor

__all__ = ["MaskedTensor", "as_masked_tensor", "is_masked_tensor", "masked_tensor"]
