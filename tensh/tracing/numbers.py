"""Sizes that are followed through a trace: whole numbers that know their node of the graph."""

import operator


class TracedInt(int):
    """An int of a trace: a size, or what is computed from sizes.  Where a graph is wanted, the node stands for the number.

    Arithmetic between whole numbers is recorded; comparisons, and what makes another kind of number, see a plain int.
    """

    def __new__(cls, value, node):
        made = int.__new__(cls, value)
        made.node = node
        return made

    def __reduce__(self):
        return int, (int(self),)

    def __deepcopy__(self, memo):
        return self


def define(name, reflected=False):
    function = getattr(operator, name)

    def apply(self, *others):
        if any(type(each) not in (int, TracedInt) for each in others):
            return getattr(int, method)(int(self), *others)
        pair = (*others, self) if reflected else (self, *others)
        value = function(*map(int, pair))
        nodes = tuple(each.node if isinstance(each, TracedInt) else each for each in pair)
        node = self.node.graph.call_function(function, nodes)
        node.meta["val"] = value
        return TracedInt(value, node)

    method = f"__{'r' if reflected else ''}{name}__"
    apply.__name__ = method
    setattr(TracedInt, method, apply)


for each in ("add", "sub", "mul", "floordiv", "mod"):
    define(each)
    define(each, reflected=True)
define("neg")
