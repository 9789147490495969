"""torch.nn.grad: gradients of convolutions with respect to input and weight."""

from tensh.engine.autograd.gradients import grad
from tensh.engine.autograd.modes import enable_grad, is_grad_enabled
from tensh.engine.methods.unsupported import unsupported_lookup
from tensh.engine.operators.layers.composites.convolution import convolve

__all__ = [f"conv{n}d_{what}" for n in (1, 2, 3) for what in ("input", "weight")]


def _gradient(dims, size, grad_output, others, settings, of_weight):
    """Return the gradient of a tensor of ``size``; its value does not matter, because a convolution is linear in it."""
    recorded = is_grad_enabled() and (grad_output.requires_grad or others.requires_grad)
    with enable_grad():
        unknown = grad_output.new_zeros(tuple(size)).requires_grad_()
        pair = (others, unknown) if of_weight else (unknown, others)
        output = convolve(f"conv{dims}d", dims, *pair, None, *settings)
        return grad(output, unknown, grad_output, create_graph=recorded)[0]


def _differentiate_input(dims):
    def of_input(input_size, weight, grad_output, stride=1, padding=0, dilation=1, groups=1):
        return _gradient(dims, input_size, grad_output, weight, (stride, padding, dilation, groups), False)

    return of_input


def _differentiate_weight(dims):
    def of_weight(input, weight_size, grad_output, stride=1, padding=0, dilation=1, groups=1):
        return _gradient(dims, weight_size, grad_output, input, (stride, padding, dilation, groups), True)

    return of_weight


for _dims in (1, 2, 3):
    for _what, _made in (("input", _differentiate_input(_dims)), ("weight", _differentiate_weight(_dims))):
        _made.__name__ = _made.__qualname__ = f"conv{_dims}d_{_what}"
        _made.__doc__ = (
            f"The gradient of the {_what} of conv{_dims}d, given its size and that of the output.  Differentiable."
        )
        globals()[_made.__name__] = _made


__getattr__ = unsupported_lookup("torch.nn.grad")
