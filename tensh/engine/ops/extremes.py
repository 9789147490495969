"""The largest and smallest elements, and where they are.  nan counts as more extreme than any number."""

import numpy as np

from tensh.engine.arguments import dims
from tensh.engine.errors import wrap_dim
from tensh.engine.ops.precision import I8, is_half, widened
from tensh.engine.table import op


# ── checks ───────────────────────────────────────────────────────────────────
def require_elements(name, input, axes):
    """An extreme of nothing does not exist."""
    for axis in axes:
        if input.ndim and input.shape[axis] == 0:
            raise IndexError(f"{name}(): Expected reduction dim {axis} to have non-zero size.")


def no_extreme(name, error=RuntimeError):
    return error(
        f"{name}(): Expected reduction dim to be specified for input.numel() == 0. "
        "Specify the reduction dim with the 'dim' argument."
    )


def refuse_complex(name, input):
    if input.dtype.kind == "c":
        raise RuntimeError(f"{name}(): does not support complex input")


# ── values and their indices ─────────────────────────────────────────────────
def index_of(find, input, axis, keepdim):
    """The indices that ``np.argmax`` or ``np.argmin`` finds along ``axis``."""
    if is_half(input.dtype):
        input = widened(input)
    return find(input, axis, None, keepdims=keepdim) if keepdim else find(input, axis)


def extreme_along(name, find):
    """The kernel of ``max`` and ``min`` along one dimension: values and indices."""

    def kernel(input, dim, keepdim=False):
        refuse_complex(name, input)
        axis = wrap_dim(dim, input.ndim)
        require_elements(name, input, (axis,))
        if input.ndim == 0:
            return input.copy(), np.zeros((), I8)
        indices = index_of(find, input, axis, True)
        values = np.take_along_axis(input, indices, axis)
        return (values, indices) if keepdim else (values.squeeze(axis), indices.squeeze(axis))

    return kernel


ALONG = "put_along(restore(g, input.shape, dim, keepdim), input.shape, restore(indices, input.shape, dim, keepdim), dim)"
max_dim = op(
    extreme_along("max", np.argmax),
    name="max_dim", doc="The largest element along ``dim``, and where it is.", public=False, node="MaxBackward0",
    outs=("values", "indices"), returns="max", input=ALONG,
)  # fmt: skip
min_dim = op(
    extreme_along("min", np.argmin),
    name="min_dim", doc="The smallest element along ``dim``, and where it is.", public=False, node="MinBackward0",
    outs=("values", "indices"), returns="min", input=ALONG,
)  # fmt: skip


# ── of all elements ──────────────────────────────────────────────────────────
def extreme_of_all(name, reduce):
    """The kernel of ``max`` and ``min`` of all elements."""

    def kernel(input):
        if not input.size:
            raise no_extreme(name)
        return reduce(input, None)

    return kernel


SHARED = {"mask": "(input == out) | ((input != input) & (out != out))"}  # equal extremes share the gradient
SHARE = "mask * (g / sum_all(mask, input.dtype))"
max_all = op(
    extreme_of_all("max", np.maximum.reduce),
    name="max_all", doc="The largest element.", public=False, types="biuf", let=SHARED, node="MaxBackward1",
    input=SHARE,
)  # fmt: skip
min_all = op(
    extreme_of_all("min", np.minimum.reduce),
    name="min_all", doc="The smallest element.", public=False, types="biuf", let=SHARED, node="MinBackward1",
    input=SHARE,
)  # fmt: skip


def extreme(name, reduce):
    """The kernel of ``amax`` and ``amin``."""

    def kernel(input, dim=(), keepdim=False):
        axes = dims(dim, input.ndim)
        if not input.size:
            if len(axes) == input.ndim and dim in ((), None):
                raise no_extreme(name)
            require_elements(name, input, axes)
        return reduce(input, axes, None, None, keepdim)

    return kernel


# Elements equal to the extreme share the gradient.
MASK = "input == restore({0}, input.shape, dim, keepdim)"
PART = "restore({1}, input.shape, dim, keepdim) * {0}_mask / sum_dim({0}_mask, dim, True, input.dtype)"
for _name, _reduce, _word in (("amax", np.maximum.reduce, "largest"), ("amin", np.minimum.reduce, "smallest")):
    op(
        extreme(_name, _reduce),
        name=_name, types="biuf", let={"out_mask": MASK.format("out")}, input=PART.format("out", "g"),
        doc=f"""The {_word} element, or the {_word} ones along ``dim`` (an int or a sequence of them).

    Differentiable; equal elements share the gradient.

    >>> import tensh as torch
    >>> torch.tensor([[1, 2], [4, 3]]).{_name}(dim=1)
    tensor({"[2, 4]" if _name == "amax" else "[1, 3]"})
    """,
    )  # fmt: skip


@op(
    types="biuf",
    outs=("min", "max"),
    many=True,
    let={"min_mask": MASK.format("min"), "max_mask": MASK.format("max")},
    input=f"{PART.format('min', 'g_min')} + {PART.format('max', 'g_max')}",
)
def aminmax(input, *, dim=None, keepdim=False):
    """The smallest and the largest element, of all or along ``dim``.  Differentiable.

    >>> import tensh as torch
    >>> torch.aminmax(torch.tensor([3, 1, 2]))
    torch.return_types.aminmax(
    min=tensor(1),
    max=tensor(3))
    """
    if not input.size:
        if dim is None:
            raise RuntimeError(
                "aminmax(): cannot compute aminmax over an empty dimension as the operation has no identity."
            )
        require_elements("aminmax", input, (wrap_dim(dim, input.ndim),))
    axes = dims(dim, input.ndim)
    return np.minimum.reduce(input, axes, None, None, keepdim), np.maximum.reduce(input, axes, None, None, keepdim)


# ── places ───────────────────────────────────────────────────────────────────
def place(name, find):
    """The kernel of ``argmax`` and ``argmin``."""

    def kernel(input, dim=None, keepdim=False):
        if input.dtype.kind in "bc":
            raise RuntimeError(
                f"{name}(): does not support {'bool' if input.dtype.kind == 'b' else 'complex'} input"
            )
        if dim is None:
            if not input.size:
                raise IndexError(f"{name}(): Expected reduction dim to be specified for input.numel() == 0.")
            found = index_of(find, input.reshape(-1), 0, False)
            return found.reshape((1,) * input.ndim) if keepdim else found
        axis = wrap_dim(dim, input.ndim)
        require_elements(name, input, (axis,))
        return index_of(find, input, axis, keepdim) if input.ndim else np.zeros((), I8)

    return kernel


for _name, _find, _word in (("argmax", np.argmax, "largest"), ("argmin", np.argmin, "smallest")):
    op(
        place(_name, _find),
        name=_name,
        input=None,
        doc=f"""The index of the {_word} element: in the flattened input, or along ``dim``.  The first of equal ones.

    >>> import tensh as torch
    >>> torch.tensor([[1, 5], [7, 3]]).{_name}(dim=1)
    tensor({"[1, 0]" if _name == "argmax" else "[0, 1]"})
    """,
    )
