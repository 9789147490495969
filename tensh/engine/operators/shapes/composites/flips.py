"""Permuted dimensions: views, and in-place forms that turn a tensor into its own view."""

from tensh.engine.codegen.composites import composite
from tensh.engine.codegen.registry import FORMS, MEMBERS, PUBLIC
from tensh.engine.codegen.vocabulary import TENSORS
from tensh.engine.errors.messages import wrap_dim
from tensh.engine.errors.warnings import warn_once
from tensh.engine.inplace.writes import become_view, begin_write
from tensh.engine.operators.forms import dims_of, ints, method, require
from tensh.engine.operators.shapes.composites.reshaping import squeeze
from tensh.engine.operators.shapes.views import alias, transpose
from tensh.engine.operators.shapes.views import permute as permute_op
from tensh.engine.operators.shapes.views import t as t_op


# ── other orders ─────────────────────────────────────────────────────────────
def permute(input, dims):
    """The dimensions in the order ``dims``.  Differentiable, a view.  Shape: [a, b, c] to [b, c, a] for (1, 2, 0).

    >>> import tensh as torch
    >>> torch.permute(torch.zeros(2, 3, 4), (2, 0, 1)).shape
    torch.Size([4, 2, 3])
    """
    return permute_op.fn(input, dims_of(dims, "permute", "dims"))


PUBLIC["permute"] = permute


FORMS["permute"] = lambda self, *dims, **named: permute_op.fn(self, ints(dims, named, "permute", "dims"))


@composite
def swapaxes(input, axis0, axis1):
    """The input with two dimensions swapped, as ``transpose``.  Differentiable.  Shape: [a, b] to [b, a]."""
    return transpose.fn(input, axis0, axis1)


@composite
def swapdims(input, dim0, dim1):
    """The input with two dimensions swapped, as ``transpose``.  Differentiable.  Shape: [a, b] to [b, a]."""
    return transpose.fn(input, dim0, dim1)


@composite
def movedim(input, source, destination):
    """The dimensions ``source`` (an int or several) moved to the positions ``destination``.  Differentiable, a view.

    Shape: [*]. Raise RuntimeError for repeated dimensions.

    >>> import tensh as torch
    >>> torch.zeros(2, 3, 4).movedim(0, -1).shape
    torch.Size([3, 4, 2])
    """
    ndim = require(input, "movedim", "input", 1).array.ndim
    if type(source) is type(destination) is int and 0 <= source < ndim and 0 <= destination < ndim:
        dims = list(range(ndim))
        dims.insert(destination, dims.pop(source))
        return permute_op.fn(input, tuple(dims))
    source, destination = (
        (d,)
        if isinstance(d, int)
        else tuple(int(n) if place and isinstance(n, bool) else n for place, n in enumerate(d))
        for d in (source, destination)
    )
    if len(source) != len(destination):
        raise RuntimeError(
            f"movedim: Invalid source or destination dims: source ({list(source)} dims) should contain the same number of "
            f"dims as destination ({list(destination)} dims)"
        )
    froms, tos = (tuple(wrap_dim(d, ndim) for d in dims) for dims in (source, destination))
    for dims, given, which in ((froms, source, "source"), (tos, destination, "destination")):
        if len({*dims}) != len(dims):
            raise RuntimeError(f"movedim: repeated dim in `{which}` ({list(given)})")
    if not ndim:
        return alias.fn(input)
    taken = dict(zip(tos, froms, strict=True))
    others = iter(d for d in range(ndim) if d not in froms)
    return permute_op.fn(input, tuple(taken[d] if d in taken else next(others) for d in range(ndim)))


@composite
def moveaxis(input, source, destination):
    """The dimensions ``source`` moved to the positions ``destination``, as ``movedim``.  Differentiable.

    Shape: [*]. Raise RuntimeError for repeated dimensions.
    """
    return movedim(input, source, destination)


@composite
def adjoint(input):
    """The conjugate transpose of matrices.  Differentiable; a view if the tensor is real.

    Shape: [..., n, m] to [..., m, n]. Raise RuntimeError for vectors.
    """
    return adjoint_of(input, "adjoint()")


def adjoint_of(t, name):
    ndim = t.array.ndim
    if ndim == 1:
        which = "tensor.adjoint()" if name == "adjoint()" else f"tensor.{name}"
        raise RuntimeError(f"{which} is only supported on matrices or batches of matrices. Got 1-D tensor.")
    if ndim == 0:
        start = name if name == "adjoint()" else f"Tensor.{name}"
        warn_once(f"{start} is deprecated on 0-D tensors. Consider using x.conj().")
        return TENSORS["conj"](t)
    return TENSORS["conj"](transpose.fn(t, -2, -1))


def reversed_dims(t):
    """The dimensions in reverse order: the transpose of a matrix.  Differentiable, a view."""
    ndim = t.array.ndim
    if ndim == 2:
        return permute_op.fn(t, (1, 0))
    if ndim == 0:
        warn_once("Tensor.T is deprecated on 0-D tensors. This function is the identity in these cases.")
    else:
        warn_once(
            "The use of `x.T` on tensors of dimension other than 2 to reverse their shape is deprecated and it will throw "
            "an error in a future release. Consider `x.mT` to transpose batches of matrices or `x.permute(*torch.arange("
            "x.ndim - 1, -1, -1))` to reverse the dimensions of a tensor.",
        )
    return permute_op.fn(t, tuple(range(ndim - 1, -1, -1)))


def matrix_transpose(t):
    """The last two dimensions swapped: the transposes of matrices.  Differentiable, a view."""
    ndim = t.array.ndim
    if ndim == 1:
        raise RuntimeError("tensor.mT is only supported on matrices or batches of matrices. Got 1-D tensor.")
    if ndim == 0:
        warn_once("Tensor.mT is deprecated on 0-D tensors. This function is the identity in these cases.")
        return t
    return transpose.fn(t, -2, -1)


def hermitian(t):
    """The conjugate transpose of a matrix.  Differentiable."""
    ndim = t.array.ndim
    if ndim not in (0, 2):
        hint = " For batches of matrices, consider using tensor.mH" if ndim > 2 else ""
        raise RuntimeError(f"tensor.H is only supported on matrices (2-D tensors). Got {ndim}-D tensor.{hint}")
    return adjoint_of(t, "H")


MEMBERS.update(T=property(reversed_dims), mT=property(matrix_transpose), H=property(hermitian))
MEMBERS["mH"] = property(lambda t: adjoint_of(t, "mH"), doc="The conjugate transposes of matrices.  Differentiable.")


# ── in place ─────────────────────────────────────────────────────────────────
def changes_shape(name, fn, *nodes):
    """Declare ``NAME_``, which turns a tensor into a view of itself; ``nodes`` maps the view's node to the write's name."""

    def change(self, *args, **named):
        begin_write(self)
        viewed = fn(self, *args, **named)
        return become_view(self, viewed, names.get(type(viewed.node).__name__))

    names = dict(node.split(">") for node in nodes)
    change.__name__ = change.__qualname__ = f"{name}_"
    change.__doc__ = (
        f"In-place version of ``{name}``: the tensor becomes its own view.\n\n    Shape: [*]. "
        "Raise IndexError or RuntimeError for dimensions that do not fit."
    )
    change.__wrapped__ = fn  # its signature
    change.passes_on = True
    method(change)


def transpose_in_place(self):
    if self.array.ndim > 2:
        raise RuntimeError(f"t_() expects a tensor with <= 2 dimensions, but self is {self.array.ndim}D")
    return t_op.fn(self)


changes_shape("t", transpose_in_place, "TBackward0>TBackward1")
changes_shape("transpose", lambda self, dim0, dim1: self.transpose(dim0, dim1), "TransposeBackward0>TransposeBackward1")
changes_shape("swapdims", lambda self, dim0, dim1: self.transpose(dim0, dim1), "TransposeBackward0>TransposeBackward1")
changes_shape(
    "swapaxes", lambda self, axis0, axis1: self.transpose(axis0, axis1), "TransposeBackward0>TransposeBackward1"
)
changes_shape("unsqueeze", lambda self, dim: self.unsqueeze(dim), "UnsqueezeBackward0>UnsqueezeBackward1")
changes_shape(
    "squeeze", squeeze,
    "SqueezeBackward0>SqueezeBackward3", "SqueezeBackward1>SqueezeBackward4", "SqueezeBackward2>SqueezeBackward5",
)  # fmt: skip
