"""The lines of a traced module's method: a call of a submodule is one line, and members are read before everything else."""

from tensh.jit.graphs.graph_objects import type_of
from tensh.jit.graphs.ir import Lines
from tensh.jit.graphs.scopes import NOWHERE
from tensh.jit.language.type_names import name_type


class MethodLines(Lines):
    """The lines of a graph whose nodes know in which calls of submodules they ran (``calls``).

    With a ``path`` they are those of the first call of the submodule there. ``before`` (path -> number) are the calls of
    submodules in methods that were traced before this one.
    """

    def __init__(self, root, graph, owner, members=None, path="", before=()):
        super().__init__(graph, owner)
        self.path, self.prefix = path, find_call(graph, path) if path else ()
        self.root, self.read, self.counts, self.done = root, {}, dict(before), set()
        self.nameless = set()  # names of what calls give

    def write_member(self, node):
        """Leave a member until it is used."""

    def name_of_member(self, node):
        return self.read_member(node.target, "Tensor")

    def write_node(self, node):
        calls = node.meta.get("calls", ())
        if len(calls) == len(self.prefix) or node.op in ("placeholder", "output", "get_attr"):
            return super().write_node(node)
        call = calls[len(self.prefix)]
        if call not in self.done:
            self.done.add(call)
            self.write_method(call)
        return None

    def write(self):
        """Make the lines; return self."""
        if not self.path:
            return super().write()
        inside, taken, given = self.take_apart(self.prefix)
        for place, node in enumerate(taken, 1):
            name = f"%{self.name_outside(node) or f'argument_{place}'}"
            name = f"%argument_{place}" if name in self.found else name
            self.names[node] = self.add_input(name, type_of(node.meta["val"]), node.meta["val"])
        for node in inside:
            self.write_node(node)
        for node in given:
            if self.names[node] not in self.nameless and (name := self.name_used(node)):
                self.rename(self.found[self.names[node]], name)
        self.result = given[0].meta["val"] if len(given) == 1 else tuple(node.meta["val"] for node in given)
        self.emit([], "prim::Return", [self.value(given[0] if len(given) == 1 else tuple(given), NOWHERE)])
        return self

    def name_outside(self, node):
        """Return the name of a value where the submodule is called; None if it has none, as what another call gives."""
        if node.op == "placeholder":
            return node.target
        if len(node.meta.get("calls", ())) >= len(self.prefix):
            return None
        return self.name_used(node)

    def name_used(self, node):
        """Return the name of a value where it is first used."""
        return next((each.meta["names"][node] for each in self.graph.nodes if node in each.meta.get("names", ())), None)

    def take_apart(self, calls):
        """Return (the nodes of a call, the values that they read from outside, the nodes that are read outside)."""
        inside = [each for each in self.graph.nodes if each.meta.get("calls", ())[: len(calls)] == calls]
        known, taken = set(inside), {}
        for node in inside:
            taken |= {each: None for each in node.all_input_nodes if each not in known and each.op != "get_attr"}
        return inside, taken, [node for node in inside if any(each not in known for each in node.users)]

    def write_method(self, call):
        """Write the call of a submodule: its inputs are read from outside, and its results are read outside."""
        inside, taken, given = self.take_apart((*self.prefix, call))
        if not given:
            return
        owner = self.read_member(call.path, name_type(self.root.get_submodule(call.path)))
        count = self.counts[call.path] = self.counts.get(call.path, 0) + 1
        method = "forward" if count == 1 else f"forward{count - 1}"
        attribute = ("name", method, f'[name="{method}"]')
        inputs = [owner, *(self.value(each, NOWHERE, as_tensor=True) for each in taken)]
        for node in inside:
            self.take_names(node)
        whole = self.number()
        # the result of a script has the example's type
        is_script = all(node.op == "call_module" for node in inside)
        kinds = [type_of(node.meta["val"]) if is_script else "Tensor" for node in given]
        kind = kinds[0] if len(given) == 1 else f"({', '.join(kinds)})"
        self.emit([(whole, kind, None)], "prim::CallMethod", inputs, attribute=attribute)
        if len(given) == 1:
            self.names[given[0]] = whole
            self.nameless.add(whole)
            return
        names = [self.number(place) for place in range(len(given))]
        self.emit(
            [(name, type_of(node.meta["val"]), node.meta["val"]) for name, node in zip(names, given)],
            "prim::TupleUnpack",
            [whole],
        )
        self.names.update(zip(given, names))
        self.nameless |= set(names)

    def take_names(self, node):
        """Name operands, but not what calls give, which is a separate value."""
        known = node.meta.get("names", {}).items()
        for each, name in known:
            if each in self.names and self.names[each] not in self.nameless:
                self.rename(self.found[self.names[each]], name)

    def read_member(self, path, kind):
        """Return the name of a member, which is read by lines before all others."""
        if path not in self.read:
            skipped = self.path.count(".") + 1 if self.path else 0
            above, start, parts = "%self", len(self.lines), path.split(".")
            for place, part in list(enumerate(parts))[skipped:]:
                last = place == len(parts) - 1
                owner = kind if last else name_type(self.root.get_submodule(".".join(parts[: place + 1])))
                made = self.number()
                self.emit([(made, owner, None)], "prim::GetAttr", [above], attribute=("name", part, f'[name="{part}"]'))
                self.rename(self.found[made], f"_{part}" if part.isdigit() else part)
                above = made
            self.lines = self.lines[start:] + self.lines[:start]
            self.read[path] = above
        return self.read[path]


class InlinedLines(Lines):
    """The lines of a traced module together with those of its submodules."""

    def __init__(self, root, graph, owner, members=None):
        super().__init__(graph, owner, members)
        self.root, self.read = root, {"": "%self"}

    def write_node(self, node):
        if node.op == "call_module":
            return self.write_script(node)
        return super().write_node(node)

    def write_script(self, node):
        """Write the call of a scripted submodule with branches, and what reads the elements of its result."""
        inputs = [self.read_path(node.target), *(self.value(each, NOWHERE, as_tensor=True) for each in node.args)]
        value, whole = node.meta["val"], self.number()
        several = isinstance(value, tuple)
        kind = f"({', '.join(['Tensor'] * len(value))})" if several else type_of(value)
        attribute = ("name", "forward", '[name="forward"]')
        self.emit([(whole, kind, None if several else value)], "prim::CallMethod", inputs, attribute=attribute)
        self.names[node] = whole
        if several:
            names = [self.number(place) for place in range(len(value))]
            given = [(name, type_of(each), each) for name, each in zip(names, value)]
            self.emit(given, "prim::TupleUnpack", [whole])
            self.names.update({each: names[each.args[1]] for each in node.users})

    def write_member(self, node):
        if node.target not in self.constants:
            self.names[node] = self.read_path(node.target, "Tensor")

    def read_path(self, target, kind=None):
        """Return the name of a member, which is read part by part; its type is ``kind``, or that of the module there."""
        parts = target.split(".")
        for place, part in enumerate(parts):
            above, path = self.read[".".join(parts[:place])], ".".join(parts[: place + 1])
            if path not in self.read:
                own = kind if kind and path == target else name_type(self.root.get_submodule(path))
                made = self.read[path] = self.number()
                self.emit([(made, own, None)], "prim::GetAttr", [above], attribute=("name", part, f'[name="{part}"]'))
                self.rename(self.found[made], f"_{part}" if part.isdigit() else part)
        return self.read[target]


def find_call(graph, path):
    """Return the calls that the first call of the submodule at a path consists of, the outermost first."""
    for node in graph.nodes:
        calls = node.meta.get("calls", ())
        found = next((place for place, each in enumerate(calls) if each.path == path), None)
        if found is not None:
            return calls[: found + 1]
    raise AttributeError(f"the submodule {path} computes nothing in the trace")


def count_calls(graph):
    """Return path -> number of calls of each submodule in a graph."""
    calls = {each: None for node in graph.nodes for each in node.meta.get("calls", ())}
    found = {}
    for each in calls:
        found[each.path] = found.get(each.path, 0) + 1
    return found
