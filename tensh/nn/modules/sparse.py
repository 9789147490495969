"""Embedding tables: vectors looked up by index."""

from tensh.engine import find_public
from tensh.engine.autograd.modes import no_grad
from tensh.nn import functional as F
from tensh.nn import init
from tensh.nn.modules.module import Module
from tensh.nn.parameter import Parameter

__all__ = ["Embedding", "EmbeddingBag"]


class _Table(Module):
    """``weight`` [num_embeddings, embedding_dim], initially normal; the row of padding_idx is zero."""

    def _make(self, shape, weight, freeze, device, dtype):
        if weight is None:
            self.weight = Parameter(find_public("empty")(shape, device=device, dtype=dtype), requires_grad=not freeze)
            self.reset_parameters()
            return
        if tuple(weight.shape) != shape:
            raise AssertionError("Shape of weight does not match num_embeddings and embedding_dim")
        self.weight = Parameter(weight, requires_grad=not freeze)

    def reset_parameters(self):
        """Draw new initial values."""
        init.normal_(self.weight)
        self._fill_padding_idx_with_zero()

    def _fill_padding_idx_with_zero(self):
        if self.padding_idx is not None:
            with no_grad():
                self.weight[self.padding_idx].fill_(0)

    @staticmethod
    def _require_table(embeddings):
        if embeddings.dim() != 2:
            raise AssertionError("Embeddings parameter is expected to be 2-dimensional")
        return dict(zip(("num_embeddings", "embedding_dim"), embeddings.shape, strict=True))


def padding_row(padding_idx, rows, name):
    """Return the index of the padding row, counted from the first row."""
    if padding_idx is None:
        return None
    if padding_idx > 0 and padding_idx >= rows or padding_idx < 0 and padding_idx < -rows:
        raise AssertionError(f"{name} must be within num_embeddings")
    return padding_idx + rows if padding_idx < 0 else padding_idx


class Embedding(_Table):
    """Look up a vector for each index.

    Shapes: input [*] of integers, output [*, embedding_dim]; ``weight`` [num_embeddings, embedding_dim] starts normal,
    with mean 0 and variance 1. The row of ``padding_idx`` is zero and gets no gradient; ``max_norm`` rescales the rows
    that are looked up, in place. ``norm_type`` is the norm that ``max_norm`` bounds; ``scale_grad_by_freq`` divides the
    gradient of a row by how often it is looked up, and ``sparse`` makes the gradient of ``weight`` a sparse tensor.
    Raise AssertionError for a padding_idx that is not a row, IndexError for indices out of range.

    >>> import tensh as torch
    >>> torch.nn.Embedding(10, 3)(torch.tensor([[1, 2, 4, 5], [4, 3, 2, 9]])).shape
    torch.Size([2, 4, 3])
    """

    def __init__(self, num_embeddings, embedding_dim, padding_idx=None, max_norm=None, norm_type=2.0,
                 scale_grad_by_freq=False, sparse=False, _weight=None, _freeze=False, device=None, dtype=None):  # fmt: skip
        super().__init__()
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        self.padding_idx = padding_row(padding_idx, num_embeddings, "Padding_idx")
        self.max_norm, self.norm_type, self.scale_grad_by_freq = max_norm, norm_type, scale_grad_by_freq
        self._make((num_embeddings, embedding_dim), _weight, _freeze, device, dtype)
        self.sparse = sparse

    def forward(self, input):
        """Return ``F.embedding(input, weight, padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse)``."""
        return F.embedding(
            input, self.weight, self.padding_idx, self.max_norm, self.norm_type, self.scale_grad_by_freq, self.sparse
        )

    def extra_repr(self):
        text = f"{self.num_embeddings}, {self.embedding_dim}"
        usual = {"padding_idx": None, "max_norm": None, "norm_type": 2, "scale_grad_by_freq": False, "sparse": False}
        changed = {name: getattr(self, name) for name, value in usual.items() if getattr(self, name) != value}
        return text + "".join(f", {name}={value}" for name, value in changed.items())

    @classmethod
    def from_pretrained(cls, embeddings, freeze=True, padding_idx=None, max_norm=None, norm_type=2.0,
                        scale_grad_by_freq=False, sparse=False):  # fmt: skip
        """Make a layer from the rows of a matrix, which it shares; frozen unless asked not to be.

        >>> import tensh as torch
        >>> torch.nn.Embedding.from_pretrained(torch.tensor([[1., 2.], [3., 4.]]))(torch.tensor([1]))
        tensor([[3., 4.]])
        """
        return cls(
            **cls._require_table(embeddings), _weight=embeddings, _freeze=freeze, padding_idx=padding_idx, max_norm=max_norm,
            norm_type=norm_type, scale_grad_by_freq=scale_grad_by_freq, sparse=sparse,
        )  # fmt: skip


class EmbeddingBag(_Table):
    """Reduce the vectors of each bag of indices to their mean, sum or maximum.

    Shapes: input [B, N], or [N] with ``offsets`` [B] , the start of each bag; output [B, embedding_dim]; ``weight``
    [num_embeddings, embedding_dim]; ``per_sample_weights``, with mode "sum", like the input. Indices equal to
    ``padding_idx`` are left out; ``include_last_offset`` ends offsets with the length of the input. ``max_norm``,
    ``norm_type``, ``scale_grad_by_freq`` and ``sparse`` are those of Embedding. Raise AssertionError for a padding_idx
    that is not a row, ValueError for offsets with a two-dimensional input, and for a one-dimensional input without
    offsets.

    >>> import tensh as torch
    >>> bags = torch.tensor([1, 2, 4, 5]), torch.tensor([0, 3])
    >>> torch.nn.EmbeddingBag(10, 3)(*bags).shape
    torch.Size([2, 3])
    """

    def __init__(self, num_embeddings, embedding_dim, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, mode="mean",
                 sparse=False, _weight=None, include_last_offset=False, padding_idx=None, device=None, dtype=None):  # fmt: skip
        super().__init__()
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        self.max_norm, self.norm_type, self.scale_grad_by_freq = max_norm, norm_type, scale_grad_by_freq
        self.padding_idx = padding_row(padding_idx, num_embeddings, "padding_idx")
        self._make((num_embeddings, embedding_dim), _weight, False, device, dtype)
        self.mode, self.sparse, self.include_last_offset = mode, sparse, include_last_offset

    def forward(self, input, offsets=None, per_sample_weights=None):
        """Return ``F.embedding_bag(input, weight, offsets, ...)``; weights require mode 'sum'."""
        return F.embedding_bag(
            input, self.weight, offsets, self.max_norm, self.norm_type, self.scale_grad_by_freq, self.mode, self.sparse,
            per_sample_weights, self.include_last_offset, self.padding_idx,
        )  # fmt: skip

    def extra_repr(self):
        text = f"{self.num_embeddings}, {self.embedding_dim}"
        usual = {"max_norm": None, "norm_type": 2, "scale_grad_by_freq": False, "mode": None, "padding_idx": None}
        changed = {name: getattr(self, name) for name, value in usual.items() if getattr(self, name) != value}
        return text + "".join(f", {name}={value!r}" for name, value in changed.items())

    @classmethod
    def from_pretrained(cls, embeddings, freeze=True, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, mode="mean",
                        sparse=False, include_last_offset=False, padding_idx=None):  # fmt: skip
        """Make a layer from the rows of a matrix, which it shares; frozen unless asked not to be."""
        made = cls(
            **cls._require_table(embeddings), _weight=embeddings, max_norm=max_norm, norm_type=norm_type,
            scale_grad_by_freq=scale_grad_by_freq, mode=mode, sparse=sparse, include_last_offset=include_last_offset,
            padding_idx=padding_idx,
        )  # fmt: skip
        made.weight.requires_grad = not freeze
        return made
