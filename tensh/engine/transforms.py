"""What must not be done inside a function that torch.func transforms, in PyTorch's words."""

INSTEAD = {
    "backward()": (
        "backward() called inside a functorch transform. This is not supported, please use functorch.grad or functorch.vjp "
        "instead or call backward() outside of functorch transforms."
    ),
    "requires_grad_()": (
        "You are attempting to call Tensor.requires_grad_() (or perhaps using torch.autograd.functional.* APIs) inside of a "
        "function being transformed by a functorch transform. This is unsupported, please attempt to use the functorch "
        "transforms (e.g. grad, vjp, jacrev, jacfwd, hessian) or call requires_grad_() outside of a function being "
        "transformed instead."
    ),
    "retain_grad()": (
        "You are attempting to call Tensor.retain_grad() inside of a function being transformed by a functorch transform. "
        "This is unsupported, please attempt to use the functorch transforms (e.g. grad, vjp, jacrev, jacfwd, hessian) or "
        "call retain_grad() outside of a function being transformed instead."
    ),
}


def refuse_inside(what):
    """Raise the error for a method that was called inside a transformed function."""
    raise RuntimeError(INSTEAD[what])
