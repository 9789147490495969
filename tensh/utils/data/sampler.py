"""Samplers: the order in which the samples of a dataset are taken."""

from itertools import islice
from typing import Generic, TypeVar

from tensh.engine import find_public
from tensh.engine.dtypes.dtype import float64, int64

__all__ = [
    "BatchSampler",
    "RandomSampler",
    "Sampler",
    "SequentialSampler",
    "SubsetRandomSampler",
    "WeightedRandomSampler",
]

as_tensor, empty, multinomial, randint, randperm, Generator = map(
    find_public, "as_tensor empty multinomial randint randperm Generator".split()
)
Index = TypeVar("Index", covariant=True)
BLOCK = 32  # indices that RandomSampler draws at a time, with replacement


def draw_seed(generator=None):
    """Return a seed drawn from a generator, the default one if there is none."""
    return empty((), dtype=int64).random_(generator=generator).item()


class Sampler(Generic[Index]):
    """Indices of samples, or lists of them: a subclass defines ``__iter__``, and ``__len__`` where the number is known.

    >>> from tensh.utils.data import DataLoader, Sampler
    >>> class Backwards(Sampler):
    ...     def __iter__(self):
    ...         return iter([2, 1, 0])
    >>> list(DataLoader("abc", sampler=Backwards()))
    [['c'], ['b'], ['a']]
    """

    def __iter__(self):
        raise NotImplementedError


class SequentialSampler(Sampler[int]):
    """All indices in order.

    >>> from tensh.utils.data import SequentialSampler
    >>> list(SequentialSampler("abc"))
    [0, 1, 2]
    """

    def __init__(self, data_source):
        self.data_source = data_source

    def __iter__(self):
        return iter(range(len(self.data_source)))

    def __len__(self):
        return len(self.data_source)


class RandomSampler(Sampler[int]):
    """Indices in random order; with ``replacement`` each is drawn from all.

    ``num_samples`` is how many are drawn, by default as many as there are.  Without a ``generator`` each pass draws a seed
    from the default one, and its indices from its own generator.  Raise TypeError or ValueError for a ``replacement``
    that is not a bool and for less than one sample.

    >>> import tensh as torch
    >>> list(torch.utils.data.RandomSampler("abcd", generator=torch.Generator().manual_seed(0)))
    [0, 1, 3, 2]
    """

    def __init__(self, data_source, replacement=False, num_samples=None, generator=None):
        self.data_source = data_source
        self.replacement = replacement
        self._num_samples = num_samples
        self.generator = generator
        if not isinstance(replacement, bool):
            raise TypeError(f"replacement should be a boolean value, but got replacement={replacement}")
        if not isinstance(self.num_samples, int) or self.num_samples <= 0:
            raise ValueError(f"num_samples should be a positive integer value, but got num_samples={self.num_samples}")

    @property
    def num_samples(self):
        """Return the number of indices that a pass gives."""
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __iter__(self):
        size = len(self.data_source)
        generator = self.generator
        if generator is None:
            generator = Generator().manual_seed(draw_seed())
        if self.replacement:
            block, draw = BLOCK, lambda n: randint(size, (n,), generator=generator).tolist()
        else:
            block, draw = size, lambda n: randperm(size, generator=generator).tolist()[:n]
        for _ in range(self.num_samples // block):
            yield from draw(block)
        yield from draw(self.num_samples % block)  # even if none are left: the generator is then where PyTorch's is

    def __len__(self):
        return self.num_samples


class SubsetRandomSampler(Sampler[int]):
    """The given ``indices`` in random order, which the ``generator`` draws.

    >>> import tensh as torch
    >>> list(torch.utils.data.SubsetRandomSampler([5, 7, 9], torch.Generator().manual_seed(0)))
    [9, 5, 7]
    """

    def __init__(self, indices, generator=None):
        self.indices = indices
        self.generator = generator

    def __iter__(self):
        for i in randperm(len(self.indices), generator=self.generator).tolist():
            yield self.indices[i]

    def __len__(self):
        return len(self.indices)


class WeightedRandomSampler(Sampler[int]):
    """``num_samples`` indices, each drawn with a probability in proportion to its weight.

    ``weights`` are numbers, one for each index. Without ``replacement`` none is drawn twice; the ``generator`` draws. Raise
    ValueError for less than one sample, a ``replacement`` that is not a bool, and weights that are not a vector.

    >>> import tensh as torch
    >>> list(torch.utils.data.WeightedRandomSampler([0.0, 1.0, 0.0], 3))
    [1, 1, 1]
    """

    def __init__(self, weights, num_samples, replacement=True, generator=None):
        _require_positive("num_samples", num_samples)
        _require_bool("replacement", replacement)
        self.weights = as_tensor(weights, dtype=float64)
        if self.weights.ndim != 1:
            raise ValueError(
                f"weights should be a 1d sequence but given weights have shape {tuple(self.weights.shape)}"
            )
        self.num_samples = num_samples
        self.replacement = replacement
        self.generator = generator

    def __iter__(self):
        yield from multinomial(self.weights, self.num_samples, self.replacement, generator=self.generator).tolist()

    def __len__(self):
        return self.num_samples


class BatchSampler(Sampler[list]):
    """Lists of ``batch_size`` indices of another sampler; the last may be shorter, unless ``drop_last``.

    Raise ValueError for a batch size below one and a ``drop_last`` that is not a bool.

    >>> from tensh.utils.data import BatchSampler
    >>> list(BatchSampler(range(5), 2, drop_last=False))
    [[0, 1], [2, 3], [4]]
    """

    def __init__(self, sampler, batch_size, drop_last):
        _require_positive("batch_size", batch_size)
        _require_bool("drop_last", drop_last)
        self.sampler = sampler
        self.batch_size = batch_size
        self.drop_last = drop_last

    def __iter__(self):
        indices = iter(self.sampler)
        least = self.batch_size if self.drop_last else 1
        while len(batch := list(islice(indices, self.batch_size))) >= least:
            yield batch

    def __len__(self):
        over = 0 if self.drop_last else self.batch_size - 1
        return (len(self.sampler) + over) // self.batch_size


def _require_positive(name, number):
    if not isinstance(number, int) or isinstance(number, bool) or number <= 0:
        raise ValueError(f"{name} should be a positive integer value, but got {name}={number}")


def _require_bool(name, value):
    if not isinstance(value, bool):
        raise ValueError(f"{name} should be a boolean value, but got {name}={value}")
