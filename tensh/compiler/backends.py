"""User-defined backends: functions that take a ``torch.fx`` graph and return the function to run in its place."""

import copy
import itertools
import operator
from contextlib import contextmanager, nullcontext

from tensh.amp import casting
from tensh.compiler.breaks import BackendCompilerFailed, Break
from tensh.compiler.capture.guard_code import compile_guards
from tensh.compiler.capture.names import read_code
from tensh.compiler.capture.refusals import failing_as_fake
from tensh.compiler.capture.results import ArgumentNumber, ElementRef, OutputRef, Result
from tensh.compiler.compiling import CompiledFunction, python_of, wrap_function
from tensh.compiler.configuration.settings import read_setting
from tensh.compiler.configuration.stance import FAIL_ON_RECOMPILE, stance
from tensh.compiler.fx_graphs.call_records import describe_guards, describe_record
from tensh.compiler.fx_graphs.function_graph import FunctionRecorder
from tensh.compiler.fx_graphs.input_names import root_of
from tensh.compiler.fx_graphs.nested_graphs import make_root
from tensh.compiler.fx_graphs.number_recording import DynamicFloat, DynamicInt
from tensh.compiler.fx_graphs.size_recording import SizePolicy, Symbol
from tensh.compiler.fx_graphs.size_symbols import resolve_sizes
from tensh.compiler.fx_graphs.sources import Sources, name_source
from tensh.compiler.registry import count_graph
from tensh.engine.core.clock import mode
from tensh.engine.core.tensor import Tensor
from tensh.engine.dtypes.size import Size
from tensh.engine.errors.warnings import is_tensh_file, without_warnings
from tensh.engine.random.generator import default_generator
from tensh.func import stepping
from tensh.func.in_steps import TransformsInSteps
from tensh.func.primitives import close_above, opened
from tensh.fx.graph_module import GraphModule
from tensh.nn.modules.module import Module
from tensh.support.temporary import temporarily
from tensh.tracing.sizes.numbers import TracedFloat, TracedInt, plain_number


class BackendFunction(CompiledFunction):
    """A function whose graphs are compiled by ``backend(graph_module, example_inputs)``.

    Its graphs contain calls of PyTorch's functions; guards, breaks and parts are those of every compiled function.
    """

    splits_within = True  # as PyTorch, for which numbers are inputs
    keeps_containers = True  # whether containers from outside are returned themselves

    def __init__(self, function, backend, fullgraph=False, dynamic=None, owner=None):
        self.backend, self.fresh, self.contents = backend, None, None  # the last two are of the running capture
        super().__init__(function, fullgraph, dynamic, owner)

    def start_part(self, function):
        part = BackendFunction(function, self.backend, dynamic=self.dynamic, owner=self.owner or self)
        self.members.append(part)
        return wrap_function(part, function)

    def capture(self, args, kwargs, around):
        """Run the function under a recorder, then the backend's version of its graph, whose result is returned.

        Written elements and the state of the generator are restored between the two.
        """
        state = default_generator.get_state()
        result = super().capture(args, kwargs, around)
        made, self.fresh, contents, self.contents = self.fresh, None, self.contents, None
        graph, tensors, recorder = made or (None, (), None)
        if recorder is None or any(tensor.requires_grad for tensor in recorder.written()):  # their history must stay
            if contents is not None:
                contents.make_plain(make_plain)
            return make_plain(result)
        recorder.undo_writes()
        default_generator.set_state(state)
        with without_warnings():
            return graph.call(tensors)

    def run_again(self, recorder, args, kwargs):
        """Run a function that was left where its graph ends from the beginning, in parts if it could be split."""
        leave_switches(*recorder.switches)
        recorder.undo_writes()
        default_generator.set_state(recorder.state)
        return self.function(*args, **kwargs) if self.parts is None else self.run_parts(args, kwargs)

    def forget(self):
        super().forget()
        self.families, self.policy = [], SizePolicy(self.dynamic)

    def make_room(self):
        """Forget the oldest call: the back end's function for it stays, as a family."""
        del self.graphs[0]
        return True

    def require_first(self):
        if not self.has_symbols():
            super().require_first()

    def refuses_more(self):
        return not (stance.now is FAIL_ON_RECOMPILE and self.has_symbols()) and super().refuses_more()

    def has_symbols(self):
        """Return True if a graph may fit a call that no guard accepts."""
        return any(family.table is not None for family in self.families)

    # ── recording, and making the graph ──────────────────────────────────────
    def start_recorder(self):
        root = root_of(self.function)
        return FunctionRecorder([*root.parameters(), *root.buffers()] if isinstance(root, Module) else ())

    def add_inputs(self, recorder, guards, around):
        """Return nothing: a tensor becomes an input of the graph on first use."""
        recorder.follow_sizes(self.policy, guards)
        return []

    def run_recorded(self, recorder, watch, args, kwargs):
        recorder.watch, code = watch, getattr(python_of(self.function), "__code__", None)
        watch.takes_transforms = watch.takes_writes = watch.takes_functions = True
        self.contents, recorder.state = recorder.guards.contents, default_generator.get_state()
        recorder.switches = read_switches()
        if not self.fullgraph:
            watch.may_abort = lambda: not any(tensor.requires_grad for tensor in recorder.written())
        watch.guarding, watch.make_plain = recorder.showing_numbers, make_plain
        refused = code is not None and not is_tensh_file(code.co_filename) and read_code(code).refused
        replacing = nullcontext((args, kwargs))
        if not refused:  # otherwise there is no graph, and the program may keep numbers
            replacing = recorder.replacing_numbers(self.function, args, kwargs)
        with (
            recorder.watching_numbers(),
            recorder.watching_regions(),
            recorder.watching_functions(),
            taking_apart(recorder),
            failing_as_fake(self.title),
            keeping_plain(self.contents),
            replacing as (args, kwargs),
        ):
            return super().run_recorded(recorder, watch, args, kwargs)

    def make_graph(self, recorder, guards, result, args, kwargs, around, entries):
        changed = guards.contents.list_changed()
        if not (self.keeps_containers and all(each.can_repeat() for each in changed)):
            guards.require_unchanged()
        guards.forget_unread(changed)
        given = [Given(path, tensor) for path, tensor in guards.tensors.values()]
        known = {id(each.tensor): number for number, each in enumerate(given)}
        tensors = [each for each in recorder.used if isinstance(each, Tensor) and id(each) not in recorder.floats]
        if any(id(each) not in known for each in tensors):
            raise Break("the function reads a tensor that no torch function created")
        structure = BackendResult(result, recorder, given, guards.contents if self.keeps_containers else None, changed)
        recorder.finish([node for node, _ in structure.outputs])
        structure.outputs = structure.views = None
        guard = compile_guards(guards, [(each.path, each.tensor) for each in given], around[0], structure.objects)
        with guards.contents.undone():
            tensors = guard(args, kwargs)
        if tensors is None or any(a is not b.tensor for a, b in zip(tensors, given)):
            raise Break("the function changes a value that it reads")
        tensor_facts = tuple((each.path, each.tensor.dim(), each.tensor.dtype) for each in given)
        kind = around, describe_guards(guards, recorder), tensor_facts
        family = self.find_family(recorder, guards, given, structure, kind)
        values = family.list_arguments(recorder.raw)
        values = [known[id(each)] if id(each) in known else Fixed(each) for each in values]
        made = BackendGraph(family.run, guard, around, values, structure, kind)
        self.fresh = made, tensors, recorder
        return made

    def find_family(self, recorder, guards, given, structure, kind):
        """Return the graph of an earlier call, if its record is that of this call and its sizes fit; else a new one."""
        shared = recorder.dynamic or recorder.numbers
        facts = describe_record(recorder, guards, given, structure, kind) if shared else None
        recorder.raw, nodes = list(recorder.used), list(recorder.graph.nodes)
        for family in self.families if shared else ():
            if family.facts == facts and family.table.fits(recorder.raw, nodes):
                return family
        if self.families:
            super().require_first()
            super().refuses_more()
        sources, table = Sources(guards, self.function), None
        texts = {key: sources.write(path) for key, (path, _) in guards.tensors.items()}
        if shared:
            numbers = {id(each): each.path for each in recorder.raw if isinstance(each, DynamicInt)}
            numbers |= recorder.floats
            texts |= {number: sources.write(path) for number, path in numbers.items()}
            table = resolve_sizes(recorder, [texts[id(each)] for each in recorder.raw])
        recorder.remove_unused()
        name_used(recorder, {number: name_source(text) for number, text in texts.items()})
        self.families.append(Family(self.compile_graph(recorder), facts, table, list_places(recorder)))
        return self.families[-1]

    def compile_graph(self, recorder):
        """Return the backend's function for a graph; None for a graph without calls."""
        graph = recorder.graph
        if all(node.op in ("placeholder", "output") for node in graph.nodes) and not graph.output_node().args[0]:
            return None
        if recorder.dynamic:
            graph = copy.deepcopy(graph)  # sizes that the program keeps refer to nodes of the recorded one
        count_graph(graph)
        module = GraphModule(make_root(recorder.modules), graph)
        try:
            made = self.backend(module, list(recorder.used))
            if not callable(made):
                raise AssertionError("compiler_fn did not return callable")
            return made
        except Exception as error:
            if read_setting("suppress_errors"):
                return module.forward
            name = getattr(self.backend, "__name__", type(self.backend).__name__)
            raise BackendCompilerFailed(f"backend={name!r} raised:\n{type(error).__name__}: {error}") from error


@contextmanager
def keeping_plain(contents):
    """A context that leaves no numbers of a graph in containers if it is left by an exception."""
    try:
        yield
    except BaseException:
        contents.make_plain(make_plain)
        raise


def taking_apart(recorder):
    """Return a context in which calls of torch.func are recorded as steps."""
    return temporarily(stepping.now, transforms=TransformsInSteps(recorder))


def make_plain(result):
    """Return the result of a recorded call without numbers that refer to a graph; what has none is returned itself."""
    if isinstance(result, (TracedInt, TracedFloat)):
        return plain_number(result)
    if type(result) in (list, tuple, Size):
        made = [make_plain(each) for each in result]
        return result if all(map(operator.is_, made, result)) else type(result)(made)
    if type(result) is dict:
        made = {key: make_plain(each) for key, each in result.items()}
        return result if all(made[key] is each for key, each in result.items()) else made
    return result


class Family:
    """A function of the back end, for all calls with the record ``facts`` whose sizes fit the ``table``.

    ``places`` are its arguments: an index of an input, or (index, dimension) for a size.
    """

    def __init__(self, run, facts, table, places):
        self.run, self.facts, self.table, self.places = run, facts, table, places

    def list_arguments(self, inputs):
        """Return the arguments for the inputs of a call: tensors and numbers."""
        given = ((inputs[place], dim) for place, dim in self.places)
        return [each if dim is None else each.array.shape[dim] for each, dim in given]


class Fixed:
    """A number, or the tensor of a float, that is an argument of a graph, in place of the index of a tensor."""

    def __init__(self, value):
        self.value = value if isinstance(value, Tensor) else int(value)


def list_places(recorder):
    """Return the places of the arguments of a graph among the inputs that were recorded."""
    numbers = {id(each): number for number, each in enumerate(recorder.raw)}
    return [each.places[0] if isinstance(each, Symbol) else (numbers[id(each)], None) for each in recorder.used]


class Given:
    """A tensor from outside, and the path to it."""

    def __init__(self, path, tensor):
        self.path, self.tensor = path, tensor


class BackendResult(Result):
    """The structure of a result whose new tensors are outputs, including views."""

    def add_bases(self, tensors, found):
        """Add nothing: a graph of functions returns views as they are."""

    def describe(self, part):
        if isinstance(part, (DynamicInt, DynamicFloat)):
            return ArgumentNumber(plain_number(part), part.path)
        if isinstance(part, (TracedInt, TracedFloat)):
            self.outputs.append((self.recorder.node_of_number(part), part))
            place = len(self.outputs) - 1
            return OutputRef(place) if isinstance(part, TracedInt) else ElementRef(place)
        return super().describe(part)

    def place(self, t, found):
        node = self.recorder.find(t)
        if node is None:
            raise Break(f"the result contains a {type(t).__name__} that no function created")
        if not any(each is t for _, each in self.outputs):
            self.outputs.append((node, t))


class BackendGraph:
    """The backend's function for a graph, with its guard."""

    decision = program = None  # reading elements in Python ends a graph

    def __init__(self, run, guard, around, places, rebuild, kind):
        self.run = run
        self.guard = guard
        self.around = around
        self.places = places
        self.rebuild = rebuild
        self.kind = kind

    def call(self, tensors):
        """Return the result for the tensors found by the guard."""
        made = ()
        if self.run is not None:
            before = read_switches()
            try:
                made = self.run(*[tensors[place] if type(place) is int else place.value for place in self.places])
            except BaseException:
                leave_switches(*before)
                raise
        return self.rebuild(tensors, [made] if isinstance(made, Tensor) else made)


def read_switches():
    """Return the modes that a graph may switch."""
    return len(opened.levels), mode.grad, casting.read_settings()


def leave_switches(depth, grad, settings):
    """Restore the modes that a graph which has failed left switched, or a function that was left where its graph ends."""
    close_above(depth)
    mode.grad = grad
    casting.restore_settings(settings)


def name_used(recorder, names):
    """Give the inputs their names, now that it is known where each came from; a second one of a name gets a number."""
    used = set()
    for tensor, node in zip(recorder.used, recorder.inputs, strict=True):
        if name := names.get(id(tensor)):
            several = (f"{name}{number}_" for number in itertools.count(1))
            name = next(each for each in itertools.chain([name], several) if each not in used)
            used.add(name)
            node.target = name
            node._rename(name.lower())
