"""BlockMask: the blocks of attention scores, queries by keys, that are computed."""

import itertools
import math

import tensh as torch

__all__ = ["BlockMask", "noop_mask"]

BLOCK = 128
WHOLE = 1 << 30
"""The block size of a mask that hides nothing and has one block."""


def noop_mask(batch, head, token_q, token_kv):
    """Return True for every score: the mask that hides nothing.

    >>> import tensh as torch
    >>> from tensh.nn.attention.flex_attention import noop_mask
    >>> noop_mask(*torch.zeros(4, dtype=torch.int64))
    tensor(True)
    """
    return batch.new_ones((), dtype=torch.bool)


def _sliced_mask_mod_error(batch, head, token_q, token_kv):
    """Raise an error: part of a mask does not know its offset, so it cannot mask single scores."""
    raise RuntimeError(
        "Cannot use mask_mod from a sliced BlockMask. "
        "When you slice a BlockMask using [], the mask_mod attribute is reset. "
        "You must set it from the original BlockMask's mask_mod."
        "\n\nIncorrect usage:"
        "\n  base_mask = create_block_mask(my_mask_fn, ...)"
        "\n  sliced_mask = base_mask[:, :, block_idx]"
        "\n  sliced_mask.mask_mod = apply_offset(sliced_mask.mask_mod, offset)  # WRONG!"
        "\n\nCorrect usage:"
        "\n  base_mask = create_block_mask(my_mask_fn, ...)"
        "\n  sliced_mask = base_mask[:, :, block_idx]"
        "\n  sliced_mask.mask_mod = apply_offset(base_mask.mask_mod, offset)  # Use base_mask!"
    )


def list_blocks(dense):
    """Return the number of blocks in each row of a block mask, and their columns, with present blocks first."""
    dense = dense.to(torch.int32)
    order = torch.argsort(dense, dim=-1, descending=True, stable=True)
    return dense.sum(-1).to(torch.int32), order.to(torch.int32)


def mark_blocks(counts, columns, width):
    """Return the block mask of zeros and ones that the lists of ``list_blocks`` describe."""
    valid = torch.arange(columns.shape[-1]) < counts.unsqueeze(-1)
    places = torch.where(valid, columns, width).to(torch.int64)
    dense = torch.zeros((*columns.shape[:-1], width + 1), dtype=torch.int32)
    return dense.scatter_(-1, places, 1)[..., :width].contiguous()


def transpose_blocks(counts, columns):
    """Return the lists of blocks by columns from those by rows; None for None."""
    if counts is None:
        return None, None
    return list_blocks(mark_blocks(counts, columns, columns.shape[-1]).transpose(-2, -1))


def crop_blocks(counts, columns, rows, width):
    """Return the lists of the blocks in the first rows and columns."""
    if counts is None:
        return None, None
    columns, counts = columns[:, :, :rows, :width], counts[:, :, :rows].clamp(max=width)
    return (columns < counts.unsqueeze(-1)).sum(-1).to(torch.int32), columns


def check_pair(name, counts, columns):
    """Raise AssertionError if only one of two lists is given."""
    if (counts is None) != (columns is None):
        raise AssertionError(f"{name}_num_blocks and {name}_indices must be both provided or omitted")


class BlockMask:
    """The blocks of a mask [batch, heads, queries, keys]: those that hide some scores and those that hide none.

    ``kv_num_blocks`` [batch, heads, rows] counts the blocks of keys that a block of queries sees in part, and
    ``kv_indices`` [batch, heads, rows, columns] lists them first. ``full_kv_*`` are the blocks that it sees entirely,
    ``q_*`` the same lists by columns. ``mask_mod`` masks single scores. ``create_block_mask`` makes a mask from a
    function, ``from_kv_blocks`` from lists.

    >>> import tensh as torch
    >>> from tensh.nn.attention.flex_attention import create_block_mask
    >>> mask = create_block_mask(lambda b, h, q, kv: q >= kv, None, None, 256, 256)
    >>> mask.to_dense()
    tensor([[[[1, 0],
              [1, 1]]]], dtype=torch.int32)
    >>> mask.sparsity()
    25.0
    """

    _TENSOR_ATTRS = (
        "kv_num_blocks kv_indices full_kv_num_blocks full_kv_indices q_num_blocks q_indices full_q_num_blocks full_q_indices "
        "dq_write_order dq_write_order_full dq_kv_order"
    ).split()
    _CONTEXT_ATTRS = "seq_lengths BLOCK_SIZE mask_mod dq_kv_order_spt".split()

    def __init__(
        self, seq_lengths, kv_num_blocks, kv_indices, full_kv_num_blocks, full_kv_indices, q_num_blocks, q_indices,
        full_q_num_blocks, full_q_indices, BLOCK_SIZE=(BLOCK, BLOCK), mask_mod=noop_mask, *, dq_write_order=None,
        dq_write_order_full=None, dq_kv_order=None, dq_kv_order_spt=None,
    ):  # fmt: skip
        if kv_indices.dim() < 2:
            raise RuntimeError("BlockMask must have at least 2 dimensions")
        check_pair("full_kv", full_kv_num_blocks, full_kv_indices)
        check_pair("full_q", full_q_num_blocks, full_q_indices)
        if dq_write_order_full is not None and dq_write_order is None:
            raise ValueError("dq_write_order_full requires dq_write_order")
        self.seq_lengths, self.BLOCK_SIZE, self.mask_mod = seq_lengths, BLOCK_SIZE, mask_mod
        self.kv_num_blocks, self.kv_indices = kv_num_blocks, kv_indices
        self.full_kv_num_blocks, self.full_kv_indices = full_kv_num_blocks, full_kv_indices
        self.q_num_blocks, self.q_indices = q_num_blocks, q_indices
        self.full_q_num_blocks, self.full_q_indices = full_q_num_blocks, full_q_indices
        self.dq_write_order, self.dq_write_order_full = dq_write_order, dq_write_order_full
        self.dq_kv_order, self.dq_kv_order_spt = dq_kv_order, dq_kv_order_spt

    @classmethod
    def from_kv_blocks(
        cls, kv_num_blocks, kv_indices, full_kv_num_blocks=None, full_kv_indices=None, BLOCK_SIZE=BLOCK, mask_mod=None,
        seq_lengths=None, compute_q_blocks=True, *, dq_write_order=None, dq_write_order_full=None, dq_kv_order=None,
    ):  # fmt: skip
        """Make a mask from the blocks of keys that each block of queries sees.

        Without ``seq_lengths``, all blocks have full size. Raises RuntimeError for lists of fewer than two dimensions.

        >>> import tensh as torch
        >>> from tensh.nn.attention.flex_attention import BlockMask
        >>> BlockMask.from_kv_blocks(torch.ones(1, 1, 1), torch.zeros(1, 1, 1, 1), BLOCK_SIZE=4).shape
        (1, 1, 4, 4)
        """
        if kv_indices.dim() < 2:
            raise RuntimeError("BlockMask must have at least 2 dimensions")
        check_pair("full_kv", full_kv_num_blocks, full_kv_indices)
        if dq_kv_order is not None and not isinstance(dq_kv_order, (bool, torch.Tensor)):
            raise ValueError("dq_kv_order must be a bool, Tensor, or None")
        by_columns = (None, None, None, None)
        if compute_q_blocks:
            by_columns = (
                *transpose_blocks(kv_num_blocks, kv_indices),
                *transpose_blocks(full_kv_num_blocks, full_kv_indices),
            )
        size = (BLOCK_SIZE, BLOCK_SIZE) if isinstance(BLOCK_SIZE, int) else BLOCK_SIZE
        if seq_lengths is None:
            seq_lengths = kv_indices.shape[-2] * size[0], kv_indices.shape[-1] * size[1]
        by_flag = isinstance(dq_kv_order, bool)
        return cls(
            seq_lengths, kv_num_blocks, kv_indices, full_kv_num_blocks, full_kv_indices, *by_columns, size,
            noop_mask if mask_mod is None else mask_mod, dq_write_order=dq_write_order, dq_write_order_full=dq_write_order_full,
            dq_kv_order=None if by_flag else dq_kv_order, dq_kv_order_spt=dq_kv_order if by_flag else None,
        )  # fmt: skip

    def as_tuple(self, flatten=True):
        """Return the mask as a tuple, with lengths and block sizes as numbers or, with ``flatten=False``, as pairs.

        >>> import tensh as torch
        >>> from tensh.nn.attention.flex_attention import create_block_mask, noop_mask
        >>> create_block_mask(noop_mask, None, None, 128, 256).as_tuple()[:2]
        (128, 256)
        """
        lengths, size = (self.seq_lengths, self.BLOCK_SIZE) if flatten else ((self.seq_lengths,), (self.BLOCK_SIZE,))
        tensors = (getattr(self, name) for name in self._TENSOR_ATTRS)
        return (*lengths, *tensors, self.dq_kv_order_spt, *size, self.mask_mod)

    @property
    def shape(self):
        return (*self.kv_indices.shape[:-2], *self.seq_lengths)

    def __str__(self):
        return f"BlockMask(shape={self.shape}, sparsity={self.sparsity():.2f}%, \n{self.to_string().strip()}\n)"

    def __repr__(self):
        sizes = {name: getattr(self, name) for name in self._TENSOR_ATTRS[:8]}
        rows = [f"{name}={None if each is None else each.shape}" for name, each in sizes.items()]
        rows += [f"BLOCK_SIZE={self.BLOCK_SIZE}", f"shape={self.shape}", f"sparsity={self.sparsity():.2f}%"]
        rows += [f"mask_mod={getattr(self.mask_mod, '__name__', self.mask_mod)}"]
        return "BlockMask(\n    " + ",\n    ".join(rows) + "\n)"

    def __getitem__(self, index):
        """Return the mask of some batches, heads and rows of blocks, without ``mask_mod``; integers keep dimensions."""
        self._refuse_order("Slicing")
        index = index if isinstance(index, tuple) else (index,)
        index = (*index, slice(None), slice(None), slice(None))[:3]
        places = tuple(
            slice(i, i + 1 or None) if isinstance(i, int) and -n <= i < 0 else slice(i, i + 1) if isinstance(i, int) else i
            for i, n in zip(index, self.kv_num_blocks.shape)
        )  # fmt: skip
        lists = [None if each is None else each[places] for each in self._by_rows()]
        return self._remade(lists, _sliced_mask_mod_error, self.seq_lengths)

    def _adjust(self, new_q_len, new_kv_len):
        """Return the mask of the first queries and keys."""
        self._refuse_order("Adjusting")
        rows, width = -(-new_q_len // self.BLOCK_SIZE[0]), -(-new_kv_len // self.BLOCK_SIZE[1])
        partial, full = self._by_rows()[:2], self._by_rows()[2:]
        lists = [*crop_blocks(*partial, rows, width), *crop_blocks(*full, rows, width)]
        return self._remade(lists, self.mask_mod, (new_q_len, new_kv_len))

    def _by_rows(self):
        return self.kv_num_blocks, self.kv_indices, self.full_kv_num_blocks, self.full_kv_indices

    def _refuse_order(self, what):
        if self.dq_kv_order is not None:
            raise NotImplementedError(
                f"{what} BlockMask with tensor dq_kv_order is not supported yet. "
                "Construct a new BlockMask with matching precomputed dq_write_order metadata."
            )

    def _remade(self, lists, mask_mod, seq_lengths):
        """Make a mask from other blocks of the same size."""
        made = BlockMask.from_kv_blocks(
            *lists, self.BLOCK_SIZE, mask_mod, seq_lengths, self.q_indices is not None, dq_kv_order=self.dq_kv_order_spt
        )
        if self.dq_write_order is not None:
            made._order_writes()
        return made

    def _order_writes(self):
        """Number the blocks of each row in the order in which PyTorch's kernel would add their gradients."""
        width = self.q_indices.shape[-2]
        dense = mark_blocks(self.kv_num_blocks, self.kv_indices, width)
        if self.full_kv_indices is not None:
            dense = (dense + mark_blocks(self.full_kv_num_blocks, self.full_kv_indices, width)).clamp(max=1)
        total = dense.cumsum(-1)
        ranks = total[..., -1:] - 1 - (total - dense) if self.dq_kv_order_spt else total - dense
        by_columns = ranks.transpose(-2, -1).to(torch.int32)
        self.dq_write_order = by_columns.gather(-1, self.q_indices.long())
        if self.full_q_indices is not None:
            self.dq_write_order_full = by_columns.gather(-1, self.full_q_indices.long())

    def numel(self):
        """Count the scores, including hidden ones."""
        return math.prod(self.shape)

    def sparsity(self):
        """Return the percentage of scores whose block is not computed."""
        computed = self.kv_num_blocks.sum()
        if self.full_kv_num_blocks is not None:
            computed = computed + self.full_kv_num_blocks.sum()
        return 100 * (1 - computed.item() * self.BLOCK_SIZE[0] * self.BLOCK_SIZE[1] / self.numel())

    def to_dense(self):
        """Return a tensor [batch, heads, rows, columns] with 1 for each block that is computed and 0 for others."""
        dense = mark_blocks(self.kv_num_blocks, self.kv_indices, self.kv_indices.shape[-1])
        if self.full_kv_num_blocks is None:
            return dense
        return dense | mark_blocks(self.full_kv_num_blocks, self.full_kv_indices, self.full_kv_indices.shape[-1])

    def to_string(self, grid_size=(20, 20), limit=4):
        """Draw the blocks of the first ``limit`` heads, with at most the rows and columns of ``grid_size``.

        >>> import tensh as torch
        >>> from tensh.nn.attention.flex_attention import create_block_mask
        >>> create_block_mask(lambda b, h, q, kv: q >= kv, None, None, 256, 256).to_string().splitlines()
        ['(0, 0)', '██  ', '████']
        """
        dense = self.to_dense()
        *batches, rows, width = dense.shape
        most = (grid_size, grid_size) if isinstance(grid_size, int) else grid_size
        steps = [max(1, -(-length // size)) for length, size in zip((rows, width), most)]
        drawn = []
        for count, index in enumerate(itertools.product(*map(range, batches))):
            if count == limit:
                drawn += [
                    "...", "To print out more, set BlockMask.to_string(limit=N)",
                    "You can also index (BlockMask[batch, head]) to choose a specific batch or head",
                ]  # fmt: skip
                break
            drawn.append(f"{index}\n" + "".join(f"{row}\n" for row in draw(dense[index].tolist(), *steps)))
        return "\n".join(drawn)

    def to(self, device):
        """Return the mask on another device."""
        tensors = {name: getattr(self, name) for name in self._TENSOR_ATTRS}
        moved = {name: None if each is None else each.to(device) for name, each in tensors.items()}
        return BlockMask(**moved, **{name: getattr(self, name) for name in self._CONTEXT_ATTRS})


def draw(rows, height, width):
    """Yield the lines of a drawing of blocks, in which two characters represent ``height`` by ``width`` blocks."""
    for top in range(0, len(rows), height):
        line = ""
        for left in range(0, len(rows[0]), width):
            found = {each for row in rows[top : top + height] for each in row[left : left + width]}
            line += {(0,): " ", (1,): "█"}.get(tuple(found), "░") * 2
        yield line
