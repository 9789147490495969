"""Nested tensors in the layout torch.strided: one buffer, with a size, strides and an offset for each tensor."""

from math import prod

import tensh as torch
from tensh.engine.errors.messages import wrap_dim
from tensh.engine.errors.warnings import warn_once
from tensh.nested.core import NO_SIZES, RULES, Nested, elements_of, name_operator, nest
from tensh.nested.labels import label

PROTOTYPE = (
    "The PyTorch API of nested tensors is in prototype stage and will change in the near future. We recommend specifying "
    "layout=torch.jagged when constructing a nested tensor, as this layout receives active development, has better operator "
    "coverage, and works with torch.compile."
)


class StridedNested(Nested):
    """A nested tensor in the layout torch.strided, which users see as a ``torch.Tensor``."""

    rules = dict(RULES)

    @property
    def shape(self):
        """Raise RuntimeError, because tensors of different sizes have no common shape."""
        raise RuntimeError(NO_SIZES)

    ndim = property(lambda self: self._form.ndim, doc="The number of dimensions.")

    def _nested_tensor_size(self):
        """Return a row with the size of each tensor."""
        return torch.tensor(self._form.sizes, dtype=torch.int64)

    def _nested_tensor_strides(self):
        """Return a row with the strides of each tensor in the buffer."""
        return torch.tensor(self._form.strides, dtype=torch.int64)

    def _nested_tensor_storage_offsets(self):
        """Return the offset of each tensor in the buffer."""
        return torch.tensor(self._form.offsets, dtype=torch.int64)

    def _parts_to_save(self):
        """Reduce a nested tensor for ``torch.save``: the buffer, and tensors of sizes, strides and offsets."""
        buffer = elements_of(self).detach().view(-1).requires_grad_(self.requires_grad)
        return buffer, self._nested_tensor_size(), self._nested_tensor_strides(), self._nested_tensor_storage_offsets()

    @staticmethod
    def lacks(name, args, kwargs):
        """Return the error for a function without a rule."""
        if name in WITHOUT_SIZES:
            return RuntimeError(NO_SIZES)
        operator = name_operator(name, args, kwargs).removesuffix(".default")
        return NotImplementedError(
            f"Could not run 'aten::{operator}' with arguments from the 'NestedTensorCPU' backend."
        )

    def __repr__(self, *, tensor_contents=None):
        wants = self.requires_grad
        parts = [str(each.requires_grad_(wants)) for each in unbind(elements_of(self).detach(), self._form)]
        lines = ",\n".join(part for part in parts).replace("\n", "\n  ")
        tail = ""
        if self.grad_fn is not None:
            tail = f", grad_fn=<{self.grad_fn.name()}>"
        elif self.requires_grad:
            tail = ", requires_grad=True"
        return f"nested_tensor([\n  {lines}\n]{tail})" if parts else f"nested_tensor([\n\n]{tail})"


StridedNested.__name__ = StridedNested.__qualname__ = "Tensor"
StridedNested.__module__ = "torch"
WITHOUT_SIZES = frozenset(
    """stride __len__ numpy one_hot rms_norm expand_as cross_entropy mse_loss batch_norm nll_loss l1_loss smooth_l1_loss
    binary_cross_entropy instance_norm""".split()
)
"""Functions that first ask for the sizes, which do not exist."""


class StridedForm:
    """The size, strides and offset of each tensor in the buffer."""

    kind = StridedNested

    def __init__(self, sizes, strides=None, offsets=None):
        warn_once(PROTOTYPE)
        self.sizes = tuple(map(tuple, sizes))
        steps = tuple(map(row_major, self.sizes))
        self.strides = steps if strides is None else tuple(map(tuple, strides))
        starts = add_up(map(prod, self.sizes))
        self.offsets = starts if offsets is None else tuple(offsets)
        self.contiguous = self.strides == steps and self.offsets == starts

    ndim = property(lambda form: 1 + (len(form.sizes[0]) if form.sizes else 0))

    def derive(self):
        """Copy the form for a tensor that is divided in the same way."""
        return self

    def size(self, dim):
        """Return the size of a dimension; raise RuntimeError if it varies."""
        given, dim = dim, wrap_dim(dim, self.ndim)
        found = {len(self.sizes)} if dim == 0 else {size[dim - 1] for size in self.sizes}
        if len(found) != 1:
            raise RuntimeError(f"Given dimension {given} is irregular and does not have a size.")
        return found.pop()

    def last_size(self):
        """Return the size of the last dimension; raise RuntimeError if it varies."""
        found = [size[-1] for size in self.sizes]
        if len(set(found)) > 1:
            raise RuntimeError(
                "Expected all tensors in nested tensor to have the same trailing dimension, instead last dimension equals: "
                f"{show_numbers(found)}"
            )
        return found[0]

    def wrap(self, dim, more=0):
        """Return a dimension as a non-negative number."""
        return wrap_dim(dim, self.ndim + more)


def show_numbers(numbers):
    """Format numbers as PyTorch's errors show them."""
    lines = "\n".join(f" {n}" for n in numbers)
    return f"{lines}\n[ torch.LongTensor{{{len(numbers)}}} ]"


def require_contiguous(nested, message="NestedTensor must be contiguous to get buffer."):
    """Raise RuntimeError unless the tensors are contiguous in the buffer."""
    if not nested._form.contiguous:
        raise RuntimeError(message)


def row_major(size):
    """Return row-major strides."""
    steps, step = [], 1
    for n in reversed(size):
        steps.append(step)
        step *= n
    return tuple(reversed(steps))


def add_up(numbers):
    """Return the sum of all previous numbers for each number."""
    sums, total = [], 0
    for n in numbers:
        sums.append(total)
        total += n
    return tuple(sums)


# ── splitting and joining ────────────────────────────────────────────────────
def unbind(buffer, form):
    """Return the tensors, as views of the buffer."""
    if form.contiguous and form.sizes:
        parts = buffer.split([prod(size) for size in form.sizes])
        return [part.view(size) for part, size in zip(parts, form.sizes)]
    return [buffer.as_strided(*place) for place in zip(form.sizes, form.strides, form.offsets)]


def part_at(nested, index):
    """Return one of the tensors."""
    form, buffer = nested._form, elements_of(nested)
    size, start = form.sizes[index], form.offsets[index]
    if form.contiguous:
        return buffer.narrow(0, start, prod(size)).view(size)
    return buffer.as_strided(size, form.strides[index], start)


def parts(nested):
    """Return the tensors of a nested one."""
    return unbind(elements_of(nested), nested._form)


def join(tensors, node=None):
    """Make a nested tensor from copies of the tensors, with a named node."""
    buffer = torch.cat([each.reshape(-1) for each in tensors]) if tensors else torch.zeros(0)
    return nest(label(buffer, node) if node else buffer, StridedForm([each.shape for each in tensors]))


def view(nested, form, node):
    """Make a nested tensor on the memory of another."""
    return nest(label(elements_of(nested).view(-1), node), form)


def contiguous(nested):
    """Return the nested tensor with contiguous tensors."""
    return nested if nested._form.contiguous else join(parts(nested), "CloneBackward0")


def each_part(func, nested, node):
    """Apply a function to every tensor."""
    return join([func(part) for part in parts(nested)], node)
