"""Identity steps whose nodes have PyTorch's names for operations of nested tensors."""

from functools import cache

from tensh.engine.codegen.operator import Op


def label(t, node):
    """Add a named node at the end of a result's history."""
    return t if t.node is None else step(node, t._base is not None).fn(t)


@cache
def step(node, view):
    """Return the identity operator whose node has a name."""

    def kernel(input):
        return input[...]

    name = f"nested_{'view' if view else 'result'}_{node.lower()}"
    return Op(kernel, name, "The input.", {"input": "g"}, {"node": node, "view": view, "public": False, "out": False})
