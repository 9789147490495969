"""``torch.compile``: a function runs once unchanged and is captured; then graphs replace it while guards hold."""

import functools
import sys
import threading
import weakref

from tensh.compiler.breaks import Aborted, Break, FailOnRecompileLimitHit, ReadMismatch, RecompileError
from tensh.compiler.capture.guards import Guards
from tensh.compiler.capture.recording import GraphRecorder
from tensh.compiler.capture.refusals import failing_as_fake, refuse, refuse_failure
from tensh.compiler.capture.signatures import Signatures, read_signature
from tensh.compiler.capture.watching import Watch
from tensh.compiler.configuration.settings import read_setting
from tensh.compiler.configuration.stance import (
    DEFAULT,
    EAGER,
    EAGER_ON_RECOMPILE,
    EAGER_THEN_COMPILE,
    FAIL_ON_RECOMPILE,
    stance,
)
from tensh.compiler.graph import make_graph, name_input, require_graphable
from tensh.compiler.programs.node import InputNode
from tensh.compiler.syntax.splitting import split_function
from tensh.engine.core.clock import mode
from tensh.engine.core.nodes import AccumulateGrad
from tensh.engine.core.views import refresh_node
from tensh.engine.dispatch.capture.recorder import state as capturing
from tensh.engine.dispatch.override.state import state as overriding
from tensh.engine.dtypes.dtype import get_default_dtype
from tensh.engine.errors.warnings import warn
from tensh.nn.modules.calls import AFTER, BACKWARD_AFTER, BACKWARD_BEFORE, BEFORE
from tensh.nn.modules.module import Module
from tensh.support.temporary import temporarily

SIZES = 64
"""The limit for all graphs of one function: other sizes run unchanged."""


class CaptureState(threading.local):
    """The running capture of a thread."""

    capturing = None
    unchanged = None  # the innermost function that runs unchanged because its backend is "eager"

    def stop(self, reason, title=None, whole=False):
        """Stop the running capture, if any, with the reason why there is no graph, and the first line of PyTorch's error.

        A function that is skipped as a ``whole`` is not split.
        """
        if self.capturing is not None:
            self.capturing.stop(reason, sys._getframe(2), title=title, whole=whole)
        elif self.unchanged is not None and self.unchanged.fullgraph:
            raise self.unchanged.refuse(Break(reason, title=title))

    def running_unchanged(self, function):
        """Return a context for a function with the backend "eager", or, with None, for one excluded from compilation."""
        return temporarily(self, unchanged=function)


running = CaptureState()


def is_plain():
    """Return True if nothing is active that a graph would miss: transforms, tangents, modes, hooks, other recorders."""
    return not (
        mode.levels or mode.transforms or mode.inference or mode.packing or mode.device is not None or mode.inspect is not None
        or overriding.modes or overriding.dispatch_modes or capturing.recorder is not None
        or BEFORE or AFTER or BACKWARD_BEFORE or BACKWARD_AFTER
    )  # fmt: skip


def read_surroundings():
    """Return the settings that determine what operators compute."""
    casting = sys.modules.get("tensh.amp.casting")
    return mode.grad, casting and casting.state.lower, get_default_dtype()


class CompiledFunction:
    """A function with its graphs; ``parts`` calls its compiled parts, if it was split.

    A part has an ``owner``, which reports once how the whole is run; a ``silent`` function reports nothing.
    """

    silent = is_eager = was_called = splits_within = False
    limit = None  # largest number of graphs that differ in more than sizes; None for that of the settings

    def __init__(self, function, fullgraph=False, dynamic=None, owner=None):
        self.function, self.fullgraph, self.dynamic, self.owner = function, fullgraph, dynamic, owner
        self.title = (getattr(function, "__qualname__", None) or type(function).__name__).replace("<locals>.", "")
        self.forget()

    def forget(self):
        """Forget the graphs, and why there were none."""
        self.graphs, self.off, self.reason, self.parts, self.members = [], False, None, None, []
        self.signatures, self.signature, self.constants = Signatures(self.dynamic), None, {}

    def __call__(self, args, kwargs):
        if stance.now is EAGER or stance.now is EAGER_THEN_COMPILE and not self.was_called:
            stance.refuse_unknown()
            self.was_called = True
            return self.function(*args, **kwargs)
        if self.is_eager:
            return self.run_unchanged(args, kwargs)
        if self.off or not is_plain():
            return self.function(*args, **kwargs)
        around = read_surroundings()
        for graph in self.graphs:
            if graph.around == around and (tensors := graph.guard(args, kwargs)) is not None:
                try:
                    return graph.call(tensors)
                except ReadMismatch:
                    continue
                except Exception as error:
                    if graph.program is not None and (place := graph.program.find_failure(error)):
                        error.add_note(f"in the compiled {self.title}, {place}")
                    raise
        if self.parts is not None:
            return self.run_parts(args, kwargs)
        if stance.now is not DEFAULT and self.refuses_more():
            return self.function(*args, **kwargs)
        if len(self.graphs) >= SIZES and self.dynamic is not False and not self.make_room():
            return self.function(*args, **kwargs)
        if self.graphs:
            self.require_first()
        limit = read_setting("recompile_limit") if self.limit is None else self.limit
        if len({graph.kind for graph in self.graphs} if self.dynamic is not False else self.graphs) >= limit:
            self.require_no_limit()
            reason = f"{limit} graphs were compiled, and this call needs another"
            return self.give_up(Break(reason, self.graphs[-1].decision), args, kwargs)
        return self.capture(args, kwargs, around)

    def make_room(self):
        """Return True if there may be another graph in place of one."""
        return False

    def require_first(self):
        """Raise RecompileError if the settings forbid further graphs."""
        if read_setting("error_on_recompile"):
            raise RecompileError(f"Recompiling function {self.title}, for which no compiled graph fits")

    def refuses_more(self):
        """Return True if the stance forbids further graphs.  Raise RuntimeError if it makes recompilation an error."""
        if stance.now is FAIL_ON_RECOMPILE:
            code = getattr(python_of(self.function), "__code__", None)
            place = (
                code
                and f"filename: '{code.co_filename}', function name: '{code.co_name}', line number: {code.co_firstlineno}"
            )
            raise RuntimeError(
                f"Detected recompile when torch.compile stance is 'fail_on_recompile'. {place or self.title}"
            )
        return stance.now is EAGER_ON_RECOMPILE

    def run_unchanged(self, args, kwargs):
        """Run a function whose backend is "eager".

        ``is_compiling`` is true in it if the stance allows a graph for the call.
        """
        kind, sizes = self.signature = read_signature(args, kwargs)
        if not self.signatures.fit(kind, sizes):
            if stance.now is not DEFAULT and self.refuses_more():
                return self.function(*args, **kwargs)
            if self.fullgraph and is_plain():
                result = self.run_checked(args, kwargs)
                self.signatures.add(kind, sizes)
                return result
            with running.running_unchanged(self), failing_as_fake(self.title):
                result = self.function(*args, **kwargs)
            self.signatures.add(kind, sizes)
            return result
        with running.running_unchanged(self):
            return self.function(*args, **kwargs)

    def run_checked(self, args, kwargs):
        """Run a function unchanged, and refuse it if PyTorch has no graph of it."""
        recorder, watch = GraphRecorder(), Watch(Guards(self.title))
        watch.thorough = True
        with temporarily(running, capturing=watch), recorder, watch:
            result = self.run_whole(watch, args, kwargs)
        for reason in watch.reason, recorder.reason, recorder.branch:
            if reason is not None and not reason.own:
                raise self.refuse(reason)
        return result

    def run_whole(self, watch, args, kwargs):
        """Run a function that must be one graph.  Raise PyTorch's error if it fails."""
        try:
            return self.function(*args, **kwargs)
        except BaseException as error:
            if watch.reason is not None and not watch.reason.own:
                raise self.refuse(watch.reason) from error
            refused = refuse_failure(self.title, error) if isinstance(error, Exception) else None
            if refused is None:
                raise
            raise refused from error

    def keep_constant(self, fn, args, kwargs):
        """Return what a function returned when it was first called with these arguments, in a call of this kind."""
        key = self.signature, fn, read_signature(args, kwargs)
        if key not in self.constants:
            self.constants[key] = fn(*args, **kwargs)
        return self.constants[key]

    def require_no_limit(self):
        """Raise FailOnRecompileLimitHit if there must be graphs for all calls."""
        if self.fullgraph:
            raise FailOnRecompileLimitHit("Hard failure due to fullgraph=True")
        if read_setting("fail_on_recompile_limit_hit"):
            raise FailOnRecompileLimitHit("Hard failure due to fail_on_recompile_limit_hit")

    def refuse(self, reason):
        """Return the error of a function that must be one graph and is not."""
        return refuse(self.title, reason)

    def run_parts(self, args, kwargs):
        """Run the parts, with Python between them."""
        if isinstance(self.function, Module) and self.function._is_hooked:
            return self.function(*args, **kwargs)
        return self.parts(*args, **kwargs)

    def give_up(self, reason, args, kwargs):
        """Run the function unchanged, and report it once."""
        self.note(reason, reason.place is not None)
        return self.function(*args, **kwargs)

    def note(self, reason, apart=True):
        """Split the function if it cannot be a graph, or run it unchanged from now on; report it once."""
        if self.fullgraph and not reason.own:
            raise self.refuse(reason)
        self.reason = reason
        if apart and not self.fullgraph:
            self.parts = split_function(python_of(self.function), reason.trail, self.start_part, self.splits_within)
        self.off = self.parts is None
        if self.owner is None and not self.silent:
            done = f"runs {self.title} uncompiled" if self.off else f"splits {self.title} into several graphs"
            warn(f"torch.compile {done}: {reason}")

    def start_part(self, function):
        """Make the function that is called in place of a part."""
        part = CompiledFunction(function, dynamic=self.dynamic, owner=self.owner or self)
        self.members.append(part)
        return wrap_function(part, function)

    def capture(self, args, kwargs, around):
        """Run the function unchanged, and make a graph of it."""
        guards, recorder, entries, watch = Guards(self.title), self.start_recorder(), [], None
        try:
            guards.require(f"len(args) == {len(args)}")
            for number, each in enumerate(args):
                guards.add(f"args[{number}]", each)
            guards.add("kwargs", kwargs)
            for _, tensor in guards.tensors.values():
                require_graphable(tensor)
            entries = self.add_inputs(recorder, guards, around)
            guards.add_parts(getattr(self.function, "module", self.function), frozenset())
            watch = Watch(guards)
        except Break as reason:
            return self.give_up(reason, args, kwargs)
        watch.thorough = self.fullgraph
        running.capturing, before = watch, running.capturing
        try:
            with recorder, watch:
                result = self.run_recorded(recorder, watch, args, kwargs)
        except Aborted:
            result = Aborted
        finally:
            running.capturing = before
            for tensor, entry in entries:
                if tensor.node is entry:
                    tensor.node = entry.was
        try:
            reasons = [each for each in (watch.reason, recorder.reason, self.fullgraph and recorder.branch) if each]
            if reasons:
                raise min(reasons, key=lambda each: each.own)  # the first for which PyTorch has no graph either
            if read_surroundings() != around:
                raise Break("the function leaves a mode of torch changed")
            self.graphs.append(self.make_graph(recorder, guards, result, args, kwargs, around, entries))
        except Break as reason:
            self.note(reason, not reason.wrong)
        finally:
            for _, entry in entries:
                entry.connect()
        return result if result is not Aborted else self.run_again(recorder, args, kwargs)

    # ── recording, and making the graph ──────────────────────────────────────
    def start_recorder(self):
        """Return the recorder of a call."""
        return GraphRecorder()

    def run_recorded(self, recorder, watch, args, kwargs):
        """Run the function under its recorder."""
        return self.run_whole(watch, args, kwargs) if self.fullgraph else self.function(*args, **kwargs)

    def add_inputs(self, recorder, guards, around):
        """Add the tensors among the arguments to a recorder; return those with a history, and their new nodes."""
        entries, given = [], list(guards.tensors.values())
        if around[0]:
            entries = [
                (t, InputNode(t))
                for _, t in given
                if refresh_node(t) is not None and type(t.node) is not AccumulateGrad
            ]
        for tensor, entry in entries:
            entry.connect()
            tensor.node = entry
        for path, tensor in given:
            recorder.add_input(tensor).name = name_input(path, self.function)
        return entries

    def make_graph(self, *recorded):
        """Return the graph of a recorded call."""
        return make_graph(self, *recorded)


compiled_functions: "weakref.WeakSet" = weakref.WeakSet()


def python_of(function):
    """Return the Python function that a call of ``function`` runs."""
    return getattr(function, "forward", function)


def compile_function(function, fullgraph=False, off=False, dynamic=None, limit=None):
    """Return the object that runs a function as graphs; with ``off`` it runs the function unchanged."""
    made = CompiledFunction(function, fullgraph, dynamic)
    made.is_eager, made.limit = off, limit
    compiled_functions.add(made)
    return made


def wrap_function(compiled, function):
    """Return a function that calls ``compiled`` in place of ``function``."""

    def call(*args, **kwargs):
        return compiled(args, kwargs)

    if hasattr(function, "__name__"):
        functools.update_wrapper(call, function)
    call.compiled = compiled
    call._torchdynamo_orig_callable = function
    return call
