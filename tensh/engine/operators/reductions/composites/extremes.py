"""``max`` and ``min`` with their three forms: of all elements, along a dimension, of two tensors."""

from tensh.engine.codegen.composites import composite
from tensh.engine.core.tensor import Tensor
from tensh.engine.errors.messages import ABSENT
from tensh.engine.inplace.out import check_out, write_out
from tensh.engine.operators.elementwise import table
from tensh.engine.operators.reductions import extremes


def extreme(name, doc, of_all, along, of_two):
    """Make the public function from the operators of its three overloads."""

    def find_extreme(input, dim=ABSENT, keepdim=False, *, other=None, axis=ABSENT, keepdims=None, out=None):
        if isinstance(dim, Tensor) and not keepdim and keepdims is None:
            other, dim = dim, ABSENT
        if other is not None:
            if dim is not ABSENT:
                # replaced by the error of PyTorch's signatures
                raise TypeError(f"{name}() takes a tensor or a dimension")
            return of_two.fn(input, other, out=out)
        if axis is not ABSENT:
            dim = axis
        return reduce_all_or_along(name, of_all, along, input, dim, keepdim if keepdims is None else keepdims, out)

    find_extreme.__name__ = find_extreme.__qualname__ = name
    find_extreme.__doc__ = doc
    return composite(find_extreme)


def reduce_all_or_along(name, of_all, along, input, dim, keepdim, out):
    """Apply ``of_all``, or ``along`` if ``dim`` is given; write the result to ``out`` if it is given."""
    if dim is None:
        raise TypeError(f"{name}(): argument 'dim' must be int, not NoneType")
    if dim is ABSENT and keepdim:
        raise TypeError(f'{name}() missing 1 required positional arguments: "dim"')
    if out is not None:
        check_out(out, name, (input,))
    result = of_all.fn(input) if dim is ABSENT else along.fn(input, dim, keepdim)
    return (
        result
        if out is None
        else write_out(out, result, f"{name}_all" if dim is ABSENT else name, inputs=(input,), apart=False)
    )


max = extreme(
    "max",
    """The largest element, the largest along ``dim`` and their indices, or the larger of each pair in two tensors.

    ``max(input)``, ``max(input, dim, keepdim=False)`` (a named tuple of values and indices), ``max(input, other)``.
    nan is larger than any number.  Differentiable.  Shape: [*] to [], or without ``dim``.

    >>> import tensh as torch
    >>> torch.tensor([[1, 4], [3, 2]]).max(dim=1)
    torch.return_types.max(
    values=tensor([4, 3]),
    indices=tensor([1, 0]))
    """,
    extremes.max_all,
    extremes.max_dim,
    table.maximum,
)
min = extreme(
    "min",
    """The smallest element, the smallest along ``dim`` and their indices, or the smaller of each pair in two tensors.

    ``min(input)``, ``min(input, dim, keepdim=False)`` (a named tuple of values and indices), ``min(input, other)``.
    nan is smaller than any number.  Differentiable.  Shape: [*] to [], or without ``dim``.

    >>> import tensh as torch
    >>> torch.tensor([[1, 4], [3, 2]]).min(dim=1)
    torch.return_types.min(
    values=tensor([1, 2]),
    indices=tensor([0, 1]))
    """,
    extremes.min_all,
    extremes.min_dim,
    table.minimum,
)
