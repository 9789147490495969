"""Adam."""

from tensh.engine.core.tensor import Tensor
from tensh.optim.checks import require, require_one_way
from tensh.optim.elementwise import Elementwise, add_ratio_, average_, average_square_, keep, weigh
from tensh.optim.state import blank, counter

__all__ = ["Adam"]


class Adam(Elementwise):
    """Step by the average gradient over the root of its average square: about ``lr``, whatever the scale.

    Both averages are corrected for their start at zero. ``amsgrad`` divides by the largest root so far. ``betas`` are
    the shares of the two averages that a step keeps, ``eps`` is added to the root, and ``weight_decay`` times the
    parameter is added to its gradient. Kingma and Ba, Adam: A method for stochastic optimization (2015); Reddi, Kale
    and Kumar, On the convergence of Adam and beyond (2018). ``decoupled_weight_decay`` makes it AdamW. Raise ValueError
    for settings that are out of range, RuntimeError for ``fused`` beside ``foreach`` or ``differentiable``.

    >>> import tensh as torch
    >>> w = torch.tensor(1., requires_grad=True)
    >>> optimizer = torch.optim.Adam([w], lr=0.1)
    >>> w.square().backward()
    >>> optimizer.step()
    >>> w
    tensor(0.9000, requires_grad=True)
    """

    ARRAYS = ("exp_avg", "exp_avg_sq", "max_exp_avg_sq")
    LATER = {
        "amsgrad": False, "maximize": False, "foreach": None, "capturable": False, "differentiable": False,
        "decoupled_weight_decay": False, "fused": None,
    }  # fmt: skip

    def __init__(
        self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, amsgrad=False, *, foreach=None,
        maximize=False, capturable=False, differentiable=False, fused=None, decoupled_weight_decay=False,
    ):  # fmt: skip
        without_capture = foreach and not capturable
        if isinstance(lr, Tensor) and without_capture:
            raise ValueError("lr as a Tensor is not supported for capturable=False and foreach=True")
        require(lr=lr, eps=eps, betas=betas, weight_decay=weight_decay)
        options = {
            "lr": lr, "betas": _scalars(betas, without_capture), "eps": eps, "weight_decay": weight_decay,
            "amsgrad": amsgrad, "maximize": maximize, "foreach": foreach, "capturable": capturable,
            "differentiable": differentiable, "fused": fused, "decoupled_weight_decay": decoupled_weight_decay,
        }  # fmt: skip
        super().__init__(params, options)
        require_one_way(fused, foreach, differentiable)

    def begin(self, p, group):
        state = {"step": counter(fused=group["fused"]), "exp_avg": blank(p), "exp_avg_sq": blank(p)}
        if group["amsgrad"]:
            state["max_exp_avg_sq"] = blank(p)
        return state

    def rule(self, p, group, state, step):
        lr, eps, amsgrad = group["lr"], group["eps"], group["amsgrad"]
        beta1, beta2 = group["betas"]
        step_size = lr / (1 - beta1**step)
        root_of_correction = (1 - beta2**step) ** 0.5

        def update(p, grad, exp_avg, exp_avg_sq, max_exp_avg_sq=None):
            grad = weigh(grad, p, group)
            average_(exp_avg, grad, beta1)
            average_square_(exp_avg_sq, grad, beta2)
            if amsgrad:
                max_exp_avg_sq.copy_(keep(max_exp_avg_sq).maximum(exp_avg_sq))
            root = (max_exp_avg_sq if amsgrad else exp_avg_sq).sqrt()
            add_ratio_(p, exp_avg, root.div(root_of_correction).add_(eps), -step_size)

        return update


def _scalars(betas, without_capture):
    """Betas that are floats or tensors without dimensions."""
    for kind in (float, Tensor):
        if all(isinstance(beta, kind) for beta in betas):
            break
    else:
        raise ValueError("betas must be either both floats or both Tensors")
    for number, beta in enumerate(betas):
        if isinstance(beta, Tensor):
            if without_capture:
                raise ValueError(f"betas[{number}] as a Tensor is not supported for capturable=False and foreach=True")
            if beta.numel() != 1:
                raise ValueError(f"Tensor betas[{number}] must be 1-element")
    return tuple(beta.squeeze() if isinstance(beta, Tensor) and beta.ndim else beta for beta in betas)
