"""torch.func.jacrev, jacfwd, hessian: all derivatives of a function at once."""

import functools
from contextlib import nullcontext

import numpy as np

from tensh.engine import find_public
from tensh.engine.arguments.binding import make_array
from tensh.engine.core.tensor import Tensor, wrap
from tensh.func import stepping
from tensh.func.checks import require_real, select_argnums, select_arguments
from tensh.func.forward import jvp_by
from tensh.func.reverse import vjp_by
from tensh.func.tape import only_directions_vary
from tensh.func.trees import flatten, leaves_of, map_leaves, unflatten
from tensh.func.vmap import vmap


def jacrev(func, argnums=0, *, has_aux=False, chunk_size=None, _preallocate_and_copy=False):
    """Return a function that computes the Jacobian of ``func``, of shape ``output.shape + input.shape``, by backward passes.

    One pass for each element of the output, ``chunk_size`` of them together; the better choice where there are fewer outputs
    than inputs.  ``argnums`` and nested arguments are those of ``grad``; results may be nested, too.  With ``has_aux``
    ``func`` returns ``(output, aux)`` and the new function ``(jacobian, aux)``. Raise ValueError for a ``chunk_size``
    below 1, RuntimeError for an ``argnums`` that does not exist.

    >>> import tensh as torch
    >>> torch.func.jacrev(torch.exp)(torch.zeros(2))
    tensor([[1., 0.],
            [0., 1.]])
    """
    if not (chunk_size is None or chunk_size > 0):
        raise ValueError("jacrev: `chunk_size` should be greater than 0.")

    def jacobian(*args):
        if stepping.now.transforms is not None:
            return stepping.now.transforms.run("jacrev", func, argnums, has_aux, chunk_size, args)
        require_real(leaves_of(args), "jacrev", "inputs")
        outputs, pull, *aux = vjp_by(func, args, argnums, has_aux)
        flat, structure = flatten(outputs)
        require_real(flat, "jacrev", "outputs")
        inputs, spec = flatten(select_arguments(args, argnums, select_argnums(args, argnums)))
        columns = [pull_weights(pull, part, structure, chunk_size) for part in basis(flat, chunk_size)]
        rows = [column[0] if len(column) == 1 else find_public("cat")(column) for column in map(list, zip(*columns))]
        sizes = [t.numel() for t in flat]
        split = [find_public("split")(row, sizes) for row in rows]
        blocks = [
            unflatten([parts[i].view(t.shape + x.shape) for parts, x in zip(split, inputs, strict=True)], spec)
            for i, t in enumerate(flat)
        ]
        result = unflatten(blocks, structure)
        return (result, *aux) if has_aux else result

    return functools.wraps(func)(jacobian)


def pull_weights(pull, weights, structure, chunk_size):
    """Return the gradients for a batch of weights of the outputs, one tensor for each input."""
    if chunk_size == 1:
        return [g.unsqueeze(0) for g in leaves_of(pull(unflatten([w.squeeze(0) for w in weights], structure)))]
    return leaves_of(vmap(pull)(unflatten(weights, structure)))


def basis(tensors, chunk_size=None):
    """The unit vectors of the space of all elements of ``tensors``, ``chunk_size`` at a time: a batch for each tensor."""
    sizes = [t.numel() for t in tensors]
    total = sum(sizes)
    step = total if chunk_size is None else chunk_size
    for start in range(0, max(total, 1), max(step, 1)):
        rows, first, batches = min(step, total - start), start, []
        for t, size in zip(tensors, sizes, strict=True):
            units = make_array(lambda dtype: np.eye(rows, size, first, dtype), t.array.dtype)  # noqa: B023 - called at once
            batches.append(wrap(units.reshape(rows, *t.array.shape)))
            first -= size
        yield batches


def jacfwd(func, argnums=0, has_aux=False, *, randomness="error"):
    """A function that computes the Jacobian of ``func``, of shape ``output.shape + input.shape``, by forward accumulation.

    One pass for each element of the input, all together; the better choice where there are fewer inputs than outputs.  The
    arguments are those of ``jacrev``; ``randomness`` is that of ``vmap``. Raise RuntimeError for an ``argnums`` out of
    range, and for complex inputs.

    >>> import tensh as torch
    >>> torch.func.jacfwd(lambda x: torch.stack([x, x ** 2, x ** 3]))(torch.tensor(2.0))
    tensor([ 1.,  4., 12.])
    """

    def jacobian(*args):
        if stepping.now.transforms is not None:
            return stepping.now.transforms.run("jacfwd", func, argnums, has_aux, randomness, args)
        require_real(leaves_of(args), "jacfwd", "inputs")
        inputs, spec = flatten(tuple(args[n] for n in select_argnums(args, argnums)))
        for x in inputs:
            if not isinstance(x, Tensor):
                x.numel()  # raises PyTorch's error for other values than tensors

        def push(directions):
            with only_directions_vary() if randomness != "different" else nullcontext():
                value, tangent, *aux = jvp_by(func, args, directions, argnums, has_aux=has_aux)
            require_real(leaves_of(value), "jacfwd", "outputs")
            return (tangent, *aux)

        tangents, *aux = vmap(push, randomness=randomness)(unflatten(next(basis(inputs)), spec))
        flat, structure = flatten(tangents)
        sizes = [x.numel() for x in inputs]
        blocks = []
        for t in flat:
            parts = find_public("split")(t.movedim(0, -1), sizes, -1)
            parts = [
                part.unflatten(-1, x.shape) if x.shape else part.squeeze(-1)
                for part, x in zip(parts, inputs, strict=True)
            ]
            block = unflatten(parts, spec)
            blocks.append(block if isinstance(argnums, tuple) else block[0])
        result = unflatten(blocks, structure)
        return (result, map_leaves(lambda t: t[0], aux[0])) if has_aux else result

    return functools.wraps(func)(jacobian)


def hessian(func, argnums=0):
    """Return a function that computes the second derivatives of ``func``: ``jacfwd(jacrev(func))``, forward over reverse.

    Raise RuntimeError for an ``argnums`` that does not exist.

    >>> import tensh as torch
    >>> torch.func.hessian(lambda x: (x ** 3).sum())(torch.tensor([1.0, 2.0]))
    tensor([[ 6.,  0.],
            [ 0., 12.]])
    """
    return jacfwd(jacrev(func, argnums), argnums)
