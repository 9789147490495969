"""Joining of strided nested tensors, and padding to ordinary ones."""

import tensh as torch
from tensh.engine.errors.unavailable import could_not_run
from tensh.nested.core import Nested, elements_of
from tensh.nested.labels import label
from tensh.nested.strided.form import join, parts


def cat(func, tensors, dim=0, *, out=None):
    """Concatenate: along dimension 0 to more tensors, along others to longer tensors."""
    if out is not None:
        raise could_not_run("cat.out", "NestedTensorCPU")
    first = next(each for each in tensors if isinstance(each, Nested))
    dim = first._form.wrap(dim)
    if not dim:
        require_alike(tensors, first)
        return join([part for each in tensors for part in parts(each)], "CatBackward0")
    require_ragged(tensors)
    return join([torch.cat(row, dim - 1) for row in zip(*map(parts, tensors))], "CatBackward0")


def require_alike(tensors, first):
    """Raise RuntimeError unless all are nested, contiguous, and have the same number of dimensions."""
    for number, each in enumerate(tensors):
        if not isinstance(each, Nested):
            raise RuntimeError("Expected each tensor in given list to be nested.")
        if not each._form.contiguous:
            raise RuntimeError("Expected each tensor in given list to be contiguous.")
        if each._form.ndim != first._form.ndim:
            raise RuntimeError(
                "Sizes of tensors must match except in dimension 0. Expected size "
                f"{first._form.ndim - 1} but got size {each._form.ndim - 1} for tensor number {number} in the list."
            )


def require_ragged(tensors):
    """Raise RuntimeError unless the tensors differ only in their first dimension."""
    for each in tensors:
        if not isinstance(each, Nested):
            raise RuntimeError("cat(): expected each tensor in given list to be nested")
        if not each._form.contiguous:
            raise RuntimeError("cat(): only contiguous nested tensors are supported")
        if len({size[1:] for size in each._form.sizes}) > 1:
            raise RuntimeError(
                "cat(): only nested tensors with a single ragged dim next to the batch dim are supported"
            )
    if len({tuple(size[:1] for size in each._form.sizes) + (each._form.ndim,) for each in tensors}) > 1:
        raise RuntimeError(
            "cat(): expected all nested tensors to have matching ragged structures outside of the concatenated dim"
        )


def pad(func, input, padding, output_size=None):
    """Make an ordinary tensor by padding the tensors with a number."""
    form = input._form
    if not form.contiguous:
        raise RuntimeError("for now to_padded_tensor only supports contiguous nested tensor")
    if not form.sizes:
        return elements_of(input).new_zeros(0)
    least = (len(form.sizes), *map(max, zip(*form.sizes)))
    size = least if output_size is None else tuple(output_size)
    if len(size) != form.ndim:
        raise RuntimeError("Length of output_size does not match NestedTensor dims. Broadcasting is not supported.")
    if any(n < m for n, m in zip(size, least)):
        raise RuntimeError("Value in output_size is less than NestedTensor padded size. Truncation is not supported.")
    rows = [fill_up(part, size[1:], padding) for part in parts(input)]
    rows += [rows[0].new_full(size[1:], padding)] * (size[0] - len(rows))
    return label(torch.stack(rows), "ToPaddedTensorBackward0")


def fill_up(part, size, padding):
    """Place one tensor in a larger one, filled with ``padding``."""
    if tuple(part.shape) == size:
        return part
    missing = [n for full, has in zip(reversed(size), reversed(part.shape)) for n in (0, full - has)]
    number = padding if part.is_floating_point() or part.is_complex() else int(padding)
    return torch.nn.functional.pad(part, missing, value=number)


JOINS = {"cat": cat, "concat": cat, "concatenate": cat, "to_padded_tensor": pad, "nested_to_padded_tensor": pad}
