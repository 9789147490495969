"""The functions of torch.sparse, and products with sparse results."""

import numpy as np

from tensh.engine.codegen.composites import composite
from tensh.engine.codegen.public_forms import public_object
from tensh.engine.codegen.registry import PUBLIC
from tensh.engine.codegen.vocabulary import on_tensors
from tensh.engine.core.tensor import Tensor, wrap
from tensh.engine.errors.messages import wrap_dims
from tensh.engine.errors.unavailable import could_not_run
from tensh.engine.operators.forms import require_kind
from tensh.engine.operators.linalg.products import mm as mm_op
from tensh.engine.operators.sparse.array import COO, CSR
from tensh.engine.operators.sparse.creation import check_sparse_tensor_invariants  # noqa: F401
from tensh.engine.operators.sparse.forms import (
    coalesce_as,
    dense_of,
    is_sparse,
    rename_node,
    replace_values,
    sparse_tensor,
    values_of,
)
from tensh.engine.operators.sparse.layouts import TITLES, to_coo
from tensh.engine.operators.sparse.multiplication import addmm as add_product
from tensh.engine.operators.sparse.multiplication import mm as multiply
from tensh.engine.operators.sparse.multiplication import sampled_addmm_of
from tensh.engine.operators.sparse.reduced_products import reduce_product
from tensh.engine.operators.sparse.rules import sum_dim


def mm(mat1, mat2, reduce=None):
    """The product of two matrices, of which at least one is sparse; sparse if both are.  Differentiable.

    ``reduce``, "sum", "mean", "amax" or "amin", reduces the products of each element of the result, of a matrix in the layout
    sparse_csr and a dense one.  Shapes: [n, k] and [k, m] to [n, m]. Raise RuntimeError for other shapes.

    >>> import tensh as torch
    >>> torch.sparse.mm(torch.eye(2).to_sparse(), torch.ones(2, 2))
    tensor([[1., 1.],
            [1., 1.]])
    """
    if reduce is not None:
        if not isinstance(reduce, str):
            raise TypeError(f"_sparse_mm(): argument 'reduce' (position 3) must be str, not {type(reduce).__name__}")
        return reduce_product(mat1, mat2, reduce)
    if not is_sparse(mat1) and not is_sparse(mat2):
        return mat1.mm(mat2)
    if mat1.array.ndim != 2 and is_sparse(mat1) and mat1.array.layout is not COO:
        raise RuntimeError(f"mat1 must be a matrix, got {mat1.array.ndim}-D tensor")
    if mat2.array.ndim == 1:
        wrap_dims((1,), 1)
    both = is_sparse(mat1) and is_sparse(mat2)
    return multiply(mat1, mat2, "SparseSparseMatmulBackward0" if both else "SparseAddmmBackward0")


def addmm(mat, mat1, mat2, *, beta=1.0, alpha=1.0):
    """``beta * mat + alpha * (mat1 @ mat2)`` of a sparse ``mat1`` [n, k], ``mat2`` [k, m] and ``mat`` [n, m].

    Differentiable.  Raise RuntimeError for other shapes.

    >>> import tensh as torch
    >>> torch.sparse.addmm(torch.ones(2, 2), torch.eye(2).to_sparse(), torch.ones(2, 2))
    tensor([[2., 2.],
            [2., 2.]])
    """
    if not any(map(is_sparse, (mat, mat1, mat2))):
        return mat.addmm(mat1, mat2, beta=beta, alpha=alpha)
    return add_product(mat, mat1, mat2, beta=beta, alpha=alpha, label="SparseAddmmBackward0")


def sum(input, dim=None, dtype=None):
    """The sum of all values, or over the dimensions ``dim``: sparse, unless all sparse dimensions are summed over.

    Differentiable.

    >>> import tensh as torch
    >>> torch.sparse.sum(torch.eye(2).to_sparse())
    tensor(2.)
    """
    return sum_of_values(input, *(() if dim is None else (dim,)), **({} if dtype is None else {"dtype": dtype}))


def _sparse_sum(input, dim=None, *, dtype=None):
    if not isinstance(input, Tensor) or not is_sparse(input) or input.array.layout is not COO:
        kind = "CPU" if not is_sparse(input) else "SparseCsrCPU"
        if dim is not None:
            raise could_not_run("_indices", kind)
        title = TITLES.get(input.layout, "Strided")
        raise RuntimeError(f"coalesce expected sparse coordinate tensor layout but got {title}")
    if dim is None:
        return input.sum() if dtype is None else input.sum(dtype=dtype)
    result = sum_dim(input, dim, False, None if dtype is None else dtype.numpy)
    if not is_sparse(result) or result.node is None:
        return rename_node(result, "SparseSumBackward0")
    return replace_values(result.array, values_of(result), "SparseSumBackward0")


def groups(t, dim):
    """Return the line of each value along ``dim``, and the number of lines."""
    index = np.delete(t.array.indices[0], dim, 0)
    _, inverse = np.unique(index, axis=1, return_inverse=True) if index.size else (0, np.zeros(t.array.nnz, int))
    inverse = np.asarray(inverse).reshape(-1).astype(np.int64)
    return inverse, int(inverse.max()) + 1 if inverse.size else 0


def softmax_of_values(input, dim, dtype, logarithm, label):
    """Compute the (logarithm of the) softmax of the values along a dimension; missing elements count as minus infinity."""
    if not is_sparse(input) or input.array.layout is not COO:
        kind = "SparseCsrCPU" if is_sparse(input) else "CPU"
        raise could_not_run("_sparse_log_softmax" if logarithm else "_sparse_softmax", kind)
    t = coalesce_as(input if dtype is None else input.to(dtype))
    dim = wrap_dims((dim,), t.array.ndim)[0]
    values = values_of(t)
    if dim >= t.array.sparse_dim:
        place = dim - t.array.sparse_dim + 1
        return replace_values(t.array, values.log_softmax(place) if logarithm else values.softmax(place), label)
    line, count = groups(t, dim)
    top = np.full((count, *values.array.shape[1:]), -np.inf, values.array.dtype)
    np.maximum.at(top, line, values.array)
    moved, number = values - wrap(top[line]), wrap(line)
    total = wrap(np.zeros_like(top)).index_put((number,), moved.exp(), True)
    found = moved - total.log()[number] if logarithm else moved.exp() / total[number]
    return replace_values(t.array, found, label)


def softmax(input, dim, dtype=None):
    """The softmax of the values along ``dim``; missing elements count as minus infinity.  Differentiable.

    >>> import tensh as torch
    >>> torch.sparse.softmax(torch.ones(1, 2).to_sparse(), 1).values()
    tensor([0.5000, 0.5000])
    """
    return softmax_of_values(input, dim, dtype, False, "SparseSoftmaxBackward0")


def log_softmax(input, dim, dtype=None):
    """The logarithm of the softmax of the values along ``dim``.  Differentiable.

    >>> import tensh as torch
    >>> torch.sparse.log_softmax(torch.ones(1, 2).to_sparse(), 1).values()
    tensor([-0.6931, -0.6931])
    """
    return softmax_of_values(input, dim, dtype, True, "SparseLogSoftmaxBackward0")


def sampled_addmm(input, mat1, mat2, *, beta=1.0, alpha=1.0, out=None):
    """``alpha * (mat1 @ mat2) + beta * input`` at the indices of a sparse matrix ``input`` of the layout sparse_csr.

    Differentiable.  Raise RuntimeError for another layout.

    >>> import tensh as torch
    >>> torch.sparse.sampled_addmm(torch.eye(2).to_sparse_csr(), torch.ones(2, 2), torch.ones(2, 2)).values()
    tensor([3., 3.])
    """
    if not is_sparse(input) or input.array.layout is COO:
        raise could_not_run("sparse_sampled_addmm", "SparseCPU" if is_sparse(input) else "CPU")
    if input.array.layout is not CSR:
        raise RuntimeError(f"Expected self to have sparse csr layout, but got {input.layout}")
    require_sampled_shapes(input.array.shape, mat1.array.shape, mat2.array.shape)
    values = sampled_addmm_of(input, mat1, mat2, beta, alpha)
    result = replace_values(input.array, values, "SparseSampledAddmmBackward0")
    return result if out is None else out.copy_(result)


def require_sampled_shapes(shape, first, second):
    """Raise RuntimeError unless the product of two matrices has a shape."""
    if first[-1:] != second[-2:-1]:
        words = "sampled_addmm: mat1 and mat2 shapes cannot be multiplied ({}x{} and {}x{})"
        raise RuntimeError(words.format(*first[-2:], *second[-2:]))
    for name, place, given in (("mat1", -2, first), ("mat2", -1, second)):
        if shape[place] != given[place]:
            raise RuntimeError(f"sampled_addmm: self.shape[{place}] must match {name}.shape[{place}]")


def spdiags(diagonals, offsets, shape, layout=None):
    """The sparse matrix whose diagonals ``offsets`` are the rows of ``diagonals``.

    Raise RuntimeError for repeated offsets, or unless there is one for each row of ``diagonals``.

    >>> import tensh as torch
    >>> torch.sparse.spdiags(torch.ones(1, 2), torch.tensor([0]), (2, 2)).to_dense()
    tensor([[1., 0.],
            [0., 1.]])
    """
    if layout is not None:
        require_kind("torch.layout", layout, "_spdiags", "layout", 4)
    rows = diagonals if diagonals.array.ndim == 2 else diagonals.unsqueeze(0)
    steps = offsets.array.reshape(-1)
    if len(shape) != 2:
        raise RuntimeError("Output shape must be 2d")
    if len(steps) != rows.array.shape[0]:
        raise RuntimeError(
            f"Number of diagonals ({rows.array.shape[0]}) does not match the number of offsets ({len(steps)})"
        )
    if len(np.unique(steps)) != len(steps):
        raise RuntimeError("Offset tensor contains duplicate values")
    n, m = shape
    found = [
        (k, i, i + d) for k, d in enumerate(steps.tolist()) for i in range(n) if 0 <= i + d < min(m, rows.shape[1])
    ]
    number, row, column = np.array(found, np.int64).reshape(-1, 3).T
    values = rows[wrap(number), wrap(column)]
    made = sparse_tensor(values, (np.stack([row, column]),), (n, m), COO, False)
    return made if layout is None else made.to_sparse(layout=layout)


sum_of_values = public_object(_sparse_sum, "_sparse_sum")
CALLED = "_sparse_mm _sparse_addmm _sparse_softmax _sparse_log_softmax sparse_sampled_addmm _spdiags".split()
mm, addmm, softmax, log_softmax, sampled_addmm, spdiags = (
    public_object(each, each.__name__, spoken=called, home="torch.sparse")
    for each, called in zip((mm, addmm, softmax, log_softmax, sampled_addmm, spdiags), CALLED, strict=True)
)
sum.__module__ = "torch.sparse"


def as_sparse_gradcheck(gradcheck):
    """Adapt a gradcheck to functions of sparse tensors: gradients are compared at the values only."""

    def checked(func, inputs, **options):
        options.pop("masked", None)
        given = list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
        taken = [
            values_of(each).detach().requires_grad_(each.requires_grad) if is_sparse(each) else each for each in given
        ]

        def on_values(*values):
            args = [replace_values(t.array, v) if is_sparse(t) else v for t, v in zip(given, values, strict=True)]
            result = func(*args)
            return dense_of(result) if is_sparse(result) else result

        return gradcheck(on_values, taken, **options)

    return checked


# ── in the torch namespace ───────────────────────────────────────────────────
def rows_of_product(input, mat, name="sspaddmm"):
    """Return the product of a sparse and a dense matrix, and its rows with values; raise RuntimeError for other layouts."""
    if not is_sparse(input):
        raise RuntimeError("sspaddmm: expected 'mat1' to have sparse layout, got 'mat1' with layout Strided")
    if is_sparse(mat):
        title = TITLES[mat.array.layout]
        raise RuntimeError(f"sspaddmm: expected 'mat2' to have strided layout, got 'mat2' with layout {title}")
    if input.array.ndim == mat.array.ndim == 2 and input.array.shape[1] != mat.array.shape[0]:
        raise RuntimeError(f"{name}: Argument #3: Expected dim 0 size {input.array.shape[1]}, got {mat.array.shape[0]}")
    product = multiply(input, mat)
    return product, np.unique(coalesce_as(to_coo(input)).array.indices[0][0])


@composite
def smm(input, mat):
    """The product of a sparse matrix with a dense one as a sparse matrix.  Shapes: [n, k] and [k, m] to [n, m].

    Raise RuntimeError for other shapes.

    >>> import tensh as torch
    >>> torch.smm(torch.eye(2).to_sparse(), torch.ones(2, 2)).to_dense()
    tensor([[1., 1.],
            [1., 1.]])
    """
    product, rows = rows_of_product(input, mat)
    index = np.stack([np.repeat(rows, product.shape[1]), np.tile(np.arange(product.shape[1]), len(rows))])
    values = product[wrap(rows)].reshape(-1)
    return sparse_tensor(values, (index,), product.shape, COO, False)


@composite(method=False)
def hspmm(mat1, mat2):
    """The product of a sparse matrix with a dense one as a sparse tensor of rows.  Shapes: [n, k] and [k, m] to [n, m].

    Raise RuntimeError for other shapes.

    >>> import tensh as torch
    >>> torch.hspmm(torch.eye(2).to_sparse(), torch.ones(2, 2)).to_dense()
    tensor([[1., 1.],
            [1., 1.]])
    """
    product, rows = rows_of_product(mat1, mat2, "hspmm")
    return sparse_tensor(product[wrap(rows)], (rows[None],), product.shape, COO, False)


@composite
def sspaddmm(input, mat1, mat2, *, beta=1, alpha=1):
    """``beta * input + alpha * (mat1 @ mat2)`` of sparse ``input`` and ``mat1``, as a sparse matrix.

    Shapes: [n, m], [n, k] and [k, m] to [n, m]. Raise RuntimeError for other shapes.

    >>> import tensh as torch
    >>> torch.sspaddmm(torch.eye(2).to_sparse(), torch.eye(2).to_sparse(), torch.ones(2, 2)).to_dense()
    tensor([[2., 1.],
            [1., 2.]])
    """
    if not is_sparse(input):
        raise RuntimeError("sspaddmm: expected 'input' to have sparse layout, got 'input' with layout Strided")
    product = smm(mat1, mat2)
    a, b = to_coo(input).array, product.array
    values = [values_of(input) * beta if beta != 1 else values_of(input), values_of(product) * alpha]
    both = on_tensors("cat")(values, 0)
    return sparse_tensor(both, (np.concatenate([a.indices[0], b.indices[0]], 1),), a.shape, COO, False)


PUBLIC |= {"spmm": mm_op, "dsmm": mm_op, "hsmm": hspmm, "saddmm": sspaddmm}
