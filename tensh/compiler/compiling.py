"""``torch.compile``: a function runs once as it is, and is captured; afterwards a graph runs in its place, while its guards hold."""

import functools
import sys
import threading
import weakref

from tensh.compiler.breaks import Break, Missed, Unsupported
from tensh.compiler.graph import make_graph, name_of, require_graphable
from tensh.compiler.guards import Guards
from tensh.compiler.node import Entry
from tensh.compiler.recording import Capturing
from tensh.compiler.watching import Watch
from tensh.engine.core.clock import mode
from tensh.engine.core.nodes import AccumulateGrad
from tensh.engine.core.views import refresh_node
from tensh.engine.dispatch.capture.recorder import state as capturing
from tensh.engine.dispatch.override.state import state as overriding
from tensh.engine.dtypes.dtype import get_default_dtype
from tensh.engine.errors.warnings import warn
from tensh.nn.modules.calls import AFTER, BACKWARD_AFTER, BACKWARD_BEFORE, BEFORE

LIMIT = 8
"""Graphs of one function: PyTorch's limit.  A function that needs more runs as it is."""


class Running(threading.local):
    """What is being captured in a thread."""

    capturing = None

    def stop(self, reason):
        """Say why what is being captured cannot be a graph, if something is."""
        if self.capturing is not None:
            self.capturing.stop(reason, sys._getframe(2))


running = Running()


def is_plain():
    """Is nothing at work that a graph would not see: transforms, tangents, modes, hooks for saved tensors, another recorder?"""
    return not (
        mode.levels or mode.transforms or mode.inference or mode.packing or mode.device is not None or mode.inspect is not None
        or overriding.modes or overriding.dispatch_modes or capturing.recorder is not None
        or BEFORE or AFTER or BACKWARD_BEFORE or BACKWARD_AFTER
    )  # fmt: skip


def surroundings():
    """The settings that decide what operators compute."""
    casting = sys.modules.get("tensh.amp.casting")
    return mode.grad, casting and casting.state.lower, get_default_dtype()


class Compiled:
    """A function with the graphs that were made of it."""

    def __init__(self, function, fullgraph=False, dynamic=None):
        self.function, self.fullgraph, self.dynamic = function, fullgraph, dynamic
        self.graphs, self.off, self.reason = [], False, None
        self.title = (getattr(function, "__qualname__", None) or type(function).__name__).replace("<locals>.", "")

    def forget(self):
        """Forget the graphs, and why there were none."""
        self.graphs, self.off, self.reason = [], False, None

    def __call__(self, args, kwargs):
        if self.off or not is_plain():
            return self.function(*args, **kwargs)
        around = surroundings()
        for graph in self.graphs:
            if graph.around == around and (tensors := graph.guard(args, kwargs)) is not None:
                try:
                    return graph.call(tensors)
                except Missed:
                    continue
        if len(self.graphs) >= LIMIT:
            return self.give_up(Break(f"{LIMIT} graphs were made, and each call needs another"), args, kwargs)
        return self.capture(args, kwargs, around)

    def give_up(self, reason, args, kwargs):
        """Run the function as it is from now on, and say so once."""
        self.note(reason)
        return self.function(*args, **kwargs)

    def note(self, reason):
        if self.fullgraph:
            raise Unsupported(f"{self.title} cannot become one graph: {reason}")
        self.off, self.reason = True, reason
        warn(f"torch.compile runs {self.title} as it is: {reason}")

    def capture(self, args, kwargs, around):
        """Run the function as it is, and make a graph of it."""
        guards, recorder, entries, watch = Guards(self.title), Capturing(), [], None
        try:
            guards.require(f"len(args) == {len(args)}")
            for number, each in enumerate(args):
                guards.add(f"args[{number}]", each)
            guards.add("kwargs", kwargs)
            given = list(guards.tensors.values())
            for _, tensor in given:
                require_graphable(tensor)
            if around[0]:
                entries = [
                    (t, Entry(t))
                    for _, t in given
                    if refresh_node(t) is not None and type(t.node) is not AccumulateGrad
                ]
            for tensor, entry in entries:
                tensor.node = entry
            for path, tensor in given:
                recorder.add_input(tensor).name = name_of(path, self.function)
            guards.add_parts(getattr(self.function, "module", self.function), frozenset())
            watch = Watch(guards)
        except Break as reason:
            return self.give_up(reason, args, kwargs)
        running.capturing, before = watch, running.capturing
        try:
            with recorder, watch:
                result = self.function(*args, **kwargs)
        finally:
            running.capturing = before
            for tensor, entry in entries:
                if tensor.node is entry:
                    tensor.node = entry.was
        try:
            if watch.reason or recorder.reason:
                raise watch.reason or recorder.reason
            self.graphs.append(make_graph(self, recorder, guards, result, args, kwargs, around, entries))
        except Break as reason:
            self.note(reason)
        finally:
            for _, entry in entries:
                entry.connect()
        return result


everything: "weakref.WeakSet" = weakref.WeakSet()


def start(function, fullgraph=False, off=False):
    """What runs a function as graphs; ``off`` if it is to run as it is."""
    made = Compiled(function, fullgraph)
    made.off = off
    everything.add(made)
    return made


def start_with(compiled, function):
    """A function that calls ``compiled`` in the place of ``function``."""

    def call(*args, **kwargs):
        return compiled(args, kwargs)

    if hasattr(function, "__name__"):
        functools.update_wrapper(call, function)
    call.compiled = compiled
    call._torchdynamo_orig_callable = function
    return call
