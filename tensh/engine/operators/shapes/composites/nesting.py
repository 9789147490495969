"""Methods of nested tensors, refused by other tensors; the rules for nested ones are in ``tensh.nested``."""

from tensh.engine.codegen.composites import composite


@composite(function=False)
def to_padded_tensor(input, padding, output_size=None):
    """A dense tensor of a nested one's tensors, filled up with ``padding``. Differentiable.

    ``output_size`` is the size of the result, by default the smallest possible one.  Raise NotImplementedError for a
    tensor that is not nested. Shape: [N, *] to [N, *output_size].

    >>> import tensh as torch
    >>> torch.nested.nested_tensor([[1, 2], [3]]).to_padded_tensor(0)
    tensor([[1, 2],
            [3, 0]])
    """
    raise NotImplementedError("Could not run 'aten::to_padded_tensor' with arguments from the 'CPU' backend.")
