"""A checkpoint that is one node of the graph, which runs another backward pass."""

from tensh.engine.autograd.custom import Function
from tensh.engine.autograd.gradients import backward
from tensh.engine.autograd.modes import enable_grad, no_grad
from tensh.engine.core.backward import hands_out
from tensh.engine.core.tensor import Tensor
from tensh.engine.errors.warnings import warn
from tensh.utils.checkpoint.surroundings import Surroundings

IN_PART = (
    "When use_reentrant=True, torch.utils.checkpoint is incompatible with .grad() or passing an `inputs` parameter to .backward(). "
    "To resolve this error, you can either set use_reentrant=False, or call .backward() without passing the `inputs` argument."
)


def detach_variable(inputs):
    """Return the tensors of a tuple as leaves over the same memory, the rest as it is.

    Raise RuntimeError for anything but a tuple.

    >>> import tensh as torch
    >>> x = torch.ones(2, requires_grad=True)
    >>> torch.utils.checkpoint.detach_variable((x * 2, 1))
    (tensor([2., 2.], requires_grad=True), 1)
    """
    if not isinstance(inputs, tuple):
        raise RuntimeError("Only tuple of tensors is supported. Got Unsupported input type: ", type(inputs).__name__)
    return tuple(
        each.detach().requires_grad_(each.requires_grad) if isinstance(each, Tensor) else each for each in inputs
    )


def check_backward_validity(inputs):
    """Warn where no input needs a gradient.

    >>> import tensh as torch
    >>> torch.utils.checkpoint.check_backward_validity((torch.ones(1, requires_grad=True),))
    """
    if not any(each.requires_grad for each in inputs if isinstance(each, Tensor)):
        warn("None of the inputs have requires_grad=True. Gradients will be None")


class CheckpointFunction(Function):
    """Function whose backward pass calls a function again and goes through what that records.

    >>> import tensh as torch
    >>> x = torch.ones(2, requires_grad=True)
    >>> torch.utils.checkpoint.CheckpointFunction.apply(torch.exp, True, x).grad_fn.name()
    'CheckpointFunctionBackward'
    """

    @staticmethod
    def forward(ctx, run_function, preserve_rng_state, *args):
        check_backward_validity(args)
        ctx.run_function = run_function
        ctx.surroundings = Surroundings(preserve_rng_state)
        ctx.rest = [None if isinstance(each, Tensor) else each for each in args]
        ctx.tensor_indices = [place for place, each in enumerate(args) if isinstance(each, Tensor)]
        ctx.save_for_backward(*(args[place] for place in ctx.tensor_indices))
        with no_grad():
            return run_function(*args)

    @staticmethod
    def backward(ctx, *grads):
        if hands_out():
            raise RuntimeError(IN_PART)
        inputs = list(ctx.rest)
        for place, tensor in zip(ctx.tensor_indices, ctx.saved_tensors):
            inputs[place] = tensor
        with ctx.surroundings.again():
            leaves = detach_variable(tuple(inputs))
            with enable_grad():
                outputs = ctx.run_function(*leaves)
        outputs = (outputs,) if isinstance(outputs, Tensor) else outputs
        pairs = [(y, g) for y, g in zip(outputs, grads) if isinstance(y, Tensor) and y.requires_grad]
        if not pairs:
            raise RuntimeError("none of output has requires_grad=True, this checkpoint() is not necessary")
        backward(*zip(*pairs))
        return None, None, *(each.grad if isinstance(each, Tensor) else None for each in leaves)
