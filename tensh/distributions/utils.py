"""Helpers of distributions: broadcasting, conversion of probabilities and logits, cached properties."""

import functools

import tensh as torch

__all__ = [
    "broadcast_all", "logits_to_probs", "clamp_probs", "probs_to_logits", "lazy_property", "tril_matrix_to_vec",
    "vec_to_tril_matrix",
]  # fmt: skip

euler_constant = 0.57721566490153286060


def broadcast_all(*values):
    """Broadcast tensors and numbers to one shape; numbers take the dtype of the first tensor, or the default dtype.

    >>> import tensh as torch
    >>> from tensh.distributions.utils import broadcast_all
    >>> broadcast_all(torch.tensor([1.0, 2.0]), 3)
    (tensor([1., 2.]), tensor([3., 3.]))
    """
    is_tensor = torch.overrides.is_tensor_like
    if not all(is_tensor(v) or isinstance(v, int | float) for v in values):
        raise ValueError(
            "Input arguments must all be instances of Number, torch.Tensor or objects implementing __torch_function__."
        )
    dtype = next((v.dtype for v in values if isinstance(v, torch.Tensor)), torch.get_default_dtype())
    return torch.broadcast_tensors(*(v if is_tensor(v) else torch.tensor(v, dtype=dtype) for v in values))


def _standard_normal(shape, dtype, device):
    return torch.empty(shape, dtype=dtype, device=device).normal_()


def _sum_rightmost(value, dim):
    """Return the sum over the last ``dim`` dimensions."""
    return value if dim == 0 else value.reshape(value.shape[:-dim] + (-1,)).sum(-1)


def _write_where(t, mask, value):
    """Write ``value`` into ``t`` where ``mask``, which broadcasts, is true; return ``t``."""
    t[mask.expand_as(t) if mask.dim() else mask] = value
    return t


def logits_to_probs(logits, is_binary=False):
    """Convert to probabilities: log-odds (``is_binary``), or unnormalized log-probabilities along the last dimension.

    >>> import tensh as torch
    >>> from tensh.distributions.utils import logits_to_probs
    >>> logits_to_probs(torch.zeros(4))
    tensor([0.2500, 0.2500, 0.2500, 0.2500])
    """
    return torch.sigmoid(logits) if is_binary else torch.nn.functional.softmax(logits, dim=-1)


def clamp_probs(probs):
    """Clamp probabilities to at least eps of their dtype away from 0 and 1.

    >>> import tensh as torch
    >>> from tensh.distributions.utils import clamp_probs
    >>> clamp_probs(torch.tensor([0.0, 0.5, 1.0]))
    tensor([1.1921e-07, 5.0000e-01, 1.0000e+00])
    """
    eps = torch.finfo(probs.dtype).eps
    return probs.clamp(min=eps, max=1 - eps)


def probs_to_logits(probs, is_binary=False):
    """Convert probabilities to finite logarithms: log-odds (``is_binary``), or log-probabilities.

    >>> import tensh as torch
    >>> from tensh.distributions.utils import probs_to_logits
    >>> probs_to_logits(torch.tensor([0.5, 0.75]), is_binary=True)
    tensor([0.0000, 1.0986])
    """
    inner = clamp_probs(probs)
    return torch.log(inner) - torch.log1p(-inner) if is_binary else torch.log(inner)


class formula(property):
    """Make a property from an expression; without a docstring, that of the base class is kept.

    >>> from tensh.distributions.utils import formula
    >>> class Circle:
    ...     radius = 2
    ...     area = formula(lambda c: 3 * c.radius**2)
    >>> Circle().area
    12
    """

    def __init__(self, read, doc=None):
        super().__init__(read, doc=doc)

    def __set_name__(self, owner, name):
        self.fget.__name__, self.fget.__qualname__ = name, f"{owner.__qualname__}.{name}"


class lazy_property:
    """A property that is computed on first access, with recording, and stored as an attribute.

    >>> from tensh.distributions.utils import lazy_property
    >>> class Circle:
    ...     radius = 2
    ...     @lazy_property
    ...     def area(self):
    ...         return 3 * self.radius**2
    >>> Circle().area
    12
    """

    def __init__(self, wrapped):
        self.wrapped = wrapped
        functools.update_wrapper(self, wrapped)

    def __get__(self, instance, obj_type=None):
        if instance is None:
            return self
        with torch.enable_grad():
            value = self.wrapped(instance)
        setattr(instance, self.wrapped.__name__, value)
        return value


def _lower(n, diag, device):
    """Return the mask of the elements on the diagonal ``diag`` of a square matrix or below it."""
    return torch.ones(n, n, dtype=torch.bool, device=device).tril(diag)


def tril_matrix_to_vec(mat, diag=0):
    """Return the elements of square matrices on the diagonal ``diag`` and below, row by row: [..., D, D] -> [..., N].

    >>> import tensh as torch
    >>> from tensh.distributions.utils import tril_matrix_to_vec
    >>> tril_matrix_to_vec(torch.tensor([[1.0, 0.0], [2.0, 3.0]]))
    tensor([1., 2., 3.])
    """
    n = mat.shape[-1]
    if diag < -n or diag >= n:
        raise ValueError(f"diag ({diag}) provided is outside [{-n}, {n - 1}].")
    return mat[..., _lower(n, diag, mat.device)]


def vec_to_tril_matrix(vec, diag=0):
    """Return square matrices with elements on the diagonal ``diag`` and below, zero elsewhere: [..., N] -> [..., D, D].

    >>> import tensh as torch
    >>> from tensh.distributions.utils import vec_to_tril_matrix
    >>> vec_to_tril_matrix(torch.tensor([1.0, 2.0, 3.0]))
    tensor([[1., 0.],
            [2., 3.]])
    """
    # D is the positive root of D**2 + (1 + 2 * diag) * D - |diag| * (diag + 1) - 2 * N.
    b = 1 + 2 * diag
    size = ((b**2 + 8 * vec.shape[-1] + 4 * abs(diag) * (diag + 1)) ** 0.5 - b) / 2
    n = round(size)
    if n - size > torch.finfo(vec.dtype).eps:
        raise ValueError(
            f"The size of last dimension is {vec.shape[-1]} which cannot be expressed as "
            "the lower triangular part of a square D x D matrix."
        )
    mat = vec.new_zeros(vec.shape[:-1] + (n, n))
    mat[..., _lower(n, diag, vec.device)] = vec
    return mat
