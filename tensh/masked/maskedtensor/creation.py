"""Creation of masked tensors from data and a mask."""

from tensh.masked.maskedtensor.core import MaskedTensor, attach_mask, require_fitting

__all__ = ["as_masked_tensor", "masked_tensor"]


def masked_tensor(data, mask, requires_grad=False):
    """Make a leaf with copies of the data and the mask, which is True for valid elements.

    Raise TypeError unless both are tensors and the mask has bools; ValueError unless they have the same shape.

    >>> import tensh as torch
    >>> torch.masked.masked_tensor(torch.tensor([1., 2.]), torch.tensor([True, False]))
    MaskedTensor(
      [  1.0000,       --]
    )
    """
    return MaskedTensor(data, mask, requires_grad)


def as_masked_tensor(data, mask):
    """Combine data with a mask, which is True for valid elements. Differentiable: gradients reach ``data``.

    Raise TypeError unless both are tensors and the mask has bools; ValueError unless they have the same shape.

    >>> import tensh as torch
    >>> x = torch.tensor([1., 2.], requires_grad=True)
    >>> torch.masked.as_masked_tensor(x, torch.tensor([True, False])).sum().backward()
    >>> x.grad
    tensor([1., 0.])
    """
    require_fitting(data, mask)
    return attach_mask(data.clone(), mask.clone())
