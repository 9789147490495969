"""Selection from nested tensors in the layout torch.strided."""

import tensh as torch
from tensh.nested.core import Nested, elements_of, nest
from tensh.nested.labels import label
from tensh.nested.strided.facts import count_all
from tensh.nested.strided.form import StridedForm, StridedNested, part_at, parts, view
from tensh.nested.strided.views import drop, unsqueeze


def unbind_parts(func, input, dim=0):
    """Return the tensors, as views."""
    if input._form.wrap(dim):
        raise RuntimeError(f"NestedTensor can only be unbound along dimension 0 got dimension {dim} instead.")
    return tuple(label(part, "UnbindBackwardAutogradNestedTensor0") for part in parts(input))


def select(func, input, dim, index):
    """Select one of the tensors, or an index of another dimension of every tensor."""
    form, dim = input._form, input._form.wrap(dim)
    if dim == 0:
        count = len(form.sizes)
        if not -count <= index < count:
            raise IndexError(f"index {index} is out of bounds for dimension 0 with size {count}")
        return label(part_at(input, index), "SelectBackwardAutogradNestedTensor0")
    d = dim - 1
    for number, each in enumerate(form.sizes):
        if not -each[d] <= index < each[d]:
            raise IndexError(
                f"index {index} is out of bounds for dimension {d} of the {number}th constituent tensor with size {each[d]}"
            )
    places = zip(form.sizes, form.strides, form.offsets)
    offsets = [start + step[d] * (index % n[d]) for n, step, start in places]
    return view(
        input, StridedForm(drop(form.sizes, d), drop(form.strides, d), offsets), "SelectBackwardAutogradNestedTensor0"
    )


def get_item(func, input, index):
    """Index one dimension after the other, and the remaining dimensions of a single tensor at once: ``nt[i, ...]``."""
    index = index if isinstance(index, tuple) else (index,)
    taken = sum(each is not None and each is not ... for each in index)
    if taken > input._form.ndim:
        raise IndexError(f"too many indices for tensor of dimension {input._form.ndim}")
    if any(each is ... for each in index):
        at = next(i for i, each in enumerate(index) if each is ...)
        index = (*index[:at], *[WHOLE] * (input._form.ndim - taken), *index[at + 1 :])
        if all(each is WHOLE for each in index):
            return nest(label(elements_of(input).view(-1), "AliasBackward0"), input._form)
    dim, out = 0, input
    for number, each in enumerate(index):
        if not isinstance(out, Nested):
            return index_single(out, index[number:])
        if each is None:
            out, dim = unsqueeze(None, out, dim), dim + 1
        elif isinstance(each, int) and not isinstance(each, bool):
            out = select(None, out, dim, each)
        elif each is WHOLE:
            dim += 1
        elif isinstance(each, slice):
            raise StridedNested.lacks("slice", (input, 0, None, None, 1), {})
        else:
            raise StridedNested.lacks("index", (input, [torch.tensor(0)]), {})
    return out


WHOLE = slice(None)  # a dimension represented by an ellipsis


def index_single(tensor, index):
    """Index one of the tensors; errors count dimensions as the nested tensor does."""
    try:
        return tensor[index]
    except IndexError as error:
        raise IndexError(shift_dimension(str(error))) from None


def shift_dimension(text):
    """Shift the dimension in a message about a single tensor to that of the nested one."""
    before, found, after = text.partition("for dimension ")
    number, _, rest = after.partition(" ")
    return f"{before}{found}{int(number) + 1} {rest}" if found and "with size" in rest and "[" not in rest else text


def narrow(func, input, dim, start, length):
    """Select a range of the tensors."""
    if input._form.wrap(dim):
        raise RuntimeError(f"narrow(): only dim=0 supported for nested tensors, but got: {dim}")
    form, count = input._form, len(input._form.sizes)
    if not -count <= start <= count:
        raise IndexError(f"start out of range (expected to be in range of [{-count}, {count}], but got {start})")
    start, end = start % count if start < 0 else start, (start % count if start < 0 else start) + length
    if length < 0 or end > count:
        raise RuntimeError(f"start ({start}) + length ({length}) exceeds dimension size ({count}).")
    chosen = StridedForm(form.sizes[start:end], form.strides[start:end], form.offsets[start:end])
    whole = chosen.contiguous and start == 0
    buffer = elements_of(input).narrow(0, 0, count_all(chosen)) if whole else elements_of(input).view(-1)
    return nest(label(buffer, "NarrowBackward0"), chosen)


def chunk(func, input, chunks, dim=0):
    """Split every tensor into equal chunks along the last dimension."""
    form = input._form
    if form.wrap(dim) != form.ndim - 1:
        raise RuntimeError("Chunk for nested tensors is currently only supported for the last dimension.")
    if not form.contiguous:
        raise RuntimeError("chunk expects `self` to be contiguous.")
    last = form.last_size()
    if last % chunks:
        raise RuntimeError(
            "Chunk for nested tensors is only supported for nested tensors with trailing dimension divisible by chunks, got: "
            f"{last} % {chunks} != 0"
        )
    return split_last(input, [last // chunks] * chunks, "ChunkBackwardAutogradNestedTensor0")


def split(func, input, split_size_or_sections=None, dim=0, split_size=None):
    """Split every tensor along the last dimension."""
    sections = split_size if split_size_or_sections is None else split_size_or_sections
    if isinstance(sections, int):
        raise StridedNested.lacks("split", (input, sections, dim), {})
    if input._form.wrap(dim) != input._form.ndim - 1:
        raise RuntimeError("split_with_sizes for nested tensors is currently only supported for the last dimension.")
    if sum(sections) != input._form.last_size():
        raise RuntimeError(
            f"split_with_sizes expects split_sizes to sum exactly to {input._form.last_size()} (input tensor's size at dimension "
            f"{input._form.ndim - 1}), but got split_sizes={list(sections)}"
        )
    return split_last(input, sections, "SplitWithSizesBackwardAutogradNestedTensor0")


def split_last(input, sections, node):
    form, start, found = input._form, 0, []
    for n in sections:
        sizes = [(*each[:-1], n) for each in form.sizes]
        offsets = [offset + start * step[-1] for offset, step in zip(form.offsets, form.strides)]
        found.append(view(input, StridedForm(sizes, form.strides, offsets), node))
        start += n
    return tuple(found)


SELECTION = {
    "unbind": unbind_parts, "select": select, "__getitem__": get_item, "narrow": narrow, "chunk": chunk, "split": split, "split_with_sizes": split,
}  # fmt: skip
