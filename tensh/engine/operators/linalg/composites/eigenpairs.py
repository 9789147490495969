"""A few eigenpairs of a large symmetric matrix, and their derivative."""

from math import prod

from tensh.engine.autograd.custom import Function
from tensh.engine.autograd.modes import no_grad
from tensh.engine.codegen.composites import composite
from tensh.engine.dtypes.dtype import float16, float32, float64
from tensh.engine.methods.creation.triangles import eye
from tensh.engine.operators.linalg.composites.equations import solve
from tensh.engine.operators.linalg.composites.lobpcg import LOBPCG
from tensh.engine.operators.linalg.composites.products import matmul
from tensh.engine.operators.random.composites.drawing import randn

FLOATS = (float16, float32, float64)
TOLERANCE = {float32: 1.2e-07**0.5, float64: 2.23e-16**0.5}


@composite(method=False)
def lobpcg(
    A, k=None, B=None, X=None, n=None, iK=None, niter=None, tol=None, largest=None, method=None, tracker=None,
    ortho_iparams=None, ortho_fparams=None, ortho_bparams=None,
):  # fmt: skip
    """The ``k`` largest (``largest=False``: smallest) values E and vectors X of A X = B X E, for symmetric A and B.

    A and B are (*, m, m), B positive definite and the identity if it is missing; E is (*, k), X (*, m, k).  ``X`` (*,
    m, n) are the initial vectors; the default are n random ones (as many as k), and m must be at least 3 n.  ``iK`` is
    a preconditioner of the method "basic"; the other method, "ortho", is the usual one.  The iteration ends when the
    first k pairs have residuals below ``tol`` (the root of the dtype's precision), or after ``niter`` steps (1000; -1:
    never).

    Differentiable with respect to A, where B is missing; the gradient is symmetric.  Shapes: A [..., m, m], E [..., k],
    X [..., m, k]. Raise ValueError for an m that is too small.

    >>> import tensh as torch
    >>> _ = torch.manual_seed(0)
    >>> E, X = torch.lobpcg(torch.diag(torch.arange(9.0)), k=2)
    >>> E
    tensor([8.0000, 7.0000])
    """
    settings = (n, iK, niter, tol, largest, method, tracker, ortho_iparams, ortho_fparams, ortho_bparams)
    if A.requires_grad or B is not None and B.requires_grad:
        A, B = (None if each is None else (each + each.mT) / 2 for each in (A, B))
        return LOBPCGAutogradFunction.apply(A, k, B, X, *settings)
    with no_grad():
        return find_eigenpairs(A, k, B, X, *settings)


def find_eigenpairs(
    A, k, B, X, n, iK, niter, tol, largest, method, tracker, ortho_iparams, ortho_fparams, ortho_bparams
):
    """The eigenpairs of a matrix, or of each matrix of a batch."""
    if A.shape[-2] != A.shape[-1]:
        raise AssertionError(f"A must be square, got shape {A.shape}")
    if B is not None and A.shape != B.shape:
        raise AssertionError(f"A and B must have same shape, got {A.shape} vs {B.shape}")
    dtype = A.dtype if A.dtype in FLOATS else float32
    tol = TOLERANCE[dtype] if tol is None else tol
    m = A.shape[-1]
    k = (1 if X is None else X.shape[-1]) if k is None else k
    n = X.shape[-1] if X is not None else k if n is None else n
    if m < 3 * n:
        raise ValueError(
            f"LOBPCG algorithm is not applicable when the number of A rows (={m}) is smaller than 3 x the number of "
            f"requested eigenpairs (={n})"
        )
    method = "ortho" if method is None else method
    iparams = {"m": m, "n": n, "k": k, "niter": 1000 if niter is None else niter}
    fparams, bparams = {"tol": tol}, {"largest": True if largest is None else largest}
    if method == "ortho":
        iparams |= {"ortho_i_max": 3, "ortho_j_max": 3} | (ortho_iparams or {})
        fparams |= dict.fromkeys(("ortho_tol", "ortho_tol_drop", "ortho_tol_replace"), tol) | (ortho_fparams or {})
        bparams |= {"ortho_use_drop": False} | (ortho_bparams or {})

    def pairs(A, B, X, name):
        X = randn((m, n), dtype=dtype) if X is None else X
        if X.shape != (m, n):
            raise AssertionError(f"{name} shape mismatch: got {X.shape}, expected {(m, n)}")
        return LOBPCG(A, B, X, iK, iparams, fparams, bparams, method, tracker).run()

    batch = A.shape[:-2]
    if not batch:
        return pairs(A, B, X, "X")
    As, Bs, Xs = (None if each is None else each.reshape(prod(batch), *each.shape[-2:]) for each in (A, B, X))
    E, vectors = A.new_empty((prod(batch), k), dtype=dtype), A.new_empty((prod(batch), m, k), dtype=dtype)
    for place in range(prod(batch)):
        iparams["batch_index"] = place
        E[place], vectors[place] = pairs(As[place], *(each if each is None else each[place] for each in (Bs, Xs)), "X_")
    return E.reshape(*batch, k), vectors.reshape(*batch, m, k)


class LOBPCGAutogradFunction(Function):
    """``lobpcg`` as one operator."""

    @staticmethod
    def forward(A, k, B, X, *settings):
        """The eigenpairs."""
        return find_eigenpairs(A, k, B, X, *settings)

    @staticmethod
    def setup_context(ctx, inputs, output):
        """Keep A and its eigenpairs."""
        ctx.save_for_backward(inputs[0], inputs[2], *output)

    @staticmethod
    def backward(ctx, D_grad, U_grad):
        """The gradient of A; RuntimeError where PyTorch has none."""
        A, B, D, U = ctx.saved_tensors
        if A.is_complex() or B is not None and B.is_complex():
            raise ValueError(
                "lobpcg.backward does not support complex input yet. Note that lobpcg.forward does though."
            )
        if B is not None:
            raise ValueError("lobpcg.backward does not support backward with B != I yet.")
        return slope(A, D, U, D_grad, U_grad), *[None] * 13


def slope(A, D, U, D_grad, U_grad):
    """The gradient of a symmetric A, from those of its eigenvalues D and eigenvectors U.

    As A changes by dA, D changes by diag(U^T dA U), and the vector u of the value d by (d - A)^+ dA u.  Within the span
    of U the pseudoinverse divides by differences of eigenvalues; in the orthogonal space it solves one system of
    equations for each u, whose matrix is completed by U U^T.
    """
    apart = D.unsqueeze(-2) - D.unsqueeze(-1)
    one = eye(D.shape[-1], dtype=D.dtype)
    within = matmul(U.mT, U_grad) * (1 - one) / (apart + one)
    of_pairs = matmul(U, D_grad.diag_embed() + within)
    if U.shape[-1] < U.shape[-2]:
        inside = matmul(U, U.mT)
        outside = eye(A.shape[-1], dtype=A.dtype) - inside
        rest = matmul(matmul(outside, A), outside).unsqueeze(-3)
        systems = D[..., None, None] * outside.unsqueeze(-3) - rest + inside.unsqueeze(-3)
        sides = matmul(outside, U_grad).mT.unsqueeze(-1)
        of_pairs = of_pairs + solve(systems, sides).squeeze(-1).mT
    return matmul(of_pairs, U.mT)
