"""Matrix products with a sparse tensor."""

import numpy as np

from tensh.engine.codegen.vocabulary import on_tensors
from tensh.engine.core.tensor import wrap
from tensh.engine.dtypes.device import strided
from tensh.engine.errors.messages import wrap_dim
from tensh.engine.errors.unavailable import could_not_run
from tensh.engine.operators.sparse.array import BSC, BSR, COO, CSC, CSR, places
from tensh.engine.operators.sparse.forms import (
    coalesce_as,
    elements_of,
    entries_of,
    is_sparse,
    rename_node,
    sparse_tensor,
    values_of,
)
from tensh.engine.operators.sparse.layouts import TITLES, convert_layout, to_coo
from tensh.engine.operators.sparse.products import sampled_product, sparse_product
from tensh.engine.operators.sparse.whole_gradients import mm_by_sparse, mm_of_sparse

PRODUCTS: dict = {}
WHOLE = ("MmBackward0",)
"""Nodes whose gradient of a sparse matrix is dense; ``torch.sparse`` gives it the places of the matrix."""


def product(*names):
    def keep(fn):
        PRODUCTS.update(dict.fromkeys(names or (fn.__name__,), fn))
        return fn

    return keep


def require_shapes(a, b):
    """Raise RuntimeError unless the columns of one matrix are the rows of the other."""
    (n, m), (k, j) = a.array.shape, b.array.shape
    if m != k:
        if is_sparse(a) and not is_sparse(b) and a.array.layout is COO:
            raise RuntimeError(f"addmm: Argument #3 (dense): Expected dim 0 size {m}, got {k}")
        if is_sparse(b) and not is_sparse(a) and b.array.layout is COO:  # the product of the transposed matrices
            raise RuntimeError(f"addmm: Argument #3 (dense): Expected dim 0 size {k}, got {m}")
        raise RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({n}x{m} and {k}x{j})")
    if a.array.dtype != b.array.dtype:
        if is_sparse(a) != is_sparse(b) and COO in (a.layout, b.layout):
            raise RuntimeError(f"expected scalar type {a.dtype.title} but found {b.dtype.title}")
        raise RuntimeError(f"expected m1 and m2 to have the same dtype, but got: {a.dtype.ctype} != {b.dtype.ctype}")


@product()
def mm(input, mat2, label="MmBackward0"):
    if is_sparse(input) and mat2.array.ndim == 1:
        wrap_dim(1, 1)
    if input.array.ndim != 2 or mat2.array.ndim != 2:
        raise RuntimeError(
            f"mm: Expected self to be a matrix, but got {input.array.ndim}-D and {mat2.array.ndim}-D tensors"
        )
    require_shapes(input, mat2)
    if is_sparse(input) and is_sparse(mat2):
        return sparse_by_sparse(input, mat2, label)
    if input.layout is BSC or mat2.layout is BSR:
        raise no_product(strided, input, mat2)
    if label in WHOLE and not (input.array.block if is_sparse(input) else mat2.array.block):
        return (mm_of_sparse if is_sparse(input) else mm_by_sparse).fn(input, mat2)
    if is_sparse(input):
        (rows, cols), values = parts_of(input)
        return rename_node(sparse_product.fn(rows, cols, values, mat2, input.array.shape[0]), label)
    (rows, cols), values = parts_of(mat2)
    return rename_node(sparse_product.fn(cols, rows, values, input.t(), mat2.array.shape[1]).t(), label)


def no_product(layout, mat1, mat2):
    """Return the error of a product of matrices in layouts that PyTorch does not multiply, added to another layout."""
    titles = [TITLES[each] for each in (layout, mat1.layout, mat2.layout)]
    return RuntimeError("addmm: computation on CPU is not implemented for {} + {} @ {}".format(*titles))


def parts_of(t):
    """Return the indices of a matrix's numbers, and the numbers."""
    return elements_of(t) if t.array.block else entries_of(t)


def sparse_by_sparse(input, mat2, label):
    """Multiply two sparse matrices; the result has a value wherever products were added."""
    layouts = input.array.layout, mat2.array.layout
    layout = CSR if CSR in layouts or layouts == (CSC, CSC) else COO
    a, b = coalesce_as(to_coo(input)), coalesce_as(to_coo(mat2))
    (rows, inner), (others, columns) = a.array.indices[0], b.array.indices[0]
    begin, end = np.searchsorted(others, inner), np.searchsorted(others, inner, "right")
    counts = end - begin
    left = np.repeat(np.arange(len(inner)), counts)
    right = np.repeat(begin - np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(np.int64)[: len(begin)], counts)
    right = right + np.arange(counts.sum())
    values = values_of(a).index_select(0, wrap(left)) * values_of(b).index_select(0, wrap(right.astype(np.int64)))
    index = np.stack([rows[left], columns[right]])
    shape = input.array.shape[0], mat2.array.shape[1]
    return convert_layout(coalesce_as(sparse_tensor(values, (index,), shape, COO, False, label), label), layout)


@product()
def mv(input, vec):
    if not is_sparse(input):
        raise could_not_run("mv", "SparseCPU")
    if input.array.ndim != 2 or vec.array.ndim != 1:
        raise RuntimeError(
            f"mv: two tensor dim should be 2 and 1, but got SparseTensor Dim: {input.array.ndim}Tensor Dim: {vec.array.ndim}"
        )
    if input.array.shape[1] != vec.array.shape[0]:
        if input.array.layout is not COO:
            n, m, length = *input.array.shape, vec.array.shape[0]
            raise RuntimeError(f"size mismatch, got input ({n}), mat ({n}x{m}), vec ({length})")
        raise RuntimeError("mv: expected self.size(-1) == vec.size(-1)")
    return rename_node(mm(input, vec.unsqueeze(1)).squeeze(1), "MvBackward0")


@product()
def matmul(input, other):
    if input.array.ndim == 2 and other.array.ndim == 2:
        return mm(input, other)
    if input.array.ndim == 2 and other.array.ndim == 1:
        return mv(input, other)
    if input.array.ndim == 1 and other.array.ndim == 2:
        return mv(other.t(), input)
    if input.array.ndim == 3 and other.array.ndim == 3:
        return bmm(input, other)
    if is_sparse(input) and input.array.ndim == 2:
        columns = other.movedim(-2, 0)
        flat = mm(input, columns.reshape(columns.shape[0], -1))
        return flat.reshape(-1, *columns.shape[1:]).movedim(0, -2)
    if is_sparse(other) and other.array.ndim == 2:
        return mm(input.reshape(-1, input.shape[-1]), other).reshape(*input.shape[:-1], other.shape[1])
    raise could_not_run("matmul", "SparseCPU")


@product()
def bmm(input, mat2):
    if any(is_sparse(each) and each.array.layout is not COO for each in (input, mat2)):
        raise could_not_run("bmm.out", "SparseCsrCPU")
    require_batches(input, mat2)
    pick = lambda t, n: PICK(t, n) if is_sparse(t) else t[n]  # noqa: E731
    made = [mm(pick(input, n), pick(mat2, n)) for n in range(input.array.shape[0])]
    return on_tensors("stack")(made, 0)


def require_batches(a, b):
    """Raise RuntimeError unless two batches of matrices can be multiplied."""
    for name, each in (("self", a), ("mat2", b)):
        if each.array.ndim != 3:
            dims = f"{each.array.ndim}" if not is_sparse(each) else f"{each.array.sparse_dim}"
            words = "must have 3 sparse dims, but has" if is_sparse(each) else "must have 3 dims, but has"
            raise RuntimeError(f"bmm_sparse: Tensor '{name}' {words} {dims}")
    for one, two in ((0, 0), (2, 1)):
        if a.array.shape[one] != b.array.shape[two]:
            raise RuntimeError(f"bmm_sparse: 'self.size({one})' and 'mat2.size({two})' must match")


def PICK(t, n):
    from tensh.engine.operators.sparse.shapes import select

    return select(t, 0, n)


@product("addmm", "sparse_addmm")
def addmm(input, mat1, mat2, *, beta=1, alpha=1, label="AddmmBackward0"):
    if is_sparse(mat1) and not is_sparse(input) and mat1.array.ndim == mat2.array.ndim == 2:
        if mat1.array.layout is not COO:
            require_shapes(mat1, mat2)
        require_room(input.array.shape, (mat1.array.shape[0], mat2.array.shape[1]))
    if is_sparse(input) and not (is_sparse(mat1) and is_sparse(mat2)):
        if input.layout is COO and all(each.layout in (strided, COO) for each in (mat1, mat2)):
            raise RuntimeError("addmm_sparse_dense: expected strided result tensor, got tensor with layout Sparse")
        raise no_product(input.layout, mat1, mat2)
    found = mm(mat1, mat2, "MmBackward0" if label == "AddmmBackward0" else label)
    found = found if alpha == 1 else found * alpha
    if is_sparse(found) or is_sparse(input):
        return input * beta + found if beta != 1 else input + found
    return rename_node((input if beta == 1 else input * beta) + found, label)


def require_room(shape, target):
    """Raise RuntimeError unless a tensor of a shape can be expanded to that of a product."""
    for place, (size, wanted) in enumerate(zip(shape, target)):
        if len(shape) == 2 and size not in (1, wanted) and (place or shape[1] in (1, target[1])):
            raise RuntimeError(
                f"The expanded size of the tensor ({wanted}) must match the existing size ({size}) at non-singleton dimension {place}. "
                f" Target sizes: {list(target)}.  Tensor sizes: {list(shape)}"
            )


@product("linear")
def linear(input, weight, bias=None):
    found = matmul(input, weight.t())
    return found if bias is None else found + bias


def sampled_addmm_of(input, mat1, mat2, beta, alpha):
    """Compute ``alpha * (mat1 @ mat2) + beta * input`` at the indices of ``input``."""
    *batch, rows, cols = places(input.array)
    if batch:
        (n, k), m = mat1.array.shape[-2:], mat2.array.shape[-1]
        number = np.ravel_multi_index(batch, input.array.shape[: len(batch)])
        rows, cols = rows + number * n, cols + number * m
        mat1, mat2 = mat1.reshape(-1, k), mat2.mT.reshape(-1, k).t()
    found = sampled_product.fn(rows, cols, mat1, mat2.t()).reshape(input.array.values.shape)
    return values_of(input) * beta + found * alpha
