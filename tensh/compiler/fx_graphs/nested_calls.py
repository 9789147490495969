"""Custom functions and checkpoints in a graph for a back end, as PyTorch has them: calls of operators on graphs."""

import inspect
import operator
from contextlib import contextmanager

from tensh._higher_order_ops.nested_calls import autograd_function_apply, tag_activation_checkpoint
from tensh.compiler.breaks import Aborted, Break
from tensh.compiler.capture.contents import are_same
from tensh.compiler.fx_graphs.nested_graphs import NestedRecorder, Scope
from tensh.engine.autograd.custom import call_forward, record_outputs
from tensh.engine.autograd.modes import _set_grad_enabled
from tensh.engine.core.clock import mode
from tensh.engine.core.tensor import Tensor, wrap
from tensh.engine.dispatch.capture.nested import nesting
from tensh.engine.dispatch.capture.places import find_place
from tensh.engine.dispatch.override.state import Disabled
from tensh.engine.dispatch.override.state import state as overriding
from tensh.engine.random.generator import default_generator
from tensh.func.trees import leaves_of
from tensh.support.naming import is_of_torch
from tensh.utils.checkpoint.reentrant import CheckpointFunction

__all__ = ["NestedCallRecorder"]


class NestedCallRecorder(NestedRecorder):
    """The part of a ``FunctionRecorder`` that records calls of custom functions and checkpoints."""

    @contextmanager
    def watching_functions(self):
        """A context in which these calls are recorded."""
        before, nesting.recorder = nesting.recorder, self
        try:
            yield
        finally:
            nesting.recorder = before

    def is_recording(self):
        """Return True unless the graph has ended, or a function of the library calls."""
        return self.reason is None and self.watch.reason is None and self in overriding.modes

    @contextmanager
    def breaking_at(self, place):
        """A context in which a graph that ends ends before the call at a place of the program."""
        try:
            yield
        finally:
            for owner in (self, self.watch):
                if owner.reason is not None:
                    owner.reason.place = place

    # ── custom functions ─────────────────────────────────────────────────────
    def apply_function(self, cls, node, args, edges):
        """Return the outputs of a custom function; ``edges`` are the nodes of its inputs if gradients are recorded."""
        if not self.is_recording():
            return record_outputs(cls, node, args, edges, call_forward(cls, node, args))
        with self.breaking_at(find_place()[0]):
            if edges is None or cls is CheckpointFunction:
                return self.inline_forward(cls, node, args, edges)
            if is_of_torch(cls.__module__) or mode.levels or mode.transforms or has_repeated(args):
                self.stop("apply is called")
                return record_outputs(cls, node, args, edges, call_forward(cls, node, args))
            return self.record_function(cls, node, args, edges)

    def inline_forward(self, cls, node, args, edges):
        """Record what a forward calls as parts of the graph, since there is no backward."""
        count, before = len(self.graph.nodes), self.grad
        self.grad = False
        try:
            result = call_forward(cls, node, args)
            self.grad = mode.grad and self.grad
        finally:
            self.grad = before
        made = list(self.graph.nodes)[count:]
        if (
            edges is None
            and mode.grad
            and any(map(requires_grad, (each for node in made for each in node.all_input_nodes)))
        ):
            self.stop("a forward without gradients uses a tensor that requires one")
        outputs = record_outputs(cls, node, args, edges, result)
        for raw, output in zip(*map(list_outputs, (result, outputs)), strict=True):
            if self.is_recording() and isinstance(raw, Tensor) and raw is not output:
                self.keep(output, self.view_given(raw) if any(raw is each for each in args) else self.node_of(raw))
        return outputs

    def record_function(self, cls, node, args, edges):
        """Record the forward and the backward as graphs, and the call of both."""
        forward, backward = Scope("fwd_body"), Scope("bwd_body", None)
        tensors = [each for each in args if isinstance(each, Tensor)]
        nodes = {id(each): self.node_of(each) for each in tensors}
        with self.within(forward):
            with self.without_gradients():
                result = call_forward(cls, node, args)
            saved, returned = node.to_save or (), list_outputs(result)
            results = [each for each in returned if isinstance(each, Tensor)]
            written = set(map(id, node.dirty_tensors or ()))
            constant = set(map(id, node.non_differentiable or ()))
            name = "output" if cls._separate() else "out" if isinstance(result, tuple) else "outs"
            outs = [self.output_node(each, written, name) for each in results] if self.is_recording() else ()
        outputs = record_outputs(cls, node, args, edges, result)
        if not self.is_recording():
            return outputs
        for each in nodes.values():
            if each.op != "placeholder" and each.target is not operator.getitem:
                self.rename(each, "arg")
        with self.within(forward):
            for each in tensors:
                self.node_of(each)
            with self.within(backward), self.trying():
                found = self.run_backward(cls, node, args, returned, saved)
                gradients = {nodes[id(each)]: grad for each, grad in zip(args, found) if isinstance(each, Tensor)}
                gradients = [gradients.get(each) for each in forward.lifted]
                self.finish_scope(tuple(None if each is None else self.node_of(each) for each in gradients))
            if self.reason is None and self.watch.reason is None:
                self.finish_scope((tuple(outs), tuple(backward.lifted)))
        if not self.is_recording():
            self.watch.abort()
            return outputs
        places = {
            "non_differentiable_idx": [place for place, each in enumerate(results) if id(each) in constant],
            "saved_for_backward_idx": find_saved(backward, forward, saved),
        }
        if written:
            given = list(forward.lifted)
            places["dirty_idx"] = [given.index(nodes[id(each)]) for each in node.dirty_tensors]
        made = [each for each in list_outputs(outputs) if isinstance(each, Tensor)]
        self.add_call(autograd_function_apply, (forward, backward), places, made)
        return outputs

    def output_node(self, tensor, written, name):
        """Return the node of an output, with a name; an argument that is returned unchanged becomes a view."""
        node = self.node_of(tensor)
        if node.op != "placeholder":
            self.rename(node, name)
        elif id(tensor) not in written:
            return self.view_given(tensor)
        return node

    def view_given(self, tensor):
        """Add a view of an argument that a forward returns; return its node."""
        given = self.node_of(tensor)
        node = self.graph.call_method("view_as", (given, given))
        node.meta["example_value"] = tensor
        return node

    @contextmanager
    def without_gradients(self):
        """A context around a part that runs without gradients, between two switches."""
        self.switch_grad(False)
        yield
        self.switch_grad(True)

    def switch_grad(self, on):
        """Add a switch of the recording of gradients."""
        if self.reason is None:
            self.graph.call_function(_set_grad_enabled, (on,))
            self.grad = on

    def run_backward(self, cls, node, args, returned, saved):
        """Return the gradients of the arguments for gradients of ones."""
        derivative, own, kept = cls.derivative(), dict(node.own), node.saved
        grads, names = [], parameters_of(derivative, len(returned))
        for each, name in zip(returned, names):
            grads.append(wrap(each.array * 0 + 1) if isinstance(each, Tensor) else None)
            if grads[-1] is not None:
                placed = self.insert_input(name, None)
                placed.meta["example_value"] = grads[-1]
                self.keep(grads[-1], placed)
        node.saved, before = saved, mode.grad
        try:
            with self.without_gradients():
                mode.grad = False
                found = derivative(node.context(node), *grads)
                mode.grad = True
        finally:
            node.saved, mode.grad = kept, before
            node.own.clear()
            node.own.update(own)
        found = found if isinstance(found, (tuple, list)) else (found,)
        if len(found) < len(args):
            raise Break("a backward returns too few gradients")
        return found

    @contextmanager
    def trying(self):
        """A context for a run of a backward whose effects are undone, and which ends the graph if it has some."""
        with Disabled():
            state = default_generator.get_state()
        self.watch.is_trial = True
        try:
            with self.without_effects(undo=True):
                yield
        except Aborted:
            pass
        except Break as reason:
            self.reason = self.reason or reason
        except Exception as error:
            self.reason = self.reason or Break(f"a backward fails: {error}")
        finally:
            self.watch.is_trial = False
            with Disabled():
                default_generator.set_state(state)

    # ── checkpoints ──────────────────────────────────────────────────────────
    def take_checkpoint(self, function, args, options, is_plain):
        """Return a function whose first call is recorded as a graph of its own, and later ones are not."""
        options = {name: each for name, each in options.items() if each is not None}
        if not self.is_recording():
            return function
        recorded = mode.grad and any(isinstance(each, Tensor) and each.requires_grad for each in args)
        if not is_plain or options.get("use_reentrant") is not False and not recorded:  # it warns in every call
            self.stop("checkpoint is called")
            return function
        self.require_captured(function)
        calls = []

        def call(*args, **kwargs):
            if calls or not self.is_recording():
                return function(*args, **kwargs)
            calls.append(None)
            return self.record_checkpoint(function, args, kwargs, options)

        return call

    def record_checkpoint(self, function, args, kwargs, options):
        """Record a function as a graph, and the call of it."""
        scope = Scope("wrap_body")
        with self.breaking_at(find_place()[0]):
            with self.within(scope), self.without_effects():
                result = function(*args, **kwargs)
                if self.is_recording():
                    tensors = list({id(each): each for each in leaves_of(result) if isinstance(each, Tensor)}.values())
                    nodes = {id(each): self.node_of(each) for each in tensors}
                    tensors = [each for each in tensors if nodes[id(each)].op != "placeholder"]
                    self.finish_scope(tuple(nodes[id(each)] for each in tensors))
            if self.is_recording():
                self.add_call(tag_activation_checkpoint, (scope,), options, tensors)
        return result

    @contextmanager
    def without_effects(self, undo=False):
        """A context in which the graph ends at writes to what is outside; with ``undo`` they are undone."""
        watch, contents = self.watch, self.guards.contents
        before, watch.takes_writes = watch.takes_writes, False
        known = {key: each.read() for key, each in contents.known.items()}
        try:
            yield
        finally:
            watch.takes_writes = before
            for key, each in contents.known.items():
                items = known.get(key, each.before)
                if not are_same(items, each.read()):
                    self.reason = self.reason or Break("a function within an operator changes what is outside")
                    if undo:
                        each.write(items)


def list_outputs(result):
    """Return the outputs of a custom function."""
    return result if isinstance(result, tuple) else (result,)


def has_repeated(args):
    """Return True if a tensor is an argument twice."""
    tensors = [id(each) for each in args if isinstance(each, Tensor)]
    return len(tensors) > len(set(tensors))


def requires_grad(node):
    """Return True for the node of a tensor that requires grad."""
    return getattr(node.meta.get("example_value"), "requires_grad", False)


def find_saved(backward, forward, saved):
    """Return the places, among what a backward takes from the forward, of tensors that were saved for it."""
    nodes = [forward.inner["nodes"].get(id(each)) for each in saved]
    return [place for place, each in enumerate(backward.lifted) if each in nodes]


def parameters_of(derivative, count):
    """Return the names of the gradients that a backward takes."""
    code = derivative.__code__
    names = list(code.co_varnames[1 : code.co_argcount])
    if code.co_flags & inspect.CO_VARARGS:
        rest = code.co_varnames[code.co_argcount + code.co_kwonlyargcount]
        names += [f"{rest}_{number}" for number in range(count - len(names))]
    return names
