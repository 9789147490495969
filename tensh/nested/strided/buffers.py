"""Private functions of torch on the buffers of strided nested tensors, which libraries call."""

from math import prod

import tensh as torch
from tensh.nested.core import nest
from tensh.nested.labels import label
from tensh.nested.strided.form import StridedForm, add_up, row_major, unbind


def _nested_view_from_buffer(self, nested_size, nested_strides, offsets):
    """Return the parts of a flat buffer with the given sizes, strides and offsets as a nested tensor, a view.

    Raise RuntimeError for a buffer with other than one dimension, and for parts outside of it.
    """
    if self.dim() != 1:
        raise RuntimeError("The input buffer must be flat")
    form = StridedForm(nested_size.tolist(), nested_strides.tolist(), offsets.tolist())
    used = sum(map(prod, form.sizes))
    if form.contiguous and used < len(self):
        self = self[:used]
    unbind(self.detach(), form)  # raises for parts outside of the buffer
    return nest(label(self.view(-1), "NestedViewFromBufferBackward0"), form)


def _nested_compute_contiguous_strides_offsets(nested_size):
    """Return (strides, offsets) of tensors of the given sizes that lie one after the other."""
    sizes = nested_size.tolist()
    return torch.tensor([row_major(size) for size in sizes]), torch.tensor(add_up(map(prod, sizes)))
