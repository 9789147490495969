"""Conversion of values to a padded tensor, and back: linear maps, each the derivative of the other."""

import tensh as torch
from tensh.nested.core import elements_of, nest
from tensh.nested.jagged.form import JaggedForm
from tensh.nested.labels import label


def places(offsets, total, width):
    """Return (place, place in the padded rows) for each place of the values within the offsets and ``width``."""
    lengths = offsets.diff().clamp(max=width)
    row = torch.repeat_interleave(torch.arange(len(lengths)), lengths)
    first = torch.cat([lengths.new_zeros(1), lengths.cumsum(0)])[:-1]
    column = torch.arange(len(row)) - first[row]
    return offsets[row] + column, row * width + column


def pad_values(values, form, padding, width):
    """Return the tensors as rows of one width: (tensors, width, ...), with the ragged dimension in its place."""
    dim, count = form.ragged - 1, len(form.offsets) - 1
    moved = values.transpose(0, dim) if dim else values
    source, target = places(form.offsets, moved.shape[0], width)
    rows = moved.new_full((count * width, *moved.shape[1:]), clamp_number(padding, values.dtype))
    padded = rows.index_copy(0, target, moved.index_select(0, source)).view(count, width, *moved.shape[1:])
    return padded.transpose(form.ragged, 1) if dim else padded


def clamp_number(number, dtype):
    """Clamp a number to the range of a dtype."""
    if dtype.is_floating_point or dtype.is_complex or dtype is torch.bool:
        return number
    limits = torch.iinfo(dtype)
    return int(min(max(number, limits.min), limits.max))


def unpad(padded, form, total):
    """Return padded rows as values again, divided by the form's offsets."""
    dim, width = form.ragged, padded.shape[form.ragged]
    moved = padded.transpose(dim, 1) if dim > 1 else padded
    source, target = places(form.offsets, total, width)
    flat = moved.reshape(-1, *moved.shape[2:])
    values = flat.index_select(0, target)
    if len(source) != total:
        values = flat.new_zeros((total, *flat.shape[1:])).index_copy(0, source, values)
    values = values.transpose(dim - 1, 0) if dim > 1 else values
    return nest(label(values, "NestedFromPaddedTensorBackward0"), JaggedForm(form.offsets, None, dim, form.seqlens))


def padded_width(nested):
    """Return a width that is certainly sufficient: the largest length, if it is known."""
    known = nested._maybe_max_seqlen
    return elements_of(nested).shape[nested._form.ragged - 1] if known is None else known


def pad(func, input, padding, output_size=None):
    """Make an ordinary tensor by padding or truncating the tensors."""
    form, values = input._form, elements_of(input)
    if form.lengths is not None:
        raise RuntimeError("to_padded_tensor(): not supported for nested tensors with holes")
    if output_size is not None:
        width = output_size[form.ragged]
    else:
        known = input._maybe_max_seqlen
        width = values.shape[0] if known is None else known
    return label(pad_values(values, form, padding, width), "ToPaddedTensorBackward0")


PADDING = {"to_padded_tensor": pad, "nested_to_padded_tensor": pad}
