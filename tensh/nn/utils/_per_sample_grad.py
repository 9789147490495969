"""Calls of a module whose backward pass gives every parameter a gradient for each sample of the batch."""

import functools

import tensh as torch
from tensh.nn.utils._expanded_weights import ExpandedWeight
from tensh.utils._pytree import tree_leaves

__all__ = ["call_for_per_sample_grads"]


def call_for_per_sample_grads(module, *, batch_size=None, loss_reduction="sum", batch_first=True):
    """Return the ``forward`` of a module, after which ``backward`` fills ``grad_sample`` of the parameters, [batch, ...].

    ``batch_size`` None stands for that of the tensors given to ``forward``, their first dimension, or the second with
    ``batch_first=False``. With ``loss_reduction="mean"`` gradients of a mean over the batch are multiplied by its size.
    Parameters may be those of linear, convolutional, embedding and normalisation layers, except batch normalisation.
    Raise RuntimeError for others, for parameters that have ``grad_sample``, and for tensors of different batches.

    >>> import tensh as torch
    >>> from tensh.nn.utils._per_sample_grad import call_for_per_sample_grads
    >>> model = torch.nn.Linear(4, 3)
    >>> call_for_per_sample_grads(model)(torch.ones(5, 4)).sum().backward()
    >>> model.weight.grad_sample.shape
    torch.Size([5, 3, 4])
    """
    check_arguments(module, batch_size, loss_reduction)

    @functools.wraps(module.forward)
    def forward(*args, **kwargs):
        size = find_batch_size(args, kwargs, batch_first) if batch_size is None else batch_size
        weights = {
            name: ExpandedWeight(weight, size, loss_reduction) if weight.requires_grad else weight
            for name, weight in module.named_parameters()
        }
        return torch.func.functional_call(module, weights, args, kwargs)

    return forward


def check_arguments(module, batch_size, loss_reduction):
    """Raise PyTorch's RuntimeError for arguments that make no sense."""
    if loss_reduction not in ("sum", "mean"):
        raise RuntimeError(f"Expected loss_reduction argument to be sum or mean, got {loss_reduction}")
    if not isinstance(module, torch.nn.Module):
        raise RuntimeError(f"Module passed must be nn.Module, got {type(module).__name__}")
    if not (batch_size is None or isinstance(batch_size, int)):
        raise RuntimeError(f"Batch size passed must be None or an integer, got {type(batch_size).__name__}")
    if batch_size is not None and batch_size < 1:
        raise RuntimeError(f"Batch size must be positive, got {batch_size}")
    for weight in module.parameters():
        if getattr(weight, "grad_sample", None) is not None:
            raise RuntimeError(
                "Current Expanded Weights accumulates the gradients, which will be incorrect for multiple "
                f"calls without clearing gradients. Please clear out the grad_sample parameter of {weight} or "
                "post an issue to pytorch/pytorch to prioritize correct behavior"
            )


def find_batch_size(args, kwargs, batch_first):
    """Return the batch size that all tensors among the arguments have."""
    sizes = [
        each.shape[0 if batch_first else 1] for each in tree_leaves((args, kwargs)) if isinstance(each, torch.Tensor)
    ]
    if not sizes:
        raise RuntimeError(
            "Unable to find a tensor in the passed args and kwargs. They may not be pytree-able "
            "and so ExpandedWeights cannot compute the batch size from the inputs. Please specify "
            "it explicitly"
        )
    for size in sizes[1:]:
        if size != sizes[0]:
            raise RuntimeError(
                f"When computing batch size, found at least one input with batch size {sizes[0]} and one with batch size "
                f"{size}. Please specify it explicitly using the batch size kwarg in call_for_per_sample_grads"
            )
    return sizes[0]
