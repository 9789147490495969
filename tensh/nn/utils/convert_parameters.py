"""Parameters as one vector, and back."""

from tensh.engine import named
from tensh.engine.tensor import Tensor
from tensh.nn.modules.members import typename


def parameters_to_vector(parameters):
    """All parameters, one after the other.  Differentiable.

    >>> import tensh as torch
    >>> torch.nn.utils.parameters_to_vector(torch.nn.Linear(2, 3).parameters()).shape
    torch.Size([9])
    """
    return named("cat")([parameter.view(-1) for parameter in parameters])


def vector_to_parameters(vec, parameters):
    """Give the parameters the values of a vector: they are parts of it from then on."""
    if not isinstance(vec, Tensor):
        raise TypeError(f"expected torch.Tensor, but got: {typename(vec)}")
    begin = 0
    for parameter in parameters:
        end = begin + parameter.numel()
        parameter.data = vec[begin:end].view_as(parameter).data
        begin = end
