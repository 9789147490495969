"""Parameters as one vector, and back."""

from tensh.engine import find_public
from tensh.engine.arrays.uninterrupted import without_interrupts
from tensh.engine.core.tensor import Tensor
from tensh.engine.methods.attributes import typename


def parameters_to_vector(parameters):
    """Concatenate all parameters to one vector [total size]. Differentiable.

    >>> import tensh as torch
    >>> torch.nn.utils.parameters_to_vector(torch.nn.Linear(2, 3).parameters()).shape
    torch.Size([9])
    """
    return find_public("cat")([require_place(parameter).view(-1) for parameter in parameters])


@without_interrupts
def vector_to_parameters(vec, parameters):
    """Copy the values of a vector [total size] into parameters; they become views of it.

    Raise TypeError for anything but a tensor.

    >>> import tensh as torch
    >>> layer = torch.nn.Linear(2, 1)
    >>> torch.nn.utils.vector_to_parameters(torch.tensor([1., 2., 3.]), layer.parameters())
    >>> layer.weight.data, layer.bias.data
    (tensor([[1., 2.]]), tensor([3.]))
    """
    if not isinstance(vec, Tensor):
        raise TypeError(f"expected torch.Tensor, but got: {typename(vec)}")
    begin = 0
    for parameter in parameters:
        end = begin + require_place(parameter).numel()
        parameter.data = vec[begin:end].view_as(parameter).data
        begin = end


def require_place(parameter):
    """Return the parameter; raise AttributeError, as PyTorch does, for a value without a device."""
    parameter.device  # noqa: B018
    return parameter
