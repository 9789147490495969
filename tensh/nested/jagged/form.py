"""Nested tensors in the layout torch.jagged: values in which one dimension is packed, and offsets that divide it."""

import tensh as torch
from tensh.engine.dtypes.device import CONSTANTS
from tensh.engine.dtypes.size import size_of
from tensh.nested.core import RULES, Nested, elements_of, name_operator, nest
from tensh.nested.sizes import ragged_size


class NestedTensor(Nested):
    """A nested tensor in the layout torch.jagged, with one ragged dimension; made by the functions of ``torch.nested``.

    >>> import tensh as torch
    >>> x = torch.nested.nested_tensor([torch.ones(2, 3), torch.ones(4, 3)], layout=torch.jagged)
    >>> x.offsets(), x.values().shape
    (tensor([0, 2, 6]), torch.Size([6, 3]))
    """

    __module__ = "torch.nested._internal.nested_tensor"
    rules = dict(RULES)

    def __new__(cls, values, offsets, *, lengths=None, requires_grad=False, _ragged_idx=1, _metadata_cache=None):
        if offsets is None or offsets.ndim != 1 or isinstance(values, Nested):
            raise AssertionError(describe_misfit(values, offsets))
        if lengths is not None and len(offsets) - 1 != len(lengths):
            raise AssertionError(
                "offsets and lengths batch sizes must match: "
                f"offsets.shape[0] - 1 = {len(offsets) - 1}, lengths.shape[0] = {len(lengths)}"
            )
        form = JaggedForm(offsets, lengths, _ragged_idx, _metadata_cache)
        return nest(elements_of(values).detach().requires_grad_(requires_grad), form)

    def __init__(self, *args, **kwargs):
        pass  # everything is done in __new__

    shape = property(lambda self: size_of(self._size), doc="The sizes; that of the ragged dimension is a symbol.")
    ndim = property(lambda self: len(self._size), doc="The number of dimensions.")
    layout = property(lambda self: CONSTANTS["jagged"], doc="torch.jagged")
    _size = property(lambda self: self._form.size(self.array.shape))
    _strides = property(lambda self: self._form.strides(elements_of(self).stride()))
    _values = property(lambda self: elements_of(self).detach())
    _offsets = property(lambda self: self._form.offsets)
    _lengths = property(lambda self: self._form.lengths)
    _ragged_idx = property(lambda self: self._form.ragged)
    _metadata_cache = property(lambda self: self._form.seqlens)
    _max_seqlen = property(lambda self: self._form.extreme("max_seqlen"))
    _min_seqlen = property(lambda self: self._form.extreme("min_seqlen"))
    _maybe_max_seqlen = property(lambda self: self._form.seqlens.get("max_seqlen"))
    _maybe_min_seqlen = property(lambda self: self._form.seqlens.get("min_seqlen"))

    def offsets(self):
        """Return the start of each tensor in the ragged dimension of the values, and the end of the last one."""
        return self._form.offsets

    def lengths(self):
        """Return the length of each tensor if there are holes between them; None otherwise."""
        return self._form.lengths

    def _get_max_seqlen(self):
        return self._max_seqlen

    def _get_min_seqlen(self):
        return self._min_seqlen

    def _parts_to_save(self):
        """Reduce the form for ``torch.save``: a table, in which known lengths are sizes of empty tensors."""
        form, known = self._form, {name: torch.zeros(n, 0) for name, n in self._form.seqlens.items()}
        facts = {"values": self._values, "offsets": form.offsets, "lengths": form.lengths, "_ragged_idx": form.ragged}
        return ({**facts, "_metadata_cache": known, "requires_grad": self.requires_grad},)

    @staticmethod
    def lacks(name, args, kwargs):
        """Return the error for a function without a rule."""
        return NotImplementedError(f"aten.{name_operator(name, args, kwargs)}")

    def __repr__(self, *, tensor_contents=None):
        tail = f", requires_grad={self.requires_grad}" if self.requires_grad else ""
        if self.grad_fn is not None:
            tail = f", grad_fn={self.grad_fn}"
        whole = self._form.lengths is None and elements_of(self).is_contiguous()
        return f"NestedTensor(size={self._size}, offsets={self._form.offsets}{tail}, contiguous={whole})"


def describe_misfit(values, offsets):
    if offsets is None:
        return "offsets must not be None"
    return "values must not be a NestedTensor" if offsets.ndim == 1 else f"offsets must be 1D, but got {offsets.ndim}D"


class JaggedForm:
    """Offsets, lengths if there are holes, the number of the ragged dimension, and extreme lengths if known."""

    kind = NestedTensor

    def __init__(self, offsets, lengths=None, ragged=1, seqlens=None):
        self.offsets, self.lengths, self.ragged, self.seqlens = offsets, lengths, ragged, seqlens or {}
        self.symbol = ragged_size(offsets if lengths is None else lengths)

    def derive(self, ragged=None):
        """Copy the form for a tensor that is divided in the same way, possibly in another dimension."""
        return JaggedForm(self.offsets, self.lengths, ragged or self.ragged, self.seqlens)

    def size(self, inner):
        """Return the size of a nested tensor whose values have the size ``inner``."""
        d = self.ragged - 1
        return (len(self.offsets) - 1, *inner[:d], self.symbol, *inner[d + 1 :])

    def strides(self, inner):
        """Return the strides of a nested tensor, in which the length of a tensor is a symbol."""
        return (self.symbol * inner[self.ragged - 1], *inner)

    def list_lengths(self):
        """Return the length of each tensor."""
        return self.offsets.diff() if self.lengths is None else self.lengths

    def extreme(self, name):
        """Return the smallest or largest length, and cache it."""
        if name not in self.seqlens:
            lengths = self.list_lengths()
            self.seqlens[name] = int(lengths.max() if name == "max_seqlen" else lengths.min())
        return self.seqlens[name]


def part_at(nested, index):
    """Return one of the tensors."""
    form = nested._form
    starts, lengths = form.offsets.tolist()[:-1], form.list_lengths().tolist()
    if not -len(starts) <= index < len(starts):
        raise IndexError("tuple index out of range")
    return elements_of(nested).narrow(form.ragged - 1, starts[index], lengths[index])


def parts(nested):
    """Return the tensors, as views of the values."""
    form, values = nested._form, elements_of(nested)
    lengths, dim = form.list_lengths().tolist(), form.ragged - 1
    if form.lengths is None:
        return values.split(lengths, dim)
    if any(start + n > values.shape[dim] for start, n in zip(form.offsets.tolist(), lengths)):
        raise RuntimeError("unbind(): nested tensor offsets and lengths do not match ragged_idx dimension")
    return tuple(values.narrow(dim, start, n) for start, n in zip(form.offsets.tolist(), lengths))
