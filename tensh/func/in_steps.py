"""Transforms composed of primitives, each of which a recorder makes a node of its graph: see Note [Transforms in steps].

Nodes have the names of PyTorch's graphs: those of the variables to which its functions assign values, ``child`` for a part
of nested arguments and results, ``value`` for one of a dictionary.
"""

import itertools
from contextlib import contextmanager

from tensh.autograd.forward_ad import _maybe_load_decompositions
from tensh.engine import find_public
from tensh.engine.core.clock import mode
from tensh.engine.core.tensor import Tensor
from tensh.engine.random.generator import default_generator
from tensh.func import primitives as steps
from tensh.func.batch_dims import show_batch
from tensh.func.checks import (
    only_tensors,
    output_and_aux,
    replace_arguments,
    require_differentiable,
    require_scalar,
    require_tangents,
    select_argnums,
    select_arguments,
)
from tensh.func.jacobian_steps import JacobianSteps
from tensh.func.trees import flatten, leaves_of, map_leaves, unflatten
from tensh.func.vmap import find_out_dims, flatten_as, name_of, read_batch

HOOKS = "don't yet support saved tensor hooks. Please open an issue with your use case."
DISABLED = f"torch.func.{{grad, vjp, jacrev, hessian}} {HOOKS}"


class TransformsInSteps(JacobianSteps):
    """The transforms for a recorder, whose ``record_step(function, args, kwargs)`` calls a function and adds its node.

    ``name_value(tensor, name)`` of the recorder names the node of a tensor, unless it has a name.
    """

    def __init__(self, recorder):
        self.recorder = recorder
        self.taping = self.duals = 0  # numbers of open levels

    def run(self, transform, *args):
        """Return the result of a transform that the program calls."""
        if callable(args[0]):
            self.recorder.require_captured(args[0])
        return self.recorder.run_transform(getattr(self, transform), args)

    # ── nodes ────────────────────────────────────────────────────────────────
    def step(self, function, *args, **kwargs):
        """Call a function, or a method of the first argument by its name, and record it."""
        return self.recorder.record_step(function, args, kwargs)

    def name(self, structure, name, inside="child"):
        """Name the node of a tensor; those of nested tensors are named ``inside``."""
        if isinstance(structure, Tensor):
            self.recorder.name_value(structure, name)
        else:
            self.name_all(leaves_of(structure), inside)
        return structure

    def name_all(self, leaves, name):
        """Name the nodes of tensors."""
        for each in leaves:
            if isinstance(each, Tensor) and name:
                self.recorder.name_value(each, name)

    def flatten(self, structure):
        """Return the leaves and the structure of a value, whose parts become children."""
        leaves, spec = flatten(structure)
        for each in leaves:
            if isinstance(each, Tensor):
                self.recorder.require_input(each)
        self.name_all(leaves if spec.type is not None else (), "child")
        return leaves, spec

    def unflatten(self, leaves, spec):
        """Return a nested value; parts of dictionaries become values."""
        leaves = list(leaves)
        self.name_all(within_dict(leaves, spec), "value")
        return unflatten(leaves, spec)

    # ── vmap ─────────────────────────────────────────────────────────────────
    def vmap(self, func, in_dims, out_dims, randomness, chunk_size, args, kwargs):
        """Return what a mapped function returns."""
        self.step(steps.lazy_load_decompositions)
        name = name_of(func)
        self.flatten(args)
        size, dims, leaves, spec = read_batch(name, in_dims, args)
        if chunk_size is None:
            return self.map_batch(func, name, out_dims, randomness, (size, dims, leaves, spec), kwargs)
        lengths = [min(chunk_size, size - start) for start in range(0, size, chunk_size)]
        ends = tuple(itertools.accumulate(lengths))
        columns = [
            [t] * len(ends) if d is None else self.step("tensor_split", t, ends, dim=d)[: len(ends)]
            for t, d in zip(leaves, dims, strict=True)
        ]
        state, results = default_generator.get_state() if randomness == "same" else None, []
        for length, *part in zip(lengths, *columns):
            if state is not None:
                default_generator.set_state(state)
            self.name_all(part, "arg")
            result = self.map_batch(func, name, out_dims, randomness, (length, dims, part, spec), kwargs)
            results.append(self.name(result, "output"))
        flat, structures = zip(*map(self.flatten, results))
        places = flatten_as(out_dims, structures[0])
        joined = [self.step(find_public("cat"), tuple(parts), dim=d) for *parts, d in zip(*flat, places)]
        return self.unflatten(joined, structures[0])

    def map_batch(self, func, name, out_dims, randomness, given, kwargs):
        """Call a function on batched tensors."""
        size, dims, leaves, spec = given
        number = self.step(steps._vmap_increment_nesting, size, randomness)
        layer = steps.opened.levels[-1]
        try:
            seen = [
                t if d is None else self.step(steps._add_batch_dim, t, d, number)
                for t, d in zip(leaves, dims, strict=True)
            ]
            outputs = self.name(func(*self.unflatten(seen, spec), **kwargs), "batched_outputs")
            flat, structure = self.flatten(outputs)
            places = find_out_dims(name, out_dims, structure)
            shown = [self.show_batch(name, t, d, layer.batch, number, size) for t, d in zip(flat, places, strict=True)]
            return self.unflatten(shown, structure)
        finally:
            self.step(steps._vmap_decrement_nesting)

    def show_batch(self, name, t, dim, batch, number, size):
        """Return one result with its batch; the checks are those of ``vmap``."""
        if dim is None or not isinstance(t, Tensor) or not -t.array.ndim - 1 <= dim <= t.array.ndim:
            return show_batch(name, t, dim, batch)
        return self.step(steps._remove_batch_dim, t, number, size, dim)

    # ── reverse ──────────────────────────────────────────────────────────────
    @contextmanager
    def tape(self):
        """A level of derivatives, as a context of its number."""
        self.step(steps._saved_tensors_hooks_disable, DISABLED)
        number = self.step(steps._grad_increment_nesting)
        self.taping += 1
        recording, mode.grad = mode.grad, True
        try:
            yield number
        finally:
            mode.grad = recording
            self.taping -= 1
            self.step(steps._grad_decrement_nesting)
            if self.taping:
                self.step(steps._saved_tensors_hooks_disable, DISABLED)
            else:
                self.step(steps._saved_tensors_hooks_enable)

    def wrap(self, structure, number):
        """Return nested values with tensors of a level."""

        def wrap_leaf(t):
            return self.step(steps._wrap_for_grad, t, number) if isinstance(t, Tensor) else t

        return map_leaves(wrap_leaf, structure)

    def make_leaf(self, t):
        """Make a wrapped tensor a leaf; return its other name."""
        if not isinstance(t, Tensor):
            raise ValueError(f"Thing passed to transform API must be Tensor, got {type(t)}")
        self.step(steps.set_inplace_requires_grad_allowed, True)
        made = self.step(steps._set_tensor_requires_grad, t)
        self.step(steps.set_inplace_requires_grad_allowed, False)
        return made

    def unwrap(self, structure, number):
        """Return nested results of a level as they are seen outside."""

        def unwrap_leaf(t):
            if not isinstance(t, Tensor):
                raise RuntimeError(f"Expected tensors, got unsupported type {type(t)}")
            return self.step(steps._unwrap_for_grad, t, number)

        return map_leaves(unwrap_leaf, structure)

    def grad_and_value(self, func, argnums, has_aux, args, kwargs, call):
        """Return (gradient, value), or (gradient, (value, aux))."""
        with self.tape() as number:
            args, kwargs = self.wrap(args, number), self.wrap(kwargs, number)
            wanted = self.name(select_arguments(args, argnums, select_argnums(args, argnums)), "diff_args")
            for each in leaves_of(wanted):
                self.make_leaf(each)
            output, aux = self.name(func(*args, **kwargs), "output", None), None
            if has_aux:
                output, aux = output_and_aux(output, call)
                self.name(output, "output"), self.name(aux, "aux", None)
            require_scalar(output, call)
            leaves, spec = self.flatten(wanted)
            found = self.step(steps._autograd_grad, (output,), leaves, create_graph=True)
            gradient = self.name(self.unflatten(found, spec), "grad_input", None)
            gradient = self.name(self.unwrap(gradient, number), "grad_input", None)
            output = self.name(self.unwrap(output, number), "output")
            if has_aux:
                output = output, self.name(self.unwrap(aux, number), "aux", None)
        return gradient, output

    def vjp_by(self, func, primals, argnums, has_aux):
        """Return the result, and the function from weights to gradients."""
        call = "vjp(f, *primals)"
        with self.tape() as number:
            primals = self.wrap(primals, number)
            if argnums is None:
                wanted = map_leaves(self.make_leaf, primals)
            else:
                wanted = self.name(select_arguments(primals, argnums, select_argnums(primals, argnums)), "diff_primals")
                for each in leaves_of(wanted):
                    self.make_leaf(each)
            outputs, aux = self.name(func(*primals), "primals_out", None), ()
            if has_aux:
                outputs, aux = output_and_aux(outputs, call)
                self.name(outputs, "primals_out", None), self.name(aux, "aux", None)
                aux = (self.name(self.unwrap(aux, number), "aux", None),)
            flat, expected = self.flatten(outputs)
            only_tensors(flat, call)
            leaves, structure = self.flatten(wanted)
            results = self.name(self.unwrap(outputs, number), "results", None)
            require_differentiable(flat)

        def pull(cotangents, retain_graph=True, create_graph=None):
            weights, spec = self.flatten(cotangents)
            if spec != expected:
                raise RuntimeError(
                    "Expected pytree structure of cotangents to be the same as pytree structure of outputs to the function. "
                    f"cotangents: {spec.pretty()}, primal output: {expected.pretty()}"
                )
            graph = mode.grad is not False if create_graph is None else create_graph
            found = self.step(
                steps._autograd_grad, flat, leaves, weights, retain_graph=retain_graph, create_graph=graph
            )
            return self.unflatten(found, structure)

        return results, pull, *aux

    # ── forward ──────────────────────────────────────────────────────────────
    @contextmanager
    def tangents(self):
        """A level of tangents, as a context of its number."""
        number = self.step(steps._jvp_increment_nesting)
        self.duals += 1
        self.step(steps._set_fwd_grad_enabled, True)
        if self.duals == 1:
            self.step(steps._enter_dual_level)
        try:
            yield number
        finally:
            if self.duals == 1:
                self.step(steps._exit_dual_level, level=0)
            self.step(steps._set_fwd_grad_enabled, True)
            self.duals -= 1
            self.step(steps._jvp_decrement_nesting)

    def jvp_by(self, func, primals, tangents, argnums, strict, has_aux, call):
        """Return the result and its tangent."""
        numbers = tuple(range(len(primals))) if argnums is None else select_argnums(primals, argnums)
        wanted = primals if argnums is None else tuple(primals[n] for n in numbers)
        values, spec = self.flatten(wanted)
        directions, given = self.flatten(tangents)
        require_tangents(call, values, spec, directions, given)
        with self.tangents() as number:
            duals = [self.make_dual(x, t) for x, t in zip(values, directions, strict=True)]
            duals = self.unflatten(duals, spec)
            if argnums is not None:
                duals = replace_arguments(self.wrap(primals, number), numbers, duals)
            outputs, aux = self.name(func(*duals), "result_duals", None), ()
            if has_aux:
                outputs, aux = output_and_aux(outputs, call)
                self.name(outputs, "result_duals", None), self.name(aux, "aux", None)
                aux = (self.name(self.unwrap(aux, number), "aux", None),)
            flat, structure = self.flatten(outputs)
            only_tensors(flat, call)
            pairs = [self.step(steps._unpack_dual, t, level=0) for t in flat]
            for value, tangent in pairs:
                self.name(value, "primal"), self.name(tangent, "dual")
            results = []
            for column, name in zip(zip(*pairs), ("primals_out_unflatten", "tangents_out_unflatten")):
                column = [self.unwrap(t, number) for t in column]
                results.append(self.name(self.unflatten(column, structure), name, None))
        return *results, *aux

    def make_dual(self, value, tangent):
        """Return a tensor with a tangent."""
        self.step(_maybe_load_decompositions)
        return self.step(steps._make_dual, value, tangent, level=0)


def within_dict(leaves, spec):
    """Return the leaves that are directly in a dictionary."""
    found, rest = [], iter(leaves)

    def collect(spec, inside):
        if spec.type is None:
            leaf = next(rest)
            if inside:
                found.append(leaf)
        for child in spec.children_specs:
            collect(child, isinstance(spec.type, type) and issubclass(spec.type, dict))

    collect(spec, False)
    return found
