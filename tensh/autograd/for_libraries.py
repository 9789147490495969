"""Private functions of ``torch.autograd.functional`` that libraries import: tuples, checks, gradients, unit vectors."""

from tensh.autograd import preparing
from tensh.engine.autograd.gradients import grad


def _as_tuple_nocheck(x):
    """Return a tuple, a list as a tuple, or one value in a tuple."""
    return tuple(x) if isinstance(x, (tuple, list)) else (x,)


def _as_tuple(inp, arg_name=None, fn_name=None):
    """Return (True if a tuple was given, a tuple of tensors); without names, only the tuple, of any values.

    Raise TypeError if one of the values is not a tensor.
    """
    if arg_name is None and fn_name is None:
        return _as_tuple_nocheck(inp)
    single, values = preparing.as_tuple(inp, arg_name, fn_name)
    return not single, values


def _tuple_postprocess(res, to_unpack):
    """Undo ``_as_tuple``: return the only value unless ``to_unpack`` says that a tuple was given.

    A pair of flags is for a tuple of tuples, the outer one first.
    """
    if not isinstance(to_unpack, tuple):
        return res if to_unpack else res[0]
    if len(to_unpack) != 2:
        raise AssertionError("Expected to_unpack tuple to have exactly 2 elements")
    outer, inner = to_unpack
    res = res if inner else tuple(each[0] for each in res)
    return res if outer else res[0]


def _grad_preprocess(inputs, create_graph, need_graph):
    """Return new tensors over the inputs: with their graph if one is created, otherwise detached."""
    return tuple(
        x.view_as(x) if create_graph and x.requires_grad else x.detach().requires_grad_(need_graph) for x in inputs
    )


def _grad_postprocess(inputs, create_graph):
    """Detach tensors in a tuple, or in a tuple of tuples, unless a graph of them was asked for."""
    return preparing.detach_unless(inputs, create_graph)


def _validate_v(v, other, is_other_tuple):
    """Raise RuntimeError unless the tensors ``v`` have the sizes of ``other``."""
    preparing.vector(v, other, not is_other_tuple, "v")


def _check_requires_grad(inputs, input_type, strict):
    """Raise RuntimeError in strict mode unless all inputs require a gradient."""
    if strict and input_type not in preparing.WORDS:
        raise RuntimeError("Invalid input_type to _check_requires_grad")
    preparing.require(inputs, input_type, strict)


def _autograd_grad(
    outputs, inputs, grad_outputs=None, create_graph=False, retain_graph=None, is_grads_batched=False
):  # fmt: skip
    """Return the gradients of the outputs that have a history; None for inputs that none of them depends on."""
    grad_outputs = (None,) * len(outputs) if grad_outputs is None else grad_outputs
    pairs = [(o, g) for o, g in zip(outputs, grad_outputs, strict=True) if o is not None and o.requires_grad]
    if not pairs:
        return (None,) * len(inputs)
    chosen, weights = zip(*pairs)
    options = {"create_graph": create_graph, "retain_graph": retain_graph, "is_grads_batched": is_grads_batched}
    return grad(chosen, inputs, weights, allow_unused=True, **options)


def _fill_in_zeros(grads, refs, strict, create_graph, stage):
    """Replace None by zeros of the size in ``refs``; raise RuntimeError in strict mode."""
    return preparing.fill_missing(grads, refs, strict, create_graph, stage)


def _construct_standard_basis_for(tensors, tensor_numels):
    """Return the columns of an identity matrix, divided among the tensors by their numbers of elements.

    The matrix has a row for every element of all tensors; each part has the dtype of its tensor.
    """
    if len(tensors) != len(tensor_numels):
        raise AssertionError(
            "Expected tensors and tensor_numels to have the same length, "
            f"but got {len(tensors)} and {len(tensor_numels)}"
        )
    if not tensors:
        raise AssertionError("Expected at least one tensor")
    total, before, parts = sum(tensor_numels), 0, []
    for tensor, numel in zip(tensors, tensor_numels):
        part = tensor.new_zeros(total, numel)
        part.diagonal(-before).fill_(1)
        before += numel
        parts.append(part)
    return tuple(parts)
