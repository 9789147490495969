"""Selection from jagged nested tensors, and indexed writes."""

import tensh as torch
from tensh.engine.errors.messages import wrap_dim
from tensh.nested.core import Nested, elements_of, nest, write_elements
from tensh.nested.jagged.dims import inner_dim, require_plain
from tensh.nested.jagged.facts import is_contiguous
from tensh.nested.jagged.form import JaggedForm, part_at, parts
from tensh.nested.jagged.padding import pad as pad_rows
from tensh.nested.jagged.padding import padded_width, unpad
from tensh.nested.jagged.views import unsqueeze
from tensh.nested.labels import label


def unbind(func, input, dim=0):
    """Return the tensors, as views."""
    if dim != 0:
        raise RuntimeError("unbind(): only supported for NestedTensor on dim=0")
    return tuple(label(part, "UnbindBackwardAutogradNestedTensor0") for part in parts(input))


def select(func, input, dim, index):
    """Select one of the tensors, or an index of another dimension."""
    form, wrapped = input._form, wrap_dim(dim, input.ndim)
    if wrapped == 0:
        return label(part_at(input, index), "SelectBackwardAutogradNestedTensor0")
    inner = inner_dim(input, dim, "select")
    if form.lengths is not None:
        raise ValueError("select(): not yet supported on dim != 0 for non-contiguous nested tensor with holes")
    found = elements_of(input).select(inner, index)
    return nest(
        label(found, "SelectBackwardAutogradNestedTensor0"), form.derive(form.ragged - (inner < form.ragged - 1))
    )


def slice_dim(input, dim, part):
    """Take a slice of a dimension."""
    require_plain(input, "slice")
    inner = inner_dim(input, dim, "slice")
    return nest(elements_of(input)[(slice(None),) * inner + (part,)], input._form)


WHOLE = slice(None)  # a dimension represented by an ellipsis


def get_item(func, input, index):
    """Index by numbers, slices and None, one dimension after the other: ``nt[...]``."""
    index = index if isinstance(index, tuple) else (index,)
    taken = sum(each is not None and each is not ... for each in index)
    if taken > input.ndim:
        raise IndexError(f"too many indices for tensor of dimension {input.ndim}")
    if any(each is ... for each in index):
        at = next(i for i, each in enumerate(index) if each is ...)
        index = (*index[:at], *[WHOLE] * (input.ndim - taken), *index[at + 1 :])
        if all(each is WHOLE for each in index):
            raise NotImplementedError("aten.alias.default")
    dim, out = 0, input
    for number, each in enumerate(index):
        if not isinstance(out, Nested):
            return out[(slice(None),) * dim + index[number:]]
        if each is None:
            out, dim = unsqueeze(None, out, dim), dim + 1
        elif isinstance(each, int) and not isinstance(each, bool):
            out = select(None, out, dim, each)
        elif isinstance(each, slice):
            out, dim = out if each is WHOLE else slice_dim(out, dim, each), dim + 1
        else:
            raise NotImplementedError("aten.index.Tensor")
    return out


def narrow(func, input, dim, start, length):
    require_plain(input, "narrow")
    return nest(elements_of(input).narrow(inner_dim(input, dim, "narrow"), start, length), input._form)


def split(func, input, split_size_or_sections=None, dim=0, split_size=None):
    sections = split_size if split_size_or_sections is None else split_size_or_sections
    name = "split" if isinstance(sections, int) else "split_with_sizes"
    require_plain(input, name)
    found = torch.split(elements_of(input), sections, inner_dim(input, dim, name))
    return tuple(nest(each, input._form) for each in found)


def chunk(func, input, chunks, dim=0):
    """Split a dimension into chunks; chunks of the first dimension get new offsets."""
    require_plain(input, "chunk")
    form, input_values = input._form, elements_of(input)
    if wrap_dim(dim, input.ndim):
        found = input_values.chunk(chunks, inner_dim(input, dim, "chunk"))
        return tuple(nest(label(each, "ChunkBackwardAutogradNestedTensor0"), form) for each in found)
    groups = form.offsets.diff().chunk(chunks)
    found = input_values.split([int(each.sum()) for each in groups])
    offsets = [torch.nn.functional.pad(each.cumsum(0), (1, 0)) for each in groups]
    return tuple(nest(each, JaggedForm(starts, None, form.ragged)) for each, starts in zip(found, offsets))


def select_masked(func, input, mask):
    """Select elements by a mask; the result has two dimensions."""
    require_plain(input, "masked_select")
    if input.ndim > 2:
        raise RuntimeError("masked_select only support 2-D selections currently")
    if input.shape != mask.shape:
        raise RuntimeError(f"Mask with shape {mask.shape} is not compatible with input's shape {input.shape}")
    chosen, form = elements_of(mask), input._form
    ends = torch.nn.functional.pad(chosen.cumsum(0), (1, 0))
    return nest(
        elements_of(input).masked_select(chosen),
        JaggedForm(ends[form.offsets], form.lengths, form.ragged, form.seqlens),
    )


def split_anywhere(func, input, indices_or_sections, dim=0):
    """Compute ``tensor_split``: split into parts of nearly equal size, or at given indices."""
    found = torch.tensor_split(elements_of(input), indices_or_sections, inner_dim(input, dim, "slice"))
    return tuple(nest(each, input._form) for each in found)


# ── writing ──────────────────────────────────────────────────────────────────
def put_elements(func, input, indices, values, accumulate=False):
    """Replace elements by index: (tensor, index in the ragged dimension, ...)."""
    form = input._form
    if len(indices) > input.ndim:
        raise AssertionError(f"Too many indices: got {len(indices)} but tensor has {input.ndim} dimensions")
    if len(indices) < form.ragged + 1:
        if not is_contiguous(None, input):
            raise RuntimeError(
                "index_put(): If ragged dimension is not part of indices, this only works on contiguous NJTs"
            )
        width = padded_width(input)
        size = [width if d == form.ragged else n for d, n in enumerate(input._size)]
        padded = pad_rows(None, input, 0.0, size).index_put(indices, values, accumulate)
        made = unpad(padded, form, elements_of(input).shape[form.ragged - 1])
        return write_elements(torch.Tensor.copy_, input, made) if func.__name__.endswith("_") else made
    if not bool((indices[form.ragged] < form.list_lengths()).all()):
        raise RuntimeError("Some indices in the ragged dimension are out of bounds!")
    places = form.offsets[indices[0]] + indices[form.ragged]
    inner = (*indices[1 : form.ragged], places, *indices[form.ragged + 1 :])
    if func.__name__.endswith("_"):
        return write_elements(func, input, inner, values, accumulate)
    return nest(func(elements_of(input), inner, values, accumulate), form)


def set_item(func, input, index, value):
    """Compute ``nt[i, ...] = value``."""
    index = index if isinstance(index, tuple) else (index,)
    if any(isinstance(each, torch.Tensor) for each in index):
        value = value if isinstance(value, torch.Tensor) else torch.tensor(value, dtype=input.dtype)
        return put_elements(torch.Tensor.index_put_, input, list(index), value)
    target = get_item(None, input, index)
    target.copy_(value) if isinstance(value, torch.Tensor) else target.fill_(value)
    return None


SELECTION = {
    "unbind": unbind, "select": select, "__getitem__": get_item, "__setitem__": set_item, "narrow": narrow, "split": split,
    "split_with_sizes": split, "tensor_split": split_anywhere, "chunk": chunk, "masked_select": select_masked, "index_put": put_elements,
    "index_put_": put_elements,
}  # fmt: skip
