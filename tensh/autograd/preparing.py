"""Shared steps of torch.autograd.functional: reading arguments, one backward pass, arranging results."""

from tensh.engine import find_public
from tensh.engine.autograd.gradients import grad
from tensh.engine.core.tensor import Tensor


def as_tuple(value, what, name):
    """Return (True for a single tensor, a tuple of tensors).  Raise TypeError for anything else, lists included."""
    single = not isinstance(value, tuple)
    values = (value,) if single else value
    for index, v in enumerate(values):
        if not isinstance(v, Tensor):
            found = f"given {what} has type {type(v)}." if single else f"value at index {index} has type {type(v)}."
            raise TypeError(f"The {what} given to {name} must be either a Tensor or a tuple of Tensors but the {found}")
    return single, values


def prepare_inputs(inputs, create_graph):
    """Return inputs that require grad, without changing the caller's tensors."""
    return tuple((x.view_as(x) if create_graph else x.detach()).requires_grad_(True) for x in inputs)


def vector(v, like, single, name):
    v = as_tuple(v, "v", name)[1]
    if len(v) != len(like):
        if single:
            raise RuntimeError("The given v should contain a single Tensor.")
        raise RuntimeError(f"v is a tuple of invalid length: should be {len(like)} but got {len(v)}.")
    for index, (given, wanted) in enumerate(zip(v, like)):
        if given.shape != wanted.shape:
            entry = "" if single else f"Entry {index} in "
            raise RuntimeError(f"{entry}v has invalid size: should be {wanted.shape} but got {given.shape}.")
    return tuple(x.detach() if not x.requires_grad else x for x in v)


def grads_of(outputs, inputs, weights, create_graph):
    """Call ``grad`` for the outputs with a history; None for inputs that none of them depends on."""
    weights = weights or (None,) * len(outputs)
    pairs = [(o, w) for o, w in zip(outputs, weights) if o is not None and o.requires_grad]
    if not pairs:
        return (None,) * len(inputs)
    chosen, ws = zip(*pairs)
    return grad(chosen, inputs, ws, retain_graph=True, create_graph=create_graph, allow_unused=True)


def zeros(x):
    return find_public("zeros_like")(x)


WORDS = {
    "outputs": "Output {} of the user-provided function does not require gradients. The outputs must be computed in a "
    "differentiable manner from the input when running in strict mode.",
    "grad_inputs": "The gradient with respect to input {} is independent of the inputs of the user-provided function. This "
    "is not allowed in strict mode.",
    "jacobian": "While computing the hessian, found that the jacobian of the user-provided function with respect to input "
    "{} is independent of the input. This is not allowed in strict mode. You should ensure that your function is twice "
    "differentiable and that the jacobian depends on the inputs (this would be violated by a linear function for example).",
    "hessian": "The hessian of the user-provided function with respect to input {} is independent of the input. This is "
    "not allowed in strict mode. You should ensure that your function is thrice differentiable and that the hessian "
    "depends on the inputs.",
    "back": "The output of the user-provided function is independent of input {}. This is not allowed in strict mode.",
    "back_trick": "The gradient with respect to the input is independent of entry {} in the grad_outputs when using the "
    "double backward trick to compute forward mode gradients. This is not allowed in strict mode.",
    "double_back": "The jacobian of the user-provided function is independent of input {}. This is not allowed in strict "
    "mode.",
    "double_back_trick": "The hessian of the user-provided function is independent of entry {} in the grad_jacobian. This "
    "is not allowed in strict mode as it prevents from using the double backward trick to replace forward mode AD.",
}


def require(tensors, what, strict):
    """Raise in strict mode unless each of ``tensors`` depends on the inputs of the derivative."""
    if not strict:
        return
    for index, t in enumerate(tensors):
        if t is None:
            raise RuntimeError(WORDS["back"].format(index))
        if not t.requires_grad:
            raise RuntimeError(WORDS[what].format(index))


def fill_missing(gradients, like, strict, create_graph, stage):
    """Replace None by zeros; raise in strict mode."""
    for index, g in enumerate(gradients):
        if strict and g is None:
            raise RuntimeError(WORDS[stage].format(index))
        if strict and create_graph and not g.requires_grad:
            what = "hessian" if stage.startswith("double") else "jacobian"
            raise RuntimeError(
                f"The {what} of the user-provided function is independent of input {index}. This is not allowed in strict "
                "mode when create_graph=True."
            )
    return tuple(zeros(x) if g is None else g for g, x in zip(gradients, like))


def detach_unless(result, create_graph):
    """Detach the results, unless the caller asked for a graph of them."""
    if isinstance(result, tuple):
        return tuple(detach_unless(r, create_graph) for r in result)
    return result if create_graph else result.detach()
