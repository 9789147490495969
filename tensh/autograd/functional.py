"""torch.autograd.functional: Jacobians, Hessians and their products with vectors, of functions of tensors."""

from tensh.autograd.for_libraries import (  # noqa: F401 (libraries import them from here)
    _as_tuple,
    _as_tuple_nocheck,
    _autograd_grad,
    _check_requires_grad,
    _construct_standard_basis_for,
    _fill_in_zeros,
    _grad_postprocess,
    _grad_preprocess,
    _tuple_postprocess,
    _validate_v,
)
from tensh.autograd.jacobians import hessian, jacobian
from tensh.autograd.products import hvp, jvp, vhp, vjp

__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]
