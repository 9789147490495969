"""Several tensors as one."""

from collections.abc import Sequence

import numpy as np

from tensh.engine.arguments.binding import bind
from tensh.engine.arrays.absent import is_absent
from tensh.engine.codegen.composites import composite
from tensh.engine.codegen.mixing import take_operands
from tensh.engine.codegen.registry import PUBLIC
from tensh.engine.core.tensor import Tensor, wrap
from tensh.engine.dtypes.dtype import of_scalar
from tensh.engine.dtypes.size import Size
from tensh.engine.errors.messages import broadcast_clash
from tensh.engine.operators.shapes.composites.reshaping import expand_to, reshape_to
from tensh.engine.operators.shapes.rearrangement import block_diagonal
from tensh.engine.operators.shapes.rearrangement import cat as cat_op
from tensh.engine.operators.shapes.views import unsqueeze


# ── joining ──────────────────────────────────────────────────────────────────
def arrays_of(tensors, name, least=0):
    """Return the arrays of a sequence of tensors; raise PyTorch's errors for anything else."""
    try:
        arrays = (
            [t.array for t in tensors]
            if isinstance(tensors, (tuple, list))
            else take_operands(tensors, name, "tensors", 1)[0]
        )
    except AttributeError:
        take_operands(tensors, name, "tensors", 1)
        raise
    if len(arrays) < least:
        raise RuntimeError(f"{name} expects a non-empty TensorList")
    return arrays


def cat(tensors, dim=0, out=None):
    """Concatenate the tensors along ``dim``."""
    return cat_op.fn(tensors, dim, out=out)


for _name in "concat", "concatenate":
    PUBLIC[_name] = cat_op


def joins(name, doc, least, dim_of):
    """Declare a function that expands its tensors to a least number of dimensions and joins them along one."""

    def function(tensors, *, out=None):
        arrays_of(tensors, name, 1)
        tensors = [least(t) for t in tensors]
        return cat(tensors, dim_of(tensors[0].array.ndim), out=out)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    composite(function, method=False)


def column(t):
    """Return a number or vector as a column, and any other tensor unchanged."""
    return t if t.array.ndim > 1 else reshape_to(t, (t.array.size, 1))


def add_dims(t, ndim):
    """Return the tensor with at least ``ndim`` dimensions: new ones come first, but the third comes last."""
    have = t.array.ndim
    if have >= ndim:
        return t
    if have == 0:
        return reshape_to(t, (1,) * ndim)
    if have == 1:
        t = unsqueeze.fn(t, 0)
    return t if ndim == 2 else unsqueeze.fn(t, -1)


joins("hstack", "The tensors side by side: vectors end to end, others along their second dimension.  Differentiable.  "
                "Shapes: [n, m], [n, k] to [n, m + k]. Raise RuntimeError for an empty list.",
      lambda t: add_dims(t, 1), lambda ndim: 0 if ndim == 1 else 1)  # fmt: skip
joins(
    "vstack",
    "The tensors one below the other, vectors as rows.  Differentiable.  "
    "Shapes: [n, *], [m, *] to [n + m, *]. Raise RuntimeError for an empty list.",
    lambda t: add_dims(t, 2),
    lambda ndim: 0,
)
joins(
    "row_stack",
    "The tensors one below the other, as ``vstack``.  Differentiable.  "
    "Shapes: [n, *], [m, *] to [n + m, *]. Raise RuntimeError for an empty list.",
    lambda t: add_dims(t, 2),
    lambda ndim: 0,
)
joins(
    "dstack",
    "The tensors along their third dimension.  Differentiable.  "
    "Shapes: [n, m] to [n, m, k]. Raise RuntimeError for an empty list.",
    lambda t: add_dims(t, 3),
    lambda ndim: 2,
)
joins(
    "column_stack",
    "The tensors side by side, vectors as columns.  Differentiable.  "
    "Shapes: [n, *] to [n, *]. Raise RuntimeError for an empty list.",
    column,
    lambda ndim: 1,
)


def lifts(ndim):
    """Declare ``atleast_1d``, ``atleast_2d`` or ``atleast_3d``."""

    def function(*tensors):
        if len(tensors) == 1:
            (tensors,) = tensors
            if isinstance(tensors, Tensor):
                return add_dims(tensors, ndim)
        if not isinstance(tensors, (tuple, list)) or not all([isinstance(t, Tensor) for t in tensors]):
            bind(name, ("(Tensor input)", "(tuple of Tensors tensors)"), (tensors,), {})
            arrays_of(tensors, name)
        return tuple([add_dims(t, ndim) for t in tensors])

    name = function.__name__ = function.__qualname__ = f"atleast_{ndim}d"
    function.__doc__ = (
        f"Each tensor with at least {ndim} dimension{'s' * (ndim > 1)}; several come back as a tuple.  Differentiable.\n\n"
        "Shape: [n, *]. Raise RuntimeError for an empty list."
    )
    function.looks_itself = True
    composite(function, method=False)


for _ndim in 1, 2, 3:
    lifts(_ndim)


@composite(method=False)
def block_diag(*tensors):
    """The matrices along the diagonal of zeros; vectors count as rows.  Differentiable.

    Shapes: [n, m], [k, l] to [n + k, m + l]. Raise RuntimeError for more dimensions.

    >>> import tensh as torch
    >>> torch.block_diag(torch.tensor([[1, 1]]), torch.tensor([[2]]))
    tensor([[1, 1, 0],
            [0, 0, 2]])
    """
    arrays = arrays_of(tensors, "block_diag")
    for number, array in enumerate(arrays):
        if array.ndim > 2:
            raise RuntimeError(
                "torch.block_diag: Input tensors must have 2 or fewer dimensions. "
                f"Input {number} has {array.ndim} dimensions"
            )
    if not arrays:
        return wrap(np.empty((1, 0), of_scalar[float].numpy))
    for number, t in enumerate(tensors):
        if is_absent(t) is not is_absent(tensors[0]):
            raise RuntimeError(
                f"Input tensors must all be on the same device. Input 0 is on device {tensors[0].device} and "
                f"input {number} is on device {t.device}."
            )
    shapes = [(1,) * (2 - array.ndim) + array.shape for array in arrays]
    return block_diagonal.fn(tensors, shapes)


# ── broadcasting several ─────────────────────────────────────────────────────
@composite(method=False)
def broadcast_tensors(*tensors):
    """The tensors, each expanded to the broadcast size.  Differentiable, views.

    Shape: [*]. Raise RuntimeError for sizes that do not broadcast.

    >>> import tensh as torch
    >>> [t.shape for t in torch.broadcast_tensors(torch.zeros(3), torch.zeros(2, 1))]
    [torch.Size([2, 3]), torch.Size([2, 3])]
    """
    shapes = [array.shape for array in arrays_of(tensors, "broadcast_tensors")]
    if (clash := broadcast_clash(shapes)) is not None:
        raise RuntimeError(clash)
    shape = np.broadcast_shapes(*shapes)
    return tuple([t if t.array.shape == shape else expand_to(t, shape) for t in tensors])


@composite(method=False)
def broadcast_shapes(*shapes):
    """The size that tensors of these sizes are broadcast to.  Shape: [*]. Raise RuntimeError for sizes that do not broadcast.

    >>> import tensh as torch
    >>> torch.broadcast_shapes((2, 1), (3,))
    torch.Size([2, 3])
    """
    for shape in shapes:
        if not (shape is None or isinstance(shape, (int, Sequence))):
            raise RuntimeError(f"Input shapes should be of type ints, a tuple of ints, or a list of ints, got {shape}")
    common = []
    for number, shape in enumerate(shapes):
        if shape is None:
            continue
        shape = (shape,) if isinstance(shape, int) else shape
        common = [1] * (len(shape) - len(common)) + common
        for back in range(-1, -len(shape) - 1, -1):
            n = shape[back]
            if not isinstance(n == 1, (bool, np.bool_)):
                raise AssertionError(f"Expected bool, got {type(n == 1)}")
            if n in (1, common[back]):
                continue
            if common[back] != 1:
                raise RuntimeError(
                    f"Attempting to broadcast a dimension of length {n} at {back}! Mismatching argument at index {number} had "
                    f"{shape}; but expected shape should be broadcastable to {common}"
                )
            if n < 0:
                raise ValueError("Attempting to broadcast a dimension with negative length!")
            common[back] = n
    return Size(common)
