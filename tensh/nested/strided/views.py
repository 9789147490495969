"""Views of nested tensors in the layout torch.strided."""

from math import prod

from tensh.engine.arrays.memory import view_strides
from tensh.engine.operators.shapes.views import NOT_VIEWABLE
from tensh.nested.core import NO_SIZES, elements_of, nest
from tensh.nested.strided.form import StridedForm, contiguous, view

OPEN_ISSUE = "at the moment if you need this feature, please open an issue on github describing your use case."


def transpose(func, input, dim0, dim1):
    form = input._form
    one, two = form.wrap(dim0), form.wrap(dim1)
    if one == two:
        return nest(elements_of(input).view(-1), form)
    if not one or not two:
        raise RuntimeError("Nested tensor dimension 0 cannot be transposed")
    sizes, strides = swap(form.sizes, one - 1, two - 1), swap(form.strides, one - 1, two - 1)
    return view(input, StridedForm(sizes, strides, form.offsets), "TransposeBackward0")


def swap(rows, i, j):
    return [tuple(row[j] if k == i else row[i] if k == j else n for k, n in enumerate(row)) for row in rows]


def unsqueeze(func, input, dim):
    form, wrapped = input._form, input._form.wrap(dim, more=1)
    if not wrapped:
        raise RuntimeError(f"unsqueeze(): For nested tensors, unsqueezing dimension 0 is not supported {OPEN_ISSUE}")
    d = wrapped - 1
    sizes = [(*size[:d], 1, *size[d:]) for size in form.sizes]
    steps = [
        (*step[:d], size[d] * step[d] if d < len(size) else 1, *step[d:])
        for size, step in zip(form.sizes, form.strides)
    ]
    return view(input, StridedForm(sizes, steps, form.offsets), "UnsqueezeBackward0")


def squeeze(func, input, dim=None):
    if dim is None:
        raise RuntimeError(
            "squeeze(): For nested tensors, squeeze without the dim argument is not supported at the moment, however you can "
            "use squeeze(Tensor self, int dim) instead if you need this feature, please open an issue on github describing "
            "your use case."
        )
    form, d = input._form, input._form.wrap(dim) - 1
    if d < 0:
        raise RuntimeError(f"squeeze(): For nested tensors, squeezing dimension 0 is not supported {OPEN_ISSUE}")
    if any(size[d] != 1 for size in form.sizes):
        return view(input, form, "SqueezeBackwardAutogradNestedTensor0")
    if form.ndim == 2:
        raise RuntimeError(
            "squeeze(): For nested tensors, squeezing a nested tensor of singleton tensors is not supported at the moment, if you "
            "need this feature, please open an issue on githubdescribing your use case."
        )
    return view(
        input,
        StridedForm(drop(form.sizes, d), drop(form.strides, d), form.offsets),
        "SqueezeBackwardAutogradNestedTensor0",
    )


def drop(rows, d):
    """Drop one column from rows of numbers."""
    return [row[:d] + row[d + 1 :] for row in rows]


def view_as(func, input, *shape, size=None):
    """View the tensors with other sizes."""
    found = reshape_parts(input, complete_shape(shape, size), "view")
    if found is None:
        raise RuntimeError(NOT_VIEWABLE)
    return found


def reshape(func, input, *shape, **given):
    """Reshape the tensors, as a view if possible."""
    shape = complete_shape(shape, given.get("shape"))
    found = reshape_parts(input, shape, "reshape")
    return reshape_parts(contiguous(input), shape, "reshape") if found is None else found


def complete_shape(shape, named):
    shape = named if named is not None else shape
    return tuple(shape[0]) if len(shape) == 1 and not isinstance(shape[0], int) else tuple(shape)


def reshape_parts(input, shape, name):
    """Return the tensors viewed with other sizes; None if that needs a copy."""
    form = input._form
    if not form.sizes:
        raise RuntimeError("empty nested tensor cannot be reshaped")
    if shape[:1] != (len(form.sizes),):
        raise RuntimeError(f"{name}: For now nested {name} cannot change or infer the implicit batch dimension")
    sizes = [fit_size(shape, old) for old in form.sizes]
    strides = [view_strides(*each) for each in zip(form.sizes, form.strides, sizes)]
    if None in strides:
        return None
    return view(input, StridedForm(sizes, strides, form.offsets), "ViewBackwardAutogradNestedTensor0")


def fit_size(shape, old):
    """Return the size of one tensor; -1 keeps its size at that place."""
    wanted = list(shape[1:])
    if len(wanted) > len(old):
        if wanted[: len(old)].count(-1) > 1:
            raise RuntimeError("only one dimension can be inferred")
        if -1 in wanted[len(old) :]:
            raise RuntimeError("nested tensor does not infer shape")
    if any(n < -1 for n in wanted):
        raise RuntimeError(f"invalid shape dimension {min(wanted)}")
    size = tuple(old[d] if n == -1 else n for d, n in enumerate(wanted))
    if prod(size) != prod(old):
        raise RuntimeError(f"shape '{list(shape)}' is invalid for input of size {prod(old)}")
    return size


def flatten(func, input, start_dim=0, end_dim=-1):
    """Return the tensor itself for a single dimension.  Raise RuntimeError for more, which would need sizes."""
    start, end = input._form.wrap(start_dim), input._form.wrap(end_dim)
    if start > end:
        raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
    if start == end:
        return input
    raise RuntimeError(NO_SIZES)


def unflatten(func, input, dim, sizes):
    """Raise RuntimeError: the operation needs sizes, which a nested tensor lacks."""
    wrapped, sizes = input._form.wrap(dim), list(sizes)
    number = input._form.size(wrapped)
    if -1 not in sizes and prod(sizes) != number:
        raise RuntimeError(
            f"unflatten: Provided sizes {sizes} don't multiply up to the size of dim {wrapped} ({number}) in the input tensor"
        )
    raise RuntimeError(NO_SIZES)


VIEWS = {
    "transpose": transpose, "swapaxes": transpose, "swapdims": transpose, "unsqueeze": unsqueeze, "squeeze": squeeze, "view": view_as,
    "reshape": reshape, "flatten": flatten, "unflatten": unflatten,
}  # fmt: skip
