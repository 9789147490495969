"""torch.autograd.functional: Jacobians, Hessians and their products with vectors, of functions of tensors."""

from tensh.engine import named
from tensh.engine.autograd.modes import enable_grad
from tensh.engine.clock import mode
from tensh.engine.gradients import grad
from tensh.engine.tensor import Tensor

__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]


def jacobian(func, inputs, create_graph=False, strict=False, vectorize=False, strategy="reverse-mode"):
    """All derivatives of the outputs of ``func`` by its inputs, of shape ``output.shape + input.shape``.

    Tuples of outputs or inputs give tuples of Jacobians (outputs outermost).  ``strict`` raises for an output that does
    not depend on an input, where zeros are given otherwise.  ``vectorize`` and ``strategy`` change nothing in the result.

    >>> import tensh as torch
    >>> torch.autograd.functional.jacobian(torch.exp, torch.zeros(2))
    tensor([[1., 0.],
            [0., 1.]])
    """
    _check_strategy(vectorize, strategy, create_graph, strict)
    with enable_grad():
        single_input, inputs = _as_tuple(inputs, "inputs", "jacobian")
        inputs = _prepared(inputs, create_graph)
        single_output, outputs = _as_tuple(func(*inputs), "outputs of the user-provided function", "jacobian")
        _require(outputs, "outputs", strict)
        rows = tuple(_rows(number, output, inputs, create_graph, strict) for number, output in enumerate(outputs))
        rows = _finished(rows, create_graph)
    rows = tuple(r[0] for r in rows) if single_input else rows
    return rows[0] if single_output else rows


def _check_strategy(vectorize, strategy, create_graph, strict):
    if strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError(
            'Expected strategy to be either "forward-mode" or "reverse-mode". Hint: If your function has more outputs than '
            'inputs, "forward-mode" tends to be more performant. Otherwise, prefer to use "reverse-mode".'
        )
    if strategy == "forward-mode" and create_graph:
        raise NotImplementedError(
            'torch.autograd.functional.jacobian: `create_graph=True` and `strategy="forward-mode"` are not supported '
            'together (yet). Please either set `create_graph=False` or `strategy="reverse-mode"`.'
        )
    if vectorize and strict:
        raise RuntimeError(
            "torch.autograd.functional.jacobian: `strict=True` and `vectorized=True` are not supported together. Please "
            "either set `strict=False` or `vectorize=False`."
        )


def _rows(number, output, inputs, create_graph, strict):
    """The Jacobian of one output by every input: one backward pass per element."""
    columns = [[] for _ in inputs]
    flat = output.reshape(-1)
    for j in range(flat.shape[0]):
        element = flat[j]
        gradients = _gradients((element,), inputs, None, create_graph=create_graph)
        for index, (column, g, x) in enumerate(zip(columns, gradients, inputs)):
            if g is None:
                if strict:
                    raise RuntimeError(
                        f"Output {number} of the user-provided function is independent of input {index}. This is not "
                        "allowed in strict mode."
                    )
                g = _zeros(x)
            elif strict and create_graph and not g.requires_grad:
                raise RuntimeError(
                    f"The jacobian of the user-provided function is independent of input {index}. This is not allowed in "
                    "strict mode when create_graph=True."
                )
            column.append(g)
    stack = named("stack")
    return tuple(
        (stack(column, 0) if column else named("zeros")((0, *x.shape), dtype=x.dtype)).view(
            tuple(output.shape) + tuple(x.shape)
        )
        for column, x in zip(columns, inputs)
    )


def hessian(func, inputs, create_graph=False, strict=False, vectorize=False, outer_jacobian_strategy="reverse-mode"):
    """All second derivatives of ``func``, which returns one element, of shape ``input.shape + input.shape``.

    >>> import tensh as torch
    >>> torch.autograd.functional.hessian(lambda x: (x ** 3).sum(), torch.ones(2))
    tensor([[6., 0.],
            [0., 6.]])
    """
    single_input, inputs = _as_tuple(inputs, "inputs", "hessian")

    def scalar(*xs):
        y = func(*xs)
        single, outputs = _as_tuple(y, "outputs of the user-provided function", "hessian")
        _require(outputs, "outputs", strict)
        if not single:
            raise RuntimeError("The function given to hessian should return a single Tensor")
        if outputs[0].numel() != 1:
            raise RuntimeError("The Tensor returned by the function given to hessian should contain a single element")
        return outputs[0].squeeze()

    def first(*xs):
        rows = jacobian(scalar, xs, create_graph=True)
        _require(rows, "jacobian", strict)
        return rows

    result = jacobian(first, inputs, create_graph, strict, vectorize, outer_jacobian_strategy)
    return result[0][0] if single_input else result


def vjp(func, inputs, v=None, create_graph=False, strict=False):
    """(outputs, the vector ``v`` times the Jacobian).  ``v`` may be left out for an output of one element.

    >>> import tensh as torch
    >>> torch.autograd.functional.vjp(torch.exp, torch.zeros(2), torch.tensor([1.0, 2.0]))
    (tensor([1., 1.]), tensor([1., 2.]))
    """
    with enable_grad():
        single_input, inputs = _as_tuple(inputs, "inputs", "vjp")
        inputs = _prepared(inputs, create_graph)
        single_output, outputs = _as_tuple(func(*inputs), "outputs of the user-provided function", "vjp")
        _require(outputs, "outputs", strict)
        if v is None:
            if not single_output or outputs[0].numel() != 1:
                raise RuntimeError(
                    "The vector v can only be None if the user-provided function returns a single Tensor with a single element."
                )
        else:
            v = _vector(v, outputs, single_output, "vjp")
    with_graph = create_graph or mode.grad and any(x.requires_grad for x in inputs) and create_graph
    with enable_grad():
        gradients = _gradients(outputs, inputs, v, create_graph=with_graph)
        product = _filled(gradients, inputs, strict, create_graph, "back")
    outputs, product = _finished(outputs, create_graph), _finished(product, create_graph)
    return outputs[0] if single_output else outputs, product[0] if single_input else product


def jvp(func, inputs, v=None, create_graph=False, strict=False):
    """(outputs, the Jacobian times the vector ``v``), by differentiating a backward pass by its weights.

    >>> import tensh as torch
    >>> torch.autograd.functional.jvp(torch.exp, torch.zeros(2), torch.tensor([1.0, 2.0]))
    (tensor([1., 1.]), tensor([1., 2.]))
    """
    with enable_grad():
        single_input, inputs = _as_tuple(inputs, "inputs", "jvp")
        inputs = _prepared(inputs, create_graph)
        if v is None:
            if len(inputs) != 1 or inputs[0].numel() != 1:
                raise RuntimeError(
                    "The vector v can only be None if the input to the user-provided function is a single Tensor with a "
                    "single element."
                )
        else:
            v = _vector(v, inputs, single_input, "jvp")
        single_output, outputs = _as_tuple(func(*inputs), "outputs of the user-provided function", "jvp")
        _require(outputs, "outputs", strict)
        weights = tuple(_zeros(o).requires_grad_() for o in outputs)
        gradients = _gradients(outputs, inputs, weights, create_graph=True)
        _require(gradients, "grad_inputs", strict)
        product = _gradients(gradients, weights, v, create_graph=create_graph)
        product = _filled(product, outputs, strict, create_graph, "back_trick")
    outputs, product = _finished(outputs, create_graph), _finished(product, create_graph)
    return outputs[0] if single_output else outputs, product[0] if single_output else product


def vhp(func, inputs, v=None, create_graph=False, strict=False):
    """(outputs, the vector ``v`` times the Hessian) of a function that returns one element.

    >>> import tensh as torch
    >>> torch.autograd.functional.vhp(lambda x: (x ** 3).sum(), torch.ones(2), torch.tensor([1.0, 2.0]))
    (tensor(2.), tensor([ 6., 12.]))
    """
    with enable_grad():
        single_input, inputs, v, outputs, first = _first_derivative(func, inputs, v, strict, create_graph, "vhp")
        second = _gradients(first, inputs, v, create_graph=create_graph)
        product = _filled(second, inputs, strict, create_graph, "double_back")
    outputs, product = _finished(outputs, create_graph), _finished(product, create_graph)
    return outputs[0], product[0] if single_input else product


def hvp(func, inputs, v=None, create_graph=False, strict=False):
    """(outputs, the Hessian times the vector ``v``) of a function that returns one element.

    >>> import tensh as torch
    >>> torch.autograd.functional.hvp(lambda x: (x ** 3).sum(), torch.ones(2), torch.tensor([1.0, 2.0]))
    (tensor(2.), tensor([ 6., 12.]))
    """
    with enable_grad():
        single_input, inputs, v, outputs, first = _first_derivative(func, inputs, v, strict, create_graph, "hvp")
        weights = tuple(_zeros(x).requires_grad_() for x in inputs)
        second = _gradients(first, inputs, weights, create_graph=True)
        _require(second, "hessian", strict)
        product = _gradients(second, weights, v, create_graph=create_graph)
        product = _filled(product, inputs, strict, create_graph, "double_back_trick")
    outputs, product = _finished(outputs, create_graph), _finished(product, create_graph)
    return outputs[0], product[0] if single_input else product


def _first_derivative(func, inputs, v, strict, create_graph, name):
    single_input, inputs = _as_tuple(inputs, "inputs", name)
    inputs = _prepared(inputs, create_graph)
    if v is not None:
        v = _vector(v, inputs, single_input, name)
    elif len(inputs) != 1 or inputs[0].numel() != 1:
        raise RuntimeError(
            "The vector v can only be None if the input to the user-provided function is a single Tensor with a single element."
        )
    single_output, outputs = _as_tuple(func(*inputs), "outputs of the user-provided function", name)
    _require(outputs, "outputs", strict)
    if not single_output or not isinstance(outputs[0], Tensor):
        raise RuntimeError(f"The function given to {name} should return a single Tensor")
    if outputs[0].numel() != 1:
        raise RuntimeError(f"The Tensor returned by the function given to {name} should contain a single element")
    first = _gradients(outputs, inputs, None, create_graph=True)
    _require(first, "jacobian", strict)
    return single_input, inputs, v, outputs, first


# ── what they share ──────────────────────────────────────────────────────────
def _as_tuple(value, what, name):
    """(was it a single tensor, a tuple of tensors)."""
    single = not isinstance(value, (tuple, list))
    values = (value,) if single else tuple(value)
    for index, v in enumerate(values):
        if not isinstance(v, Tensor):
            found = f"given {what} has type {type(v)}." if single else f"value at index {index} has type {type(v)}."
            raise TypeError(f"The {what} given to {name} must be either a Tensor or a tuple of Tensors but the {found}")
    return single, values


def _prepared(inputs, create_graph):
    """Inputs whose gradients are wanted, without touching the caller's tensors."""
    return tuple((x.view_as(x) if create_graph else x.detach()).requires_grad_(True) for x in inputs)


def _vector(v, like, single, name):
    v = _as_tuple(v, "v", name)[1]
    if len(v) != len(like):
        if single:
            raise RuntimeError("The given v should contain a single Tensor.")
        raise RuntimeError(f"v is a tuple of invalid length: should be {len(like)} but got {len(v)}.")
    for index, (given, wanted) in enumerate(zip(v, like)):
        if given.shape != wanted.shape:
            entry = "" if single else f"Entry {index} in "
            raise RuntimeError(f"{entry}v has invalid size: should be {wanted.shape} but got {given.shape}.")
    return tuple(x.detach() if not x.requires_grad else x for x in v)


def _gradients(outputs, inputs, weights, create_graph):
    """``grad`` of those outputs that have a history; None for inputs that none of them depends on."""
    weights = weights or (None,) * len(outputs)
    pairs = [(o, w) for o, w in zip(outputs, weights) if o is not None and o.requires_grad]
    if not pairs:
        return (None,) * len(inputs)
    chosen, ws = zip(*pairs)
    return grad(chosen, inputs, ws, retain_graph=True, create_graph=create_graph, allow_unused=True)


def _zeros(x):
    return named("zeros_like")(x)


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


def _require(tensors, what, strict):
    """In strict mode every one of ``tensors`` must depend on what it is differentiated by."""
    if not strict:
        return
    for index, t in enumerate(tensors):
        if t is None:
            raise RuntimeError(WORDS["back"].format(index))
        if not t.requires_grad:
            raise RuntimeError(WORDS[what].format(index))


def _filled(gradients, like, strict, create_graph, stage):
    """Zeros for what is None; an error in strict mode."""
    for index, g in enumerate(gradients):
        if strict and g is None:
            raise RuntimeError(WORDS[stage].format(index))
        if strict and create_graph and not g.requires_grad:
            what = "hessian" if stage.startswith("double") else "jacobian"
            raise RuntimeError(
                f"The {what} of the user-provided function is independent of input {index}. This is not allowed in strict "
                "mode when create_graph=True."
            )
    return tuple(_zeros(x) if g is None else g for g, x in zip(gradients, like))


def _finished(result, create_graph):
    """What is returned has a history only if the caller asked for one."""
    if isinstance(result, tuple):
        return tuple(_finished(r, create_graph) for r in result)
    return result if create_graph else result.detach()
