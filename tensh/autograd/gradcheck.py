"""torch.autograd.gradcheck: derivatives compared with finite differences."""

import warnings

import numpy as np

from tensh.engine import named
from tensh.engine.autograd.modes import enable_grad
from tensh.engine.clock import mode
from tensh.engine.gradients import grad
from tensh.engine.tensor import Tensor, wrap

__all__ = ["GradcheckError", "gradcheck", "gradgradcheck"]


class GradcheckError(RuntimeError):
    """A derivative differs from finite differences."""

    __module__ = "torch.autograd.gradcheck"


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
    """Do the gradients of ``func`` at ``inputs`` agree with central differences of step ``eps``?

    Every input that requires grad is checked; they should be float64 or complex128.  A complex output is checked as its
    real and its imaginary part.  Returns True, or raises GradcheckError (False with ``raise_exception=False``).
    Keywords that speak of forward mode or of batched gradients are accepted; what they ask for is the same here.

    >>> import tensh as torch
    >>> x = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
    >>> torch.autograd.gradcheck(torch.exp, (x,))
    True
    """
    try:
        return _check(func, inputs, eps, atol, rtol, nondet_tol, check_undefined_grad, check_grad_dtypes)
    except GradcheckError:
        if raise_exception:
            raise
        return False


def _check(func, inputs, eps, atol, rtol, nondet_tol, check_undefined_grad, check_grad_dtypes):
    inputs = (inputs,) if isinstance(inputs, Tensor) else tuple(inputs)
    checked = [x for x in inputs if isinstance(x, Tensor) and x.requires_grad]
    if not checked:
        raise ValueError(
            "gradcheck expects at least one input tensor to require gradient, but none of them have requires_grad=True."
        )
    for index, x in enumerate(inputs):
        if isinstance(x, Tensor) and x.requires_grad:
            _check_input(index, x)
    outputs = _differentiable(func(*inputs))
    if not outputs:
        return _check_constant(func, inputs, checked, eps)
    for number, output in enumerate(outputs):
        for part in (1, 1j) if output.is_complex() else (1,):
            analytic = _analytic(output, checked, part, check_grad_dtypes)
            again = _analytic(output, checked, part, check_grad_dtypes)
            numeric = _numeric(func, inputs, checked, number, output.numel(), part, eps)
            for index, (a, n) in enumerate(zip(analytic, numeric)):
                if not np.allclose(a, n, rtol, atol):
                    raise GradcheckError(_mismatch(a, n, number, index, part, output))
                if np.abs(a - again[index]).max(initial=0) > nondet_tol:
                    raise GradcheckError(
                        "Backward is not reentrant, i.e., running backward with same input and grad_output multiple times "
                        "gives different values, although analytical gradient matches numerical gradient."
                        f"The tolerance for nondeterminism was {nondet_tol}."
                    )
    _check_zero_weights(func, inputs, checked)
    if check_undefined_grad:
        _check_undefined(func, inputs, checked)
    return True


def _check_input(index, x):
    if x.dtype not in (named("float64"), named("complex128")):
        warnings.warn(
            f"Input #{index} requires gradient and is not a double precision floating point or complex. This check will "
            "likely fail if all the inputs are not of double precision floating point or complex. ",
            stacklevel=5,
        )
    if any(n > 1 and stride == 0 for n, stride in zip(x.array.shape, x.array.strides)):
        raise RuntimeError(
            f"The {index}th input has a dimension with stride 0. gradcheck only supports inputs that are non-overlapping to "
            "be able to compute the numerical gradients correctly. You should call .contiguous on the input before passing "
            "it to gradcheck."
        )


def _differentiable(outputs):
    outputs = (outputs,) if isinstance(outputs, Tensor) else tuple(outputs)
    return [o for o in outputs if isinstance(o, Tensor) and o.requires_grad]


def _analytic(output, inputs, part, check_dtypes):
    """Rows of the Jacobian, one backward pass per element of the output, weighted by ``part``."""
    rows = [np.zeros((x.numel(), output.numel()), _wide(x)) for x in inputs]
    for j in range(output.numel()):
        weight = np.zeros(output.array.shape, output.array.dtype)
        weight.reshape(-1)[j] = part
        gradients = grad(output, inputs, wrap(weight), retain_graph=True, allow_unused=True)
        for row, g, x in zip(rows, gradients, inputs):
            if g is not None:
                if check_dtypes and g.dtype != x.dtype:
                    raise GradcheckError("Gradient has dtype mismatch")
                row[:, j] = g.array.reshape(-1)
    return rows


def _wide(x):
    return np.complex128 if x.is_complex() else np.float64


def _numeric(func, inputs, checked, number, size, part, eps):
    """The same by central differences: real steps, and imaginary ones for complex inputs."""
    rows = []
    before, mode.grad = mode.grad, False
    try:
        for x in checked:
            column = []
            for place in np.ndindex(x.array.shape):
                value = x.array[place]
                slope = _slope(func, inputs, x, place, value, eps, number, part)
                if x.is_complex():
                    slope = slope + 1j * _slope(func, inputs, x, place, value, eps * 1j, number, part)
                column.append(slope)
            rows.append(np.array(column, _wide(x)).reshape(x.numel(), size))
    finally:
        mode.grad = before
    return rows


def _slope(func, inputs, x, place, value, step, number, part):
    ends = []
    for sign in (-1, 1):
        x.array[place] = value + sign * step
        try:
            ends.append(_values(func, inputs, number))
        finally:
            x.array[place] = value
    slope = (ends[1] - ends[0]) / (2 * abs(step))
    return slope.imag if part == 1j else slope.real


def _values(func, inputs, number):
    """The output ``number`` among the differentiable ones, as a flat array."""
    with enable_grad():
        return _differentiable(func(*inputs))[number].array.reshape(-1).copy()


def _check_constant(func, inputs, checked, eps):
    """A function without differentiable outputs must not depend on its inputs."""
    outputs = func(*inputs)
    for output in (outputs,) if isinstance(outputs, Tensor) else outputs:
        base = output.array.copy()
        for x in checked:
            for place in np.ndindex(x.array.shape):
                value = x.array[place]
                x.array[place] = value + eps
                moved = func(*inputs)
                x.array[place] = value
                moved = moved if isinstance(moved, Tensor) else moved[0]
                if np.abs(moved.array - base).max(initial=0) > 0:
                    raise GradcheckError("Numerical gradient for function expected to be zero")
        break
    return True


def _mismatch(analytic, numeric, output, index, part, tensor):
    what = f"Jacobian mismatch for output {output} with respect to input {index},\n"
    if tensor.is_complex():
        what = (
            "While considering the {} part of complex outputs only, ".format("imaginary" if part == 1j else "real")
            + what
        )
    return f"{what}numerical:{wrap(numeric)}\nanalytical:{wrap(analytic)}\n"


def _check_zero_weights(func, inputs, checked):
    """A backward pass with zero weights must give zeros."""
    outputs = _differentiable(func(*inputs))
    weights = [wrap(np.zeros_like(o.array)) for o in outputs]
    for g in grad(outputs, checked, weights, allow_unused=True):
        if g is not None and np.any(g.array != 0):
            raise GradcheckError("backward not multiplied by grad_output")


def _check_undefined(func, inputs, checked):
    """With several outputs, the gradient of one may be absent: backward must then still run."""
    outputs = _differentiable(func(*inputs))
    if len(outputs) < 2:
        return
    for output in outputs:
        try:
            grad(output, checked, wrap(np.zeros_like(output.array)), retain_graph=True, allow_unused=True)
        except RuntimeError as error:
            raise GradcheckError(
                "Expected backward function to handle undefined output grads. Please look at 'Notes about undefined output "
                "gradients' in 'tools/autograd/derivatives.yaml'"
            ) from error


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
    """Do the second derivatives agree with central differences of the first?

    ``grad_outputs`` weights the outputs; random weights are drawn where it is left out.

    >>> import tensh as torch
    >>> x = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
    >>> torch.autograd.gradgradcheck(torch.exp, (x,))
    True
    """
    inputs = (inputs,) if isinstance(inputs, Tensor) else tuple(inputs)
    if grad_outputs is None:
        outputs = _differentiable(func(*inputs))
        draw = np.random.default_rng(0)
        weights = []
        for o in outputs:
            values = draw.uniform(-1, 1, o.array.shape)
            values = values + 1j * draw.uniform(-1, 1, o.array.shape) if o.is_complex() else values
            weights.append(wrap(np.asarray(values, o.array.dtype)).requires_grad_())
    else:
        weights = [grad_outputs] if isinstance(grad_outputs, Tensor) else list(grad_outputs)
    count = len(weights)

    def first_derivative(*args):
        xs, ws = args[:-count], args[-count:]
        xs = tuple(x.requires_grad_() if isinstance(x, Tensor) and x.is_leaf and x.requires_grad else x for x in xs)
        outputs = _differentiable(func(*xs))
        wanted = [x for x in xs if isinstance(x, Tensor) and x.requires_grad]
        gradients = grad(outputs, wanted, ws, create_graph=True, allow_unused=True)
        return tuple(g for g in gradients if isinstance(g, Tensor))

    return gradcheck(
        first_derivative,
        (*inputs, *weights),
        eps=eps,
        atol=atol,
        rtol=rtol,
        raise_exception=raise_exception,
        nondet_tol=nondet_tol,
        check_undefined_grad=check_undefined_grad,
        check_grad_dtypes=check_grad_dtypes,
    )
