"""Products of Jacobians and Hessians with vectors: torch.autograd.functional."""

from tensh.autograd.preparing import (
    as_tuple,
    detach_unless,
    fill_missing,
    grads_of,
    prepare_inputs,
    require,
    vector,
    zeros,
)
from tensh.engine.autograd.modes import enable_grad
from tensh.engine.core.tensor import Tensor


def vjp(func, inputs, v=None, create_graph=False, strict=False):
    """Return (outputs, the vector ``v`` times the Jacobian).  ``v`` may be left out for an output of one element.

    ``v`` has the shape of the output [*], the product that of the input. Raise RuntimeError if ``v`` has another
    shape; with ``strict``, if an output does not depend on an input.

    >>> import tensh as torch
    >>> torch.autograd.functional.vjp(torch.exp, torch.zeros(2), torch.tensor([1.0, 2.0]))
    (tensor([1., 1.]), tensor([1., 2.]))
    """
    with enable_grad():
        single_input, inputs = as_tuple(inputs, "inputs", "vjp")
        inputs = prepare_inputs(inputs, create_graph)
        single_output, outputs = as_tuple(func(*inputs), "outputs of the user-provided function", "vjp")
        require(outputs, "outputs", strict)
        if v is None:
            if not single_output or outputs[0].numel() != 1:
                raise RuntimeError(
                    "The vector v can only be None if the user-provided function returns a single Tensor with a single element."
                )
        else:
            v = vector(v, outputs, single_output, "vjp")
    with enable_grad():
        gradients = grads_of(outputs, inputs, v, create_graph=create_graph)
        product = fill_missing(gradients, inputs, strict, create_graph, "back")
    outputs, product = detach_unless(outputs, create_graph), detach_unless(product, create_graph)
    return outputs[0] if single_output else outputs, product[0] if single_input else product


def jvp(func, inputs, v=None, create_graph=False, strict=False):
    """Return (outputs, the Jacobian times the vector ``v``), by differentiating a backward pass by its weights.

    ``v`` has the shape of the input [*], the product that of the output; ``v`` may be left out for an input of one
    element. Raise RuntimeError if ``v`` has another shape; with ``strict``, if an output does not depend on an input.

    >>> import tensh as torch
    >>> torch.autograd.functional.jvp(torch.exp, torch.zeros(2), torch.tensor([1.0, 2.0]))
    (tensor([1., 1.]), tensor([1., 2.]))
    """
    with enable_grad():
        single_input, inputs = as_tuple(inputs, "inputs", "jvp")
        inputs = prepare_inputs(inputs, create_graph)
        if v is None:
            if len(inputs) != 1 or inputs[0].numel() != 1:
                raise RuntimeError(
                    "The vector v can only be None if the input to the user-provided function is a single Tensor with a "
                    "single element."
                )
        else:
            v = vector(v, inputs, single_input, "jvp")
        single_output, outputs = as_tuple(func(*inputs), "outputs of the user-provided function", "jvp")
        require(outputs, "outputs", strict)
        weights = tuple(zeros(o).requires_grad_() for o in outputs)
        gradients = grads_of(outputs, inputs, weights, create_graph=True)
        require(gradients, "grad_inputs", strict)
        product = grads_of(gradients, weights, v, create_graph=create_graph)
        product = fill_missing(product, outputs, strict, create_graph, "back_trick")
    outputs, product = detach_unless(outputs, create_graph), detach_unless(product, create_graph)
    return outputs[0] if single_output else outputs, product[0] if single_output else product


def vhp(func, inputs, v=None, create_graph=False, strict=False):
    """Return (outputs, the vector ``v`` times the Hessian) of a function that returns one element.

    ``v`` and the product have the shape of the input [*]. Raise RuntimeError if ``v`` has another shape; with
    ``strict``, if an output does not depend on an input.

    >>> import tensh as torch
    >>> torch.autograd.functional.vhp(lambda x: (x ** 3).sum(), torch.ones(2), torch.tensor([1.0, 2.0]))
    (tensor(2.), tensor([ 6., 12.]))
    """
    with enable_grad():
        single_input, inputs, v, outputs, first = _first_derivative(func, inputs, v, strict, create_graph, "vhp")
        second = grads_of(first, inputs, v, create_graph=create_graph)
        product = fill_missing(second, inputs, strict, create_graph, "double_back")
    outputs, product = detach_unless(outputs, create_graph), detach_unless(product, create_graph)
    return outputs[0], product[0] if single_input else product


def hvp(func, inputs, v=None, create_graph=False, strict=False):
    """Return (outputs, the Hessian times the vector ``v``) of a function that returns one element.

    ``v`` and the product have the shape of the input [*]. Slower than ``torch.autograd.functional.vhp``, by one more
    backward pass. Raise RuntimeError if ``v`` has another shape; with ``strict``, if an output does not depend on an
    input.

    >>> import tensh as torch
    >>> torch.autograd.functional.hvp(lambda x: (x ** 3).sum(), torch.ones(2), torch.tensor([1.0, 2.0]))
    (tensor(2.), tensor([ 6., 12.]))
    """
    with enable_grad():
        single_input, inputs, v, outputs, first = _first_derivative(func, inputs, v, strict, create_graph, "hvp")
        weights = tuple(zeros(x).requires_grad_() for x in inputs)
        second = grads_of(first, inputs, weights, create_graph=True)
        require(second, "hessian", strict)
        product = grads_of(second, weights, v, create_graph=create_graph)
        product = fill_missing(product, inputs, strict, create_graph, "double_back_trick")
    outputs, product = detach_unless(outputs, create_graph), detach_unless(product, create_graph)
    return outputs[0], product[0] if single_input else product


def _first_derivative(func, inputs, v, strict, create_graph, name):
    """Return (whether there is one input, inputs, vector, outputs, gradient) of a function whose result is one number."""
    single_input, inputs = as_tuple(inputs, "inputs", name)
    inputs = prepare_inputs(inputs, create_graph)
    if v is not None:
        v = vector(v, inputs, single_input, name)
    elif len(inputs) != 1 or inputs[0].numel() != 1:
        raise RuntimeError(
            "The vector v can only be None if the input to the user-provided function is a single Tensor with a single element."
        )
    single_output, outputs = as_tuple(func(*inputs), "outputs of the user-provided function", name)
    require(outputs, "outputs", strict)
    if not single_output or not isinstance(outputs[0], Tensor):
        raise RuntimeError(f"The function given to {name} should return a single Tensor")
    if outputs[0].numel() != 1:
        raise RuntimeError(f"The Tensor returned by the function given to {name} should contain a single element")
    first = grads_of(outputs, inputs, None, create_graph=True)
    require(first, "jacobian", strict)
    return single_input, inputs, v, outputs, first
