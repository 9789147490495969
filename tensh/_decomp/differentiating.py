"""The derivative of a call of an operator by what the operator consists of."""

from tensh._aten.calls import aten
from tensh._aten.overloads import schemas
from tensh._aten.recording import LINEAR
from tensh._decomp.table import decomposition_table
from tensh.engine.autograd.gradients import grad
from tensh.engine.autograd.modes import enable_grad
from tensh.engine.core.clock import mode
from tensh.engine.core.tensor import Tensor
from tensh.func.trees import flatten, leaves_of, unflatten

__all__ = ["differentiate_call"]


def transpose(name, g, grad_output, *given):
    """Return the gradient of the first argument of a linear function's derivative: the function itself."""
    name = name.removesuffix("_backward")
    if name.startswith("_adaptive"):
        return aten(name, g, list(grad_output.shape[-int(name[-2]) :]))
    if "upsample" in name:
        output_size, _, *settings = given
        return aten(name, g, list(output_size), *settings)
    return aten(name, g, *given[1:])


def find_functional(overload):
    """Return the overload that computes what another one writes into its first argument; None for one that writes nothing."""
    name = overload._opname
    return (
        schemas().get(name[:-1], {}).get(overload._overloadname)
        if name.endswith("_") and not name.endswith("__")
        else None
    )


def differentiate_call(overload, places, gradients, args, options):
    """Return the gradients of a call for the tensors at the given places of its arguments; None for an unknown operator."""
    if overload._opname.endswith("_backward") and overload._opname.startswith(LINEAR):
        return tuple(transpose(overload._opname, *gradients, *args) if place == 0 else None for place in places)
    rule = decomposition_table.get(overload) or find_functional(overload)
    if rule is None:
        return None
    leaves, form = flatten((args, options))
    recorded, wanted = mode.grad, []
    with enable_grad():
        # aliases end the graph of this call: nothing goes on to what the tensors were computed from
        for place in places:
            leaves[place] = schemas()["alias"]["default"](leaves[place])
            wanted.append(leaves[place])
        args, options = unflatten(leaves, form)
        results = [t for t in leaves_of(rule(*args, **options)) if isinstance(t, Tensor)]
    pairs = [(t, g) for t, g in zip(results, gradients) if g is not None and t.requires_grad]
    if not pairs:
        return tuple(None for _ in places)
    roots, weights = ([each[i] for each in pairs] for i in (0, 1))
    return grad(roots, wanted, weights, retain_graph=True, create_graph=recorded, allow_unused=True)
