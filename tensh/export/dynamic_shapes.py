"""torch.export.dynamic_shapes: the declarations of dynamic dimensions, and their correction after a refused export."""

import re

from tensh.tracing.sizes.decisions import roots_of
from tensh.tracing.sizes.declared import AdditionalInputs, ShapesCollection, match
from tensh.tracing.sizes.dims import Dim, UserError, _DerivedDim, _DimHint, dims, read_derived
from tensh.utils._pytree_paths import tree_leaves_with_path

__all__ = ["AdditionalInputs", "Dim", "ShapesCollection", "dims", "refine_dynamic_shapes_from_suggested_fixes"]

LIMITED = re.compile(r"(?P<name>\w+) = Dim\('\w+'(?:, min=(?P<min>\d+))?(?:, max=(?P<max>\d+|oo))?\)")


def refine_dynamic_shapes_from_suggested_fixes(msg, dynamic_shapes):
    """Return declarations with the fixes that the message of a refused export suggests.

    Raise UserError if it suggests none, and AssertionError for one of a name that is not declared.

    >>> import tensh as torch
    >>> from tensh.export.dynamic_shapes import refine_dynamic_shapes_from_suggested_fixes as refine
    >>> shapes = {"x": {0: torch.export.Dim("a")}, "y": {0: torch.export.Dim("b")}}
    >>> refine("Suggested fixes:\\n  b = a + 1", shapes)
    {'x': {0: Dim('a', min=0)}, 'y': {0: a + 1}}
    """
    _, found, text = msg.partition("Suggested fixes:")
    if not found:
        raise UserError(
            "Suggested fixes not found in error message given to refine_dynamic_shapes_from_suggested_fixes()"
        )
    known = {name: dim for _, leaf in tree_leaves_with_path(dynamic_shapes) for name, dim in list_dims(leaf)}
    fixes = {}
    for line in map(str.strip, text.strip().split("\n")):
        name, said = line.split(" = ", 1)
        if limited := LIMITED.fullmatch(line):
            low, high = (int(each) if each and each.isdigit() else None for each in limited.group("min", "max"))
            fixes[name] = Dim(name, min=low, max=high)
        else:
            fixes[name] = int(said) if said.isdigit() else said
    roots = roots_of(each for each in fixes.values() if isinstance(each, str))
    for name in fixes:
        if name not in known and name not in roots:
            raise AssertionError(f"shape_fixes key {name!r} not found in name_to_dim or roots")
    for name, said in fixes.items():
        if isinstance(said, str):
            root, factor, offset = read_derived(said) or (said, 1, 0)
            fixes[name] = scale(fixes[root] if root in fixes else known[root], factor, offset)

    def fix(path, dim, _):
        if dim is None or isinstance(dim, (int, _DimHint)):
            return dim
        if dim.__name__ in fixes:
            return fixes[dim.__name__]
        if isinstance(dim, _DerivedDim) and dim.root.__name__ in fixes:
            return scale(fixes[dim.root.__name__], dim.factor, dim.offset)
        return dim

    return match(fix, dynamic_shapes, dynamic_shapes)


def list_dims(leaf):
    """Return (name, dimension) of a declared dimension and of the one from which it follows."""
    if not isinstance(leaf, Dim):
        return []
    return [(leaf.__name__, leaf), *(list_dims(leaf.root) if isinstance(leaf, _DerivedDim) else ())]


def scale(root, factor, offset):
    """Return a dimension, or a size, that follows from another."""
    root = root * factor if factor != 1 else root
    return root + offset if offset else root
