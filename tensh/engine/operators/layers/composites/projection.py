"""Linear and bilinear layers."""

import math

from tensh.engine.dispatch.override.state import state
from tensh.engine.errors.messages import size_at
from tensh.engine.inplace.out import write_out
from tensh.engine.operators.forms import require
from tensh.engine.operators.layers.composites.registry import layer, refuse_dtypes
from tensh.engine.operators.linalg.addmm import addmm
from tensh.engine.operators.linalg.composites.products import matmul
from tensh.engine.operators.shapes.views import t, view


@layer
def linear(input, weight, bias=None, *, out=None):
    """``input @ weight.T + bias``: [..., in] with ``weight`` [out, in] and ``bias`` [out].  Differentiable in all three.

    Raise RuntimeError where they do not fit.

    >>> import tensh as torch
    >>> torch.nn.functional.linear(torch.tensor([1.0, 2.0]), torch.tensor([[3.0, 4.0]]), torch.tensor([5.0]))
    tensor([16.])
    """
    require(input, "linear", "input", 1), require(weight, "linear", "weight", 2)
    result = product(input, weight, None if bias is None else require(bias, "linear", "bias", 3))
    return result if out is None else write_out(out, result, "linear")


def product(input, weight, bias):
    a, b = input.array.ndim, weight.array.ndim
    if not a or not b:
        raise RuntimeError(f"both arguments to linear need to be at least 1D, but they are {a}D and {b}D")
    if bias is None:
        return matmul(input, t.fn(weight))
    if a == 2 == b:
        return addmm.fn(bias, input, t.fn(weight))
    if a != 2 and (bias.array.ndim != 1 or not input.array.flags.c_contiguous):
        result = matmul(input, t.fn(weight))
        return result.add(bias) if state.dispatch_modes else result.add_(bias)  # as in PyTorch, which asks, too
    if b == 1:
        raise RuntimeError(f"mat2 must be a matrix, got {b}-D tensor")
    shape = input.array.shape
    rows = math.prod(shape[:-1])
    flat = view.fn(input, (rows, shape[-1]))
    return view.fn(addmm.fn(bias, flat, t.fn(weight)), (*shape[:-1], weight.array.shape[0]))


@layer(torch=True)
def bilinear(input1, input2, weight, bias=None):
    """The bilinear form ``input1 @ weight[o] @ input2`` for every output, plus ``bias``.  Differentiable in all four.

    ``input1`` is [..., in1], ``input2`` [..., in2], ``weight`` [out, in1, in2] and the result [..., out].  RuntimeError
    for other shapes.
    """
    from tensh.engine.operators.linalg.pairs import product_of_three

    one = require(input1, "bilinear", "input1", 1).array.shape
    two = require(input2, "bilinear", "input2", 2).array.shape
    sizes = require(weight, "bilinear", "weight", 3).array.shape
    given = {"input1": input1, "input2": input2, "weight": weight} | ({} if bias is None else {"bias": bias})
    if len({x.dtype for x in given.values()}) > 1:
        kinds = ", ".join(f"{name}: {x.dtype.spoken}" for name, x in given.items())
        raise RuntimeError(f"All tensors must have the same dtype, got {kinds}")
    if len(one) != len(two):
        raise RuntimeError(f"bilinear(): input dimensions do not match: got {len(one)} and {len(two)}")
    for dim, (n, m) in enumerate(zip(one[:-1], two[:-1])):
        if n != m:
            raise RuntimeError(f"bilinear(): input batch dimensions do not match at dim {dim}: got {n} and {m}")
    for number, shape in enumerate((one, two), 1):
        size, expected = size_at(shape, -1), size_at(sizes, number)
        if size != expected:
            raise RuntimeError(
                f"bilinear(): input{number} size does not match weight size: got {size} but expected {expected}"
            )
    if bias is not None and size_at(bias.array.shape, 0) != sizes[0]:
        raise RuntimeError(
            f"bilinear(): bias size does not match weight size: got {bias.array.shape[0]} but expected {sizes[0]}"
        )
    if input1.array.size:
        refuse_dtypes("bmm", input1, "bool")
    if one[-1] == 0 or two[-1] == 0:
        raise RuntimeError(
            "cannot reshape tensor of 0 elements into shape [-1, 0] because the unspecified dimension size -1 can be any value "
            "and is ambiguous"
        )
    first, second = (x.reshape((-1 if x.array.size else 0, x.array.shape[-1])) for x in (input1, input2))
    result = product_of_three.fn(first, weight, second, ("ni", "oij", "nj", "no")).reshape((*one[:-1], sizes[0]))
    return result if bias is None else result + bias
