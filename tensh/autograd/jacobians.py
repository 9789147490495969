"""Jacobians and Hessians of functions of tensors: torch.autograd.functional."""

from tensh.autograd.preparing import as_tuple, detach_unless, grads_of, prepare_inputs, require, zeros
from tensh.engine import find_public
from tensh.engine.autograd.gradients import grad
from tensh.engine.autograd.modes import enable_grad
from tensh.engine.core.clock import mode
from tensh.support.temporary import temporarily


def jacobian(func, inputs, create_graph=False, strict=False, vectorize=False, strategy="reverse-mode"):
    """Return all derivatives of the outputs of ``func`` by its inputs, of shape ``output.shape + input.shape``.

    Tuples of outputs or inputs give tuples of Jacobians (outputs outermost).  ``strict`` raises for an output that does
    not depend on an input, where zeros are given otherwise.  ``vectorize`` computes all rows in one batched pass;
    ``strategy="forward-mode"``, which requires it, uses forward accumulation and returns lists, without a graph. Raise
    RuntimeError for ``strict`` together with either of the two, AssertionError for another ``strategy``.

    >>> import tensh as torch
    >>> torch.autograd.functional.jacobian(torch.exp, torch.zeros(2))
    tensor([[1., 0.],
            [0., 1.]])
    """
    _check_strategy(strategy, create_graph, strict)
    if strategy == "forward-mode":
        return _forward(func, inputs, vectorize)
    with enable_grad():
        single_input, inputs = as_tuple(inputs, "inputs", "jacobian")
        inputs = prepare_inputs(inputs, create_graph)
        single_output, outputs = as_tuple(func(*inputs), "outputs of the user-provided function", "jacobian")
        require(outputs, "outputs", strict)
        if vectorize and strict:
            raise RuntimeError(
                "torch.autograd.functional.jacobian: `strict=True` and `vectorized=True` are not supported together. Please "
                "either set `strict=False` or `vectorize=False`."
            )
        if vectorize:
            rows = _compute_rows(outputs, inputs, create_graph)
        else:
            rows = tuple(_rows(number, output, inputs, create_graph, strict) for number, output in enumerate(outputs))
        rows = detach_unless(rows, create_graph)
    rows = tuple(r[0] for r in rows) if single_input else rows
    return rows[0] if single_output else rows


def _check_strategy(strategy, create_graph, strict):
    """Raise for an unknown strategy, and for settings that tangents do not have."""
    if strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError(
            'Expected strategy to be either "forward-mode" or "reverse-mode". Hint: If your function has more outputs than '
            'inputs, "forward-mode" tends to be more performant. Otherwise, prefer to use "reverse-mode".'
        )
    if strategy == "reverse-mode":
        return
    if create_graph:
        raise NotImplementedError(
            'torch.autograd.functional.jacobian: `create_graph=True` and `strategy="forward-mode"` are not supported '
            'together (yet). Please either set `create_graph=False` or `strategy="reverse-mode"`.'
        )
    if strict:
        raise RuntimeError(
            'torch.autograd.functional.jacobian: `strict=True` and `strategy="forward-mode"` are not supported together '
            '(yet). Please either set `strict=False` or `strategy="reverse-mode"`.'
        )


def _forward(func, inputs, vectorize):
    """Return the Jacobian by forward accumulation: all directions in one batch."""
    single_input, inputs = as_tuple(inputs, "inputs", "jacobian")
    if not vectorize:
        raise NotImplementedError(
            "Computing Jacobian using forward-AD or forward-over-reverse Hessian isonly implemented for `vectorize=True`."
        )
    from tensh.engine.autograd import tangent_levels
    from tensh.func import vmap
    from tensh.func.forward import dual, fill_tangent, parts
    from tensh.func.jacobians import basis
    from tensh.func.tape import only_directions_vary

    shapes = []

    def push(*directions):
        outside = temporarily(mode, transforms=())  # the function may use autograd here
        with outside, tangent_levels.opened_level() as level, only_directions_vary():
            duals = [dual(x, t, level) for x, t in zip(inputs, directions)]
            single, outputs = as_tuple(func(*duals), "outputs", "jacobian")
            results = [parts(t, level) for t in outputs]
        shapes[:] = single, [value.shape for value, _ in results]
        return tuple(fill_tangent(value, tangent, False) for value, tangent in results)

    tangents = vmap(push)(*next(basis(inputs)))
    single_output, sizes = shapes
    rows = []
    for t, size in zip(tangents, sizes):
        columns = t.split([x.numel() for x in inputs])
        rows.append([c.permute(*range(1, c.ndim), 0).reshape((*size, *x.shape)) for c, x in zip(columns, inputs)])
    rows = [row[0] for row in rows] if single_input else rows
    return rows[0] if single_output else rows


def _compute_rows(outputs, inputs, create_graph):
    """Return the Jacobians of all outputs, in one backward pass for all their elements."""
    from tensh.func.jacobians import basis

    numels = [o.numel() for o in outputs]
    pairs = [(o, w) for o, w in zip(outputs, next(basis(outputs))) if o.requires_grad]
    found = (None,) * len(inputs)
    if pairs:
        chosen, weights = zip(*pairs)
        found = grad(
            chosen,
            inputs,
            weights,
            retain_graph=True,
            create_graph=create_graph,
            allow_unused=True,
            is_grads_batched=True,
        )
    columns = [
        find_public("zeros")((sum(numels), *x.shape), dtype=x.dtype) if g is None else g for g, x in zip(found, inputs)
    ]
    split = [column.split(numels) for column in columns]
    return tuple(
        tuple(parts[i].view(tuple(o.shape) + tuple(x.shape)) for parts, x in zip(split, inputs))
        for i, o in enumerate(outputs)
    )


def _require_dependence(number, index, g, create_graph):
    """Raise RuntimeError unless the output depends on the input, and with ``create_graph`` its gradient does, too."""
    if g is None:
        raise RuntimeError(
            f"Output {number} of the user-provided function is independent of input {index}. This is not allowed in strict mode."
        )
    if create_graph and not g.requires_grad:
        raise RuntimeError(
            f"The jacobian of the user-provided function is independent of input {index}. This is not allowed in strict mode when "
            "create_graph=True."
        )


def _rows(number, output, inputs, create_graph, strict):
    """Return the Jacobian of one output by every input: one backward pass per element."""
    columns = [[] for _ in inputs]
    flat = output.reshape(-1)
    for j in range(flat.shape[0]):
        element = flat[j]
        gradients = grads_of((element,), inputs, None, create_graph=create_graph)
        for index, (column, g, x) in enumerate(zip(columns, gradients, inputs)):
            if strict:
                _require_dependence(number, index, g, create_graph)
            column.append(zeros(x) if g is None else g)
    stack = find_public("stack")
    return tuple(
        (stack(column, 0) if column else find_public("zeros")((0, *x.shape), dtype=x.dtype)).view(
            tuple(output.shape) + tuple(x.shape)
        )
        for column, x in zip(columns, inputs)
    )


def hessian(func, inputs, create_graph=False, strict=False, vectorize=False, outer_jacobian_strategy="reverse-mode"):
    """Return all second derivatives of ``func``, which returns one element, of shape ``input.shape + input.shape``.

    Raise RuntimeError if ``func`` returns more than one element; with ``strict``, if the gradient does not depend on
    an input.

    >>> import tensh as torch
    >>> torch.autograd.functional.hessian(lambda x: (x ** 3).sum(), torch.ones(2))
    tensor([[6., 0.],
            [0., 6.]])
    """
    single_input, inputs = as_tuple(inputs, "inputs", "hessian")
    if outer_jacobian_strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError('Expected strategy to be either "forward-mode" or "reverse-mode".')

    def scalar(*xs):
        y = func(*xs)
        single, outputs = as_tuple(y, "outputs of the user-provided function", "hessian")
        require(outputs, "outputs", strict)
        if not single:
            raise RuntimeError("The function given to hessian should return a single Tensor")
        if outputs[0].numel() != 1:
            raise RuntimeError("The Tensor returned by the function given to hessian should contain a single element")
        return outputs[0].squeeze()

    def compute_gradient(*xs):
        if outer_jacobian_strategy == "forward-mode":
            xs = tuple(x.requires_grad_() for x in xs)
        rows = jacobian(scalar, xs, create_graph=True)
        require(rows, "jacobian", strict)
        return rows

    result = jacobian(compute_gradient, inputs, create_graph, strict, vectorize, outer_jacobian_strategy)
    return result[0][0] if single_input else result
