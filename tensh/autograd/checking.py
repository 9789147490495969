"""The checks of gradcheck: gradients compared with central differences, and other properties of gradients."""

import warnings

import numpy as np

from tensh.engine import find_public
from tensh.engine.autograd.delayed import UndefinedGrad
from tensh.engine.autograd.gradients import grad
from tensh.engine.autograd.modes import enable_grad
from tensh.engine.core.clock import mode
from tensh.engine.core.tensor import Tensor, wrap
from tensh.engine.dtypes.device import strided
from tensh.engine.dtypes.dtype import BY_NUMPY
from tensh.engine.dtypes.size import Size
from tensh.support.temporary import temporarily


class GradcheckError(RuntimeError):
    """A derivative differs from finite differences."""

    __module__ = "torch.autograd.gradcheck"


def require_together(forward, backward, batched, batched_forward):
    if not (forward or backward):
        raise AssertionError("Expected at least one of check_forward_ad or check_backward_ad to be True")
    if batched and not backward:
        raise AssertionError("Setting check_batched_grad=True requires check_backward_ad to be True")
    if batched_forward and not forward:
        raise AssertionError("Setting check_batched_forward_grad=True requires check_forward_ad to be True")


def check_forward(func, inputs, eps, atol, rtol, batched, undefined):
    from tensh.autograd import forwardcheck

    try:
        forwardcheck.check_forward(func, inputs, eps, atol, rtol)
        if undefined:
            forwardcheck.check_undefined(func, inputs)
        if batched:
            forwardcheck.check_batched(func, inputs)
    except forwardcheck.Mismatch as error:
        raise GradcheckError(str(error)) from None


def inputs_to_check(inputs):
    """Return the inputs that require grad."""
    checked = [x for x in inputs if isinstance(x, Tensor) and x.requires_grad]
    if not checked:
        raise ValueError(
            "gradcheck expects at least one input tensor to require gradient, but none of them have requires_grad=True."
        )
    for index, x in enumerate(inputs):
        if isinstance(x, Tensor) and x.requires_grad:
            check_input(index, x)
    return checked


def check(func, inputs, checked, eps, atol, rtol, nondet_tol, check_undefined_grad, check_grad_dtypes, fast):
    """Raise GradcheckError unless all Jacobians agree with finite differences and are the same when computed twice."""
    outputs = select_differentiable(func(*inputs))
    for number, output in enumerate(outputs):
        for part in (1j, 1) if output.is_complex() else (1,):
            numeric = numeric_rows(func, inputs, checked, number, output.numel(), part, eps, fast)
            analytic = analytic_rows(output, checked, part, check_grad_dtypes)
            again = analytic_rows(output, checked, part, check_grad_dtypes)
            if any(np.abs(a - b).max(initial=0) > nondet_tol for a, b in zip(analytic, again)):
                raise GradcheckError(
                    "Backward is not reentrant, i.e., running backward with same input and grad_output multiple times "
                    "gives different values, although analytical gradient matches numerical gradient."
                    f"The tolerance for nondeterminism was {nondet_tol}.\n{WORKAROUNDS}"
                )
            for index, (a, n) in enumerate(zip(analytic, numeric)):
                if not np.allclose(a, n, rtol, atol):
                    kind = checked[index].array.dtype
                    raise GradcheckError(describe_mismatch(a.astype(kind), n.astype(kind), number, index, part, output))
    check_zero_weights(func, inputs, checked)
    if check_undefined_grad:
        check_undefined(func, inputs, checked)


WORKAROUNDS = """
NOTE: If your op relies on non-deterministic operations i.e., it is listed here:
https://pytorch.org/docs/stable/generated/torch.use_deterministic_algorithms.html
this failure might be expected.

If you are adding a new operator, please file an issue and then use one of the
workarounds. The workaround depends on how your test invokes gradcheck/gradgradcheck.
If the test
- manually invokes gradcheck/gradgradcheck, then call gradcheck/gradgradcheck
  with `nondet_tol=<tol>` as a keyword argument.
- is OpInfo-based (e.g., in test_ops_gradients.py), then modify the OpInfo for the test
  to have `gradcheck_nondet_tol=<tol>`.
- is a Module test (e.g., in common_nn.py), then modify the corresponding
  module_test entry to have `gradcheck_nondet_tol=<tol>`
"""


def check_input(index, x):
    if x.dtype not in (find_public("float64"), find_public("complex128")):
        warnings.warn(
            f"Input #{index} requires gradient and is not a double precision floating point or complex. This check will "
            "likely fail if all the inputs are not of double precision floating point or complex. ",
            stacklevel=5,
        )
    if x.array.size and any(n > 1 and stride == 0 for n, stride in zip(x.array.shape, x.array.strides)):
        raise RuntimeError(
            f"The {index}th input has a dimension with stride 0. gradcheck only supports inputs that are non-overlapping to "
            "be able to compute the numerical gradients correctly. You should call .contiguous on the input before passing "
            "it to gradcheck."
        )


def select_differentiable(outputs):
    outputs = tuple(outputs) if isinstance(outputs, (tuple, list)) else (outputs,)
    found = [o for o in outputs if o.requires_grad]
    if any(o.layout is not strided for o in found):
        raise ValueError(
            "Sparse output is not supported at gradcheck yet. Please call to_dense(masked_grad=...) on the output of fn for "
            "gradcheck."
        )
    return found


def analytic_rows(output, inputs, part, check_dtypes):
    """Rows of the Jacobian, one backward pass per element of the output, weighted by ``part``."""
    rows = [np.zeros((x.numel(), output.numel()), wide(x)) for x in inputs]
    for j in range(output.numel()):
        weight = np.zeros(output.array.shape, output.array.dtype)
        weight.reshape(-1)[j] = part
        gradients = grad(output, inputs, wrap(weight), retain_graph=True, allow_unused=True)
        for row, g, x in zip(rows, gradients, inputs):
            if g is None:
                continue
            if check_dtypes and g.dtype != x.dtype:
                raise GradcheckError("Gradient has dtype mismatch")
            row[:, j] = g.array.reshape(-1)
    return rows


def wide(x):
    return np.complex128 if x.is_complex() else np.float64


def numeric_rows(func, inputs, checked, number, size, part, eps, fast):
    """Compute a Jacobian by central differences: real steps, and imaginary ones for complex inputs."""
    rows = []
    with temporarily(mode, grad=False):
        for x in checked:
            column = []
            for place in np.ndindex(x.array.shape):
                value = x.array[place]
                slope = slope_of(func, inputs, x, place, value, eps, number, part, fast)
                if x.is_complex():
                    slope = slope + 1j * slope_of(func, inputs, x, place, value, eps * 1j, number, part, fast)
                column.append(slope)
            rows.append(np.array(column, wide(x)).reshape(x.numel(), size))
    return rows


def slope_of(func, inputs, x, place, value, step, number, part, fast):
    ends = []
    for sign in (-1, 1):
        x.array[place] = value + sign * step
        try:
            ends.append(compute_output(func, inputs, number))
        finally:
            x.array[place] = value
    require_alike(*ends, step, None if fast else place)  # PyTorch's quick check moves all elements at once
    slope = (ends[1] - ends[0]).reshape(-1) / (2 * abs(step))
    return slope.imag if part == 1j else slope.real


def compute_output(func, inputs, number):
    """Return a copy of the differentiable output at index ``number``, as an array."""
    with enable_grad():
        return select_differentiable(func(*inputs))[number].array.copy()


def require_alike(one, two, eps, place=None):
    """Raise AssertionError if a step of an input, at an index or everywhere, changes the shape or dtype of an output."""
    where = "" if place is None else f"on index {place} "
    for what, first, second in (
        ("shape", Size(one.shape), Size(two.shape)),
        ("dtype", BY_NUMPY[one.dtype], BY_NUMPY[two.dtype]),
    ):
        if first != second:
            raise AssertionError(
                f"Expected `func` to return outputs with the same {what} when inputs are perturbed {where}by {eps}, but got:"
                f" {what}s {first} and {second}."
            )


def check_constant(func, inputs, checked, eps):
    """Check that a function without differentiable outputs does not depend on its inputs."""
    before = first_output(func, inputs)
    if before is None:
        return True
    for x in checked:
        for place in np.ndindex(x.array.shape):
            value = x.array[place]
            x.array[place] = value + eps
            moved = first_output(func, inputs)
            x.array[place] = value
            if np.abs(moved - before).max(initial=0) > 0:
                raise GradcheckError("Numerical gradient for function expected to be zero")
    return True


def first_output(func, inputs):
    """Return a copy of the first output of a function, as an array; None for a function without outputs."""
    outputs = func(*inputs)
    if isinstance(outputs, Tensor):
        return outputs.array.copy()
    return outputs[0].array.copy() if outputs else None


def describe_mismatch(analytic, numeric, output, index, part, tensor):
    what = f"Jacobian mismatch for output {output} with respect to input {index},\n"
    if tensor.is_complex():
        what = (
            "While considering the {} part of complex outputs only, ".format("imaginary" if part == 1j else "real")
            + what
        )
    return f"{what}numerical:{wrap(numeric)}\nanalytical:{wrap(analytic)}\n"


def check_zero_weights(func, inputs, checked):
    """Check that a backward pass with zero weights gives zeros."""
    outputs = select_differentiable(func(*inputs))
    weights = [wrap(np.zeros_like(o.array)) for o in outputs]
    for g in grad(outputs, checked, weights, allow_unused=True):
        if g is not None and np.any(g.array != 0):
            raise GradcheckError("backward not multiplied by grad_output")


def check_undefined(func, inputs, checked):
    """Check that ``backward`` takes absent gradients for zeros: of all outputs, and of each of several."""
    count = len(select_differentiable(func(*inputs)))
    for absent in [range(count), *([number] for number in range(count) if count > 1)]:
        outputs = [
            UndefinedGrad()(output) if number in absent else output
            for number, output in enumerate(select_differentiable(func(*inputs)))
        ]
        weights = [wrap(np.zeros_like(output.array)) for output in outputs]
        try:
            gradients = grad(outputs, checked, weights, allow_unused=True)
        except RuntimeError as error:
            warnings.warn(NEW_CHECK, stacklevel=3)
            raise GradcheckError("Expected backward function to handle undefined output grads. " + NOTES) from error
        if any(g is not None and np.any(g.array != 0) for g in gradients):
            warnings.warn(NEW_CHECK, stacklevel=3)
            raise GradcheckError(
                "Expected all input grads to be undefined or zero when all output grads are undefined or zero. " + NOTES
            )


NEW_CHECK = (
    "Backwards compatibility: New undefined gradient support checking feature is enabled by default, but it may break existing "
    'callers of this function. If this is true for you, you can call this function with "check_undefined_grad=False" to disable '
    "the feature"
)
NOTES = 'Please look at "Notes about undefined output gradients" in "tools/autograd/derivatives.yaml"'


def require_reverse(forward, reverse, undefined, batched):
    if not (forward or reverse):
        raise AssertionError("Expected at least one of check_fwd_over_rev or check_rev_over_rev to be True")
    for name, wanted in (("check_undefined_grad", undefined), ("check_batched_grad", batched)):
        if wanted and not reverse:
            raise AssertionError(f"Setting {name}=True requires check_rev_over_rev to be True")
