"""AdamW."""

from tensh.optim.adam import Adam

__all__ = ["AdamW"]


class AdamW(Adam):
    """Step as Adam does, with weight decay that shrinks the parameters themselves and stays out of the averages.

    A step first shrinks a parameter by ``lr * weight_decay`` of itself; ``betas``, ``eps`` and ``amsgrad`` are those of
    ``Adam``. Loshchilov and Hutter, Decoupled weight decay regularization (2019). Raise ValueError for settings
    that are out of range, RuntimeError for ``fused`` beside ``foreach`` or ``differentiable``.

    >>> import tensh as torch
    >>> w = torch.tensor(1., requires_grad=True)
    >>> optimizer = torch.optim.AdamW([w], lr=0.1, weight_decay=0.5)
    >>> w.square().backward()
    >>> optimizer.step()
    >>> w
    tensor(0.8500, requires_grad=True)
    """

    def __init__(
        self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=1e-2, amsgrad=False, *, maximize=False,
        foreach=None, capturable=False, differentiable=False, fused=None,
    ):  # fmt: skip
        super().__init__(
            params, lr, betas, eps, weight_decay, amsgrad, foreach=foreach, maximize=maximize, capturable=capturable,
            differentiable=differentiable, fused=fused, decoupled_weight_decay=True,
        )  # fmt: skip

    def __setstate__(self, state):
        super().__setstate__(state)
        for group in self.param_groups:
            group["decoupled_weight_decay"] = True
