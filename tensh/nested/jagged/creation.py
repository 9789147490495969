"""Creation of nested tensors in the layout torch.jagged."""

import tensh as torch
from tensh.nested.core import Nested, nest
from tensh.nested.jagged.form import JaggedForm
from tensh.nested.labels import label
from tensh.nested.sizes import skip_first


def view_jagged(values, offsets, lengths=None, ragged=1, least=None, greatest=None):
    """Return values as a nested tensor, a view."""
    if ragged < 1:
        raise ValueError(f"Expected jagged_dim >=1, but got {ragged}.")
    for name, value, kind in (("values", values, "tensor"), ("offsets", offsets, "tensor")):
        if isinstance(value, Nested):
            raise ValueError(
                "NestedTensor _nested_view_from_jagged_default(values: t, offsets: t, dummy: jt_all, lengths: t?, ragged_idx: any?, "
                f"min_seqlen: t?, max_seqlen: t?): expected {name} to be a {kind}"
            )
    for number, (name, value) in enumerate((("input", values), ("offsets", offsets)), 1):
        if not isinstance(value, torch.Tensor):
            raise TypeError(
                f"_nested_view_from_jagged(): argument '{name}' (position {number}) must be Tensor, not {type(value).__name__}"
            )
    if offsets.ndim != 1:
        raise AssertionError(f"offsets must be 1D, but got {offsets.ndim}D")
    skip_first()
    known = {name: value for name, value in (("min_seqlen", least), ("max_seqlen", greatest)) if value is not None}
    form = JaggedForm(offsets, lengths, ragged, known)
    return nest(label(values.view_as(values), "NestedViewFromJaggedBackward0"), form)


def join_ragged(tensors, dtype=None, device=None):
    """Make a nested tensor from copies of tensors that differ in at most one dimension."""
    tensors = list(tensors)
    require_alike(tensors)
    sizes = [tuple(each.shape) for each in tensors]
    differing = [d for d, found in enumerate(zip(*sizes)) if len(set(found)) > 1]
    if len(differing) > 1:
        raise RuntimeError(
            "Cannot represent given tensor list as a nested tensor with the jagged layout. Note that the jagged layout only allows "
            "for a single ragged dimension. For example: (B, *, D_0, D_1, ..., D_N), with ragged * dim."
        )
    dim = differing[0] if differing else 0
    values = torch.cat(tensors, dim)
    if dtype is not None or device is not None:
        values = values.to(dtype=dtype, device=device)
    lengths = [size[dim] for size in sizes]
    offsets = (
        torch.tensor([sum(lengths[:i]) for i in range(len(lengths) + 1)]) if len(lengths) < 64 else sum_up(lengths)
    )
    return view_jagged(values, offsets, None, dim + 1, min(lengths), max(lengths))


def sum_up(lengths):
    """Return the offsets for lengths."""
    return torch.nn.functional.pad(torch.tensor(lengths).cumsum(0), (1, 0))


def require_alike(tensors):
    """Raise RuntimeError for a list that cannot become a nested tensor."""
    if not tensors:
        raise RuntimeError("Cannot construct a nested tensor from an empty tensor list")
    for what, found in (
        ("have the same dtype", {each.dtype for each in tensors}),
        ("be on the same device", {each.device for each in tensors}),
        ("have the same dim", {each.dim() for each in tensors}),
    ):
        if len(found) > 1:
            raise RuntimeError(f"When constructing a nested tensor, all tensors in list must {what}")
    if not tensors[0].dim():
        raise RuntimeError("Cannot construct a nested tensor from a list of zero-dim tensors")


def divide_evenly(tensor, dtype=None, device=None):
    """Return a tensor as a batch of tensors of equal size."""
    count, length = tensor.shape[:2]
    values = tensor.contiguous().flatten(0, 1).to(device=device, dtype=dtype)
    return view_jagged(values, torch.arange(0, count * length + 1, length), None, 1, length, length)


def narrow_ragged(tensor, start, length):
    """Return part of each row, as a view: with holes, unless the parts are contiguous."""
    count = tensor.shape[0]
    start, length = (torch.tensor([n]) if isinstance(n, int) else n for n in (start, length))
    try:
        start, length = start.expand(count), length.expand(count)
    except RuntimeError:
        raise RuntimeError(
            "When constructing a jagged nested tensor using narrow(), your start and length must be Tensors that broadcast to "
            "input.shape[0]"
        ) from None
    if tensor.dim() < 2:
        raise AssertionError("tensor must at least be 2D for the nested narrow op to work")
    width = tensor.shape[1]
    begins = start + width * torch.arange(count)
    offsets = torch.cat([begins, (begins[-1] + length[-1]).unsqueeze(0)])
    values = tensor.view(-1, *tensor.shape[2:])
    least, greatest = int(length.min()), int(length.max())
    holes = bool(
        (length[1:-1] != width).any() or (offsets[1:-2].diff() != width).any() or offsets[0] + length[0] != width
    )
    if holes:
        return view_jagged(values, offsets, length, 1, least, greatest)
    return view_jagged(values[offsets[0] : offsets[-1]], offsets - offsets[0], None, 1, least, greatest)


def select_by_mask(tensor, mask):
    """Return the elements of each row that a mask selects."""
    counts = mask.expand(tensor.shape).sum(tensor.ndim - 1).view(-1)
    return view_jagged(tensor.masked_select(mask), torch.nn.functional.pad(counts.cumsum(0), (1, 0)))
