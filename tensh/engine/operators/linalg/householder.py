"""Products of Householder reflections, LAPACK's form of the Q of a QR decomposition.

Column i of A holds, below the diagonal, the vector v of the reflection ``1 - tau[i] v v^H``; v has a 1 on the diagonal.
"""

import numpy as np

from tensh.engine.codegen.table import op
from tensh.engine.codegen.vocabulary import word
from tensh.engine.dtypes.dtype import BY_NUMPY
from tensh.engine.errors.messages import wrap_dim
from tensh.engine.operators.linalg.products import mH
from tensh.engine.operators.linalg.shared import check_floating, return_columns


def vectors_of(A):
    """Return the vectors of the reflections as columns."""
    L = np.tril(A, -1)
    each = np.arange(min(A.shape[-2:]))
    L[..., each, each] = 1
    return L


@word
def reflections(L, tau, C, adjoint):
    """Return ``C`` and its image after each reflection; the last is Q C, or Q^H C if ``adjoint``."""
    order = range(tau.shape[-1]) if adjoint else reversed(range(tau.shape[-1]))
    states = [C]
    for i in order:
        v = L[..., :, i : i + 1]
        t = tau[..., i : i + 1].reshape((*tau.shape[:-1], 1, 1))
        states.append(states[-1] - (t.conj() if adjoint else t) * (v @ (mH(v) @ states[-1])))
    return states


@word
def reflections_back(g, L, tau, C, adjoint, one):
    """Return the gradients of L, tau and C for the gradient ``g`` of Q C; ``one`` is the identity matrix."""
    *states, _ = reflections(L, tau, C, adjoint)
    order = list(range(tau.shape[-1]) if adjoint else reversed(range(tau.shape[-1])))
    gL, gtau = L * 0, tau * 0
    for i, before in zip(reversed(order), reversed(states)):
        v = L[..., :, i : i + 1]
        t = tau[..., i : i + 1].reshape((*tau.shape[:-1], 1, 1))
        t = t.conj() if adjoint else t
        through = g @ (mH(before) @ v)
        gt = -(mH(v) @ through)
        gv = -t.conj() * through - t * (before @ (mH(g) @ v))
        gtau = gtau + (gt.conj() if adjoint else gt).reshape((*gt.shape[:-2], 1)) * one[i, : tau.shape[-1]]
        gL = gL + gv @ one[i : i + 1, : L.shape[-1]]
        g = g - t.conj() * (v @ (mH(v) @ g))
    return gL, gtau, g


UNIT = "tril(A, -1) + identity_like(A)"


@op(public=False, node="AddBackward0", input="g * 0")
def identity_like(input):
    """Ones on the diagonal of matrices, zeros elsewhere."""
    return np.broadcast_to(np.eye(*input.shape[-2:], dtype=input.dtype), input.shape)


BACK = {
    "L": UNIT,
    "one": "identity(A.shape[-2] + A.shape[-1], A.dtype)",
    "back": "reflections_back(g, L, tau, identity_like(A), False, one)",
}


@op(
    public=False,
    let=BACK,
    A="None if 0 in A.shape or 0 in tau.shape else tril(back[0], -1)",
    tau="None if 0 in A.shape or 0 in tau.shape else back[1]",
)
@return_columns()
def linalg_householder_product(A, tau):
    """The first columns of Q."""
    name = "torch.linalg.householder_product"
    m, n = A.shape[-2:] if A.ndim > 1 else (0, 0)
    if m < n:
        raise RuntimeError(f"{name}: input.shape[-2] must be greater than or equal to input.shape[-1]")
    if A.ndim > 1:
        wrap_dim(-1, tau.ndim, scalar=False)
    if A.ndim > 1 and n < tau.shape[-1]:
        raise RuntimeError(f"{name}: input.shape[-1] must be greater than or equal to tau.shape[-1]")
    check_householder(name, A, tau)
    start = np.broadcast_to(np.eye(m, n, dtype=A.dtype), A.shape)
    return reflections(vectors_of(A), tau, start, False)[-1]


def check_householder(name, A, tau):
    if A.ndim < 2:
        raise RuntimeError(f"{name}: input must have at least 2 dimensions.")
    if A.ndim - tau.ndim != 1:
        raise RuntimeError(
            f"{name}: Expected tau to have one dimension less than input, but got tau.ndim equal to {tau.ndim} and "
            f"input.ndim is equal to {A.ndim}"
        )
    if A.shape[:-2] != tau.shape[:-1]:
        raise RuntimeError(
            f"{name}: Expected batch dimensions of tau to be equal to input.shape[:-2], but got {list(tau.shape[:-1])}"
        )
    if A.dtype != tau.dtype:
        own, given = BY_NUMPY[A.dtype].title, BY_NUMPY[tau.dtype].title
        raise RuntimeError(f"{name}: tau dtype {given} does not match input dtype {own}")
    check_floating(None, A, "orgqr_cpu")


@op(
    name="ormqr",
    let={
        "L": UNIT,
        "one": "identity(A.shape[-2] + A.shape[-1], A.dtype)",
        "side": "other if left else mH(other)",
        "back": "reflections_back(g if left else mH(g), L, tau, side, transpose == left, one)",
    },
    A="None if 0 in A.shape or 0 in tau.shape else tril(back[0], -1)",
    tau="None if 0 in A.shape or 0 in tau.shape else back[1]",
    other="back[2] if left else mH(back[2])",
)
@return_columns()
def ormqr(A, tau, other, left=True, transpose=False):
    """The product Q ``other`` (``other`` Q if not ``left``; Q^H with ``transpose``) for Q given by reflections.

    ``A`` and ``tau`` are the results of ``torch.geqrf``.  Differentiable.  Shapes: A [..., m, k], ``tau`` [..., k],
    ``other`` [..., m, n]. Raise RuntimeError for other shapes.
    """
    check_ormqr(A, tau, other, left)
    side = other if left else mH(other)
    result = reflections(vectors_of(A), tau, side, transpose == left)[-1]
    return result if left else mH(result)


def check_ormqr(A, tau, other, left):
    """Raise PyTorch's errors for operands whose sizes do not fit."""
    for letter, array in (("input", A), ("other", other)):
        if array.ndim < 2:
            raise RuntimeError(f"torch.ormqr: {letter} must have at least 2 dimensions.")
    side = "other.shape[-2]" if left else "other.shape[-1]"
    size = other.shape[-2 if left else -1]
    if tau.shape[-1] != min(size, A.shape[-1]):
        raise RuntimeError(f"torch.ormqr: tau.shape[-1] must be equal to min({side}, input.shape[-1])")
    if size != A.shape[-2]:
        raise RuntimeError(f"torch.ormqr: {side} must be equal to input.shape[-2]")
    if A.ndim - tau.ndim != 1:
        raise RuntimeError(
            "torch.ormqr: Expected tau to have one dimension less than input, but got tau.ndim equal to "
            f"{tau.ndim} and input.ndim is equal to {A.ndim}"
        )
    if A.ndim != other.ndim:
        raise RuntimeError(
            "torch.ormqr: Expected other to have the same number of dimensions as input, but got other.ndim equal to "
            f"{other.ndim} and input.ndim is equal to {A.ndim}"
        )
    if A.shape[:-2] != tau.shape[:-1]:
        raise RuntimeError(
            f"torch.ormqr: Expected batch dimensions of tau to be equal to input.shape[:-2], but got {list(tau.shape[:-1])}"
        )
    if A.shape[:-2] != other.shape[:-2]:
        raise RuntimeError(
            f"torch.ormqr: Expected batch dimensions of other to be equal to input.shape[:-2], but got {list(other.shape[:-2])}"
        )
    for letter, array in (("tau", tau), ("other", other)):
        if array.dtype != A.dtype:
            own, found = BY_NUMPY[A.dtype].title, BY_NUMPY[array.dtype].title
            raise RuntimeError(
                f"torch.ormqr: Expected input and {letter} to have the same dtype, but input has dtype{own} and {letter} has dtype {found}"
            )
    check_floating(None, A, "ormqr_cpu")


@op(outs=("a", "tau"), many=True, input="refuse_derivative('geqrf', g_a, g_tau)")
@return_columns(0)
def geqrf(input):
    """A QR decomposition in LAPACK's form: R and, below the diagonal, the reflections of Q; see ``torch.ormqr``.

    Shape: [..., m, n]. Raise RuntimeError for vectors.
    """
    if input.ndim < 2:
        raise RuntimeError("torch.geqrf: input must have at least 2 dimensions.")
    check_floating(None, input, "geqrf_cpu")
    reflected, tau = np.linalg.qr(input, "raw")
    return reflected.swapaxes(-2, -1), tau
