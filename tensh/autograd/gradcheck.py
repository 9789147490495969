"""torch.autograd.gradcheck: derivatives compared with finite differences."""

from tensh.autograd.batchcheck import check_batched
from tensh.autograd.checking import (
    GradcheckError,
    check,
    check_constant,
    check_forward,
    inputs_to_check,
    require_reverse,
    require_together,
    select_differentiable,
)
from tensh.engine.autograd.gradients import grad
from tensh.engine.core.tensor import Tensor
from tensh.engine.errors.messages import too_large
from tensh.engine.methods.unsupported import unsupported_lookup
from tensh.testing.making import make_tensor

__all__ = ["GradcheckError", "gradcheck", "gradgradcheck"]


def gradcheck(
    func,
    inputs,
    *,
    eps=1e-6,
    atol=1e-5,
    rtol=1e-3,
    raise_exception=True,
    nondet_tol=0.0,
    check_undefined_grad=True,
    check_grad_dtypes=False,
    check_batched_grad=False,
    check_batched_forward_grad=False,
    check_forward_ad=False,
    check_backward_ad=True,
    fast_mode=False,
    masked=None,
):
    """Check the gradients of ``func`` at ``inputs`` against central differences of step ``eps``.

    Every input that requires grad is checked; they should be float64 or complex128.  A complex output is checked as its
    real and its imaginary part.  Returns True, or raises GradcheckError (False with ``raise_exception=False``).
    ``check_batched_grad`` checks batches of weights, too; ``check_forward_ad`` tangents, ``check_batched_forward_grad``
    batches of them.

    >>> import tensh as torch
    >>> x = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
    >>> torch.autograd.gradcheck(torch.exp, (x,))
    True
    """
    require_together(check_forward_ad, check_backward_ad, check_batched_grad, check_batched_forward_grad)
    inputs = tuple(inputs) if isinstance(inputs, (tuple, list)) else (inputs,)
    try:
        checked = inputs_to_check(inputs)
        if not select_differentiable(func(*inputs)):
            return check_constant(func, inputs, checked, eps)
        if check_backward_ad:
            check(
                func, inputs, checked, eps, atol, rtol, nondet_tol, check_undefined_grad, check_grad_dtypes, fast_mode
            )
        if check_forward_ad:
            check_forward(func, inputs, eps, atol, rtol, check_batched_forward_grad, check_undefined_grad)
        if check_batched_grad:
            check_batched(func, inputs, checked)
    except MemoryError as error:
        raise too_large(error) from None
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def gradgradcheck(
    func,
    inputs,
    grad_outputs=None,
    *,
    eps=1e-6,
    atol=1e-5,
    rtol=1e-3,
    gen_non_contig_grad_outputs=False,
    raise_exception=True,
    nondet_tol=0.0,
    check_undefined_grad=True,
    check_grad_dtypes=False,
    check_batched_grad=False,
    check_fwd_over_rev=False,
    check_rev_over_rev=True,
    fast_mode=False,
    masked=False,
):
    """Check the second derivatives of ``func`` against central differences of the first.

    ``grad_outputs`` weights the outputs; random weights are drawn where it is left out. Shapes: ``grad_outputs`` [*] as
    the outputs. Raise GradcheckError where they differ (False with ``raise_exception=False``), ValueError if no input
    requires grad.

    >>> import tensh as torch
    >>> x = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
    >>> torch.autograd.gradgradcheck(torch.exp, (x,))
    True
    """
    require_reverse(check_fwd_over_rev, check_rev_over_rev, check_undefined_grad, check_batched_grad)
    inputs = tuple(inputs) if isinstance(inputs, (tuple, list)) else (inputs,)
    if grad_outputs is None:
        weights = draw_weights(select_differentiable(func(*inputs)), gen_non_contig_grad_outputs)
    else:
        weights = [grad_outputs] if isinstance(grad_outputs, Tensor) else list(grad_outputs)
    return gradcheck(
        first_derivative(func, inputs, len(weights)),
        (*inputs, *weights),
        eps=eps,
        atol=atol,
        rtol=rtol,
        raise_exception=raise_exception,
        nondet_tol=nondet_tol,
        check_undefined_grad=check_undefined_grad,
        check_grad_dtypes=check_grad_dtypes,
        check_batched_grad=check_batched_grad,
        check_forward_ad=check_fwd_over_rev,
        check_backward_ad=check_rev_over_rev,
        fast_mode=fast_mode,
    )


def draw_weights(outputs, noncontiguous):
    """Return random weights for outputs, which require grad; they are PyTorch's."""
    return [
        make_tensor(
            output.shape,
            dtype=output.dtype,
            device=output.device,
            low=-1,
            high=1,
            requires_grad=True,
            noncontiguous=noncontiguous,
        )
        for output in outputs
    ]


def first_derivative(func, inputs, count):
    """Return the function of inputs and ``count`` weights of the outputs that computes the gradients of ``func``."""

    def compute(*args):
        xs, ws = args[:-count], args[-count:]
        xs = tuple(
            x.requires_grad_() if isinstance(x, Tensor) and given.requires_grad and not x.requires_grad else x
            for x, given in zip(xs, inputs, strict=True)
        )
        outputs = select_differentiable(func(*xs))
        wanted = [x for x in xs if isinstance(x, Tensor) and x.requires_grad]
        gradients = grad(outputs, wanted, ws, create_graph=True, allow_unused=True)
        return tuple(g for g in gradients if isinstance(g, Tensor))

    return compute


__getattr__ = unsupported_lookup("torch.autograd.gradcheck")
