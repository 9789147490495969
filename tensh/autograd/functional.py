"""torch.autograd.functional: Jacobians, Hessians and their products with vectors, of functions of tensors."""

from tensh.autograd.jacobians import hessian, jacobian
from tensh.autograd.products import hvp, jvp, vhp, vjp

__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]
