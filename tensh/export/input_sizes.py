"""Checks of the sizes and values of arguments, for unflattened programs and further examples."""

from tensh.engine.core.tensor import Tensor
from tensh.tracing.program import Place
from tensh.tracing.sizes.dims import read_derived
from tensh.utils._pytree_paths import keystr, tree_leaves_with_path


def require_sizes(program, leaves):
    """Raise RuntimeError unless the leaves of arguments have the sizes and values that a program takes."""
    known = {}  # symbol -> its size
    for path, value, (_, leaf) in zip(list_paths(program.structure), leaves, program.leaves, strict=True):
        if not isinstance(leaf, Place):
            if isinstance(leaf, (int, float, str)) and (type(value) is not type(leaf) or value != leaf):
                raise RuntimeError(f"Expected input at {path} to be equal to {leaf}, but got {value}")
            continue
        if not isinstance(value, Tensor):
            raise RuntimeError(f"Expected input at {path} to be a tensor, but got {type(value)}")
        dynamic, wanted = program.dynamic.get(leaf, {}), program.inputs[leaf].meta["val"].shape
        if len(value.shape) != len(wanted):
            raise RuntimeError(
                f"Unexpected number of dimensions in input at {path}.shape (expected {list(wanted)}, got {list(value.shape)})"
            )
        for dim, (size, expected) in enumerate(zip(value.shape, wanted, strict=True)):
            where = f"{path}.shape[{dim}]"
            if dim in dynamic:
                require_dynamic(where, size, dynamic[dim], program.bounds[dynamic[dim]], known)
            elif size != expected:
                raise RuntimeError(
                    f"Expected input at {where} to be equal to {expected}, but got {size}. If you meant for this "
                    "dimension to be dynamic, please re-export and specify dynamic_shapes (e.g. with Dim.DYNAMIC)"
                )


def require_dynamic(where, size, name, bounds, known):
    """Raise RuntimeError for a dynamic size that does not fit others, or its range; sizes 0 and 1 pass where 2 does."""
    root, factor, offset = read_derived(name) or (name, 1, 0)
    if root not in known and (size - offset) % factor:
        raise RuntimeError(f"Expected input {where} = {size} to be of the form {name}, where {root} is an integer")
    expected = factor * known.setdefault(root, (size - offset) // factor) + offset
    if size != expected:
        raise RuntimeError(f"Expected input at {where} to be equal to {expected}, but got {size}")
    if (bounds.lower or 0) > 2 and size < bounds.lower:
        raise RuntimeError(f"Expected input at {where} to be >= {bounds.lower}, but got {size}")
    if bounds.upper is not None and size > bounds.upper:
        raise RuntimeError(f"Expected input at {where} to be <= {bounds.upper}, but got {size}")


def list_paths(structure):
    """Return PyTorch's names of the arguments in a structure, in order."""
    args, kwargs = structure
    return [
        *(f"*args{keystr(path)}" for path, _ in tree_leaves_with_path(args)),
        *(f"{str(path[0])[1:-1]}{keystr(path[1:])}" for path, _ in tree_leaves_with_path(kwargs)),
    ]
