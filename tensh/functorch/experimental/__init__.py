"""functorch.experimental: former names of functions of ``torch.func``, and of branches and loops in graphs."""

from tensh.func import functionalize, hessian, jacfwd, jvp, replace_all_batch_norm_modules_
from tensh.functorch.experimental import control_flow

__all__ = ["control_flow", "functionalize", "hessian", "jacfwd", "jvp", "replace_all_batch_norm_modules_"]
