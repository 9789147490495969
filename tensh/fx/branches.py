"""Functions within a graph: each branch or loop body becomes a graph module, whose inputs are the operator's operands.

Note [Values from outside]
What a function takes from outside itself is lifted: its graph gets an input for the value, and the operator an operand. All
functions of one operator have the same inputs, so those that only one of them reads are inputs of the others, too.
"""

import operator

from tensh.engine.core.tensor import Tensor
from tensh.func.trees import flatten, unflatten
from tensh.fx.graph import Graph
from tensh.fx.graph_module import GraphModule
from tensh.fx.merging import merge_results, require_carried
from tensh.fx.source_names import name_source

__all__ = ["BranchRecorder", "copy_graph", "list_members", "rename_inputs", "walk_nodes"]


class Branch:
    """A function's graph while it is recorded.

    ``lifted`` maps keys to values from outside and their inputs, ``own`` has the ids of constants that the function
    makes, and ``before`` what the recorder had set; ``spec`` and ``results`` are what it returned.
    """

    def __init__(self, before):
        self.before, self.graph, self.lifted, self.own = before, Graph(), {}, set()
        self.spec, self.results = None, []


class BranchRecorder:
    """The part of a recorder of graphs for the functions of higher-order operators.

    Recorders have ``graph``, name in ``SCOPE`` their other tables of one graph, and define ``stand_in`` (what a loop
    sees of what it carries), ``example`` (its value), ``to_argument`` (its node), ``describe`` (notes on a node),
    ``keep_part`` (a result) and ``plainly`` (a context without recording).
    """

    branch = None  # the innermost function that is being recorded
    taken = ()  # the operands of the last branch, with what its functions take from outside

    def record_higher_order(self, called, args):
        """Record a call of a higher-order operator on tensors, and return its result."""
        if called.rows:
            return self.record_rows(called, args)
        count = called.first + len(called.graphs)
        before, functions, operands = args[: called.first], args[called.first : count], args[count]
        (leaves, spec), more = flatten(tuple(operands)), args[-1] if called.apart else ()
        if not all(isinstance(each, Tensor) for each in (*leaves, *more)):
            return called.compute(*args)

        def call(function, *carried):
            return function(*unflatten(carried or leaves, spec), *more)

        branches = [self.record_branch(call, function, leaves if called.apart else ()) for function in functions]
        wanted = branches[-1].spec
        if not called.apart and branches[0].spec != wanted:
            raise RuntimeError(
                f"Unmatched output spec from torch.{called} branches: true branch tree_spec {branches[0].spec} vs false branch "
                f"tree_spec {wanted}."
            )
        with self.plainly():  # their sizes are no decisions of the program
            varying = compare_results(branches, [*map(self.example, leaves)] if called.apart else None)
        names = {id(each): f"l_args_{count}_{place}_" for place, each in enumerate(leaves)}
        lifted = order_lifted(functions, branches, names)
        modules = [close(branch, lifted, plain=called.apart and branch is branches[0]) for branch in branches]
        for module, function in zip(modules, functions):
            if getattr(function, "gives_list", False):
                give_list(module)
        nodes = [self.add_module(name, module) for name, module in zip(called.graphs, modules)]
        inputs = self.taken = tuple(lifted.values())
        tuples = (tuple(leaves), inputs) if called.apart else (inputs,)
        given = [tuple(map(self.to_argument, each)) for each in tuples]
        args = (*map(self.to_argument, before), *nodes, *given)
        node = self.graph.create_node("call_function", called, args, name=str(called))
        with self.plainly():
            values = [tuple(map(self.example, each)) for each in tuples]
            result = called.compute(*map(self.example, before), *modules, *values)
            known = [each for part in values for each in part]
            result = [each.view_as(each) if any(each is other for other in known) else each for each in result]
        self.describe(node, tuple(result))
        items = [self.graph.call_function(operator.getitem, (node, place)) for place in range(len(result))]
        for item, dim in zip(items, varying or ()):
            item.meta |= {} if dim is None else {"varying": dim}
        return unflatten([*map(self.keep_part, result, items)], wanted)

    def record_rows(self, called, args):
        """Record a scan or a map, whose function gets a row of its last operands at a time."""
        function, *operands, additional = args
        wholes, rows = [each for part in operands[:-1] for each in part], operands[-1]
        with self.plainly():
            examples = [*map(self.example, wholes), *(self.example(each)[0] for each in rows)]
        branch = self.record_branch(lambda function, *given: function(*given, *additional), function, examples)
        known = {key: value for key, (value, _) in branch.lifted.items()}
        given = {key: value for key, value in known.items() if any(value is each for each in additional)}
        lifted = given | known
        module = close(branch, lifted, plain=False)
        if wholes:
            give_list(module)
        inputs, added = tuple(lifted.values()), self.add_module(called.graphs[0], module)
        given = [*([*map(self.to_argument, part)] for part in operands), tuple(map(self.to_argument, inputs))]
        given[-1] = given[-1] if wholes else list(given[-1])
        node = self.graph.create_node("call_function", called, (added, *given), name=str(called))
        with self.plainly():
            values = [[*map(self.example, part)] for part in (*operands, inputs)]
            result = called.compute(module, *values)
        self.describe(node, tuple(result))
        return [
            self.keep_part(value, self.graph.call_function(operator.getitem, (node, place)))
            for place, value in enumerate(result)
        ]

    def record_branch(self, call, function, carried):
        """Record a function as a separate graph, whose first inputs are the carried values."""
        before = {name: getattr(self, name) for name in ("graph", "branch", *self.SCOPE)}
        branch = self.branch = Branch(before)
        vars(self).update({name: {} for name in self.SCOPE}, graph=branch.graph)
        try:
            inputs = [self.stand_in(each, branch.graph.placeholder("carried")) for each in carried]
            found, branch.spec = flatten(call(function, *inputs))
            branch.results = [*map(self.example, found)]
            branch.graph.output(tuple(map(self.to_argument, found)))
        finally:
            vars(self).update(before)
        outside = map(self.example, (*carried, *(value for value, _ in branch.lifted.values())))
        if writes_to(branch.graph, [each for each in outside if isinstance(each, Tensor)]):
            raise RuntimeError(
                "Higher order ops do not support input mutation: a branch or a loop writes to an operand"
            )
        return branch

    def lift(self, value, key):
        """Return the input of the function's graph for a value from outside; ``key`` tells values apart."""
        before = self.graph.find_nodes(op="placeholder")
        with self.graph.inserting_after(before[-1]) if before else self.graph.inserting_before():
            node = self.graph.placeholder("lifted")
        node.meta["val"] = self.example(value)
        self.branch.lifted[key] = value, node
        return node

    def add_module(self, name, module):
        """Add a graph module as a member of the graph, and return its node."""
        number = sum(each.op == "get_attr" and each.target.startswith(f"{name}_") for each in self.graph.nodes)
        node = self.graph.get_attr(f"{name}_{number}")
        self.describe(node, module)
        return node


def writes_to(graph, values):
    """Return True if an operator of the graph writes to the memory of one of the values."""
    names = [getattr(node.target, "_opname", "") for node in graph.nodes]
    written = [
        node.args[0].meta["val"]
        for name, node in zip(names, graph.nodes)
        if name.endswith("_") and not name.startswith("__")
    ]
    memory = {each.untyped_storage()._cdata for each in values}
    return any(each.untyped_storage()._cdata in memory for each in written)


def list_members(graph):
    """Return path -> value of what a graph reads from its module, in graph order."""
    return {node.target: node.meta["val"] for node in graph.nodes if node.op == "get_attr"}


def walk_nodes(graph):
    """Yield the nodes of a graph and of its branches, at any depth."""
    for node in graph.nodes:
        yield node
        if node.op == "get_attr" and isinstance(node.meta.get("val"), GraphModule):
            yield from walk_nodes(node.meta["val"].graph)


def compare_results(branches, carried):
    """Return the dimensions of ``merge_results`` for a choice; raise if a loop gives something else than it carries."""
    if carried is not None:
        return require_carried(branches[-1].results, carried)
    return merge_results([each.graph for each in branches]) if len(branches) == 2 else None


def order_lifted(functions, branches, names):
    """Return key -> value of what functions take from outside: what all read first, each part by PyTorch's names for it.

    ``names`` maps ids of operands to their names.
    """
    tables = [branch.lifted for branch in branches]
    common = [key for key in tables[0] if all(key in table for table in tables)]
    found = {}
    for place, (function, table) in enumerate(zip(functions, tables)):
        for keys in (common, [key for key in table if key not in common]):
            if place and keys is common:
                continue
            named = {key: names.get(key) or name_source(function, table[key][0], place) for key in keys}
            found |= {key: table[key][0] for key in sorted(keys, key=named.get)}
    return found


def close(branch, lifted, plain):
    """Return the module of a recorded function, whose inputs are all operands; its result is a tuple unless ``plain``."""
    inputs = [node for node in branch.graph.find_nodes(op="placeholder") if node.target == "carried"]
    inputs += [branch.lifted[key][1] if key in branch.lifted else key for key in lifted]
    graph = copy_graph(branch.graph, {each: f"arg{place}_1" for place, each in enumerate(inputs)})
    for node, value in zip(graph.find_nodes(op="placeholder")[len(inputs) - len(lifted) :], lifted.values()):
        node.meta.setdefault("val", value)
    if plain:
        graph.output_node().args = graph.output_node().args[0]
    return GraphModule(list_members(graph), graph, "<lambda>")


def give_list(module):
    """Let the graph of a function return a list instead of a tuple."""
    output = module.graph.output_node()
    output.args = (list(output.args[0]),)
    module.recompile()


def copy_graph(source, names):
    """Copy a graph, whose inputs become ``names`` (an input, or any other key for a new one -> its name)."""
    graph, made = Graph(), {}
    for each, name in names.items():
        made[each] = graph.placeholder(name)
        made[each].meta = dict(getattr(each, "meta", {}))
    for node in source.nodes:
        if node.op != "placeholder":
            made[node] = graph.node_copy(node, made.__getitem__)
    return graph


def rename_inputs(graph, numbers=None):
    """Name the inputs of branches after the operands that the graph gives them, also of branches within branches.

    Parts under autocast call the inputs of the whole program by their ``numbers`` (name -> position).
    """
    if numbers is None:
        numbers = {node.name: place for place, node in enumerate(graph.find_nodes(op="placeholder"))}
    for node in graph.nodes:
        kind = str(node.target) if node.op == "call_function" else ""
        modules, operands = list_functions(node, kind)
        names = [each.name for each in operands]
        if kind == "wrap_with_autocast":
            names = [f"arg{numbers[each]}_1" if each in numbers else each for each in names]
        for each in modules:
            module = each.meta["val"]
            inputs = module.graph.find_nodes(op="placeholder")
            module.graph = copy_graph(module.graph, dict(zip(inputs, names)))
            rename_inputs(module.graph, numbers)


def list_functions(node, kind):
    """Return (functions, their operands) of a node whose functions have inputs named after operands."""
    if kind == "cond":
        return node.args[1:3], node.args[3]
    if kind == "map_impl":
        return node.args[:1], [*node.args[1], *node.args[2]]
    if kind.startswith("wrap_with_"):
        return node.args[node.target.first : node.target.first + 1], node.args[node.target.first + 1 :]
    return (), ()
