"""The results of two branches as those of one operator: what must be equal, and the size that the choice decides.

What a loop gives must be like what it carries, too.
"""

from tensh.engine.core.tensor import Tensor
from tensh.fx.data_dependent import dimension_of
from tensh.fx.node import Node

CARRIED = "Expected body_fn_output and carried_inputs to have same "
__all__ = ["merge_results", "require_carried"]

DIFFERS = "When merging two branches' output in torch.cond,  expected same {} but got {} and {}."


def merge_results(graphs):
    """Return the dimension in which the choice between two graphs decides the size, or None, for each of their results.

    Raise RuntimeError for results of other dtypes or numbers of dimensions, for more than one such size, and for numbers.
    """
    first, second = (graph.output_node().args[0] for graph in graphs)
    return [merge(*pair) for pair in zip(first, second, strict=True)]


def merge(first, second):
    """Return the dimension whose size the choice between two results decides; None if there is none."""
    one, two = (each.meta["val"] if isinstance(each, Node) else each for each in (first, second))
    if not (isinstance(one, Tensor) and isinstance(two, Tensor)):
        if one is not two and one != two:
            raise RuntimeError(DIFFERS.format("number or None", one, two) + " Return a tensor instead.")
        return None
    for name, *known in (("dim", one.dim(), two.dim()), ("dtype", one.dtype, two.dtype)):
        if known[0] != known[1]:
            raise RuntimeError(DIFFERS.format(name, *known))
    found = [dim for dim, (size, other) in enumerate(zip(one.shape, two.shape)) if size != other]
    if len(found) > 1:
        raise RuntimeError(DIFFERS.format("sizes but one", list(one.shape), list(two.shape)))
    return found[0] if found else next((dim for dim in map(find_dimension, (first, second)) if dim is not None), None)


def find_dimension(result):
    """Return the first dimension, of a result or what it is computed from, whose size depends on elements."""
    seen, left = set(), [result]
    while left:
        node = left.pop()
        if node not in seen and (dim := dimension_of(node)) is not None:
            return dim
        seen.add(node)
        left += [each for each in node.all_input_nodes if each not in seen]
    return None


def require_carried(results, carried):
    """Raise RuntimeError unless a loop gives as many values as it carries, of their shapes and dtypes."""
    if len(results) != len(carried):
        raise RuntimeError(f"{CARRIED}number of outputs but got lhs:{results} and rhs:{carried}")
    different = [
        f"pair[{place}] differ in {', '.join(found)}"
        for place, pair in enumerate(zip(results, carried))
        if (found := list_differences(*pair))
    ]
    if different:
        raise RuntimeError(f"{CARRIED}metadata but found:\n" + "\n".join(different))


def list_differences(result, carried):
    """Describe the properties in which a result differs from what a loop carries."""
    pairs = ((name, getattr(result, name, None), getattr(carried, name)) for name in ("shape", "dtype"))
    return [f"'{name}: {one} vs {two}'" for name, one, two in pairs if one != two]
