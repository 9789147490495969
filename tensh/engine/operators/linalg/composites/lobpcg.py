"""The iteration of ``torch.lobpcg``: eigenpairs of a symmetric matrix from an iteratively improved subspace.

The subspace is spanned by the approximations X, their residuals R (times a preconditioner) and the directions P in which
they moved last; the best approximations within it are the next X.  "basic" is Knyazev's method (SIAM J. Sci. Comput. 23,
2001), "ortho" keeps the basis orthonormal (Stathopoulos and Wu, SIAM J. Sci. Comput. 23, 2002; the choice of basis and
the test of convergence are those of Duersch, Shao, Yang and Gu, SIAM J. Sci. Comput. 40, 2018).
"""

from tensh.engine.methods.creation.triangles import eye
from tensh.engine.operators.elementwise.composites.comparison import where
from tensh.engine.operators.linalg.composites.equations import solve_triangular
from tensh.engine.operators.linalg.composites.factors import linalg_cholesky, linalg_qr
from tensh.engine.operators.linalg.composites.products import matmul
from tensh.engine.operators.linalg.composites.spectra import eigh
from tensh.engine.operators.reductions.composites.norms import vector_norm
from tensh.engine.operators.shapes.rearrangement import cat as cat_op


def product(A, X):
    """Return ``A @ X``; None is the identity."""
    return X if A is None else matmul(A, X)


def form(A, X):
    """Return X^T A X."""
    return matmul(X.mT, product(A, X))


def eigenpairs(A, largest=False):
    """Return eigenvalues, ascending, or descending if ``largest``, and their vectors."""
    values, vectors = eigh(A, UPLO="U")
    return (values.flip(-1), vectors.flip(-1)) if largest else (values, vectors)


def norm(X):
    return float(vector_norm(X))


class LOBPCG:
    """The state of an iteration, the argument of ``tracker`` after each step.

    ``X`` and ``E`` are the approximate vectors and values, ``R`` the residuals A X - B X E, ``S`` the basis of the
    subspace.  ``ivars["istep"]`` counts the steps, ``ivars["converged_count"]`` the pairs that have converged,
    ``tvars["rerr"]`` has their relative residuals; ``bvars["force_stop"] = True`` ends the iteration.
    """

    def __init__(self, A, B, X, iK, iparams, fparams, bparams, method, tracker):
        self.A, self.B, self.iK, self.method, self.tracker = A, B, iK, method, tracker
        self.iparams, self.fparams, self.bparams = iparams, fparams, bparams
        self.X, self.n = X.clone(), iparams["n"]
        self.E, self.R, self.S = X.new_zeros(self.n), X.new_zeros(X.shape), X[:, :0]
        self.ivars = {"istep": 0, "iterations_left": iparams["niter"], "converged_count": 0, "converged_end": 0}
        size = norm(X)
        self.fvars = {"X_norm": size, "A_norm": norm(product(A, X)) / size, "B_norm": norm(product(B, X)) / size}
        self.bvars, self.tvars = {}, {}

    def run(self):
        """Iterate until enough pairs have converged; return the requested number of pairs."""
        step = self.first_step
        while True:
            step()
            self.ivars["iterations_left"] -= 1
            self.ivars["istep"] += 1
            if self.tracker is not None:
                self.tracker(self)
            if self.stop_iteration():
                k = self.iparams["k"]
                return self.E[:k], self.X[:, :k]
            step = self.next_step

    def stop_iteration(self):
        """Return True if the iteration ends."""
        left, found = self.ivars["iterations_left"], self.ivars["converged_count"]
        return self.bvars.get("force_stop", False) or left == 0 or found >= self.iparams["k"]

    # ── steps ────────────────────────────────────────────────────────────────
    def first_step(self):
        """Find the best approximations in the span of X."""
        transform = self.transform(self.X)
        values, vectors = self.solve_within(self.X, transform)
        self.X = matmul(self.X, matmul(transform, vectors))
        if self.method != "ortho":  # "ortho" computes the values in the second step
            self.E = values
        self.measure()
        self.span(self.X[:, :0], self.R)

    def next_step(self):
        """Find the best approximations in the span of the basis, except for converged pairs."""
        done, n = self.ivars["converged_count"], self.n
        basis, rest = self.S[:, done:], self.n - done
        transform = None if self.method == "ortho" else self.transform(basis)
        values, vectors = self.solve_within(basis, transform)
        moved = vectors[:, rest:]
        if transform is None:
            moved = matmul(moved, linalg_qr(vectors[:rest, rest:].mT).Q)
        else:
            vectors, moved = matmul(transform, vectors), matmul(transform, vectors[:, n : n + rest])
        cat = cat_op.fn
        self.X = cat([self.X[:, :done], matmul(basis, vectors[:, :rest])], 1)
        self.E = cat([self.E[:done], values[:rest]], 0)
        self.measure()
        self.span(matmul(basis, moved), self.R[:, self.ivars["converged_count"] :])

    def solve_within(self, basis, transform):
        """Return the eigenpairs of A within the span of a basis, which ``transform`` makes orthonormal."""
        A = form(self.A, basis)
        return eigenpairs(A if transform is None else form(A, transform), self.bparams["largest"])

    def span(self, moved, residuals):
        """Make the basis of the next step."""
        self.S = cat_op.fn([self.X, moved], 1)
        more = self.orthonormal(residuals, self.S) if self.method == "ortho" else product(self.iK, residuals)
        self.S = cat_op.fn([self.S, more], 1)
        self.ivars["converged_end"] = self.S.shape[1]

    def measure(self):
        """Compute the residuals, and the number of leading pairs that have converged."""
        self.R = product(self.A, self.X) - product(self.B, self.X) * self.E
        length = vector_norm
        scale = self.fvars["A_norm"] + self.E.abs() * self.fvars["B_norm"]
        self.tvars["rerr"] = length(self.R, dim=0) / (length(self.X, dim=0) * scale)
        converged = (self.tvars["rerr"] < self.fparams["tol"]).tolist()
        count, before = [*converged, False].index(False), self.ivars["converged_count"]
        if count < before:
            raise AssertionError(f"the number of converged eigenpairs (was {before}, got {count}) cannot decrease")
        self.ivars["converged_count"] = count

    # ── orthonormal bases ────────────────────────────────────────────────────
    def transform(self, S):
        """Return an upper triangular T for which S T is B-orthonormal, by the Cholesky factor of the scaled S^T B S."""
        SBS = form(self.B, S)
        scale = SBS.diagonal(0, -2, -1) ** -0.5
        R = linalg_cholesky(SBS * scale * scale[:, None], upper=True)
        return solve_triangular(R, scale.diag_embed(), upper=True, left=False)

    def orthonormal(self, U, V):
        """Return a B-orthonormal basis of the part of ``U`` orthogonal to the B-orthonormal ``V``, in up to three passes."""
        tolerance, drops = self.fparams["ortho_tol"], self.bparams["ortho_use_drop"]
        V_norm, BU = norm(product(self.B, V)), product(self.B, U)
        shared = matmul(V.mT, BU)
        for _ in range(self.iparams["ortho_i_max"]):
            U = U - matmul(V, shared)
            for again in range(self.iparams["ortho_j_max"]):
                least = "ortho_tol_drop" if drops and not again else "ortho_tol_replace"
                U = self.scale_columns(U, drops and again > 0, self.fparams[least])
                if not U.numel():
                    return U
                BU = product(self.B, U)
                error = matmul(U.mT, BU) - eye(U.shape[1], dtype=U.dtype)
                if norm(error) / (norm(BU) * norm(U)) < tolerance:
                    break
            shared = matmul(V.mT, BU)
            if norm(shared) / (V_norm * norm(U)) < tolerance:
                break
            if len(U) < U.shape[1] + V.shape[1]:
                raise ValueError(
                    f"Overdetermined shape of U: #B-cols(={len(U)}) >= #U-cols(={U.shape[1]}) + #V-cols(={V.shape[1]}) "
                    "must hold"
                )
        return U

    def scale_columns(self, U, drop, tolerance):
        """Return B-orthonormal columns from the eigenvectors of the scaled U^T B U; small ones are dropped or enlarged."""
        length = form(self.B, U).diagonal(0, -2, -1)
        U = U[:, length != 0]
        if not U.numel():
            return U
        UBU = form(self.B, U)
        scale = UBU.diagonal(0, -2, -1) ** -0.5
        values, vectors = eigenpairs(UBU * scale[:, None] * scale)
        least = tolerance * values.abs().max()
        if drop:
            values, vectors = values[values > least], vectors[:, values > least]
        else:
            values = where(values < least, least, values)
        return matmul(U * scale, vectors * values**-0.5)
