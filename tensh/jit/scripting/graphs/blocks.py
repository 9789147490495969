"""Graphs with blocks: the lines of branches and loops stand within the line that chooses or repeats them."""

from tensh.jit.graphs.graph_objects import Node, Use, Value
from tensh.jit.language.types import name_of
from tensh.jit.scripting.kinds import text_of

__all__ = ["Block", "Line", "ScriptGraph", "ScriptType", "ScriptValue", "lines_of", "values_of"]


class ScriptType:
    """The type of a value in the graph of a script."""

    def __init__(self, kind):
        self.value_kind = kind

    @property
    def annotation_str(self):
        """The type as an annotation of Python."""
        return name_of(self.value_kind)

    def kind(self):
        """Return the name of PyTorch's class of types."""
        from tensh.jit.graphs.graph_objects import Type

        return "OptionalType" if str(self).endswith("?") else Type(str(self), None).kind()

    def __str__(self):
        return text_of(self.value_kind)

    __repr__ = __str__


class ScriptValue(Value):
    """A value of a script's graph, of which the type is known and nothing else."""

    def __init__(self, name, kind, node):
        super().__init__(name, None, None, node)
        self.value_kind = kind
        self.fields = ()  # names of the elements of a tuple that has them
        self.literal = False  # True for an empty list without a declared type, which keeps no name
        self.assigned = False
        self.shown = None  # the type as graphs print it, if more is known than its kind

    @property
    def text(self):
        """The type as graphs print it."""
        return self.shown or text_of(self.value_kind)

    @text.setter
    def text(self, text):
        pass

    def type(self):
        """Return the type."""
        return ScriptType(self.value_kind)


class Block:
    """The lines of a branch or of a loop's body, with the values that enter and leave."""

    def __init__(self, owner):
        self.owner = owner
        self.entry = Line(self, "prim::Param", [])
        self.lines, self.left = [], []

    @property
    def entering(self):
        return self.entry.given

    def inputs(self):
        """Return the values that enter the block."""
        return iter(self.entering)

    def outputs(self):
        """Return the values that leave the block."""
        return iter(self.left)

    def nodes(self):
        """Return the lines of the block."""
        return iter(self.lines)

    def add_input(self, name, kind):
        made = ScriptValue(f"%{name}", kind, self.entry)
        self.entering.append(made)
        return made

    def print(self, indent):
        return "".join(each.print(indent) for each in self.lines)


class Line(Node):
    """A line of a script's graph: an operator, or a branch or a loop with its blocks."""

    def __init__(self, owner, kind, inputs, suffix="", attribute=None):
        super().__init__(owner, kind, inputs, "", suffix, attribute)
        self.within, self.writes = [], False
        self.path, self.called = None, None  # the full name of a function, and what a call calls, as compiled

    def blocks(self):
        """Return the blocks of a branch or a loop."""
        return iter(self.within)

    def print(self, indent="  "):
        if self.kind() == "prim::fork":
            return self.print_task(indent)
        text = indent + str(self)
        for place, block in enumerate(self.within):
            taken = ", ".join(f"{each.name} : {each.text}" for each in block.entering)
            given = ", ".join(each.name for each in block.left)
            text += f"{indent}  block{place}({taken}):\n{block.print(indent + '    ')}{indent}    -> ({given})\n"
        return text

    def print_task(self, indent):
        """Return the line of a task, which reads what its block does; the block is printed as a graph after the whole one."""
        graph = self
        while not isinstance(graph, ScriptGraph):
            graph = graph.owner
        name = f"prim::fork_{len(graph.tasks)}"
        entering = read_from_outside(self.within[0])
        graph.tasks.append((name, self.within[0], entering))
        result, read = self.given[0], ", ".join(each.name for each in entering)
        return f"{indent}{result.name} : {result.text} = {name}({read}){self.suffix}\n"


def read_from_outside(block):
    """Return the values that the lines of a block read and that are made outside, without constants."""
    own = set(values_of(block))
    read = [*(each for line in lines_of(block) for each in line.taken), *block.left]
    return list(dict.fromkeys(each for each in read if each not in own and each.node().kind() != "prim::Constant"))


class ScriptGraph(Block):
    """The graph of a scripted function or method, printed as TorchScript prints it."""

    __module__ = "torch"

    def __init__(self):
        super().__init__(None)

    def return_node(self):
        """Return the line that returns."""
        return Line(self, "prim::Return", self.left)

    def param_node(self):
        """Return the node that gives the inputs."""
        return self.entry

    def findAllNodes(self, kind, recurse=True):
        """Return the lines of an operator, such as ``aten::add``."""
        return [each for each in (lines_of(self) if recurse else self.lines) if each.kind() == kind]

    def findNode(self, kind, recurse=True):
        """Return the first line of an operator; None if there is none."""
        return next(iter(self.findAllNodes(kind, recurse)), None)

    def count_uses(self):
        """Write into every value where it is used."""
        lines = list(lines_of(self))
        for value in [*self.entering, *(each for line in lines for each in line.given)]:
            value.users = []
        for block in blocks_of(self):
            for value in block.entering:
                value.users = []
        for line in lines:
            for place, value in enumerate(line.taken):
                value.users.append(Use(line, place))
        for block in blocks_of(self):
            leaving = Line(block, "prim::Return", [])
            leaving.taken = block.left
            for place, value in enumerate(block.left):
                value.users.append(Use(leaving, place))

    def str(self, print_source_ranges=True):
        """Return the graph as text."""
        return str(self)

    def __str__(self):
        self.tasks = []  # name, block and values read of the tasks whose lines have been printed
        text = print_graph(self, self.entering)
        for name, block, entering in self.tasks:
            constants = [each for each in self.lines if each.kind() == "prim::Constant" and is_read(each, block)]
            text += f"with {name} = {print_graph(block, entering, constants)}"
        return text

    __repr__ = __str__


def print_graph(block, entering, constants=()):
    """Return a block as the text of a graph that takes some values; ``constants`` are lines before its own."""
    taken = ",\n      ".join(f"{each.name} : {each.text}" for each in entering)
    lines = "".join(each.print("  ") for each in constants) + block.print("  ")
    return f"graph({taken}):\n{lines}  return ({', '.join(each.name for each in block.left)})\n"


def is_read(line, block):
    """Return True if the lines of a block read what a line gives."""
    return any(each in line.given for inner in lines_of(block) for each in inner.taken)


def blocks_of(block):
    """Yield a block and all blocks within it."""
    yield block
    for line in block.lines:
        for each in line.within:
            yield from blocks_of(each)


def values_of(block):
    """Yield the values that enter a block or are made within it, also in inner blocks."""
    yield from block.entering
    for line in lines_of(block):
        yield from line.given
        for each in line.within:
            yield from each.entering


def lines_of(block, tasks=True):
    """Yield all lines of a block, inner blocks after the line they belong to; ``tasks`` includes the blocks of tasks."""
    for line in block.lines:
        yield line
        for each in line.within if tasks or line.kind() != "prim::fork" else ():
            yield from lines_of(each, tasks)
