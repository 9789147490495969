"""``jacrev`` and ``jacfwd`` composed of steps: see Note [Transforms in steps]."""

import itertools

from tensh.engine import find_public
from tensh.func.checks import require_real, select_argnums, select_arguments
from tensh.func.trees import map_leaves, unflatten


class JacobianSteps:
    """The part of ``TransformsInSteps`` that computes all derivatives at once."""

    def basis(self, tensors, sizes, chunk_size=None):
        """Yield the unit vectors of all elements of the tensors, ``chunk_size`` at a time."""
        total, start = sum(sizes), 0
        length = total if not chunk_size or chunk_size >= total else chunk_size
        while start < total or not start:
            rows = min(length, total - start)
            chunks = [self.step("new_zeros", t, rows, size) for t, size in zip(tensors, sizes, strict=True)]
            self.name_all(chunks, "chunk")
            for chunk, first in zip(chunks, itertools.accumulate((0, *sizes))):
                self.step("fill_", self.step("diagonal", chunk, start - first), 1)
            yield [self.step("view", chunk, rows, *t.shape) for chunk, t in zip(chunks, tensors, strict=True)]
            start += max(rows, 1)

    def jacrev(self, func, argnums, has_aux, chunk_size, args):
        """Return the Jacobian, by backward passes."""
        require_real(self.flatten(args)[0], "jacrev", "inputs")
        outputs, pull, *aux = self.vjp_by(func, args, argnums, has_aux)
        flat, structure = self.flatten(outputs)
        require_real(flat, "jacrev", "outputs")
        sizes = [t.numel() for t in flat]
        inputs, spec = self.flatten(select_arguments(args, argnums, select_argnums(args, argnums)))
        rows = self.pull_basis(pull, flat, sizes, structure, chunk_size)
        split = [self.step(find_public("split"), row, list(sizes), dim=0) for row in rows]
        self.name_all(itertools.chain(*split), "split")
        columns = [
            [self.step("view", part, tuple(t.shape) + tuple(x.shape)) for part, t in zip(parts, flat, strict=True)]
            for parts, x in zip(split, inputs, strict=True)
        ]
        blocks = [unflatten(parts, spec) for parts in zip(*columns)]
        result = unflatten(blocks, structure)
        self.name(result, "output_input", None)
        return (result, *aux) if has_aux else result

    def pull_basis(self, pull, tensors, sizes, structure, chunk_size):
        """Return the gradients for all unit vectors, one tensor for each input."""
        results = []
        for units in self.basis(tensors, sizes, chunk_size):
            if chunk_size == 1:
                self.name_all(units, "t")
                units = [self.step(find_public("squeeze"), t, 0) for t in units]
            weights = self.name(self.unflatten(units, structure), "basis", None)
            if chunk_size == 1:
                found = self.flatten(self.name(pull(weights), "chunked_result", None))[0]
                found = [self.step(find_public("unsqueeze"), t, 0) for t in found]
            else:
                found = self.vmap(pull, 0, 0, "error", None, (weights,), {})
                found = self.flatten(self.name(found, "chunked_result", None))[0]
            results.append(found)
        if len(results) == 1:
            return results[0]
        joined = [self.step(find_public("cat"), parts, 0) for parts in zip(*results)]
        self.name_all(joined, "result")
        return joined

    def jacfwd(self, func, argnums, has_aux, randomness, args):
        """Return the Jacobian, by forward accumulation."""
        require_real(self.flatten(args)[0], "jacfwd", "inputs")
        inputs, spec = self.flatten(tuple(args[n] for n in select_argnums(args, argnums)))
        sizes = [x.numel() for x in inputs]

        def push(directions):
            value, tangent, *aux = self.jvp_by(
                func, args, directions, argnums, False, has_aux, "jvp(f, primals, tangents)"
            )
            require_real(self.flatten(value)[0], "jacfwd", "outputs")
            return (tangent, *aux) if has_aux else tangent

        units = self.unflatten(next(self.basis(inputs, sizes)), spec)
        results, aux = self.vmap(push, 0, 0, randomness, None, (units,), {}), None
        self.name(results, "results", None)
        if has_aux:
            results, aux = results
            self.name(results, "results", None), self.name(aux, "aux", None)
            aux = self.name(map_leaves(lambda t: self.step("__getitem__", t, 0), aux), "aux", None)
        flat, structure = self.flatten(results)
        blocks = []
        for t in flat:
            moved = self.step("movedim", t, 0, -1)
            parts = self.step(find_public("split"), moved, list(sizes), dim=-1)
            self.name_all(parts, "jac_out_in")
            block = unflatten([self.restore_shape(part, x) for part, x in zip(parts, inputs, strict=True)], spec)
            blocks.append(block if isinstance(argnums, tuple) else block[0])
        result = unflatten(blocks, structure)
        return (result, aux) if has_aux else result

    def restore_shape(self, part, x):
        """Return a part of a Jacobian with the dimensions of an input at its end."""
        if not x.array.ndim:
            return self.step("squeeze", part, -1)
        return self.step("unflatten", part, -1, tuple(x.shape))
