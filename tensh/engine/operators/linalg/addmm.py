"""Products of matrices and vectors added to an input: ``beta * input + alpha * product``, in one array."""

from functools import reduce

import numpy as np

from tensh.engine.codegen.mixing import EXACT_SCALARS
from tensh.engine.codegen.scalars import FITTING
from tensh.engine.codegen.table import OR_THE_SAME, op
from tensh.engine.codegen.vocabulary import TENSORS, word
from tensh.engine.core.tensor import Tensor
from tensh.engine.dtypes.dtype import BY_NUMPY, can_cast, combine_categories, of_scalar, promote_types
from tensh.engine.errors.messages import OTHER_DTYPE, cannot_cast, refuse_dtype, wrap_dim
from tensh.engine.operators.basic import expanded_size
from tensh.engine.operators.linalg.products import batches, check_batches, check_vector, mm, mv, refuse_dtypes
from tensh.engine.operators.precision import is_half, widen


@word
def scale(g, factor):
    """``g`` times the conjugate of a number, which is mostly 1."""
    if type(factor) is int and factor == 1:
        return g
    if isinstance(g, Tensor):
        return TENSORS["mul_number"](g, factor.conjugate())
    return g * (EXACT_SCALARS[factor, g.dtype] if is_half(g.dtype) else factor.conjugate())


def plus(input, product, beta, alpha):
    """Compute ``beta * input + alpha * product`` in the product's memory; for beta 0 the input is ignored, even nan."""
    if alpha != 1:
        product *= FITTING[alpha, product.dtype]
    if beta == 0:
        np.broadcast_to(input, product.shape)  # raises if the input does not fit
        return product
    if product.shape == (1, *input.shape):  # a single row needs no broadcasting, which takes three times as long
        input = input.reshape(product.shape)
    return np.add(product, input if beta == 1 else input * FITTING[beta, input.dtype], product)


def add_product(input, product, beta, alpha, terms=1):
    """Compute, or raise PyTorch's error if the input cannot be expanded to the product's shape.

    ``alpha`` is not checked for a product without ``terms``, and neither number for one without elements.
    """
    if not terms or not product.size:
        alpha, beta = 1, beta if product.size else 1
    try:
        if is_half(input.dtype) and not is_half(product.dtype):
            beta = beta if terms else float(input.dtype.type(beta))  # without products the factor is rounded
            return plus(widen(input), product, beta, alpha).astype(input.dtype)
        return plus(input, product, beta, alpha)
    except ValueError:
        expanded_size(input, product.shape)
        raise


def require_factor(input, beta):
    """Raise RuntimeError unless ``input`` can be overwritten with ``beta * input``, the result for empty sums."""
    kind, own = type(beta), BY_NUMPY[input.dtype]
    if beta != 0 and kind in of_scalar and not can_cast(result := combine_categories(own, of_scalar[kind]), own):
        raise cannot_cast(result, own)


def require_factors(dtype, *factors):
    """Raise RuntimeError unless both factors fit half precision."""
    if is_half(dtype):
        for factor in factors:
            FITTING[factor, dtype]  # raises if the factor does not fit


def require_one_dtype(dtype, **others):
    """Raise RuntimeError unless all are equal, with PyTorch's words."""
    for name, other in others.items():
        if other != dtype:
            titles = f"{BY_NUMPY[other].title} and {BY_NUMPY[dtype].title}"
            raise RuntimeError(f"{name} and mat2 must have the same dtype, but got {titles}")


@op(
    inplace=True,
    out=OTHER_DTYPE,
    input="scale(g, beta)",
    mat1="scale(t(mm(conj(mat2), t(g))) if by_columns(mat1.strides) else mm(g, tH(mat2)), alpha)",
    mat2="scale(t(mm(t(g), conj(mat1))) if by_columns(mat2.strides) else mm(tH(mat1), g), alpha)",
)
def addmm(input, mat1, mat2, *, beta=1, alpha=1):
    """``beta * input + alpha * (mat1 @ mat2)`` for matrices; ``input`` is broadcast.  Differentiable.

    Shapes: [n, k] and [k, m] to [n, m]. Raise RuntimeError for other shapes.

    >>> import tensh as torch
    >>> torch.addmm(torch.tensor([1, 1]), torch.tensor([[1, 2]]), torch.tensor([[3, 4], [5, 6]]))
    tensor([[14, 17]])
    """
    dtype = mat2.dtype
    if input.dtype is not dtype or mat1.dtype is not dtype:
        require_one_dtype(dtype, self=input.dtype, mat1=mat1.dtype)
    if mat1.dtype.itemsize == 2 and mat1.dtype == mat2.dtype:
        mat1, mat2 = widen(mat1), widen(mat2)
    for name, mat in (("mat1", mat1), ("mat2", mat2)):
        if mat.ndim != 2:
            raise RuntimeError(f"{name} must be a matrix, got {mat.ndim}-D tensor")
    if not mat1.shape[1] and mat1.shape[0] and mat2.shape[1]:
        require_factor(input, beta)
    return add_product(input, mm.kernel(mat1, mat2), beta, alpha, mat1.shape[1])


@op(
    apart=OR_THE_SAME,
    inplace=True,
    input="scale(g, beta)",
    mat="scale(outer_product(g, conj(vec)), alpha)",
    vec="scale(mv(tH(mat), g), alpha)",
)
def addmv(input, mat, vec, *, beta=1, alpha=1):
    """``beta * input + alpha * (mat @ vec)`` for a matrix and a vector.  Differentiable.

    Shapes: [n, m] and [m] to [n]. Raise RuntimeError for other shapes.

    >>> import tensh as torch
    >>> torch.addmv(torch.tensor([1]), torch.tensor([[1, 2]]), torch.tensor([3, 4]))
    tensor([12])
    """
    if mat.ndim != 2 or vec.ndim != 1 or input.ndim > 1:
        raise RuntimeError(f"vector + matrix @ vector expected, got {input.ndim}, {mat.ndim}, {vec.ndim}")
    check_vector(input, mat, vec)
    if mat.dtype.kind == "b":
        refuse_dtype("addmv_impl", mat.dtype)
    require_factors(input.dtype, beta, alpha)
    product = mv.kernel(widen(mat), widen(vec))
    if is_half(input.dtype):
        return add_half_products(input, product, beta, alpha, vec.size)
    return add_product(input, product, beta, alpha, vec.size)


def add_half_products(input, product, beta, alpha, terms):
    """``add_product`` of 16 bit numbers and a vector, with factors, ``beta * input`` and products of one term rounded."""
    dtype = input.dtype
    beta, alpha = (dtype.type(each) for each in (beta, alpha))
    product = product * np.float32(alpha)
    if beta != 1 and beta != 0:
        input, beta = input * beta, 1
    return add_product(input, product.astype(dtype) if terms == 1 else product, beta, 1, terms)


@op(
    apart=OR_THE_SAME,
    inplace=True,
    input="scale(g, beta)",
    vec1="scale(mv(g, conj(vec2)), alpha)",
    vec2="scale(mv(mT(g), conj(vec1)), alpha)",
)
def addr(input, vec1, vec2, *, beta=1, alpha=1):
    """``beta * input + alpha`` times the outer product of two vectors.  Differentiable.

    Shapes: [n] and [m] to [n, m]. Raise RuntimeError for other shapes.

    >>> import tensh as torch
    >>> torch.addr(torch.zeros(2, 2), torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0]))
    tensor([[3., 4.],
            [6., 8.]])
    """
    for position, vec in enumerate((vec1, vec2), 1):
        if vec.ndim != 1:
            raise RuntimeError(f"addr: Expected 1-D argument vec{position}, but got {vec.ndim}-D")
    for name, number in (("beta", beta), ("alpha", alpha)):
        if type(number) is bool and np.result_type(input, vec1, vec2).kind != "b":
            raise RuntimeError(f"Boolean {name} only supported for Boolean results.")
        if type(number) in (float, complex) and np.result_type(input, vec1, vec2).kind in "biu":
            raise RuntimeError(f"For integral input tensors, argument {name} must not be a floating point number.")
    kinds = (BY_NUMPY[array.dtype] for array in (input, vec1, vec2))  # an input without dimensions counts in full
    dtype = reduce(promote_types, kinds).numpy
    input, vec1, vec2 = (array.astype(dtype, copy=False) for array in (input, vec1, vec2))
    if input.dtype.kind == "b":
        product = np.logical_and(vec1[:, None], vec2) if alpha else np.zeros((vec1.size, vec2.size), bool)
        return np.logical_or(product, input) if beta else product
    require_factors(input.dtype, beta, alpha)
    if is_half(input.dtype) and vec1.dtype == vec2.dtype == input.dtype:  # every step is rounded
        product = (vec1 if alpha == 1 else vec1 * FITTING[alpha, vec1.dtype])[:, None] * vec2
        return add_product(input, product, beta, 1)
    product = widen(vec1)[:, None] * widen(vec2)
    return add_product(input, product.astype(np.result_type(product, widen(input)), copy=False), beta, alpha)


@op(
    inplace=True,
    out=OTHER_DTYPE,
    input="scale(g, beta)",
    batch1="scale(bmm_like(g, mH(batch2), batch1.strides), alpha)",
    batch2="scale(bmm_like(mH(batch1), g, batch2.strides), alpha)",
)
def baddbmm(input, batch1, batch2, *, beta=1, alpha=1):
    """``beta * input + alpha * (batch1 @ batch2)`` for stacks of matrices.  Differentiable.

    Shapes: [b, n, k] and [b, k, m] to [b, n, m]. Raise RuntimeError for other shapes.

    >>> import tensh as torch
    >>> torch.baddbmm(torch.ones(1), torch.ones(2, 1, 3), torch.ones(2, 3, 1)).flatten()
    tensor([4., 4.])
    """
    wrap_dim(0, batch1.ndim, scalar=False), wrap_dim(1, batch1.ndim), wrap_dim(2, batch2.ndim)
    if input.dtype != batch1.dtype:
        one, two, three = (BY_NUMPY[array.dtype].spoken for array in (input, batch1, batch2))
        raise RuntimeError(f"Input dtypes must be the same, got: input {one}, batch1: {two}, batch2: {three}")
    check_batches(batch1, batch2)
    if not batch1.shape[2] and batch1.shape[0] and batch1.shape[1] and batch2.shape[2]:
        require_factor(input, beta)
    elif (batch1.dtype is not batch2.dtype or batch1.dtype.kind == "b") and batch1.size and batch2.size:
        same = "mat1 and mat2 must have the same dtype, but got {0.title} and {1.title}"
        refuse_dtypes("baddbmm", batch1, batch2, same)
    return add_product(input, batches(widen(batch1), widen(batch2)), beta, alpha, batch1.shape[2])


@op(
    apart=OR_THE_SAME,
    inplace=True,
    input="scale(g, beta)",
    batch1="scale(bmm(expand(g, batch1.shape[:1] + g.shape), mH(batch2)), alpha)",
    batch2="scale(bmm(mH(batch1), expand(g, batch1.shape[:1] + g.shape)), alpha)",
)
def addbmm(input, batch1, batch2, *, beta=1, alpha=1):
    """``beta * input + alpha`` times the sum of the products of two stacks of matrices.  Differentiable.

    Shapes: [b, n, k] and [b, k, m] to [n, m]. Raise RuntimeError for other shapes.

    >>> import tensh as torch
    >>> torch.addbmm(torch.ones(1, 1), torch.ones(2, 1, 3), torch.ones(2, 3, 1))
    tensor([[7.]])
    """
    wrap_dim(1, batch1.ndim, scalar=False), wrap_dim(2, batch2.ndim, scalar=False)
    check_batches(batch1, batch2)
    dtype = batch2.dtype
    if input.dtype is not dtype or batch1.dtype is not dtype:
        require_one_dtype(dtype, self=input.dtype, mat1=batch1.dtype)
    terms = batch1.shape[0] * batch1.shape[2]
    if not terms and batch1.shape[1] and batch2.shape[2]:
        require_factor(input, beta)
    elif batch1.dtype.kind == "b" and batch1.size and batch2.size:
        raise NotImplementedError("\"addmm_impl_cpu_\" not implemented for 'Bool'")
    products = batches(widen(batch1), widen(batch2))
    if is_half(input.dtype) and terms:  # one product is added after the other
        for product in products:
            input, beta = add_product(input, product, beta, alpha), 1
        return input
    product = np.add.reduce(products, 0, products.dtype)
    return add_product(input, product, beta, alpha, terms)
