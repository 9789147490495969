"""Weights that get a gradient for every sample of a batch, for ``call_for_per_sample_grads``."""

import tensh as torch
from tensh.nn import functional as F

__all__ = ["ExpandedWeight"]

CONVOLUTION = (
    "Expanded Weights only support convolution with batched input, got {function.__name__} with anunbatched input of dim {input.ndim}, "
    "expected input of dim {least}"
)
WITHOUT_BATCH = "Expanded Weights requires a batch dimension but got an input of dim {input.ndim}"
LEAST = {
    F.linear: (2, "Input does not have a batch dimension. Expanded Weights expected input of at least rank 2, got of rank {input.ndim}"),
    F.conv1d: (3, CONVOLUTION),
    F.conv2d: (4, CONVOLUTION),
    F.conv3d: (5, CONVOLUTION),
    F.embedding: (2, "Expanded Weights needs an input with a batch size, got a 1D tensor, {input}"),
    F.layer_norm: (2, "Expanded Weights: Layer norm should not normalize over batch dimension for per sample gradient"
                      "computations but got that normalized shape, {shape}, matched input shape."),
    F.group_norm: (2, WITHOUT_BATCH),
    F.instance_norm: (2, WITHOUT_BATCH),
}  # fmt: skip
"""Function of which a sample of the result depends on one sample of the input -> (fewest dimensions of it, error)."""


class ExpandedWeight(torch.Tensor):
    """A weight in place of ``orig_weight``; a backward pass gives the latter ``grad_sample`` of shape [batch, ...]."""

    def __new__(cls, orig_weight, batch_size, loss_reduction):
        if not isinstance(orig_weight, torch.Tensor):
            raise RuntimeError(f"Can only make Expanded Weights of Tensors, got {type(orig_weight).__name__}")
        if not orig_weight.requires_grad:
            raise RuntimeError("Can only build ExpandedWeights objects of tensors that requires_grad")
        return torch.Tensor._make_subclass(cls, orig_weight, True)

    def __init__(self, orig_weight, batch_size, loss_reduction):
        self.orig_weight, self.batch_size, self.loss_reduction = orig_weight, batch_size, loss_reduction

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        if func in LEAST:
            return call_by_samples(func, args, kwargs or {})
        if func.__name__ == "__get__":  # an attribute, such as the shape
            return super().__torch_function__(func, types, args, kwargs)
        raise RuntimeError(f"Expanded Weights encountered but cannot handle function {func.__name__}")


def call_by_samples(func, args, kwargs):
    """Call a function of an input and of weights, some of them expanded."""
    names = [*range(len(args)), *kwargs]
    values = dict(zip(names, [*args, *kwargs.values()]))
    weights = {name: value for name, value in values.items() if isinstance(value, ExpandedWeight)}
    check_input(func, [*args, *kwargs.values()], weights.values())

    def compute(input, *originals):
        given = {**values, 0: input, **dict(zip(weights, originals))}
        return func(*[given[place] for place in range(len(args))], **{name: given[name] for name in kwargs})

    return PerSampleGrad.apply(values[0], compute, *weights.values())


def check_input(func, args, weights):
    """Raise PyTorch's RuntimeError for an input without a batch, or with another than that of the weights."""
    input, ending = args[0], f"in function {func.__name__}"
    if isinstance(input, ExpandedWeight):
        raise RuntimeError(
            f"Expanded Weights do not support inputs that are also ExpandedWeights. Input must be a Tensor, got ExpandedWeight {ending}"
        )
    if not isinstance(input, torch.Tensor):
        raise RuntimeError(
            f"Expanded Weights requires a Tensor as the first input to get the batch dimension, got {type(input).__name__} {ending}"
        )
    least, text = LEAST[func]
    shape = args[1] if func is F.layer_norm else None
    if input.dim() < (least if shape is None else len(shape) + 1):
        raise RuntimeError(text.format(function=func, input=input, least=least, shape=shape))
    if not len(input):
        raise RuntimeError(f"0 is not a valid batch size for Expanded Weights but got input tensor of {input} {ending}")
    for weight in weights:
        if weight.batch_size != len(input):
            raise RuntimeError(
                "Expected ExpandedWeights to have batch size matching input but got "
                f"input batch size of {len(input)} with ExpandedWeight of batch size {weight.batch_size}"
            )


class PerSampleGrad(torch.autograd.Function):
    """A function of an input and weights, whose derivative keeps the samples of the batch apart."""

    @staticmethod
    def forward(ctx, input, compute, *weights):
        ctx.input, ctx.compute, ctx.weights = input, compute, weights
        return compute(input, *[weight.orig_weight for weight in weights])

    @staticmethod
    def backward(ctx, grad_output):
        originals = [weight.orig_weight.detach() for weight in ctx.weights]

        def pull_back(sample, grad_sample):
            return torch.func.vjp(lambda *each: ctx.compute(sample[None], *each), *originals)[1](grad_sample[None])

        for weight, grads in zip(ctx.weights, torch.vmap(pull_back)(ctx.input.detach(), grad_output)):
            grads = grads * weight.batch_size if weight.loss_reduction == "mean" else grads
            earlier = getattr(weight.orig_weight, "grad_sample", None)
            weight.orig_weight.grad_sample = grads if earlier is None else earlier + grads
        return grad_of_input(ctx, originals, grad_output), None, *[None] * len(ctx.weights)


def grad_of_input(ctx, originals, grad_output):
    """Return the gradient of the input, None if it requires none."""
    if not ctx.needs_input_grad[0]:
        return None
    with torch.enable_grad():
        input = ctx.input.detach().requires_grad_()
        return torch.autograd.grad(ctx.compute(input, *originals), input, grad_output)[0]
