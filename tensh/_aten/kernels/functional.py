"""Kernels of operators that only programs without writes call: new values in place of written ones."""

import tensh as torch
from tensh.engine.codegen.vocabulary import OPS
from tensh.engine.operators.linalg.composites.distances import COMPUTE_MODES
from tensh.nn import functional


def legit(input, weight, bias, *rest):
    """Normalize a batch: (result, mean, inverse deviation); the running statistics are optional, and written in training."""
    running, (training, momentum, eps) = (rest[:2] if len(rest) == 5 else (None, None)), rest[-3:]
    out = functional.batch_norm(input, *running, weight, bias, training, momentum, eps)
    dims = [dim for dim in range(input.dim()) if dim != 1]
    if not training:
        return out, input.new_empty(0), input.new_empty(0)
    variance, mean = torch.var_mean(input, dims, correction=0)
    return out, mean, (variance + eps).rsqrt()


def functional_norm(input, weight, bias, running_mean, running_var, training, momentum, eps):
    """Normalize a batch, and return the new running statistics after the three results."""
    new = running_mean.clone(), running_var.clone()
    return *legit(input, weight, bias, *new, training, momentum, eps), *new


def without_training(input, weight, bias, running_mean, running_var, momentum, eps):
    """Normalize a batch by the running statistics."""
    return legit(input, weight, bias, running_mean, running_var, False, momentum, eps)


def trilinear(i1, i2, i3, expand1, expand2, expand3, sumdim, unroll_dim=1):
    """Multiply three tensors, each of which gets dimensions of size one, and sum over dimensions."""
    parts = []
    for each, dims in ((i1, expand1), (i2, expand2), (i3, expand3)):
        for dim in dims:
            each = each.unsqueeze(dim)
        parts.append(each)
    return (parts[0] * parts[1] * parts[2]).sum(sumdim)


def det(A):
    """Return (determinant, LU factors, pivots)."""
    return torch.linalg.det(A), *torch.linalg.lu_factor(A)


def unique(self, sorted=True, return_inverse=False, return_counts=False):
    """Return (elements, inverse, counts); what is not asked for is empty."""
    found, inverse, counts = torch.unique(self, sorted, True, True)
    none = torch.empty(0, dtype=torch.int64)
    return found, inverse if return_inverse else none, counts if return_counts else none


DRAWN = {"normal_functional": "normal_"} | {
    name: f"{name}_" for name in ("uniform", "exponential", "geometric", "log_normal", "cauchy")
}
"""Name of an operator that draws new values -> the method that writes them."""


def drawing(method):
    """Return the kernel that draws as a method does, into a copy."""
    return lambda self, *args, **options: getattr(self.clone(), method)(*args, **options)


def cdist(x1, x2, p=2.0, compute_mode=None):
    """Return distances of rows; the mode is a number, not a name as in ``torch.cdist``."""
    for name, number in COMPUTE_MODES.items():
        if compute_mode == number or compute_mode == 0 and number is None:
            return torch.cdist(x1, x2, p, name)
    raise RuntimeError(f"possible modes: 0, 1, 2, but was: {compute_mode}")


FUNCTIONAL_KERNELS = {
    **{name: drawing(method) for name, method in DRAWN.items()},
    "_native_batch_norm_legit": legit,
    "_native_batch_norm_legit_functional": functional_norm,
    "_native_batch_norm_legit_no_training": without_training,
    "_trilinear": trilinear,
    "_unique2": unique,
    "_linalg_det": det,
    "cdist": cdist,
    "_cdist_forward": lambda x1, x2, p, compute_mode=None: OPS["pair_distances"].fn(x1, x2, p, compute_mode),
    "_euclidean_dist": lambda x1, x2: OPS["euclidean_dist"].fn(x1, x2),
    "_pdist_forward": lambda self, p=2.0: OPS["pdist"].fn(self, p),
    "copy": lambda self, src, non_blocking=False: src.to(self.dtype).expand(self.shape).clone(),
    "zero": lambda self: torch.zeros_like(self),
}
"""Name of an operator -> its kernel."""
