"""torch.nn.utils.parametrizations: weights that are orthogonal, or have given norms or singular values of at most 1."""

from enum import Enum, auto

from tensh.engine import find_public
from tensh.engine.autograd.modes import no_grad
from tensh.engine.core.tensor import Tensor
from tensh.engine.methods.unsupported import unsupported_lookup
from tensh.engine.operators.layers.composites.recurrences import norm_except_dim
from tensh.nn import functional as F
from tensh.nn.modules.module import Module
from tensh.nn.utils.norms import as_matrix, output_dim, scale_direction, unit_vectors
from tensh.nn.utils.parametrize import register_parametrization

__all__ = ["orthogonal", "spectral_norm", "weight_norm"]


# ── orthogonal ───────────────────────────────────────────────────────────────
class Maps(Enum):
    """Maps from skew-symmetric or triangular matrices to orthogonal ones."""

    matrix_exp = auto()
    cayley = auto()
    householder = auto()


def _identity(n, like):
    return find_public("eye")(n, dtype=like.dtype)


def _is_orthogonal(q):
    n, k = q.size(-2), q.size(-1)
    return find_public("allclose")(q.mH @ q, _identity(k, q), atol=10.0 * n * find_public("finfo")(q.dtype).eps)


def _make_orthogonal(a):
    """Return the Q of ``a``, made unique by the signs of R's diagonal."""
    from tensh import linalg

    x, tau = find_public("geqrf")(a)
    return linalg.householder_product(x, tau) * x.diagonal(dim1=-2, dim2=-1).sgn().unsqueeze(-2)


class _Orthogonal(Module):
    """An orthogonal matrix, or one with orthogonal rows or columns, times an optional base."""

    def __init__(self, weight, orthogonal_map, *, use_trivialization=True):
        super().__init__()
        if weight.is_complex() and orthogonal_map == Maps.householder:
            raise ValueError("The householder parametrization does not support complex tensors.")
        self.shape, self.orthogonal_map = weight.shape, orthogonal_map
        if use_trivialization:
            self.register_buffer("base", None)

    def forward(self, X):
        """Return the orthogonal matrix of ``X``, in its shape."""
        transposed = X.size(-2) < X.size(-1)
        x = X.mT if transposed else X
        q = self._reflect(x) if self.orthogonal_map == Maps.householder else self._rotate(x)
        if hasattr(self, "base"):
            q = self.base @ q
        return q.mT if transposed else q

    def _rotate(self, x):
        """Return the exponential, or Cayley's transform, of a skew-symmetric matrix."""
        from tensh import linalg

        n, k = x.size(-2), x.size(-1)
        x = x.tril()
        if n != k:
            x = find_public("cat")([x, x.new_zeros(n, n - k).expand(*x.shape[:-2], -1, -1)], dim=-1)
        a = x - x.mH
        if self.orthogonal_map == Maps.matrix_exp:
            q = find_public("matrix_exp")(a)
        else:
            one, add = _identity(n, a), find_public("add")
            q = linalg.solve(add(one, a, alpha=-0.5), add(one, a, alpha=0.5))
        return q if n == k else q[..., :k]

    @staticmethod
    def _reflect(x):
        """Return the product of reflections in the columns below the diagonal; the diagonal has signs."""
        from tensh import linalg

        a = x.tril(diagonal=-1)
        q = linalg.householder_product(a, 2.0 / (1.0 + (a * a).sum(dim=-2)))
        return q * x.diagonal(dim1=-2, dim2=-1).int().unsqueeze(-2)

    def right_inverse(self, Q):
        """Return the matrix from which ``Q`` is computed; the base becomes ``Q``, or an orthogonal matrix near it."""
        with no_grad():
            if Q.shape != self.shape:
                raise ValueError(
                    f"Expected a matrix or batch of matrices of shape {self.shape}. Got a tensor of shape {Q.shape}."
                )
            transposed = Q.size(-2) < Q.size(-1)
            q = Q.mT if transposed else Q
            if not hasattr(self, "base"):
                return self._reflections(q, transposed)
            n, k = q.size(-2), q.size(-1)
            if n != k:
                q = find_public("cat")([q, find_public("randn")(*q.size()[:-2], n, n - k, dtype=q.dtype)], dim=-1)
            self.base = q.clone() if n == k and _is_orthogonal(q) else _make_orthogonal(q)
            start = find_public("zeros_like")(Q)
            start.diagonal(dim1=-2, dim2=-1).fill_(-1.0)
            return start

    def _reflections(self, q, transposed):
        if self.orthogonal_map != Maps.householder:
            raise NotImplementedError(
                "It is not possible to assign to the matrix exponential or the Cayley parametrizations when "
                "use_trivialization=False."
            )
        a, tau = find_public("geqrf")(q)
        a.diagonal(dim1=-2, dim2=-1).sign_()
        a.diagonal(dim1=-2, dim2=-1)[tau == 0.0] *= -1
        return a.mT if transposed else a


def orthogonal(module, name="weight", orthogonal_map=None, *, use_trivialization=True):
    """Keep a weight orthogonal (Lezcano-Casado, 2019), and return the module.

    Shapes: the weight is a matrix or batch of matrices [*, n, m]. The map is "matrix_exp" for square matrices and
    "householder" for others by default, or "cayley". ``name`` is that of the weight, ``orthogonal_map`` that of the
    map; ``use_trivialization`` multiplies by the initial matrix, which makes training easier. Raise ValueError for
    other weights and maps.

    >>> import tensh as torch
    >>> layer = torch.nn.utils.parametrizations.orthogonal(torch.nn.Linear(3, 3))
    >>> torch.allclose(layer.weight.T @ layer.weight, torch.eye(3), atol=1e-5)
    True
    """
    weight = getattr(module, name, None)
    if not isinstance(weight, Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    if weight.ndim < 2:
        raise ValueError(f"Expected a matrix or batch of matrices. Got a tensor of {weight.ndim} dimensions.")
    if orthogonal_map is None:
        square = weight.size(-2) == weight.size(-1)
        orthogonal_map = "matrix_exp" if square or weight.is_complex() else "householder"
    if orthogonal_map not in Maps.__members__:
        raise ValueError(
            f'orthogonal_map has to be one of "matrix_exp", "cayley", "householder". Got: {orthogonal_map}'
        )
    made = _Orthogonal(weight, Maps[orthogonal_map], use_trivialization=use_trivialization)
    return register_parametrization(module, name, made, unsafe=True)


# ── norms ────────────────────────────────────────────────────────────────────
class _WeightNorm(Module):
    """A weight given by its norms and its direction."""

    def __init__(self, dim=0):
        super().__init__()
        self.dim = -1 if dim is None else dim

    def forward(self, weight_g, weight_v):
        """Return ``weight_v`` with the norms ``weight_g``."""
        return scale_direction(weight_v, weight_g, self.dim)

    def right_inverse(self, weight):
        """Return (norms, direction)."""
        return norm_except_dim(weight, 2, self.dim), weight


def weight_norm(module, name="weight", dim=0):
    """Learn norms of a weight along ``dim`` apart from its direction (Salimans and Kingma, 2016); return the module.

    Raise ValueError for a name that the module does not have.

    >>> import tensh as torch
    >>> list(torch.nn.utils.parametrizations.weight_norm(torch.nn.Linear(2, 3)).state_dict())
    ['bias', 'parametrizations.weight.original0', 'parametrizations.weight.original1']
    """
    register_parametrization(module, name, _WeightNorm(dim), unsafe=True)

    def take_old_names(state_dict, prefix, *rest):
        old = [f"{prefix}{name}_g", f"{prefix}{name}_v"]
        if all(key in state_dict for key in old):
            for number, key in enumerate(old):
                state_dict[f"{prefix}parametrizations.{name}.original{number}"] = state_dict.pop(key)

    module._register_load_state_dict_pre_hook(take_old_names)
    return module


# ── largest singular values ──────────────────────────────────────────────────
class _SpectralNorm(Module):
    """A weight divided by its largest singular value, which power iteration tracks in training."""

    def __init__(self, weight, n_power_iterations=1, dim=0, eps=1e-12):
        super().__init__()
        ndim = weight.ndim
        if not -ndim <= dim < ndim:
            raise IndexError(f"Dimension out of range (expected to be in range of [-{ndim}, {ndim - 1}] but got {dim})")
        if n_power_iterations <= 0:
            raise ValueError(
                f"Expected n_power_iterations to be positive, but got n_power_iterations={n_power_iterations}"
            )
        self.dim, self.eps = dim % ndim, eps
        if ndim > 1:
            self.n_power_iterations = n_power_iterations
            with no_grad():
                matrix = as_matrix(weight, self.dim)
                u, v = unit_vectors(matrix, eps)
            self.register_buffer("_u", u)
            self.register_buffer("_v", v)
            self._power_method(matrix, 15)

    def _power_method(self, matrix, iterations):
        with no_grad():
            for _ in range(iterations):
                self._u = F.normalize(matrix.mv(self._v), dim=0, eps=self.eps, out=self._u)
                self._v = F.normalize(matrix.mH.mv(self._u), dim=0, eps=self.eps, out=self._v)

    def forward(self, weight):
        """Return the weight divided by its largest singular value; a vector divided by its norm."""
        if weight.ndim == 1:
            return F.normalize(weight, dim=0, eps=self.eps)
        matrix = as_matrix(weight, self.dim)
        if self.training:
            self._power_method(matrix, self.n_power_iterations)
        return weight / find_public("vdot")(self._u.clone(), matrix.mv(self._v.clone()))

    def right_inverse(self, value):
        """Return the weight itself."""
        return value


def spectral_norm(module, name="weight", n_power_iterations=1, eps=1e-12, dim=None):
    """Divide a weight by its largest singular value (Miyato et al., 2018), and return the module.

    ``dim`` is the dimension of the outputs, and ``eps`` the smallest divisor. Raise ValueError for a name that the
    module does not have, and for fewer than one power iteration.

    >>> import tensh as torch
    >>> layer = torch.nn.utils.parametrizations.spectral_norm(torch.nn.Linear(2, 3), n_power_iterations=50)
    >>> torch.linalg.matrix_norm(layer.weight, 2).round(decimals=2)
    tensor(1., grad_fn=<RoundBackward1>)
    """
    weight = getattr(module, name, None)
    if not isinstance(weight, Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    made = _SpectralNorm(weight, n_power_iterations, output_dim(module) if dim is None else dim, eps)
    return register_parametrization(module, name, made)


__getattr__ = unsupported_lookup("torch.nn.utils.parametrizations")
