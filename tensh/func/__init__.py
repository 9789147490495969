"""torch.func: transforms of functions, which differentiate and vectorise them."""

from tensh.engine.methods.unsupported import unsupported_lookup
from tensh.func.forward import jvp
from tensh.func.jacobians import hessian, jacfwd, jacrev
from tensh.func.linear import linearize
from tensh.func.modules import functional_call, replace_all_batch_norm_modules_, stack_module_state
from tensh.func.rearrange import rearrange
from tensh.func.rest import debug_unwrap, functionalize
from tensh.func.reverse import grad, grad_and_value, vjp
from tensh.func.vmap import vmap

__all__ = [
    "debug_unwrap", "functional_call", "functionalize", "grad", "grad_and_value", "hessian", "jacfwd", "jacrev", "jvp",
    "linearize", "rearrange", "replace_all_batch_norm_modules_", "stack_module_state", "vjp", "vmap",
]  # fmt: skip

for _each in __all__:
    globals()[_each].__module__ = "torch.func"
__getattr__ = unsupported_lookup("torch.func")
