"""torch.func: functions of functions, which differentiate and vectorise what they are given."""

from tensh.func.forward import jvp
from tensh.func.jacobians import hessian, jacfwd, jacrev
from tensh.func.linear import linearize
from tensh.func.reverse import grad, grad_and_value, vjp
from tensh.func.vmap import vmap

__all__ = [
    "grad", "grad_and_value", "hessian", "jacfwd", "jacrev", "jvp", "linearize", "vjp", "vmap",
]  # fmt: skip

for _each in __all__:
    globals()[_each].__module__ = "torch.func"
