"""torch.nn.utils.rnn: sequences of different lengths, padded to the same length or packed into one tensor."""

import copyreg
import itertools
from collections import namedtuple
from collections.abc import Iterable

from tensh.engine import find_public
from tensh.engine.arguments.mismatches import type_name
from tensh.engine.core.tensor import Tensor
from tensh.engine.dispatch.override.classes import convert_result
from tensh.engine.operators.forms import require, require_kind
from tensh.engine.operators.layers.recurrent import packed_rows
from tensh.support.naming import torch_is_tensh

__all__ = [
    "PackedSequence", "invert_permutation", "pack_padded_sequence", "pack_sequence", "pad_packed_sequence", "pad_sequence",
    "unpack_sequence", "unpad_sequence",
]  # fmt: skip


class PackedSequence(
    namedtuple("PackedSequence_", "data batch_sizes sorted_indices unsorted_indices", defaults=(None, None, None))
):
    """Samples of all sequences, step by step: the first of each sequence, then the second of each, and so on.

    ``batch_sizes`` counts the sequences at each step, the longest one first; ``sorted_indices`` is the permutation that
    sorted them. Raise AssertionError without ``batch_sizes``, unless ``data`` is a pair of both.

    >>> import tensh as torch
    >>> data, sizes = torch.tensor([1, 4, 2]), torch.tensor([2, 1])
    >>> torch.nn.utils.rnn.PackedSequence(data, sizes).batch_sizes
    tensor([2, 1])
    """

    __slots__ = ()
    __module__ = "torch.nn.utils.rnn"

    def __new__(cls, data, batch_sizes=None, sorted_indices=None, unsorted_indices=None):
        if unsorted_indices is None:
            unsorted_indices = invert_permutation(sorted_indices)
        if batch_sizes is None:
            if not (isinstance(data, list | tuple) and len(data) == 2):
                raise AssertionError("Expected data to be a list or tuple of length 2")
            data, batch_sizes = data
        return super().__new__(cls, data, batch_sizes, sorted_indices, unsorted_indices)

    def __reduce__(self):
        return (
            (copyreg.__newobj__, (type(self), *self)) if torch_is_tensh() else (_rebuild_packed_sequence, tuple(self))
        )

    def to(self, *args, **kwargs):
        """Return the sequence with its data converted by ``Tensor.to``."""
        data = self.data.to(*args, **kwargs)
        return self if data is self.data else type(self)(data, *self[1:])

    def pin_memory(self):
        """Return the sequence itself, because there is no accelerator."""
        return self

    def cpu(self, *args, **kwargs):
        """Return the sequence itself, which is on the CPU."""
        return self.to(*args, **kwargs)

    def cuda(self, *args, **kwargs):
        """Raise the error of a PyTorch built without CUDA."""
        return self.to(*args, **{**kwargs, "device": "cuda"})

    @property
    def is_cuda(self):
        """False."""
        return self.data.is_cuda

    def is_pinned(self):
        """False."""
        return self.data.is_pinned()


def _rebuild_packed_sequence(*parts):
    """Rebuild a packed sequence from its pickled state."""
    return PackedSequence(*parts)


_rebuild_packed = _rebuild_packed_sequence  # the name in pickles of earlier versions


def _make_conversion(name):
    def convert(self):
        return self.to(dtype=getattr(self.data.new_empty(0), name)().dtype)

    convert.__name__, convert.__doc__ = name, f"The data as ``Tensor.{name}`` converts it."
    return convert


for _name in ("double", "float", "half", "long", "int", "short", "char", "byte"):
    setattr(PackedSequence, _name, _make_conversion(_name))


def invert_permutation(permutation):
    """Invert a permutation [n]; return None for None.

    >>> import tensh as torch
    >>> torch.nn.utils.rnn.invert_permutation(torch.tensor([2, 0, 1]))
    tensor([1, 2, 0])
    """
    if permutation is None:
        return None
    places = find_public("arange")(require(permutation, "empty_like", "input", 1).numel())
    return find_public("empty_like")(permutation).scatter_(0, permutation, places)


# ── packing ──────────────────────────────────────────────────────────────────
def pack_padded_sequence(input, lengths, batch_first=False, enforce_sorted=True):
    """Pack padded sequences.

    Shapes: input [T, B, *], with ``batch_first`` [B, T, *]; ``lengths`` [B] decrease unless ``enforce_sorted`` is
    False. Raise RuntimeError for lengths that do not fit.

    >>> import tensh as torch
    >>> padded = torch.tensor([[1, 4], [2, 5], [3, 0]])
    >>> torch.nn.utils.rnn.pack_padded_sequence(padded, [3, 2]).data
    tensor([1, 4, 2, 5, 3])
    """
    lengths = find_public("as_tensor")(lengths, dtype=find_public("int64"))
    require(input, "_pack_padded_sequence", "input", 1)
    order = None
    if not enforce_sorted:
        lengths, order = find_public("sort")(lengths, descending=True)
        input = input.index_select(0 if batch_first else 1, order)
    require_kind("bool", batch_first, "_pack_padded_sequence", "batch_first", 3)
    rows = input.transpose(0, 1) if batch_first else input
    _check_lengths(rows, lengths)
    counts = lengths.tolist()
    sizes = [sum(length > step for length in counts) for step in range(counts[0])]
    data = packed_rows.fn(rows, _places(sizes, rows.shape[1]))
    return PackedSequence(*_keep_class((data, find_public("tensor")(sizes)), input), order)


def _keep_class(result, like):
    """Return tensors in the class of ``like``, unless it has its own ``__torch_function__``."""
    cls = type(like)
    by_default = getattr(cls.__torch_function__, "__func__", None) is Tensor.__torch_function__.__func__
    return convert_result(result, cls) if by_default else result


def _check_lengths(rows, lengths):
    if lengths.dim() != 1:
        raise RuntimeError(
            f"'lengths' argument should be a 1D CPU int64 tensor, but got {lengths.dim()}D cpu Long tensor"
        )
    if rows.numel() == 0:
        raise RuntimeError("Cannot pack empty tensors.")
    counts, batch = lengths.tolist(), rows.size(1)
    if len(counts) != batch:
        raise RuntimeError(
            f"Expected `len(lengths)` to be equal to batch_size, but got {len(counts)} (batch_size={batch})"
        )
    if counts[-1] <= 0:
        raise RuntimeError(
            "Length of all samples has to be greater than 0, but found an element in 'lengths' that is <= 0"
        )
    if counts != sorted(counts, reverse=True):
        raise RuntimeError(
            "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You can pass "
            "`enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to sidestep this requirement if you do not need "
            "ONNX exportability."
        )
    if counts[0] > rows.size(0):
        raise RuntimeError(
            f"Expected `len(lengths)` to be at most the number of steps, {rows.size(0)}, but got {counts[0]}"
        )


def _places(sizes, batch):
    """Return the indices of a packed sequence's samples in the padded one with its first two dimensions merged."""
    return find_public("tensor")([step * batch + sample for step, size in enumerate(sizes) for sample in range(size)])


def pad_packed_sequence(sequence, batch_first=False, padding_value=0.0, total_length=None):
    """Unpack into (padded sequences, their lengths).

    Shapes: [T, B, *], with ``batch_first`` [B, T, *], and [B]. ``padding_value`` fills up the shorter ones, to
    ``total_length`` if given. Raise ValueError for a ``total_length`` that is too short.

    >>> import tensh as torch
    >>> rnn = torch.nn.utils.rnn
    >>> packed = rnn.pack_sequence([torch.tensor([1, 2, 3]), torch.tensor([4, 5])])
    >>> rnn.pad_packed_sequence(packed, batch_first=True)
    (tensor([[1, 2, 3],
            [4, 5, 0]]), tensor([3, 2]))
    """
    sizes, data, order = sequence.batch_sizes.tolist(), sequence.data, sequence.unsorted_indices
    steps, batch = len(sizes), sizes[0]
    if total_length is not None:
        if total_length < steps:
            raise ValueError(
                "Expected total_length to be at least the length of the longest sequence in input, but got "
                f"total_length={total_length} and max sequence length being {steps}"
            )
        steps = total_length
    padded, begin, step = data.new_full((steps, batch, *data.shape[1:]), padding_value), 0, 0
    for size, run in itertools.groupby(sizes):  # number of steps with the same batch size
        count = len(list(run))
        end = begin + count * size
        padded[step : step + count, :size].copy_(data[begin:end].view(count, size, *data.shape[1:]))
        begin, step = end, step + count
    padded = padded.transpose(0, 1) if batch_first else padded
    lengths = _keep_class(
        find_public("tensor")([sum(size > sample for size in sizes) for sample in range(batch)]), data
    )
    if order is None:
        return padded, lengths
    return padded.index_select(0 if batch_first else 1, order), lengths[order]


def _pack_padded_sequence(input, lengths, batch_first):
    """Return the rows of padded sequences, step by step, and the number of sequences at each step: a function of torch."""
    packed = pack_padded_sequence(input, require(lengths, "_pack_padded_sequence", "lengths", 2), batch_first)
    return packed.data, packed.batch_sizes


def _pad_packed_sequence(data, batch_sizes, batch_first, padding_value, total_length):
    """Return padded sequences and their lengths; ``total_length`` is the number of steps if it is positive."""
    steps = total_length if total_length > 0 else None
    return pad_packed_sequence(PackedSequence(data, batch_sizes), batch_first, padding_value, steps)


def pack_sequence(sequences, enforce_sorted=True):
    """Pack a list of sequences [L, *], the longest first unless ``enforce_sorted`` is False.

    Raise RuntimeError for an empty list, and for lengths that increase.

    >>> import tensh as torch
    >>> sequences = [torch.tensor([1, 2, 3]), torch.tensor([4, 5])]
    >>> torch.nn.utils.rnn.pack_sequence(sequences).batch_sizes
    tensor([2, 2, 1])
    """
    lengths = [each.size(0) for each in sequences]
    return pack_padded_sequence(pad_sequence(sequences), lengths, enforce_sorted=enforce_sorted)


def unpack_sequence(packed_sequences):
    """Unpack into a list of sequences [L, *].

    >>> import tensh as torch
    >>> rnn = torch.nn.utils.rnn
    >>> rnn.unpack_sequence(rnn.pack_sequence([torch.tensor([1, 2]), torch.tensor([3])]))
    [tensor([1, 2]), tensor([3])]
    """
    return unpad_sequence(*pad_packed_sequence(packed_sequences, batch_first=True), batch_first=True)


# ── padding ──────────────────────────────────────────────────────────────────
def pad_sequence(sequences, batch_first=False, padding_value=0.0, padding_side="right"):
    """Pad a list of sequences [L, *] into one tensor [T, B, *], with ``batch_first`` [B, T, *].

    ``padding_side`` is "right" or "left". ``padding_value`` fills up the shorter ones. Raise RuntimeError for an empty
    list and for another side.

    >>> import tensh as torch
    >>> sequences = [torch.tensor([1, 2, 3]), torch.tensor([4])]
    >>> torch.nn.utils.rnn.pad_sequence(sequences, batch_first=True)
    tensor([[1, 2, 3],
            [4, 0, 0]])
    """
    if not isinstance(sequences, Iterable):
        raise RuntimeError(
            f"pad_sequence: Expected iterable for input sequences, but got arg of type: {type(sequences)}"
        )
    sequences = tuple(sequences)
    if not sequences:
        raise RuntimeError("received an empty list of sequences")
    require_kind("bool", batch_first, "pad_sequence", "batch_first", 2)
    require_kind("float", padding_value, "pad_sequence", "padding_value", 3)
    if padding_side not in ("left", "right"):
        raise RuntimeError(f"Expected padding_side to be one of left or right, but got {padding_side}.")
    for number, each in enumerate(sequences):
        if not isinstance(each, Tensor):
            raise TypeError(f"expected Tensor as element {number} in argument 0, but got {type_name(each)}")
    if not sequences[0].dim():
        raise RuntimeError("ArrayRef: invalid slice, N = 1; size = 0")
    longest, rest = max(each.size(0) for each in sequences), tuple(sequences[0].shape[1:])
    shape = (len(sequences), longest) if batch_first else (longest, len(sequences))
    filler = float(padding_value) if type(padding_value) is int else padding_value  # PyTorch takes a double
    padded = sequences[0].new_full((*shape, *rest), filler)
    rows = padded if batch_first else padded.transpose(0, 1)
    for number, each in enumerate(sequences):
        begin = 0 if padding_side == "right" else longest - each.size(0)
        rows[number, begin : begin + each.size(0)].copy_(each)
    return padded


def unpad_sequence(padded_sequences, lengths, batch_first=False):
    """Split a padded tensor [T, B, *], with ``batch_first`` [B, T, *], into a list of sequences [L, *].

    >>> import tensh as torch
    >>> padded, lengths = torch.tensor([[1, 2], [3, 0]]), torch.tensor([2, 1])
    >>> torch.nn.utils.rnn.unpad_sequence(padded, lengths, batch_first=True)
    [tensor([1, 2]), tensor([3])]
    """
    if not batch_first:
        padded_sequences.transpose_(0, 1)
    within = find_public("arange")(padded_sequences.shape[1])
    return [row[within < length] for row, length in zip(padded_sequences, lengths, strict=True)]


for _name in set(__all__) - {"PackedSequence"}:
    globals()[_name].__module__ = PackedSequence.__module__
