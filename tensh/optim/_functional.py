"""torch.optim._functional: one step of an optimizer as a function of lists, for custom optimizers.

The steps are those of the classes; all state is in the lists.
"""

import inspect
from functools import wraps

from tensh.engine.arrays.uninterrupted import Uninterrupted
from tensh.optim.adadelta import Adadelta
from tensh.optim.adagrad import Adagrad
from tensh.optim.adam import Adam
from tensh.optim.adamax import Adamax
from tensh.optim.adamw import AdamW
from tensh.optim.asgd import ASGD
from tensh.optim.nadam import NAdam
from tensh.optim.radam import RAdam
from tensh.optim.rmsprop import RMSprop
from tensh.optim.rprop import Rprop
from tensh.optim.sgd import SGD

TOGETHER = {
    "betas": ("beta1", "beta2"),
    "etas": ("etaminus", "etaplus"),
    "step_sizes": ("step_size_min", "step_size_max"),
}
"""Options of a group that are several arguments here."""


def step_of(cls, options=None, **lists):
    """Make a function of the step of a class; its parameters in ``lists`` are the state of that name, for all parameters."""

    def decorate(function):
        signature = inspect.signature(function)
        rule = cls.__new__(cls)

        @wraps(function)
        def step(*args, **kwargs):
            bound = signature.bind(*args, **kwargs)
            bound.apply_defaults()
            params, grads, *_ = bound.arguments.values()
            group = bound.arguments | (options or {})
            group |= {
                name: tuple(group[each] for each in parts) for name, parts in TOGETHER.items() if parts[0] in group
            }
            change = rule._step_on_tensors if group.get("differentiable") else rule._step_on_arrays
            with Uninterrupted():
                for number, (p, grad) in enumerate(zip(params, grads, strict=True)):
                    state = {name: group[each][number] for each, name in lists.items() if group[each]}
                    change(p, grad, group, state)
                    for each, name in lists.items():
                        if group[each]:
                            group[each][number] = state[name]

        return step

    return decorate


@step_of(SGD, momentum_buffer_list="momentum_buffer")
def sgd(params, d_p_list, momentum_buffer_list, has_sparse_grad=False, foreach=None, fused=None, grad_scale=None,
        found_inf=None, *, weight_decay, momentum, lr, dampening, nesterov, maximize):  # fmt: skip
    """Change the parameters by one step of ``SGD``; a momentum buffer may be None before its first step."""


@step_of(Adam, exp_avgs="exp_avg", exp_avg_sqs="exp_avg_sq", max_exp_avg_sqs="max_exp_avg_sq", state_steps="step")
def adam(params, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, state_steps, foreach=None, capturable=False,
         differentiable=False, fused=None, grad_scale=None, found_inf=None, has_complex=False,
         decoupled_weight_decay=False, *, amsgrad, beta1, beta2, lr, weight_decay, eps, maximize):  # fmt: skip
    """Change the parameters by one step of ``Adam``."""


@step_of(
    AdamW, {"decoupled_weight_decay": True},
    exp_avgs="exp_avg", exp_avg_sqs="exp_avg_sq", max_exp_avg_sqs="max_exp_avg_sq", state_steps="step",
)  # fmt: skip
def adamw(params, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, state_steps, foreach=None, capturable=False,
          differentiable=False, fused=None, grad_scale=None, found_inf=None, has_complex=False, *, amsgrad, beta1, beta2,
          lr, weight_decay, eps, maximize):  # fmt: skip
    """Change the parameters by one step of ``AdamW``."""


@step_of(Adadelta, square_avgs="square_avg", acc_deltas="acc_delta", state_steps="step")
def adadelta(params, grads, square_avgs, acc_deltas, state_steps, capturable=False, foreach=None, differentiable=False,
             has_complex=False, *, lr, rho, eps, weight_decay, maximize):  # fmt: skip
    """Change the parameters by one step of ``Adadelta``."""


@step_of(Adagrad, state_sums="sum", state_steps="step")
def adagrad(params, grads, state_sums, state_steps, fused=None, grad_scale=None, found_inf=None, has_sparse_grad=False,
            foreach=None, differentiable=False, has_complex=False, *, lr, weight_decay, lr_decay, eps, maximize):  # fmt: skip
    """Change the parameters by one step of ``Adagrad``."""


@step_of(Adamax, exp_avgs="exp_avg", exp_infs="exp_inf", state_steps="step")
def adamax(params, grads, exp_avgs, exp_infs, state_steps, foreach=None, maximize=False, differentiable=False,
           capturable=False, has_complex=False, *, eps, beta1, beta2, lr, weight_decay):  # fmt: skip
    """Change the parameters by one step of ``Adamax``."""


@step_of(ASGD, axs="ax", mus="mu", etas="eta", state_steps="step")
def asgd(params, grads, axs, mus, etas, state_steps, foreach=None, maximize=False, differentiable=False,
         capturable=False, has_complex=False, *, lambd, lr, t0, alpha, weight_decay):  # fmt: skip
    """Change the parameters by one step of ``ASGD``."""


@step_of(NAdam, exp_avgs="exp_avg", exp_avg_sqs="exp_avg_sq", mu_products="mu_product", state_steps="step")
def nadam(params, grads, exp_avgs, exp_avg_sqs, mu_products, state_steps, decoupled_weight_decay=False, foreach=None,
          capturable=False, differentiable=False, has_complex=False, maximize=False, *, beta1, beta2, lr, weight_decay,
          momentum_decay, eps):  # fmt: skip
    """Change the parameters by one step of ``NAdam``."""


@step_of(RAdam, exp_avgs="exp_avg", exp_avg_sqs="exp_avg_sq", state_steps="step")
def radam(params, grads, exp_avgs, exp_avg_sqs, state_steps, decoupled_weight_decay=False, foreach=None,
          differentiable=False, capturable=False, has_complex=False, maximize=False, *, beta1, beta2, lr, weight_decay,
          eps):  # fmt: skip
    """Change the parameters by one step of ``RAdam``."""


@step_of(
    RMSprop, square_avgs="square_avg", grad_avgs="grad_avg", momentum_buffer_list="momentum_buffer", state_steps="step"
)
def rmsprop(params, grads, square_avgs, grad_avgs, momentum_buffer_list, state_steps, foreach=None, maximize=False,
            differentiable=False, capturable=False, has_complex=False, *, lr, alpha, eps, weight_decay, momentum,
            centered):  # fmt: skip
    """Change the parameters by one step of ``RMSprop``."""


@step_of(Rprop, prevs="prev", step_sizes="step_size", state_steps="step")
def rprop(params, grads, prevs, step_sizes, state_steps, foreach=None, capturable=False, maximize=False,
          differentiable=False, has_complex=False, *, step_size_min, step_size_max, etaminus, etaplus):  # fmt: skip
    """Change the parameters by one step of ``Rprop``."""
