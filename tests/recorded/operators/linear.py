"""Products, linear algebra, and distances.

Factors that are unique only up to signs are tested in test_linear.py.
"""

from tests.recorded.operators import Argument, c, call, i, rough, x

COVERS = (
    "operators/linalg/products.py",
    "operators/linalg/addmm.py",
    "operators/linalg/crossed.py",
    "operators/linalg/householder.py",
)

A, B, V, W = x(2, 3), x(3, 2), x(3), x(2)
S, T = x(3, 3), x(2, 3, 3)  # regular with these seeds
BATCH = [call(S), call(T), call(c(2, 2))]
PIVOTS = Argument((3,), 1.0, 3.0, "int32")
SMALL = [call(c(2, 2)), call(S), call(T)]

SAMPLES = {
    # products
    "mm": [call(A, B), call(c(2, 2), c(2, 3))], "bmm": [call(x(2, 2, 3), x(2, 3, 1))], "mv": [call(A, V)],
    "dot": [call(V, x(3)), call(c(3), c(3))], "vdot": [call(V, x(3)), call(c(3), c(3))],
    "matmul": [call(A, B), call(A, V), call(W, A), call(V, V), call(T, V), call(V, x(2, 3, 2)), call(T, x(3, 1)),
               call(A, x(2, 3, 2)), call(x(2, 1, 2, 3), x(3, 3, 2))],
    "outer": [call(V, W)], "inner": [call(V, x(3)), call(A, x(4, 3)), call(A, x())],
    "addmm": [call(x(2, 2), A, B), call(W, A, B, beta=2, alpha=3), call(x(1), A, B, beta=0)],
    "addmv": [call(W, A, V), call(W, A, V, beta=0.5, alpha=2.0)], "addr": [call(A, W, V), call(A, W, V, beta=2, alpha=0.5)],
    "baddbmm": [call(x(2, 2, 2), x(2, 2, 3), x(2, 3, 2)), call(x(1), x(2, 2, 3), x(2, 3, 2), beta=2, alpha=0.5)],
    "addbmm": [call(x(2, 2), x(2, 2, 3), x(2, 3, 2)), call(x(1), x(2, 2, 3), x(2, 3, 2), beta=2, alpha=0.5)],
    "einsum": [call("ij,jk->ik", A, B), call("ii->i", S), call("ij->", A), call("bij,bjk->bk", T, x(2, 3, 1)),
               call("i,j", V, W), call("...ij,...jk", T, x(3, 2)), call("ij,ij->i", A, x(2, 3)), call("ij,jk,k->i", A, S, V)],
    "tensordot": [call(A, B, 1), call(A, x(2, 3), 2), call(T, S, ([1], [0]))],
    "kron": [call(A, B), call(V, A)], "chain_matmul": [call(A, S, B)],
    "linalg.multi_dot": [call([A, S, B]), call([V, S, V])], "linalg.vecdot": [call(A, x(2, 3)), call(c(2, 3), c(2, 3), dim=0)],
    "cross": [call(A, x(2, 3), 1)], "linalg.cross": [call(A, x(2, 3)), call(c(2, 3), c(1, 3))], "trace": [call(A)],
    "matrix_power": [call(S, 0), call(S, 3), call(T, 2), call(S, -1)], "matrix_exp": SMALL,
    "vander": [call(i(3)), call(i(3), 2, True)], "linalg.vander": [call(V), call(V, N=4)],
    # equations
    "inverse": BATCH, "linalg.inv": BATCH, "linalg.inv_ex": BATCH, "det": BATCH, "logdet": [call(x(2, 1, 1, low=0.5))], "slogdet": BATCH,
    "linalg.solve": [call(S, V), call(S, x(3, 2)), call(T, x(2, 3, 1)), call(S, A, left=False)],
    "linalg.solve_triangular": [call(S, x(3, 2), upper=True), call(S, x(3, 2), upper=False, unitriangular=True),
                                call(S, A, upper=True, left=False)],
    "triangular_solve": [call(x(3, 2), S), call(x(3, 2), S, False, True)],
    "pinverse": [call(A)], "linalg.pinv": [call(A), call(x(2, 3, 2))],
    "linalg.lstsq": [call(x(4, 2), x(4, 3)), call(A, x(2, 1))],
    "linalg.tensorinv": [call(x(4, 2, 2), 1)], "linalg.tensorsolve": [call(x(2, 2, 4), x(2, 2))],
    # factors
    "linalg.lu_factor": [call(S)], "linalg.lu": [call(S), call(A), call(B)], "linalg.ldl_factor": [rough(S)],
    "linalg.ldl_solve": [rough(S, PIVOTS, x(3, 2))],
    "ormqr": [call(x(3, 2), W, x(3, 4)), call(x(3, 2), W, x(4, 3), False, True)],
    "linalg.householder_product": [call(x(3, 2), W)], "geqrf": [rough(B)],
    # spectra
    "linalg.svdvals": [call(A), call(T)], "linalg.eigvalsh": [rough(S), rough(S, UPLO="U")],
    "linalg.matrix_rank": [call(A)],
    "linalg.cond": [call(S), call(A, -2)],
    # distances
    "cdist": [
        call(A, x(4, 3)), call(A, x(4, 3), 1.0), call(A, x(4, 3), 3.0), rough(A, x(4, 3), 0.0),
        call(A, x(4, 3), 2.0, "use_mm_for_euclid_dist"),
    ],
}  # fmt: skip
