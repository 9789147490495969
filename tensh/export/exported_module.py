"""An exported program as a graph module, which is called like the original module and can be changed."""

from tensh.engine.core.tensor import Tensor
from tensh.export.descriptions import SymbolicTensor, describe
from tensh.export.input_sizes import require_sizes
from tensh.func.trees import flatten
from tensh.fx.branches import list_members
from tensh.fx.graph import Graph
from tensh.fx.graph_module import GraphModule, assign_member
from tensh.fx.immutable_collections import immutable_dict, immutable_list
from tensh.fx.node import map_arg
from tensh.fx.pytree_codegen import PyTreeCodeGen, PyTreeInfo
from tensh.nn.modules.module import Module
from tensh.tracing.arguments import walk_leaves
from tensh.tracing.program import Place
from tensh.tracing.sizes.decisions import holds, write
from tensh.tracing.sizes.dims import read_derived, write_derived
from tensh.utils._pytree_paths import keystr

GUARDS = "_guards_fn"


class ExportedCodeGen(PyTreeCodeGen):
    """Generates code of a function with positional arguments and ``keywords``, whose nested structure is known."""

    def __init__(self, positional, keywords, spec, structure):
        super().__init__(PyTreeInfo([*positional, *keywords], *spec))
        self.positional, self.keywords, self.structure = positional, keywords, structure

    def flattened(self, names):
        named = ", ".join(f"'{name}':{name}" for name in self.keywords)
        return f"([{', '.join(self.positional)}], {{{named}}})"


class Guards(Module):
    """The sizes and non-tensor values that a program accepts; a call raises AssertionError for others."""

    def __init__(self, program):
        super().__init__()
        sources = list_sources(program)
        facts = [
            (source, tuple(program.inputs[leaf].meta["val"].shape), program.dynamic.get(leaf, {}))
            for source, (_, leaf) in zip(sources, program.leaves, strict=True)
            if isinstance(leaf, Place)
        ]
        constants = [
            (place, source, leaf)
            for place, (source, (_, leaf)) in enumerate(zip(sources, program.leaves, strict=True))
            if not isinstance(leaf, Place)
        ]
        own = {name for _, _, dynamic in facts for name in dynamic.values() if read_derived(name) is None}
        self.__dict__.update(
            _constants=constants, _facts=facts, _bounds=program.bounds, _guards=program.guards, _own=own
        )

    def _get_name(self):
        return "GuardsFn"

    def forward(self, *leaves):
        for place, source, value in self._constants:
            check_constant(source, value, leaves[place])
        known, sizes = {}, {}  # symbol -> its first dimension; symbol -> its size
        constant = {place for place, _, _ in self._constants}
        tensors = [value for place, value in enumerate(leaves) if place not in constant]
        derived = []
        for (name, shape, dynamic), value in zip(self._facts, tensors, strict=True):
            require(isinstance(value, Tensor), f"isinstance({name}, torch.Tensor)")
            require(value.dim() == len(shape), f"{name}.dim() == {len(shape)}")
            for dim, (size, wanted) in enumerate(zip(value.shape, shape, strict=True)):
                where = f"{name}.size()[{dim}]"
                if dim not in dynamic:
                    require(size == wanted, f"{where} == {wanted}")
                elif dynamic[dim] in self._own:
                    self._check_range(where, size, dynamic[dim])
                    first = known.setdefault(dynamic[dim], where)
                    require(size == sizes.setdefault(dynamic[dim], size), f"{where} == {first}")
                else:
                    derived.append((where, size, dynamic[dim]))
        for where, size, name in derived:
            root, factor, offset = read_derived(name)
            if root not in known:  # no input has its size
                shifted = f"({write_derived(where, 1, -offset)})" if offset else where
                require((size - offset) % factor == 0, f"{shifted} % {factor} == 0")
                sizes[root] = (size - offset) // factor
                known[root] = shifted + (f" // {factor}" if factor > 1 else "")
            scaled = known[root] if factor == 1 else f"{factor} * {known[root]}"
            form = f"{offset} + {scaled}" if offset else scaled
            require(size == factor * sizes[root] + offset, f"{where} == {form}")
            self._check_range(where, size, name)
        for guard in self._guards:
            require(holds(guard, sizes), write(guard, known))

    def _check_range(self, where, size, symbol):
        bounds = self._bounds[symbol]
        require((bounds.lower or 0) <= 2 or size >= bounds.lower, f"{where} >= {bounds.lower}")
        require(bounds.upper is None or size <= bounds.upper, f"{where} <= {bounds.upper}")


def list_sources(program):
    """Return the source of each leaf of the arguments, such as ``batch['image'][0]``."""
    positional, keywords = program.structure
    named = [*zip(name_arguments(program, len(positional)), positional, strict=True), *keywords.items()]
    return [f"{name}{keystr(path)}" for name, value in named for _, path, _ in walk_leaves(value, name)]


class ExportedModule(GraphModule):
    """An exported program as a module, called like the original one.

    ``spec`` has the structures of arguments and result.  Without ``guarded``, only the ranges of sizes are checked.
    Constants that are no ``buffers`` are plain attributes.
    """

    _check_ranges = None

    def __init__(self, program, members, constants, spec, guarded=True, buffers=()):
        self.__dict__["_check_ranges"] = None if guarded else lambda leaves: require_sizes(program, leaves)
        graph = write_graph(program, members, spec, guarded)
        super().__init__(members | list_branches(graph) | ({GUARDS: Guards(program)} if guarded else {}), graph)
        for path, value in members.items():  # also those that no node reads
            assign_member(value, self, path)
        for name in (*list_branches(graph), GUARDS):  # after the modules of the program
            if name in self._modules:
                self._modules[name] = self._modules.pop(name)
        for path in constants:
            *parents, name = path.split(".")
            owner = self.get_submodule(".".join(parents))
            if name in owner._buffers and path in buffers:
                owner._non_persistent_buffers_set.add(name)
            elif name in owner._buffers:
                setattr(owner, name, vars(owner)["_buffers"].pop(name))

    def __call__(self, *args, **kwargs):
        """Run the program.

        Raise AssertionError for invalid sizes and values, ValueError for another structure of arguments.
        """
        structure = getattr(self.graph._codegen, "structure", None)  # None after the code generator was changed
        if structure is not None and self._check_ranges is not None:
            self._check_ranges(flatten((args, match_structure(structure, args, kwargs)))[0])
        return super().__call__(*args, **kwargs if structure is None else match_structure(structure, args, kwargs))

    def train(self, mode=True):
        """Raise NotImplementedError: the mode was fixed by the export."""
        raise NotImplementedError("Calling train() is not supported yet.")

    def eval(self):
        """Raise NotImplementedError: the mode was fixed by the export."""
        raise NotImplementedError("Calling eval() is not supported yet.")


def write_graph(program, members, spec, guarded):
    """Return a graph with the leaves of nested arguments as inputs, and weights as attributes in the order of ``members``."""
    graph, made, inputs = Graph(), {}, program.inputs
    rest = [node for node in program.graph.nodes if node.op != "placeholder"]
    for path, value in members.items():  # also those that no node reads
        nodes = [node for node in rest if reads_tensor(node) and node.target == path]
        read = graph.get_attr(path)
        read.meta = (nodes[0].meta if nodes else {}) | {"val": SymbolicTensor(value.shape, value.dtype)}
        made |= dict.fromkeys(nodes, read)
    leaves = []
    for name, leaf in program.leaves:
        node = graph.placeholder(name)
        if isinstance(leaf, Place):
            made[inputs[leaf]] = node
            node.meta, node.name = inputs[leaf].meta | {"val": describe(inputs[leaf])}, inputs[leaf].name
        leaves.append(node)
    if guarded:
        graph.call_module(GUARDS, tuple(leaves)).name = GUARDS
    for node in rest:
        if node in made:
            continue
        if node.op == "output":
            found = flatten(as_plain(node.args[0]))[0]
            made[node] = graph.output(map_arg(tuple(found), lambda each: made[each]))
        else:
            made[node] = graph.node_copy(node, made.__getitem__)
            made[node].meta["val"] = describe(node)
    positional, keywords = program.structure
    names = name_arguments(program, len(positional))
    graph.set_codegen(ExportedCodeGen(names, list(keywords), spec, program.structure))
    return graph


def list_branches(graph):
    """Return name -> graph module of the branches and loops of a graph."""
    return {name: value for name, value in list_members(graph).items() if isinstance(value, GraphModule)}


def reads_tensor(node):
    """Return True for a node that reads a parameter, a buffer or a constant."""
    return node.op == "get_attr" and isinstance(node.meta["val"], Tensor)


def name_arguments(program, count):
    """The names of the arguments by position: of a nested one, what the names of its leaves have in common with its path."""
    names, used = [], 0
    for number, each in enumerate(program.structure[0][:count]):
        size = len(flatten(each)[0])
        leaves = [name for name, _ in program.leaves[used : used + size]]
        used += size
        names.append(program.names[number] if number < len(program.names) else leaves[0] if leaves else f"arg{number}")
    return names


def as_plain(value):
    """Return a value with plain lists and dictionaries instead of those of a graph."""
    match value:
        case immutable_dict():
            return {key: as_plain(each) for key, each in value.items()}
        case immutable_list():
            return [as_plain(each) for each in value]
        case tuple() if type(value) is tuple:
            return tuple(as_plain(each) for each in value)
    return value


def match_structure(structure, args, kwargs):
    """Return the keywords in the order of a structure.  Raise PyTorch's ValueError for unknown arguments."""
    if kwargs.keys() != structure[1].keys():
        raise ValueError(
            f"Ran into a kwarg keyword mismatch: Got the following keywords {list(kwargs)} but expected {list(structure[1])}"
        )
    kwargs = {name: kwargs[name] for name in structure[1]}
    expected, given = flatten(structure)[1], flatten((tuple(args), kwargs))[1]
    if expected != given:
        raise ValueError(
            f"Trying to flatten user inputs with exported input tree spec: \n{expected}\nbut actually got inputs with tree spec of: "
            f"\n{given}.\nPlease check that the inputs have the same number and type of args and kwargs as the ones you used when "
            "tracing."
        )
    return kwargs


def check_constant(source, wanted, value):
    """Raise AssertionError if an argument that is not a tensor differs from that of the example."""
    if wanted is not None and (isinstance(value, Tensor) or value != wanted):
        raise AssertionError(f"Guard failed: {source} == {wanted!r}")


def require(holds, guard):
    """Raise AssertionError, naming the guard, unless it holds.  As in PyTorch, sizes 0 and 1 pass where 2 does."""
    if not holds:
        raise AssertionError(f"Guard failed: {guard}")
