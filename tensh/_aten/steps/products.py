"""Products of matrices that PyTorch composes of ``aten`` operators."""

import math

import tensh as torch
from tensh._aten.calls import aten
from tensh._aten.steps.shapes import product, reshape
from tensh.engine.core.tensor import Tensor


def linear(input, weight, bias=None):
    if input.dim() == 2 and bias is not None:
        return aten("addmm", bias, input, aten("t", weight))
    if input.dim() != 2 and bias is not None and input.is_contiguous():
        *outer, inner = input.shape
        flat = aten("view", input, [math.prod(outer), inner])
        return aten("view", aten("addmm", bias, flat, aten("t", weight)), [*outer, weight.shape[0]])
    out = matmul(input, aten("t", weight))
    return out if bias is None else aten("add", out, bias)


def matmul(input, other):
    if not isinstance(other, Tensor):
        return NotImplemented
    a, b = input.dim(), other.dim()
    if a == b == 1:
        return aten("dot", input, other)
    if a == 2 and b == 1:
        return aten("mv", input, other)
    if a == 1 and b == 2:
        return aten("squeeze_", aten("mm", aten("unsqueeze", input, 0), other), 0)
    if a == b == 2:
        return aten("mm", input, other)
    if a >= 3 and b <= 2 and b and (other.requires_grad or is_foldable(input)):
        flat = reshape(input, [-1, input.shape[-1]])
        out = aten("mv" if b == 1 else "mm", flat, other)
        return aten("_unsafe_view", out, [*input.shape[:-1], *other.shape[1:]])
    if a < 1 or b < 1:
        return NotImplemented
    if a == 1:
        return aten("squeeze", matmul(aten("unsqueeze", input, 0), other), -2)
    batch = broadcast(input.shape[:-2], other.shape[:-2])
    n, m, p, size = input.shape[-2], input.shape[-1], other.shape[-1], product(batch)
    left = reshape(aten("expand", input, [*batch, n, m]), [size, n, m])
    right = reshape(aten("expand", other, [*batch, m, p]), [size, m, p])
    return aten("_unsafe_view", aten("bmm", left, right), [*batch, n, p])


def operator_matmul(input, other):
    return torch.matmul(input, other) if isinstance(other, Tensor) else NotImplemented


def is_foldable(t):
    """Return True if the dimensions before the last lie in memory as one."""
    sizes, steps = (
        [int(each) for each in t.shape],
        t.stride(),
    )  # the layout of memory must not be a decision of a traced program
    return 0 in sizes or all(steps[d] == steps[d + 1] * sizes[d + 1] for d in range(t.dim() - 2))


def matrix_exp(A):
    return aten("linalg_matrix_exp", A)


def matrix_power(input, n):
    """Multiply squares of a matrix."""
    if n < 1:
        return NotImplemented
    if n == 1:
        return aten("clone", input, memory_format=torch.contiguous_format)
    if n == 3:
        return matmul(matmul(input, input), input)
    result = None
    while n:
        if n % 2:
            result = input if result is None else matmul(result, input)
        n //= 2
        input = matmul(input, input) if n else input
    return result


def multi_dot(tensors):
    """Multiply two matrices; the best order of more is not that of a few operators."""
    if len(tensors) != 2 or any(each.dim() != 2 for each in tensors):
        return NotImplemented
    one, two = tensors
    return aten("view", aten("mm", one, two), [one.shape[0], two.shape[1]])


def broadcast(one, two):
    """Return the sizes that two tensors have together, each of which may be a node of a program."""
    longer, shorter = (one, two) if len(one) >= len(two) else (two, one)
    rest = len(longer) - len(shorter)
    return [*longer[:rest], *(n if m == 1 else m for n, m in zip(longer[rest:], shorter))]
