"""Values that PyTorch's nodes save and those of tensh do not, because what they know determines them."""

from functools import partial
from math import prod

from tensh.engine.errors.messages import second_time

MEANS = ("mean_all", "mean_dim")
PARTS = {"split_equally": "_saved_split_size", "split_by_sizes": "_saved_split_sizes"}
"""Operator that splits a tensor -> the name of the sizes that it was given."""

FACTORS = {"mm": ("input", "mat2"), "addmm": ("mat1", "mat2")}
"""Product of two matrices -> the names of its factors."""


def list_matrix_members(op):
    """``_saved_mat2_sym_sizes`` and ``_saved_mat2_sym_strides``: the sizes and strides of a matrix product's factors.

    A factor is saved if the other requires a gradient; with the product's shape it determines the other's sizes.
    Strides are given for factors that require a gradient, otherwise ``()``; a node saves them unless row-major.
    """
    reads, names = list(op.saves), FACTORS[op.name]

    def factors(node):
        if node.saved is None:
            raise RuntimeError(second_time)
        return [node.saved[reads.index(each)] for each in names]

    def sizes_of(node, number):
        (rows, columns), (left, right) = node.shape, factors(node)
        if left is None and right is None:
            return ()
        inner = right.shape[0] if left is None else left.shape[1]
        return (rows, inner) if number == 0 else (inner, columns)

    def strides_of(node, number):
        if node.inputs[list(op.derivatives).index(names[number])] is None:
            return ()
        factor = factors(node)[number]
        found = node.saved[reads.index(f"{names[number]}.strides")] if factor is None else factor.strides
        if found is None:
            return (sizes_of(node, number)[1], 1)
        return tuple([step // node.dtype.itemsize for step in found])

    members = {}
    for number, name in enumerate(names):
        public = "self" if name == "input" else name
        members[f"_saved_{public}_sym_sizes"] = property(partial(sizes_of, number=number))
        members[f"_saved_{public}_sym_strides"] = property(partial(strides_of, number=number))
    return members


def list_part_members(op):
    """``_saved_self_sym_sizes`` of a tensor that was split, and the sizes that it was split into.

    An equal size beyond that of the tensor is shown as the tensor's.
    """

    def sizes_along(node):
        dim = node.saved[0]
        return dim, [shape[dim] for shape, _ in node.shape]

    def sizes_of(node):
        dim, parts = sizes_along(node)
        sizes = list(node.shape[0][0])
        sizes[dim] = sum(parts)
        return tuple(sizes)

    def given(node):
        parts = sizes_along(node)[1]
        return parts[0] if op.name == "split_equally" else tuple(parts)

    return {"_saved_self_sym_sizes": property(sizes_of), PARTS[op.name]: property(given)}


def count_elements(node):
    """``_saved_self_sym_numel`` of a mean."""
    return prod(node._saved_self_sym_sizes)


def list_derived_members(op):
    """The names that the nodes of an operator have beside those of what they save."""
    if op.name in FACTORS:
        return list_matrix_members(op)
    if op.name in PARTS:
        return list_part_members(op)
    return {"_saved_self_sym_numel": property(count_elements)} if op.name in MEANS else {}
