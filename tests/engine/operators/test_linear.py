"""Linear algebra whose results are unique only up to signs and phases: tested by what does not depend on them.

Values are tested as products that give the matrix back, derivatives on functions that no choice of signs changes.
"""

import numpy as np
import pytest

import tensh as torch

SHAPES = [(3, 5), (5, 3), (4, 4), (2, 3, 5)]
SQUARE = [(4, 4), (2, 3, 3)]
DTYPES = ["float64", "complex128"]


def matrix(shape, dtype):
    rng = np.random.default_rng(sum(shape))
    values = rng.standard_normal(shape)
    return torch.tensor(values + 1j * rng.standard_normal(shape) if dtype == "complex128" else values)


def hermitian(A):
    return A + A.mH


def positive(m, A):
    return A @ A.mH + m.eye(A.shape[-1], dtype=A.dtype)


def scaled(left, values, right):
    """``left diag(values) right``."""
    return (left * values.unsqueeze(-2)) @ right


def by_svd(m, A):
    U, S, Vh = m.linalg.svd(A, full_matrices=False)
    return scaled(U, S**3, Vh)


def by_qr(m, A):
    Q, R = m.linalg.qr(A)
    return Q @ (R * R)


def by_lu(m, A):
    P, L, U = m.linalg.lu(A)
    return (L * L) @ (U * U)


def by_eigh(m, A):
    L, V = m.linalg.eigh(hermitian(A))
    return scaled(V, L**3, V.mH)


def by_eig(m, A):
    L, V = m.linalg.eig(A)
    return scaled(V, L**3, m.linalg.inv(V)).real


# name -> (function whose result does not depend on signs, is it for square matrices only)
FUNCTIONS = {
    "svd": (by_svd, False),
    "svd, full": (lambda m, A: m.linalg.svd(A)[1], False),
    "qr": (by_qr, False),
    "pinv": (lambda m, A: m.linalg.pinv(A), False),
    "lu": (by_lu, False),
    "eigh": (by_eigh, True),
    "eigvalsh": (lambda m, A: m.linalg.eigvalsh(hermitian(A)), True),
    "eig": (by_eig, True),
    "cholesky": (lambda m, A: m.linalg.cholesky(positive(m, A)), True),
    "cholesky_solve": (lambda m, A: m.cholesky_solve(A, m.linalg.cholesky(positive(m, A))), True),
    "cholesky_inverse": (lambda m, A: m.cholesky_inverse(m.linalg.cholesky(positive(m, A))), True),
    "lu_solve": (lambda m, A: m.linalg.lu_solve(*m.linalg.lu_factor(A), A @ A), True),
}
each_case = pytest.mark.parametrize(
    ("name", "shape", "dtype"),
    [(n, s, d) for n, (_, square) in FUNCTIONS.items() for s in (SQUARE if square else SHAPES) for d in DTYPES],
)


def derivatives(m, function, A):
    """The gradient of a real number made of the result, and the gradient of that gradient's square."""
    out = function(m, A)
    weights = m.tensor(np.cos(np.arange(out.numel())).reshape(tuple(out.shape)))
    total = (out * weights).sum()
    (g,) = m.autograd.grad(total.real if total.is_complex() else total, A, create_graph=True)
    square = (g * g.conj()).sum()
    return g, m.autograd.grad(square.real if square.is_complex() else square, A)[0]


@each_case
def test_derivatives_of_decompositions(name, shape, dtype):
    """They agree with differences of values, and of gradients."""
    function, step = FUNCTIONS[name][0], 1e-6
    A = matrix(shape, dtype).requires_grad_()
    way = matrix(shape[::-1], dtype).mT if len(shape) == 2 else matrix(shape, dtype) * 0.7
    first, second = derivatives(torch, function, A)
    sides = [(A + h * way).detach().requires_grad_() for h in (step, -step)]
    values = [function(torch, side).detach() for side in sides]
    weights = torch.tensor(np.cos(np.arange(values[0].numel())).reshape(tuple(values[0].shape)))
    slope = (((values[0] - values[1]) * weights).sum() / (2 * step)).real.item()
    assert slope == pytest.approx((first.detach().conj() * way).real.sum().item(), rel=1e-5, abs=1e-6)
    squares = [(derivatives(torch, function, side)[0].detach().abs() ** 2).sum().item() for side in sides]
    assert (squares[0] - squares[1]) / (2 * step) == pytest.approx(
        (second.conj() * way).real.sum().item(), rel=1e-4, abs=1e-5
    )


@each_case
def test_as_in_pytorch(oracle, name, shape, dtype):
    """Values and derivatives of the first and second order."""
    function, A = FUNCTIONS[name][0], matrix(shape, dtype)
    twin = oracle.tensor(A.numpy())
    expected = [function(oracle, twin), *derivatives(oracle, function, twin.requires_grad_())]
    actual = [function(torch, A), *derivatives(torch, function, A.requires_grad_())]
    for one, two in zip(expected, actual, strict=True):
        np.testing.assert_allclose(two.detach().numpy(), one.detach().resolve_conj().numpy(), 1e-7, 1e-9)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_factors_give_the_matrix_back(shape, dtype):
    A = matrix(shape, dtype)
    U, S, Vh = torch.linalg.svd(A, full_matrices=False)
    for product in (
        scaled(U, S, Vh),
        (lambda Q, R: Q @ R)(*torch.linalg.qr(A)),
        (lambda Q, R: Q @ R)(*torch.linalg.qr(A, mode="complete")),
        (lambda P, L, U: P @ L @ U)(*torch.linalg.lu(A)),
        (lambda P, L, U: P @ L @ U)(*torch.lu_unpack(*torch.linalg.lu_factor(A))),
    ):
        np.testing.assert_allclose(product.numpy(), A.numpy(), atol=1e-12)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("size", [1, 2, 7, 40])
@pytest.mark.parametrize("unit", [False, True])
@pytest.mark.parametrize("upper", [False, True])
def test_the_other_half_of_a_triangular_matrix_is_not_read(upper, unit, size, dtype):
    whole = (torch.triu if upper else torch.tril)(matrix((3, size, size), dtype)) / size
    whole.diagonal(0, 1, 2)[:] = 1 if unit else 2
    other = torch.ones(size, size).tril(-1) if upper else torch.ones(size, size).triu(1)
    A = whole.masked_fill(other.bool(), float("nan"))
    if unit:
        A.diagonal(0, 1, 2)[:] = float("nan")
    B = matrix((size, 2), dtype)
    X = torch.linalg.solve_triangular(A, B, upper=upper, unitriangular=unit)
    np.testing.assert_allclose((whole @ X).numpy(), B.expand(3, -1, -1).numpy(), atol=1e-12)


@pytest.mark.parametrize("upper", [False, True])
def test_a_zero_on_the_diagonal_of_a_triangular_matrix_makes_infinities(upper):
    A, B = torch.diag(torch.tensor([2.0, 0.0, 4.0])), torch.ones(3, 1)
    found = torch.linalg.solve_triangular(A, B, upper=upper)
    assert found.flatten().tolist()[:: -1 if upper else 1][:2] == [0.25 if upper else 0.5, np.inf]


@pytest.mark.parametrize("transpose", [False, True])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(3, 5, 5), (7, 4), (40, 33)])
def test_reflections_together_are_their_product(shape, dtype, transpose):
    """One of them is trivial: its tau is zero."""
    a, tau = torch.geqrf(matrix(shape, dtype))
    tau[..., 1] = 0
    Q = torch.eye(shape[-2], dtype=a.dtype)
    for i in range(shape[-1]):
        v = torch.cat([torch.zeros_like(a[..., :i, i]), torch.ones_like(a[..., :1, i]), a[..., i + 1 :, i]], -1)
        Q = Q @ (torch.eye(shape[-2], dtype=a.dtype) - tau[..., i, None, None] * v[..., None] @ v[..., None].mH)
    C = matrix((*shape[:-1], 3), dtype)
    np.testing.assert_allclose(
        torch.linalg.householder_product(a, tau).numpy(), Q[..., : shape[-1]].numpy(), atol=1e-12
    )
    product = torch.ormqr(a, tau, C, transpose=transpose)
    np.testing.assert_allclose(product.numpy(), ((Q.mH if transpose else Q) @ C).numpy(), atol=1e-12)


@pytest.mark.parametrize("shape", [(5, 3), (3, 5), (4, 4), (1, 3), (3, 1)])
def test_the_first_zero_pivot_is_counted(shape):
    A = torch.zeros(2, *shape)
    A[1] = torch.eye(*shape)
    _, pivots, info = torch.linalg.lu_factor_ex(A)
    assert info.tolist() == [1, 0] and info.dtype == pivots.dtype == torch.int32
    assert pivots.tolist() == [list(range(1, min(shape) + 1))] * 2


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("hermitian_too", [False, True])
def test_symmetric_factorization_solves(dtype, hermitian_too):
    """Also with pivots of two rows: the diagonal is zero."""
    A = matrix((6, 6), dtype)
    A = A + (A.mH if hermitian_too else A.mT)
    A = A - torch.diag(A.diagonal())
    B = matrix((6, 2), dtype)
    LD, pivots = torch.linalg.ldl_factor(A, hermitian=hermitian_too)
    assert (pivots < 0).any()
    X = torch.linalg.ldl_solve(LD, pivots, B, hermitian=hermitian_too)
    np.testing.assert_allclose((A @ X).numpy(), B.numpy(), atol=1e-10)


def test_no_gradient_of_vectors_between_equal_values():
    """Values of a multiple of the identity have a gradient, though its vectors have none."""
    A = torch.eye(3, dtype=torch.float64).requires_grad_()
    for values in (torch.linalg.eigvalsh, torch.linalg.svdvals):
        (g,) = torch.autograd.grad(values(A).sum(), A)
        np.testing.assert_allclose(g.numpy(), np.eye(3), atol=1e-12)


def test_determinant_of_a_singular_matrix_has_its_derivative():
    A = torch.tensor([[1.0, 2.0], [2.0, 4.0]], dtype=torch.float64, requires_grad=True)
    (g,) = torch.autograd.grad(torch.det(A), A)
    np.testing.assert_allclose(g.numpy(), [[4.0, -2.0], [-2.0, 1.0]], atol=1e-12)


ERRORS = [
    (lambda: torch.ones(2, 3) @ torch.ones(2, 3), "mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)"),
    (lambda: torch.mm(torch.ones(2, 3), torch.ones(3)), "mat2 must be a matrix"),
    (
        lambda: torch.ones(2, 2) @ torch.ones(2, 2, dtype=torch.float64),
        "expected m1 and m2 to have the same dtype, but got: float != double",
    ),
    (
        lambda: torch.linalg.inv(torch.zeros(2, 2)),
        "linalg.inv: The diagonal element 1 is zero, the inversion could not be completed because the input matrix is singular.",
    ),
    (
        lambda: torch.linalg.inv(torch.zeros(2, 2, 2)),
        "linalg.inv: (Batch element 0): The diagonal element 1 is zero, the inversion could not be completed because the "
        "input matrix is singular.",
    ),
    (
        lambda: torch.linalg.cholesky(-torch.eye(2)),
        "linalg.cholesky: The factorization could not be completed because the input is not positive-definite (the leading "
        "minor of order 1 is not positive-definite).",
    ),
    (
        lambda: torch.linalg.det(torch.ones(2, 3)),
        "linalg.det: A must be batches of square matrices, but they are 2 by 3 matrices",
    ),
    (
        lambda: torch.tensor([1, 2]).mean(),
        "mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype. Got: Long",
    ),
    (
        lambda: torch.einsum("ij,jk", torch.ones(2, 3), torch.ones(2, 3)),
        "einsum(): subscript j has size 2 for operand 1 which does not broadcast with previously seen size 3",
    ),
]


@pytest.mark.parametrize(("wrong", "message"), ERRORS, ids=[message[:30] for _, message in ERRORS])
def test_wrong_matrices_are_refused(wrong, message):
    """Errors are PyTorch's; those about the values of a matrix are LinAlgErrors."""
    with pytest.raises(RuntimeError) as caught:
        wrong()
    assert str(caught.value) == message
    singular = "singular" in message or "positive-definite" in message
    assert isinstance(caught.value, torch.linalg.LinAlgError) == singular


def test_symmetric_factors_with_a_zero_block_are_refused_and_solve_to_infinities():
    A = torch.diag(torch.tensor([1.0, 0.0, 2.0]))
    for call in (torch.linalg.ldl_factor, torch.compile(torch.linalg.ldl_factor, backend=lambda module, _: module)):
        with pytest.raises(RuntimeError, match=r"torch\.linalg\.ldl_factor: Unknown error code: 2\."):
            call(A)
    with pytest.raises(RuntimeError, match=r"torch\.linalg\.ldl_factor_ex: Unknown error code: 2\."):
        torch.linalg.ldl_factor_ex(A, check_errors=True)
    LD, pivots, info = torch.linalg.ldl_factor_ex(A)
    solution = torch.linalg.ldl_solve(LD, pivots, torch.ones(3, 1)).flatten()
    assert info.item() == 2 and solution[0].isnan() and solution[1:].tolist() == [torch.inf, 0.5]
