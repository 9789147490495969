"""torch.linalg: eigenvalues, singular values, and functions of them: rank, pseudo-inverse, least squares."""

import numpy as np

from tensh.engine.arguments.mismatches import type_name
from tensh.engine.codegen.composites import composite
from tensh.engine.codegen.return_types import return_type
from tensh.engine.core.tensor import Tensor, wrap
from tensh.engine.dispatch.override.points import watch_check
from tensh.engine.operators.forms import require_kind, wants
from tensh.engine.operators.linalg import leastsquares, spectrum
from tensh.engine.operators.linalg.shared import BLAS_LETTERS
from tensh.engine.operators.namespaces import linalg


# ── eigenvalues ──────────────────────────────────────────────────────────────
@linalg
def eig(input):
    """The eigenvalues and eigenvectors (columns of length 1) of square matrices, complex also for real ones.

    Differentiable where the eigenvalues differ.  Shape: [..., n, n] to [..., n] and [..., n, n].
    """
    return spectrum.linalg_eig.fn(input)


@linalg
def eigvals(input):
    """The eigenvalues of square matrices, complex also for real ones.  Differentiable.  Shape: [..., n, n] to [..., n].

    >>> import tensh as torch
    >>> torch.linalg.eigvals(torch.tensor([[0.0, 1.0], [-1.0, 0.0]])).imag.abs()
    tensor([1., 1.])
    """
    return spectrum.linalg_eig.fn(input)[0] if wants(input) else spectrum.eigenvalues_of.fn(input)


@linalg
def eigh(input, UPLO="L"):
    """The eigenvalues, ascending, and the eigenvectors of symmetric (Hermitian) matrices; reads the half ``UPLO``.

    Differentiable; the eigenvectors where the eigenvalues differ.  Shape: [..., n, n] to [..., n] and [..., n, n].

    >>> import tensh as torch
    >>> torch.linalg.eigh(torch.tensor([[2.0, 0.0], [0.0, 1.0]])).eigenvalues
    tensor([1., 2.])
    """
    return spectrum.linalg_eigh.fn(input, UPLO)


@linalg
def eigvalsh(input, UPLO="L"):
    """The eigenvalues, ascending, of symmetric (Hermitian) matrices; reads the half ``UPLO``.  Differentiable.

    Shape: [..., n, n] to [..., n].

    >>> import tensh as torch
    >>> torch.linalg.eigvalsh(torch.tensor([[2.0, 0.0], [0.0, 1.0]]))
    tensor([1., 2.])
    """
    return (
        spectrum.linalg_eigh.fn(input, UPLO)[0] if wants(input) else spectrum.eigenvalues_of_symmetric.fn(input, UPLO)
    )


# ── singular values ──────────────────────────────────────────────────────────
@linalg
def linalg_svd(A, full_matrices=True, *, driver=None):
    """U, S and Vh of A = U diag(S) Vh: orthonormal columns and rows, and the singular values, descending.

    Differentiable; U and Vh where the singular values differ.  Shape: [..., m, n] to [..., m, k], [..., k], [..., k,
    n]. Raise RuntimeError for a ``driver``, which CUDA alone has.

    >>> import tensh as torch
    >>> torch.linalg.svd(torch.tensor([[3.0, 0.0], [0.0, 4.0]])).S
    tensor([4., 3.])
    """
    refuse_driver("svd", driver)
    return spectrum.linalg_svd.fn(A, full_matrices)


def refuse_driver(name, driver):
    if driver is not None:
        raise RuntimeError(
            f"torch.linalg.{name}: keyword argument `driver=` is only supported on CUDA inputs with cuSOLVER backend."
        )


@linalg
def svdvals(A, *, driver=None):
    """The singular values of matrices, descending.  Differentiable.

    Shape: [..., m, n] to [..., k]. Raise RuntimeError for a ``driver``, which CUDA alone has.

    >>> import tensh as torch
    >>> torch.linalg.svdvals(torch.tensor([[3.0, 0.0], [0.0, 4.0]]))
    tensor([4., 3.])
    """
    refuse_driver("svdvals", driver)
    return spectrum.linalg_svd.fn(A, False)[1] if wants(A) else spectrum.singular_values.fn(A)


SVD = return_type("svd", ("U", "S", "V"))


@composite(out=True)
def svd(input, some=True, compute_uv=True):
    """U, S and V of A = U diag(S) V^H: ``torch.linalg.svd`` with V in place of its adjoint.  Differentiable.

    Shape: [..., m, n] to [..., m, k], [..., k], [..., n, k]. Raise RuntimeError for vectors.
    """
    if input.array.ndim < 2:
        raise RuntimeError(
            f"linalg.svd: input should have at least 2 dimensions, but has {input.array.ndim} dimensions instead"
        )
    if compute_uv:
        U, S, Vh = spectrum.linalg_svd.fn(input, not some)
        return SVD((U, S, Vh.mH))
    *batch, m, n = input.array.shape
    dtype = input.array.dtype
    return SVD((wrap(np.zeros((*batch, m, m), dtype)), svdvals(input), wrap(np.zeros((*batch, n, n), dtype))))


# ── rank, condition, pseudo-inverse ──────────────────────────────────────────
def require_full_precision(A):
    if A.array.dtype.char not in BLAS_LETTERS:
        raise RuntimeError("This function doesn't handle types other than float and double")


def number(value):
    """Return a tolerance, which may be a tensor, as an array."""
    return np.asarray(value.array) if isinstance(value, Tensor) else value


def tolerances(name, A, atol, rtol, relative_name="rtol"):
    """Return the tolerances below which values count as zero; by default the rounding error of a matrix of this size.

    Raise RuntimeError for complex ones.
    """
    for kind, value in (("atol", atol), (relative_name, rtol)):
        if isinstance(value, Tensor) and value.is_complex():
            title = value.dtype.title
            raise RuntimeError(f"torch.linalg.{name}: {kind} tensor of complex type is not supported. Got {title}")
    m, n = A.array.shape[-2:]
    if rtol is None:
        relative = np.finfo(A.array.dtype).eps * max(m, n)
        absolute = 0.0 if atol is None else number(atol)
        return absolute, np.where(np.asarray(absolute) > 0, 0.0, relative)
    return 0.0 if atol is None else number(atol), number(rtol)


@linalg
def matrix_rank(input, tol=None, hermitian=False, *, atol=None, rtol=None):
    """The number of singular values that do not count as zero.  Shape: [..., m, n] to [...]. Raise RuntimeError for vectors.

    >>> import tensh as torch
    >>> torch.linalg.matrix_rank(torch.tensor([[1.0, 2.0], [2.0, 4.0]]))
    tensor(1)
    """
    if input.array.ndim < 2:
        raise RuntimeError("torch.linalg.matrix_rank: The input tensor input must have at least 2 dimensions.")
    if tol is not None:
        atol, rtol = tol, 0.0
    require_full_precision(input)
    atol, rtol = tolerances("matrix_rank", input, atol, rtol)
    values = eigvalsh(input.detach()) if hermitian else svdvals(input.detach())
    return wrap(np.asarray(np.count_nonzero(leastsquares.exceed_tolerances(values.array, atol, rtol), -1)))


@linalg
def pinv(input, rcond=None, hermitian=False, *, atol=None, rtol=None):
    """The pseudo-inverses of matrices, for which small singular values count as zero.  Differentiable.

    Shape: [..., m, n] to [..., n, m]. Raise RuntimeError for vectors.

    >>> import tensh as torch
    >>> torch.linalg.pinv(torch.tensor([[2.0, 0.0], [0.0, 0.0]]))
    tensor([[0.5000, 0.0000],
            [0.0000, 0.0000]])
    """
    if input.array.ndim < 2 or input.array.dtype.char not in BLAS_LETTERS:
        raise RuntimeError(
            f"linalg.pinv({input.dtype.title}{{{list(input.shape)}}}): expected a tensor with 2 or more dimensions of float, "
            "double, cfloat or cdouble types"
        )
    if hermitian:
        spectrum.check_symmetric(input.array, "L")
    relative_name = "rtol"
    if rcond is not None:
        atol, rtol, relative_name = 0.0, rcond, "rcond"
    return leastsquares.linalg_pinv.fn(input, *tolerances("pinv", input, atol, rtol, relative_name), hermitian)


@composite(method=True)
def pinverse(input, rcond=1e-15):
    """The pseudo-inverses of matrices: ``torch.linalg.pinv`` with ``rtol=rcond``.  Differentiable.

    Shape: [..., m, n] to [..., n, m]. Raise RuntimeError for vectors.
    """
    require_kind("float", rcond, "pinverse", "rcond")
    return pinv(input, atol=0.0, rtol=rcond)


# ── least squares ────────────────────────────────────────────────────────────
DRIVERS = ("gels", "gelsy", "gelsd", "gelss")


@linalg
def lstsq(input, b, rcond=None, *, driver=None):
    """The X for which ``input X - b`` has the smallest norm (of several the smallest X): a named tuple.

    ``residuals`` (empty for the driver "gelsy" and for dependent columns), ``rank`` and ``singular_values`` may be
    empty.  Differentiable. Shapes: [..., m, n] and b [..., m, k] to [..., n, k]. Raise RuntimeError for other shapes.

    >>> import tensh as torch
    >>> torch.linalg.lstsq(torch.tensor([[2.0], [0.0]]), torch.tensor([[4.0], [3.0]])).solution
    tensor([[2.]])
    """
    first, second = input.array, b.array
    if driver is None:
        driver = "gelsy"
    if not isinstance(driver, str):
        raise TypeError(f"linalg_lstsq(): argument 'driver' must be str, not {type_name(driver)}")
    if driver not in DRIVERS:
        raise RuntimeError("torch.linalg.lstsq: parameter `driver` should be one of (gels, gelsy, gelsd, gelss)")
    if first.ndim < 2:
        raise RuntimeError("torch.linalg.lstsq: input must have at least 2 dimensions.")
    if second.ndim < 1:
        raise RuntimeError("torch.linalg.lstsq: other must have at least 1 dimension.")
    if first.ndim - second.ndim not in (0, 1):
        raise RuntimeError(
            "torch.linalg.lstsq: input.dim() must be greater or equal to other.dim() and (input.dim() - other.dim()) <= 1"
        )
    vector = second.ndim == 1 or second.shape == first.shape[:-1]
    rows = -1 if vector else -2
    if first.dtype != second.dtype:
        raise RuntimeError(
            "torch.linalg.lstsq: Expected input and other to have the same dtype, but got input's dtype "
            f"{input.dtype.title} and other's dtype {b.dtype.title}"
        )
    if first.shape[-2] != second.shape[rows]:
        raise RuntimeError(f"torch.linalg.lstsq: input.size(-2) should match other.size({rows})")
    require_full_precision(input)
    m, n = first.shape[-2:]
    if isinstance(rcond, Tensor):
        rcond = rcond.item()
    if rcond is None:
        rcond = np.finfo(first.dtype).eps * max(m, n)
    elif driver == "gelsd" and not 0 < rcond < 1 or rcond < 0:  # as LAPACK reads it
        rcond = np.finfo(first.dtype).eps
    measured = m > n and (driver == "gels" or driver != "gelsy" and has_full_rank(input, rcond))
    return leastsquares.linalg_lstsq.fn(input, b, number(rcond), driver, vector, measured)


@watch_check
def has_full_rank(input, rcond):
    """Return True if the columns of all matrices are independent."""
    matrices = input.array
    if not matrices.size:
        return not matrices.shape[-1]
    values = np.linalg.svd(matrices, compute_uv=False)
    return bool((leastsquares.exceed_tolerances(values, 0.0, rcond).sum(-1) == matrices.shape[-1]).all())
