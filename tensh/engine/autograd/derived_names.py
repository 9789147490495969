"""Values that PyTorch's nodes save and those of tensh do not, because what they know determines them."""

from functools import partial

from tensh.engine.autograd.derived_values import DERIVED
from tensh.engine.errors.messages import second_time

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


def make_member(places, compute):
    """Return the property that computes a value from the saved values at ``places``."""

    def value(node):
        if places and node.saved is None:
            raise RuntimeError(second_time)
        return compute(node, *[node.saved[place] for place in places])

    return property(value)


def list_derived_members(op):
    """Return the names that the nodes of an operator have beside those of what they save."""
    reads = list(op.saves)
    members = list_matrix_members(op) if op.name in FACTORS else {}
    for name, (needed, compute) in DERIVED.get(op.node, {}).items():
        if {*needed} <= {*reads}:
            members[f"_saved_{name}"] = make_member([reads.index(each) for each in needed], compute)
    return members
