"""torch.func.jvp: derivatives by forward accumulation."""

from tensh.engine import find_public
from tensh.engine.autograd import tangent_levels
from tensh.engine.autograd.transforms import Call
from tensh.engine.core.clock import mode
from tensh.engine.core.tensor import Tensor
from tensh.engine.dispatch.override.wrappers import Facts
from tensh.engine.dispatch.vmap.batched import BatchedTensor, make_batched, value_of
from tensh.engine.dispatch.vmap.differentiation import gradient_with_levels, weight
from tensh.engine.dispatch.vmap.levels import running
from tensh.engine.dispatch.vmap.rules.shared import sizes_of
from tensh.engine.inplace.outside import differentiating
from tensh.func import stepping
from tensh.func.checks import only_tensors, output_and_aux, replace_arguments, require_tangents, select_argnums
from tensh.func.reverse import vjp
from tensh.func.tape import find_inside, show_outside
from tensh.func.trees import flatten, map_leaves, unflatten

CALL = "jvp(f, primals, tangents)"


def jvp(func, primals, tangents, *, strict=False, has_aux=False):
    """Return (the result of ``func(*primals)``, its derivative in the direction ``tangents``), in one pass.

    ``primals`` is a tuple, ``tangents`` is nested as it is.  A result that does not depend on the primals has a tangent of
    zeros, or is an error with ``strict``.  With ``has_aux`` ``func`` returns ``(output, aux)``, and ``aux`` is the third.
    Differentiable, in reverse and forward.

    Reverse and forward accumulation give the same derivative: along ``t``, weighted by ``u``.

    Raise RuntimeError if primals and tangents differ in structure or shape, and for results that are not tensors.

    >>> import tensh as torch
    >>> f = lambda x: torch.stack([x.prod(), x.sum()])
    >>> x, t, u = torch.tensor([2.0, 3.0]), torch.tensor([1.0, 0.5]), torch.tensor([1.0, 10.0])
    >>> y, forward = torch.func.jvp(f, (x,), (t,))
    >>> y, pull = torch.func.vjp(f, x)
    >>> u @ forward, pull(u)[0] @ t
    (tensor(19.), tensor(19.))
    """
    return jvp_by(func, primals, tangents, None, strict, has_aux)


def jvp_by(func, primals, tangents, argnums, strict=False, has_aux=False):
    """Return the result and its tangent; ``tangents`` are those of the arguments ``argnums``, of all if it is None."""
    if not isinstance(primals, tuple):
        raise RuntimeError(f"{CALL}: Expected primals to be a tuple. E.g. it should be valid to call f(*primals).")
    if stepping.now.transforms is not None:
        return stepping.now.transforms.run("jvp_by", func, primals, tangents, argnums, strict, has_aux, CALL)
    numbers = tuple(range(len(primals))) if argnums is None else select_argnums(primals, argnums)
    values, spec = flatten(tuple(primals[n] for n in numbers))
    directions, given = flatten(tangents)
    require_tangents(CALL, values, spec, directions, given)
    if any([type(value_of(t).array) is Facts for t in (*values, *directions)]):
        return jvp_in_reverse(func, (primals, numbers, spec), values, directions, has_aux)
    before, call = (mode.grad, mode.inference, mode.forward, mode.transforms), None
    try:
        mode.inference, mode.forward = False, True
        with tangent_levels.opened_level() as level:
            mode.transforms = (*mode.transforms, call := Call(level))
            differentiating.append(call)
            duals = [dual(x, t, level) for x, t in zip(values, directions, strict=True)]
            outputs = func(*replace_arguments(primals, numbers, unflatten(duals, spec)))
            aux = ()
            if has_aux:
                outputs, aux = output_and_aux(outputs, CALL)
                aux = (map_leaves(lambda t: parts(t, level)[0], aux),)
            flat, structure = flatten(outputs)
            only_tensors(flat, CALL)
            found = [
                (value, fill_tangent(value, tangent, strict)) for value, tangent in (parts(t, level) for t in flat)
            ]
            results = [[show_outside(t, True) for t in pair] for pair in found]
    finally:
        mode.grad, mode.inference, mode.forward, mode.transforms = before
        if call is not None:
            differentiating.remove(call)
    return *(unflatten(column, structure) for column in zip(*results)), *aux


def jvp_in_reverse(func, given, values, directions, has_aux):
    """Return ``jvp`` of tensors without elements, as the transpose of ``vjp``, which is linear in its weights."""
    primals, numbers, spec = given

    def call(*parts):
        return func(*replace_arguments(primals, numbers, unflatten(list(parts), spec)))

    result, pull, *aux = vjp(call, *values, has_aux=has_aux)
    weights = map_leaves(find_public("ones_like"), result)
    tangent = vjp(pull, weights)[1](tuple(directions))[0]
    return result, tangent, *aux


def dual(x, t, level):
    """Return the dual tensor of a primal and its tangent; inside ``vmap`` one that varies with the samples."""
    tangent_levels.check_dual(x, t)
    value, levels = find_inside(x)
    if running.levels:
        x = make_batched(value, levels)
        t = weight(0, x, t, sizes_of([x, t]))
    return make_batched(tangent_levels.dual(value, t, level), levels)


def parts(t, level):
    """Return (value, tangent or None) of the function's result."""
    if not isinstance(t, Tensor):
        raise RuntimeError(f"Expected tensors, got unsupported type {type(t)}")
    value, tangent = tangent_levels.parts(value_of(t), level, "AliasBackward0")
    if tangent is not None and running.levels:
        tangent = gradient_with_levels(0, t, tangent, True)
    return make_batched(value, t.levels) if type(t) is BatchedTensor else value, tangent


def fill_tangent(value, tangent, strict):
    """Return the tangent, or zeros where there is none."""
    if tangent is None and strict:
        raise RuntimeError(
            "jvp(f, primals, tangents, strict=True): The output of f is independent of the inputs. This is not allowed with "
            "strict=True."
        )
    return find_public("zeros_like")(value) if tangent is None else tangent
