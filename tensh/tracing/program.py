"""The trace of a function or module: its graph, and a module that computes it."""

from contextlib import nullcontext
from functools import partial

from tensh.engine.core.tensor import Tensor
from tensh.func.trees import flatten, kind_of, map_leaves, take_apart, unflatten
from tensh.fx import branches
from tensh.fx.graph_module import GraphModule
from tensh.fx.node import map_aggregate
from tensh.nn.modules.module import Module
from tensh.tracing.arguments import list_arguments, open_branches, walk_leaves
from tensh.tracing.deciding import drafting
from tensh.tracing.recording.recorder import Recorder
from tensh.tracing.sizes.unbacked import read_number
from tensh.tracing.untouched import RestoredState


class Program:
    """The result of a trace.

    ``graph`` has an input for every tensor among the arguments. ``result`` is what the run returned, ``structure`` the
    arguments with tensors replaced by indices in the list of inputs, ``leaves`` the (name, index or other value) of each
    argument in it, ``constants`` the tensors of the graph that are neither inputs nor members, ``made`` the ids of constants
    that the run made from numbers, and ``numbers`` of those that stand for a number that is written.
    """

    def __init__(self, root, graph, structure, result, constants, leaves=(), made=(), numbers=()):
        self.root, self.graph, self.structure, self.result, self.constants = root, graph, structure, result, constants
        self.leaves, self.made, self.numbers = list(leaves), made, numbers
        self.ranges = {}  # symbol of a number that the program reads -> (smallest, largest)
        self.names = []  # names of the arguments by position
        self.arguments = []  # (name, part of the structure) of each argument
        self.dynamic = {}  # index of an input -> {dimension: name}
        self.result_spec = None  # the structure of the result, if that is not known
        self.guards = []  # what sizes must satisfy beside their ranges (``decisions``)
        self.root_class = type(root)  # in a program from a file its name
        self.signatures = {}  # key of a call of a module -> its signature, if that is preserved
        self.mutations = {}  # node of a write after everything else -> (True for a member, path or name)
        self.counted = 0  # names of sizes that are taken before those that depend on elements
        self.compared = ()  # texts of the sizes that are read, in order, if not all of them are nodes

    @property
    def inputs(self):
        """The nodes of the inputs."""
        return self.graph.find_nodes(op="placeholder")

    def attributes(self):
        """Path -> value of what the graph reads from its module, in graph order."""
        return branches.list_members(self.graph)

    def modules(self):
        """Name -> graph module of the branches and loops of the graph."""
        return {path: value for path, value in self.attributes().items() if isinstance(value, Module)}

    def graph_module(self, name="GraphModule"):
        """Return the module that computes the graph, with the root's parameters and buffers."""
        return GraphModule(self.attributes(), self.graph, name)


class Place(int):
    """Index of a tensor argument in the list of inputs."""


def list_members(root):
    """Return id -> path for the parameters and buffers of a module."""
    found = {}
    for pairs in (root.named_parameters(remove_duplicate=False), root.named_buffers(remove_duplicate=False)):
        for path, value in pairs:
            found.setdefault(id(value), path)
    return found


def trace_program(
    function,
    args,
    kwargs=None,
    sizes=False,
    on_read=None,
    root=None,
    lasting=False,
    shift=None,
    preserved=(),
    read_item=None,
):
    """Run ``function(*args, **kwargs)`` and return its ``Program``. ``root`` is the module whose members become attributes.

    Writes of the run and the state of the random number generator are undone afterwards, unless ``lasting``, where
    branches and loops that depend on elements are recorded as the example takes them. ``sizes`` follows the sizes of
    tensors; ``on_read(kind, function)`` is called when Python reads elements. With a ``shift``, numbers that the
    program reads by ``item()`` are nodes, whose examples are larger by the shift; otherwise ``read_item(recorder,
    tensor)`` reads them, and transforms of ``torch.func`` are refused. ``preserved`` are paths of modules whose calls
    are noted. Raise UntracedValue if a tensor was computed by something that cannot be observed.
    """
    root = root if root is not None else function if isinstance(function, Module) else Module()
    drafting.traces += 1
    recorder = Recorder(list_members(root), sizes, on_read, branches=not lasting)
    ranges = {}
    if shift is not None:
        recorder.as_called, recorder.whole_slices = True, sizes
        recorder.read_item = partial(read_number, ranges=ranges, shift=shift)
    elif read_item is not None:
        recorder.read_item, recorder.refuses_transforms = read_item, True
    recorder.root, recorder.preserved = root, preserved
    recorder.paths = {module: path for path, module in root.named_modules() if path}
    structure, leaves = add_inputs(recorder, function, args, kwargs or {})
    tensors = [node.meta["val"] for node in recorder.graph.nodes]
    with nullcontext() if lasting else RestoredState(root, tensors) as untouched, recorder:
        result = function(*args, **(kwargs or {}))
        recorder.graph.note_number = None  # what the run computed is released
        if untouched is not None:
            untouched.record_assignments(recorder)
    recorder.graph.output(map_aggregate(open_branches(result), recorder.to_argument))
    recorder.graph.output_node().meta["val"] = result
    program = Program(
        root, recorder.graph, structure, result, recorder.constants, leaves, recorder.free, recorder.numbers
    )
    program.names, program.ranges, program.signatures = recorder.names, ranges, recorder.signatures
    program.arguments = [*zip(recorder.names, structure[0]), *structure[1].items()]
    return program


def add_inputs(recorder, function, args, kwargs):
    """Add the inputs, named after parameters; return (args, kwargs) with indices for tensors, and the leaves."""
    leaves, values, count = [], [], 0
    for name, path, value in list_arguments(function, args, kwargs):
        made = []
        for leaf_name, _, leaf in walk_leaves(value, name, path):
            if isinstance(leaf, Tensor):
                recorder.add_input(leaf_name, leaf)
                leaf, count = Place(count), count + 1
            leaves.append((leaf_name, leaf))
            made.append(leaf)
        if len(values) < len(args):
            recorder.names.append(name)
        values.append(unflatten(made, flatten(value)[1]))
    return (tuple(values[: len(args)]), dict(zip(kwargs, values[len(args) :], strict=True))), leaves


def fill(structure, inputs):
    """Return (args, kwargs) with tensors inserted into a program's structure."""
    return map_leaves(lambda leaf: inputs[leaf] if isinstance(leaf, Place) else leaf, structure)


def flatten_like(structure, args, kwargs):
    """Return the tensors among arguments in the order of a program's inputs. Raise TypeError for another structure."""
    found = []

    def walk(form, value, where):
        if isinstance(form, Place):
            if not isinstance(value, Tensor):
                raise TypeError(f"expected a tensor as {where}, but got {type(value).__name__}")
            found.append(value)
        elif isinstance(form, (tuple, list)):
            if not isinstance(value, (tuple, list)) or len(value) != len(form):
                raise TypeError(f"expected {len(form)} values as {where}, but got {value!r:.80}")
            for number, (part, each) in enumerate(zip(form, value)):
                walk(part, each, f"{where}[{number}]")
        elif isinstance(form, dict):
            if not isinstance(value, dict) or value.keys() != form.keys():
                raise TypeError(f"expected a dictionary with the keys {list(form)} as {where}, but got {value!r:.80}")
            for key, part in form.items():
                walk(part, value[key], f"{where}[{key!r}]")
        elif (kind := kind_of(form)) is not None:
            if kind_of(value) is not kind:
                raise TypeError(f"expected {kind.__name__} as {where}, but got {value!r:.80}")
            walk(take_apart(form, kind)[0], take_apart(value, kind)[0], where)

    walk(structure[0], args, "arguments")
    walk(structure[1], kwargs, "keywords")
    return found
