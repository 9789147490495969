"""Dynamic dimensions as they occur among the arguments of an example."""

from tensh.tracing.arguments import list_inputs
from tensh.tracing.sizes.dims import read_derived
from tensh.tracing.sizes.dynamic import root_of
from tensh.utils._pytree_paths import keystr


class Dimension:
    """A dynamic dimension of the example: source (``L['x'].size()[0]``), size, and whether it is ``derived`` from another."""

    def __init__(self, place, path, dim, size, derived):
        self.source, self.size, self.derived = f"L{keystr(path)}.size()[{dim}]", size, derived
        self.home = place, dim


def list_dimensions(model, args, kwargs, dynamic):
    """Return name of a dynamic dimension -> its occurrences among the arguments, in order."""
    found = {}
    for place, (path, _, value) in enumerate(list_inputs(model, args, kwargs)):
        for dim, name in dynamic.get(place, {}).items():
            _, factor, offset = read_derived(name) or (name, 1, 0)
            size = (value.shape[dim] - offset) // factor
            found.setdefault(root_of(name), []).append(
                Dimension(place, path, dim, size, read_derived(name) is not None)
            )
    return found
