"""The lines of a traced module's method: a call of a submodule is one line, and members are read before everything else."""

from tensh.jit.ir import Lines
from tensh.jit.scopes import NOWHERE


class MethodLines(Lines):
    """The lines of a graph whose nodes know in which calls of submodules they ran (``calls``)."""

    def __init__(self, root, graph, owner, members=None):
        super().__init__(graph, owner)
        self.root, self.read, self.counts, self.done = root, {}, {}, set()
        self.nameless = set()  # names of what calls give

    def write_member(self, node):
        """Leave a member until it is used."""

    def name_of_member(self, node):
        return self.read_member(node.target, "Tensor")

    def write_node(self, node):
        calls = node.meta.get("calls", ())
        if not calls or node.op in ("placeholder", "output", "get_attr"):
            return super().write_node(node)
        if calls[0] not in self.done:
            self.done.add(calls[0])
            self.write_method(calls[0])
        return None

    def write_method(self, call):
        """Write the call of a submodule: it takes what its operators read from outside, and gives what is read outside."""
        inside = [each for each in self.graph.nodes if each.meta.get("calls", ())[:1] == (call,)]
        known, taken = set(inside), {}
        for node in inside:
            taken |= {each: None for each in node.all_input_nodes if each not in known and each.op != "get_attr"}
        given = [node for node in inside if any(each not in known for each in node.users)]
        if not given:
            return
        owner = self.read_member(call.path, f"__torch__.{name_of_class(self.root.get_submodule(call.path))}")
        count = self.counts[call.path] = self.counts.get(call.path, 0) + 1
        method = "forward" if count == 1 else f"forward{count - 1}"
        attribute = ("name", method, f'[name="{method}"]')
        inputs = [owner, *(self.value(each, NOWHERE, as_tensor=True) for each in taken)]
        for node in inside:
            self.take_names(node)
        whole = self.number()
        kind = "Tensor" if len(given) == 1 else f"({', '.join(['Tensor'] * len(given))})"
        self.emit([(whole, kind, None)], "prim::CallMethod", inputs, attribute=attribute)
        if len(given) == 1:
            self.names[given[0]] = whole
            self.nameless.add(whole)
            return
        names = [self.number(place) for place in range(len(given))]
        self.emit(
            [(name, "Tensor", node.meta["val"]) for name, node in zip(names, given)], "prim::TupleUnpack", [whole]
        )
        self.names.update(zip(given, names))
        self.nameless |= set(names)

    def take_names(self, node):
        """Name operands, but not what calls give, which is a value of its own."""
        known = node.meta.get("names", {}).items()
        for each, name in known:
            if each in self.names and self.names[each] not in self.nameless:
                self.rename(self.found[self.names[each]], name)

    def read_member(self, path, kind):
        """Return the name of a member, which is read by lines before all others."""
        if path not in self.read:
            above, start, parts = "%self", len(self.lines), path.split(".")
            for place, part in enumerate(parts):
                last = place == len(parts) - 1
                owner = (
                    kind
                    if last
                    else f"__torch__.{name_of_class(self.root.get_submodule('.'.join(parts[: place + 1])))}"
                )
                made = self.number()
                self.emit([(made, owner, None)], "prim::GetAttr", [above], attribute=("name", part, f'[name="{part}"]'))
                self.rename(self.found[made], f"_{part}" if part.isdigit() else part)
                above = made
            self.lines = self.lines[start:] + self.lines[:start]
            self.read[path] = above
        return self.read[path]


def name_of_class(module):
    """Return the name of a traced submodule's class."""
    cls = type(getattr(module, "_original", module))
    return f"{cls.__module__}.{cls.__qualname__}".replace("<locals>.", "")
