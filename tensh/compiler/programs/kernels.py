"""Simpler kernels for operands of known shape and dtype, without the checks that general kernels make in every call.

Their results have the same bits.
"""

import operator as python

import numpy as np

from tensh.compiler.programs.steps import KERNEL, POINTWISE, VIEW, Step, Var
from tensh.engine.arrays.matmul import ORDERED, PARALLEL_PRODUCT
from tensh.engine.codegen.vocabulary import OPS
from tensh.engine.operators.linalg.few import has_few, multiply_few
from tensh.engine.operators.linalg.products import LONG
from tensh.engine.operators.reductions.small import COLUMN, MOST, add_columns

REAL = (np.dtype(np.float32), np.dtype(np.float64))
DOT, TRANSPOSED, RESHAPED = "matmul", "transposed", "reshaped"  # names that no operator has
"""Steps that are written as ``a.dot(b)``, ``a.T`` and ``a.reshape(shape)``."""


def choose_kernels(steps, rules):
    """Replace steps by simpler ones where possible."""
    chosen = []
    for step in steps:
        rule = rules.get(step.name)
        chosen += rule(step) if rule is not None else [step]
    return chosen


def split_addmm(step):
    """Split ``addmm`` into a product, and a sum that can be fused with what follows."""
    bias, first, second = step.args
    product = step.out
    plain = step.options == {"beta": 1, "alpha": 1} and all(type(value) is int for value in step.options.values())
    if (
        not plain
        or not first.shape[1]
        or any(each.dtype is not product.dtype or each.dtype not in REAL for each in step.args)
    ):
        return [step]
    made = Var(np.empty(product.shape, product.dtype))
    multiply = Step(KERNEL, "mm", OPS["mm"].kernel, (first, second), [made], step.line)
    add = Step(POINTWISE, "add", OPS["add"].kernel, (made, bias), [product], step.line)
    return [*multiply_small(multiply), add]


def multiply_small(step):
    """Replace a product by a single call of BLAS."""
    first, second = step.args
    little = first.size * second.size < PARALLEL_PRODUCT or first.size * second.shape[1] < ORDERED
    small = little and 1 != second.shape[0] < LONG
    if not small or first.dtype is not second.dtype or first.dtype not in REAL:
        return [step]
    if has_few(*first.shape, second.shape[1]):
        return [Step(KERNEL, "mm", multiply_few_or_many, step.args, step.outs, step.line)]
    return [Step(KERNEL, DOT, python.matmul, step.args, step.outs, step.line)]


def multiply_few_or_many(first, second):
    product = multiply_few(first, second)
    return first.dot(second) if product is None else product


def sum_columns(step):
    """Replace the sum of the columns of a small matrix by the kernel for its size."""
    matrix, dim, *others = step.args
    whole = len(matrix.shape) == 2 and dim in (0, (0,)) and not any(others) and not step.options
    few = whole and matrix.shape[0] <= COLUMN and 0 < matrix.size <= MOST and matrix.dtype in REAL
    if not few or step.out.dtype is not matrix.dtype:
        return [step]
    return [Step(KERNEL, "sum_dim", add_columns_or_rows, step.args, step.outs, step.line)]


def add_columns_or_rows(matrix, dim, keepdim=False, dtype=None):
    """Sum the columns of a matrix that may lie in another order than in the capture."""
    return add_columns(matrix) if matrix.flags.c_contiguous else OPS["sum_dim"].kernel(matrix, dim)


def transpose(step):
    return (
        [Step(VIEW, TRANSPOSED, np.transpose, step.args, step.outs, step.line)]
        if len(step.args[0].shape) == 2
        else [step]
    )


def reshape_gradient(step):
    """Replace a view by a reshape, because a gradient may have another memory layout than in the capture."""
    if step.out.dtype is not step.args[0].dtype:
        return [step]
    return [Step(VIEW, RESHAPED, np.reshape, (step.args[0], step.out.shape), step.outs, step.line)]


def reshape(step):
    return reshape_gradient(step) if step.args[0].contiguous else [step]


RULES = {"addmm": split_addmm, "mm": multiply_small, "t": transpose, "view": reshape, "sum_dim": sum_columns}
"""Name of a step -> the function that returns its replacement."""
BACKWARD_RULES = RULES | {"view": reshape_gradient, "reshape_alias": reshape_gradient}
"""The rules of a backward pass, by the name of a step."""
