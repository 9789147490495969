"""Sparse tensors from indices and values, with checks."""

import math
from functools import wraps

import numpy as np

from tensh.engine.arguments.binding import bind, place
from tensh.engine.arguments.checks import require_dtype
from tensh.engine.arrays.absent import is_absent
from tensh.engine.arrays.bounds import MOST
from tensh.engine.codegen.table import public
from tensh.engine.core.nodes import AccumulateGrad
from tensh.engine.core.tensor import Tensor, wrap
from tensh.engine.dtypes.dtype import DIFFERENTIABLE, of_scalar
from tensh.engine.errors.unavailable import sparse_on_meta
from tensh.engine.methods.creation.data import tensor
from tensh.engine.operators.sparse.array import BLOCKED, BSC, BSR, BY_ROWS, COO, CSC, CSR
from tensh.engine.operators.sparse.forms import sparse_tensor
from tensh.engine.operators.sparse.layouts import TITLES

FORMS = (
    "(object indices, object values, *, torch.dtype dtype = None, torch.device device = None, bool pin_memory = False, bool "
    "requires_grad = False, bool check_invariants = None, bool is_coalesced = None)",
    "(object indices, object values, tuple of ints size, *, torch.dtype dtype = None, torch.device device = None, bool "
    "pin_memory = False, bool requires_grad = False, bool check_invariants = None, bool is_coalesced = None)",
    "(tuple of ints size, *, torch.dtype dtype = None, torch.device device = None, bool requires_grad = False, bool "
    "check_invariants = None)",
)


class check_sparse_tensor_invariants:
    """Switch the checks of new sparse tensors' indices and values: a context manager, a decorator, and three functions.

    >>> import tensh as torch
    >>> with torch.sparse.check_sparse_tensor_invariants():
    ...     torch.sparse.check_sparse_tensor_invariants.is_enabled()
    True
    """

    __module__ = "torch.sparse"
    checking = False

    @staticmethod
    def is_enabled():
        """Return True if the invariants are checked."""
        return check_sparse_tensor_invariants.checking

    @staticmethod
    def enable():
        """Enable the checks."""
        check_sparse_tensor_invariants.checking = True

    @staticmethod
    def disable():
        """Disable the checks."""
        check_sparse_tensor_invariants.checking = False

    def __init__(self, enable=True):
        self.state, self.before = enable, None

    def __enter__(self):
        if self.before is not None:
            raise RuntimeError(
                "This context manager instance is already activated. Use a different context manager instance for context nesting."
            )
        self.before = self.is_enabled()
        check_sparse_tensor_invariants.checking = self.state

    def __exit__(self, *failure):
        check_sparse_tensor_invariants.checking, self.before = self.before, None

    def __call__(self, function):
        @wraps(function)
        def checked(*args, **options):
            with type(self)(self.state):
                return function(*args, **options)

        return checked


def indices_of(data, kind=np.int64):
    """Return an array of integers from a tensor or nested lists; 32 bits are kept if ``kind`` is None."""
    array = data.array if isinstance(data, Tensor) else tensor(data).array
    if kind is None:
        return array if array.dtype in (np.int32, np.int64) else array.astype(np.int64)
    return array.astype(np.int64) if array.dtype != np.int64 else array


def values_from(data, dtype):
    """Return the tensor of the values, in a dtype if given."""
    values = data if isinstance(data, Tensor) else tensor(data)
    values = values if dtype is None else values.to(dtype)
    return values.reshape(1) if not values.array.ndim else values


def refuse_meta(device, pin_memory):
    """Raise NotImplementedError for a sparse tensor on another device than the CPU."""
    if place(device, None, pin_memory):
        raise sparse_on_meta()


def finish(made, requires_grad):
    """Return the tensor, which requires grad if requested; raise NotImplementedError for parts without elements."""
    if any(map(is_absent, made.array.parts)):
        raise sparse_on_meta()
    if requires_grad and made.node is None:
        if made.array.dtype.kind not in DIFFERENTIABLE:
            raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
        made.node = AccumulateGrad(made)
    return made


def sizes_of(size, name):
    """A shape of integers."""
    return tuple([each.__index__() for each in size])


def empty_sparse(size, dtype, layout=COO, sparse_dim=None, block=(), dense_dim=0, index_dtype=np.int64):
    """A sparse tensor of zeros."""
    size = tuple(size)
    if layout is COO:
        dims = len(size) if sparse_dim is None else sparse_dim
        indices, values = (np.zeros((dims, 0), np.int64),), np.zeros((0, *size[dims:]), dtype)
    else:
        *batch, rows, columns = size[: len(size) - dense_dim]
        height, width = block or (1, 1)
        lines = rows // height if layout in BY_ROWS else columns // width
        starts = np.zeros((*batch, lines + 1), index_dtype)
        values = np.zeros((*batch, 0, *block, *size[len(size) - dense_dim :]), dtype)
        indices = starts, np.zeros((*batch, 0), index_dtype)
    return sparse_tensor(wrap(values), indices, size, layout, layout is COO)


@public
def sparse_coo_tensor(
    indices=None, values=None, size=None, *, dtype=None, device=None, pin_memory=False, requires_grad=False,
    check_invariants=None, is_coalesced=None,
):  # fmt: skip
    """A sparse tensor with ``values`` [nnz, *] at ``indices`` [sparse dims, nnz]; values with equal indices are added.

    ``size`` is by default the smallest that holds the indices; given alone, it makes a tensor of zeros. Raise
    RuntimeError for indices and values that do not fit each other or the size.  Differentiable in ``values``.

    >>> import tensh as torch
    >>> torch.sparse_coo_tensor([[0, 1], [2, 0]], [3.0, 4.0], (2, 3)).to_dense()
    tensor([[0., 0., 3.],
            [4., 0., 0.]])
    """
    refuse_meta(device, pin_memory)
    dtype = require_dtype(dtype, "sparse_coo_tensor")
    if values is None or indices is None:
        return finish(zeros_of_size(indices, values, size, dtype), requires_grad)
    for name, given in (("indices", indices), ("values", values)):
        if isinstance(given, Tensor) and given.layout in TITLES and TITLES[given.layout] != "Strided":
            held = f"{name} of layout {TITLES[given.layout]}"
            raise RuntimeError(f"expected {name} to be a dense tensor, but got {held}")
    index, values = indices_of(indices), values_from(values, dtype)
    size = None if size is None else sizes_of(size, "size")
    check_coo_shapes(index, values.array.shape, size)
    count = index.shape[1]
    checking = check_sparse_tensor_invariants.checking if check_invariants is None else check_invariants
    if (size is None or checking) and count:
        check_bounds(index, size)
    if size is None:
        found = index.max(1) + 1 if count else np.zeros(len(index), int)
        size = (*found.tolist(), *values.array.shape[1:])
    elif min(size, default=0) < 0 or math.prod(size) > MOST:
        raise RuntimeError("numel: integer multiplication overflow")
    if checking and is_coalesced and not is_in_order(index):
        raise RuntimeError("cannot set is_coalesced to true if indices correspond to uncoalesced COO tensor")
    label = "SparseCooTensorWithDimsAndTensorsBackward0"
    ordered = bool(is_coalesced) or (is_coalesced is None and count < 2)
    return finish(sparse_tensor(values, (index,), size, COO, ordered, label), requires_grad)


def zeros_of_size(indices, values, size, dtype):
    """Return the zeros that ``sparse_coo_tensor(size)`` makes; raise PyTorch's error unless only a size was given."""
    given = {"indices": indices, "values": values, "size": size}
    given = {name: value for name, value in given.items() if value is not None}
    positional = [given.pop("indices")] if given.keys() == {"indices"} else []
    size = sizes_of(bind("sparse_coo_tensor", FORMS, positional, given)["size"], "size")
    if min(size, default=0) < 0:
        raise RuntimeError("numel: integer multiplication overflow")
    return empty_sparse(size, (of_scalar[float] if dtype is None else dtype).numpy)


def check_coo_shapes(index, shape, size):
    """Raise RuntimeError unless indices, values of a ``shape``, and a size, if given, fit each other."""
    if size is not None and len(size) != len(index) + len(shape) - 1:
        raise RuntimeError(
            f"'len(size) == sparse_dim + dense_dim' is not satisfied: len(size) = {len(size)}, sparse_dim = {len(index)}, "
            f"dense_dim = {len(shape) - 1}"
        )
    if index.ndim != 2:
        raise RuntimeError(f"indices must be sparse_dim x nnz, but got: {list(index.shape)}")
    count, total = index.shape[1], shape[0]
    if count != total:
        raise RuntimeError(
            f"indices and values must have same nnz, but got nnz from indices: {count}, nnz from values: {total}"
        )
    if size is not None and tuple(size[len(index) :]) != shape[1:]:
        wanted, found = [count, *size[len(index) :]], list(shape)
        raise RuntimeError(f"values has incorrect size, expected {wanted}, got {found}")


def check_bounds(index, size):
    """Raise RuntimeError for indices below zero or beyond the size."""
    for dim, row in enumerate(index):
        if row.min() < 0:
            raise RuntimeError(f"found negative index {row.min()} for dim {dim}")
        if size is not None and row.max() >= size[dim]:
            raise RuntimeError(
                f"size is inconsistent with indices: for dim {dim}, size is {size[dim]} but found index {row.max()}"
            )


def is_in_order(index):
    """Return True if the indices are sorted and unique."""
    if not len(index):
        return index.shape[1] < 2
    steps = np.diff(index, axis=1)
    first = (steps != 0).argmax(0)
    return not steps.size or bool((np.take_along_axis(steps, first[None], 0) > 0).all())


# ── compressed layouts ───────────────────────────────────────────────────────
NAMES = {CSR: ("crow", "col"), BSR: ("crow", "col"), CSC: ("ccol", "row"), BSC: ("ccol", "row")}


def make_compressed(name, layout, compressed, plain, values, size, dtype, device, pin_memory, requires_grad, check):
    """A tensor of a compressed layout."""
    refuse_meta(device, pin_memory)
    starts, others = indices_of(compressed, None), indices_of(plain, None)
    values = values_from(values, require_dtype(dtype, name))
    batch, blocked = max(starts.ndim - 1, 0), layout in BLOCKED
    entry = values.array.shape[batch + 1 :]
    block = entry[:2] if blocked else (1, 1)
    if size is None and len(block) < 2:
        raise RuntimeError(
            f"values must have dimensionality > sum of batch and block dimensionalities (={batch} + 2) but got {values.array.ndim}"
        )
    if size is None:
        lines, across = starts.shape[-1] - 1, int(others.max()) + 1 if others.size else 0
        pair = (lines, across) if layout in BY_ROWS else (across, lines)
        size = (*starts.shape[:-1], pair[0] * block[0], pair[1] * block[1], *entry[2 if blocked else 0 :])
    size = sizes_of(size, "size")
    if check_sparse_tensor_invariants.checking if check is None else check:
        check_shapes(layout, starts, others, values.array, size)
        check_places(layout, starts, others, size, block)
    made = sparse_tensor(values, (starts, others), size, layout, False, "SparseCompressedTensorBackward0")
    return finish(made, requires_grad)


def check_shapes(layout, starts, others, values, size):
    """Raise RuntimeError for indices, values and a size of a compressed tensor that differ in dimensions or lengths."""
    (line, other), batch, block = NAMES[layout], starts.ndim - 1, 2 if layout in BLOCKED else 0
    if starts.ndim != others.ndim:
        raise RuntimeError(
            f"{line}_indices and {other}_indices dimensionalities must be equal but got {starts.ndim} and {others.ndim}, "
            "respectively"
        )
    if values.ndim <= batch + block:
        raise RuntimeError(
            f"values must have dimensionality > sum of batch and block dimensionalities (={batch} + {block}) but got {values.ndim}"
        )
    dense = values.ndim - batch - block - 1
    if len(size) != batch + 2 + dense:
        raise RuntimeError(
            "tensor dimensionality must be sum of batch, base, and dense dimensionalities "
            f"(={batch} + 2 + {dense}) but got {len(size)}"
        )
    heads = [list(each.shape[:batch]) for each in (starts, others, values)]
    if any(each != list(size[:batch]) for each in heads):
        raise RuntimeError(
            f"all batch dimensions of {line}_indices (={heads[0]}), {other}_indices (={heads[1]}), and values (={heads[2]}) must "
            f"be equal to tensor batch dimensions (={list(size[:batch])})"
        )
    widths = values.shape[batch + 1 : batch + 3] if block else (1, 1)
    for number, width in enumerate(widths):
        dim = batch + number
        if width and size[dim] % width:
            raise RuntimeError(
                f"tensor shape[{dim}] (={size[dim]}) must be divisible with blocksize[{number}] (={width}) as defined by values shape"
            )
    by_rows = layout in BY_ROWS
    first = 0 if by_rows else 1
    lines = size[batch + first] // widths[first] if widths[first] else 0
    kind = "rows" if by_rows else "columns"
    if starts.shape[-1] != lines + 1:
        raise RuntimeError(
            f"{line}_indices.shape[-1] must be equal to the number of {kind} + 1 (={lines + 1}), but got {starts.shape[-1]}"
        )
    if others.shape[-1] != values.shape[batch]:
        raise RuntimeError(
            f"{other}_indices.shape[-1] must be equal to nnz (={values.shape[batch]}) as defined by values.shape[{batch}], but got "
            f"{others.shape[-1]}"
        )


def check_places(layout, starts, others, size, block):
    """Raise RuntimeError for indices of a compressed tensor that are out of range or out of order."""
    (line, other), batch, nnz = NAMES[layout], starts.ndim - 1, others.shape[-1]
    rows, columns = (size[batch + n] // block[n] if block[n] else 0 for n in (0, 1))
    across, kinds = (columns, ("nrows", "ncols")) if layout in BY_ROWS else (rows, ("ncols", "nrows"))
    steps, name = np.diff(starts), f"{line}_indices"
    sorted_lines = (
        f"{other}_indices[..., {name}[..., i - 1]:{name}[..., i]] for all i = 1, ..., {kinds[0]} are sorted and distinct along "
        "the last dimension values"
    )
    pairs = zip(starts.reshape(-1, starts.shape[-1]), others.reshape(-1, nnz), strict=True) if others.size else ()
    rules = {
        f"{name}[..., 0] == 0": (starts[..., 0] == 0).all(),
        f"{name}[..., -1] == nnz": (starts[..., -1] == nnz).all(),
        f"0 <= {name}[..., 1:] - {name}[..., :-1] <= {kinds[1]}": ((steps >= 0) & (steps <= across)).all(),
        f"0 <= {other}_indices < {kinds[1]}": ((others >= 0) & (others < across)).all(),
        sorted_lines: all(np.isin(np.flatnonzero(np.diff(each) <= 0) + 1, bounds).all() for bounds, each in pairs),
    }
    for text, holds in rules.items():
        if not holds:
            raise RuntimeError(f"`{text}` is not satisfied.")


DOC = """Make a sparse tensor in the layout {layout}: line i has the values from ``{a}_indices[i]`` to ``{a}_indices[i + 1]``.

    Their places in the line are ``{b}_indices``, and the lines are {lines}.  Differentiable in ``values`` [nnz, *].
    Indices and values of a batch of matrices have its dimensions first, and equally many values for each matrix.
    Raise RuntimeError for what does not fit, where invariants are checked.

    >>> import tensh as torch
    >>> torch.{layout}_tensor([0, 1, 2], [1, 0], {values}).to_dense()
    tensor([[0., {above}],
            [{below}, 0.]])
    """
KEYWORDS = "*, dtype=None, device=None, pin_memory=False, requires_grad=False, check_invariants=None"
SOURCE = """
def {layout}_tensor({a}_indices, {b}_indices, values, size=None, {keywords}):
    return make(
        "{layout}_tensor", layout, {a}_indices, {b}_indices, values, size, dtype, device, pin_memory, requires_grad,
        check_invariants
    )
"""


def declare_compressed(layout, names, blocked):
    """Declare the function that makes tensors of a compressed layout."""
    (a, b), space = names, {"make": make_compressed, "layout": layout, "__name__": __name__}
    exec(SOURCE.format(layout=layout.name, a=a, b=b, keywords=KEYWORDS), space)
    made = space[f"{layout.name}_tensor"]
    above, below = ("1.", "2.") if a == "crow" else ("2.", "1.")
    values = "[[[1.0]], [[2.0]]]" if blocked else "[1.0, 2.0]"
    lines = "rows" if a == "crow" else "columns"
    made.__doc__ = DOC.format(layout=layout.name, a=a, b=b, lines=lines, values=values, above=above, below=below)
    public(made)


for _layout, _names in NAMES.items():
    declare_compressed(_layout, _names, _layout in (BSR, BSC))


@public
def sparse_compressed_tensor(
    compressed_indices, plain_indices, values, size=None, *, dtype=None, layout=None, device=None, pin_memory=False,
    requires_grad=False, check_invariants=None,
):  # fmt: skip
    """A sparse tensor of the layout sparse_csr, sparse_csc, sparse_bsr or sparse_bsc.

    Differentiable in ``values``.  Raise RuntimeError for another layout, and for what does not fit if invariants are checked.

    >>> import tensh as torch
    >>> torch.sparse_compressed_tensor([0, 1, 2], [1, 0], [1.0, 2.0], layout=torch.sparse_csr).to_dense()
    tensor([[0., 1.],
            [2., 0.]])
    """
    if layout not in NAMES:
        given = "none" if layout is None else layout
        raise RuntimeError(f"sparse_compressed_tensor expected sparse compressed tensor layout but got {given}")
    return make_compressed(
        "sparse_compressed_tensor", layout, compressed_indices, plain_indices, values, size, dtype, device, pin_memory,
        requires_grad, check_invariants,
    )  # fmt: skip
