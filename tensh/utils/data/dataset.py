"""Datasets: samples by their index, or one after the other."""

import bisect
import itertools
import math
from collections.abc import Iterable
from typing import Generic, TypeVar

from tensh.engine import find_public
from tensh.engine.errors.warnings import warn

__all__ = [
    "ChainDataset",
    "ConcatDataset",
    "Dataset",
    "IterableDataset",
    "StackDataset",
    "Subset",
    "TensorDataset",
    "random_split",
]

randperm, default_generator = find_public("randperm"), find_public("default_generator")
Sample = TypeVar("Sample", covariant=True)


class Dataset(Generic[Sample]):
    """Samples that are found by an index or another key: a subclass defines ``__getitem__``.

    Samplers and loaders also ask for ``__len__``.  A subclass that reads many samples at once faster than one by one
    defines ``__getitems__``, too, which takes a list of indices and returns a list of samples.

    >>> from tensh.utils.data import DataLoader, Dataset
    >>> class Squares(Dataset):
    ...     def __len__(self):
    ...         return 4
    ...     def __getitem__(self, i):
    ...         return i, i**2
    >>> for x, y in DataLoader(Squares(), batch_size=2):
    ...     print(x, y)
    tensor([0, 1]) tensor([0, 1])
    tensor([2, 3]) tensor([4, 9])
    """

    def __getitem__(self, index):
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")

    def __add__(self, other):
        return ConcatDataset([self, other])


class IterableDataset(Dataset[Sample], Iterable[Sample]):
    """Samples that come one after the other: a subclass defines ``__iter__``.

    With several workers each has a copy of the dataset; ``get_worker_info`` tells each which part to read.

    >>> from tensh.utils.data import DataLoader, IterableDataset
    >>> class Stream(IterableDataset):
    ...     def __iter__(self):
    ...         return iter(range(3))
    >>> list(DataLoader(Stream(), batch_size=2))
    [tensor([0, 1]), tensor([2])]
    """

    def __add__(self, other):
        return ChainDataset([self, other])


class TensorDataset(Dataset[tuple]):
    """Rows of tensors: sample i is the tuple of row i of each.

    All have the same size in their first dimension, otherwise AssertionError.

    >>> import tensh as torch
    >>> data = torch.utils.data.TensorDataset(torch.ones(3, 2), torch.arange(3))
    >>> data[1]
    (tensor([1., 1.]), tensor(1))
    """

    def __init__(self, *tensors):
        if any(tensor.size(0) != tensors[0].size(0) for tensor in tensors):
            raise AssertionError("Size mismatch between tensors")
        self.tensors = tensors

    def __getitem__(self, index):
        return tuple([tensor[index] for tensor in self.tensors])

    def __len__(self):
        return self.tensors[0].size(0)


class StackDataset(Dataset):
    """Datasets of the same length side by side: sample i is the tuple, or the dict, of sample i of each.

    Raise ValueError for none, for both kinds at once, and for datasets of different lengths.

    >>> from tensh.utils.data import StackDataset
    >>> StackDataset(image=["a", "b"], label=[0, 1])[1]
    {'image': 'b', 'label': 1}
    """

    def __init__(self, *datasets, **named_datasets):
        if datasets and named_datasets:
            raise ValueError(
                "Supported either ``tuple``- (via ``args``) or``dict``- (via ``kwargs``) like input/output, but both types "
                "are given."
            )
        if not datasets and not named_datasets:
            raise ValueError("At least one dataset should be passed")
        self.datasets = datasets or named_datasets
        first, *others = self._columns()
        self._length = len(first)
        if any(len(dataset) != self._length for dataset in others):
            raise ValueError("Size mismatch between datasets")

    def _columns(self):
        return list(self.datasets.values() if isinstance(self.datasets, dict) else self.datasets)

    def _sample(self, parts):
        return dict(zip(self.datasets, parts)) if isinstance(self.datasets, dict) else tuple(parts)

    def __getitem__(self, index):
        return self._sample([dataset[index] for dataset in self._columns()])

    def __getitems__(self, indices):
        columns = [self._column(dataset, indices) for dataset in self._columns()]
        return [self._sample(parts) for parts in zip(*columns)]

    def _column(self, dataset, indices):
        many = getattr(dataset, "__getitems__", None)
        if not callable(many):
            return [dataset[index] for index in indices]
        samples = many(indices)
        if len(samples) != len(indices):
            raise ValueError(f"Nested dataset's output size mismatch. Expected {len(indices)}, got {len(samples)}")
        return samples

    def __len__(self):
        return self._length


class ConcatDataset(Dataset[Sample]):
    """Datasets joined end to end, read by one index.

    Raise AssertionError for none, or an IterableDataset; an index that is out of range raises ValueError or
    IndexError.

    >>> from tensh.utils.data import ConcatDataset
    >>> both = ConcatDataset(["abc", "de"])
    >>> len(both), both[3], both[-1]
    (5, 'd', 'e')
    """

    @staticmethod
    def cumsum(sequence):
        """Return the index at which each dataset ends."""
        return list(itertools.accumulate(len(dataset) for dataset in sequence))

    def __init__(self, datasets):
        self.datasets = list(datasets)
        if not self.datasets:
            raise AssertionError("datasets should not be an empty iterable")
        if any(isinstance(dataset, IterableDataset) for dataset in self.datasets):
            raise AssertionError("ConcatDataset does not support IterableDataset")
        self.cumulative_sizes = self.cumsum(self.datasets)

    def __len__(self):
        return self.cumulative_sizes[-1]

    def __getitem__(self, idx):
        if idx < 0:
            if -idx > len(self):
                raise ValueError("absolute value of index should not exceed dataset length")
            idx += len(self)
        which = bisect.bisect_right(self.cumulative_sizes, idx)
        before = self.cumulative_sizes[which - 1] if which else 0
        return self.datasets[which][idx - before]

    @property
    def cummulative_sizes(self):
        """The old name of ``cumulative_sizes``."""
        warn("`cummulative_sizes` attribute is renamed to `cumulative_sizes`", FutureWarning)
        return self.cumulative_sizes


class ChainDataset(IterableDataset):
    """Iterable datasets, one read after the other.

    >>> from tensh.utils.data import ChainDataset, IterableDataset
    >>> class Stream(IterableDataset):
    ...     def __iter__(self):
    ...         return iter("ab")
    >>> list(ChainDataset([Stream(), Stream()]))
    ['a', 'b', 'a', 'b']
    """

    def __init__(self, datasets):
        self.datasets = datasets

    def _each(self):
        for dataset in self.datasets:
            if not isinstance(dataset, IterableDataset):
                raise AssertionError("ChainDataset only supports IterableDataset")
            yield dataset

    def __iter__(self):
        for dataset in self._each():
            yield from dataset

    def __len__(self):
        return sum(len(dataset) for dataset in self._each())


class Subset(Dataset[Sample]):
    """The samples of a dataset at some indices.

    A subclass that overrides ``__getitem__`` overrides ``__getitems__`` as well, which loaders ask first; otherwise
    NotImplementedError.

    >>> from tensh.utils.data import Subset
    >>> Subset("abcd", [3, 0])[0]
    'd'
    """

    def __init__(self, dataset, indices):
        self.dataset = dataset
        self.indices = indices
        cls = type(self)
        if cls.__getitem__ is not Subset.__getitem__ and cls.__getitems__ is Subset.__getitems__:
            raise NotImplementedError(
                f"{cls.__name__} overrides __getitem__ but not __getitems__. When subclassing Subset and overriding "
                "__getitem__, you must also override __getitems__ to ensure DataLoader works correctly with your custom "
                "logic. A simple implementation:\n\n"
                "def __getitems__(self, indices):\n"
                "    return [self.__getitem__(idx) for idx in indices]"
            )

    def __getitem__(self, idx):
        if isinstance(idx, list):
            return self.dataset[[self.indices[i] for i in idx]]
        return self.dataset[self.indices[idx]]

    def __getitems__(self, indices):
        chosen = [self.indices[i] for i in indices]
        many = getattr(self.dataset, "__getitems__", None)
        return many(chosen) if callable(many) else [self.dataset[i] for i in chosen]

    def __len__(self):
        return len(self.indices)


def random_split(dataset, lengths, generator=default_generator):
    """Split a dataset at random into subsets of the given lengths, or of fractions that sum up to 1.

    What fractions leave over is handed out one by one from the first subset on.  Raise ValueError if the lengths do not
    sum up to that of the dataset.

    >>> import tensh as torch
    >>> train, test = torch.utils.data.random_split(range(10), [0.7, 0.3], torch.Generator().manual_seed(0))
    >>> list(train), list(test)
    ([4, 1, 7, 5, 3, 9, 0], [8, 6, 2])
    """
    if math.isclose(sum(lengths), 1) and sum(lengths) <= 1:
        lengths = _measure_fractions(lengths, len(dataset))
    if sum(lengths) != len(dataset):
        raise ValueError("Sum of input lengths does not equal the length of the input dataset!")
    order = randperm(sum(lengths), generator=generator).tolist()
    ends = itertools.accumulate(lengths)
    return [Subset(dataset, order[end - length : end]) for end, length in zip(ends, lengths)]


def _measure_fractions(fractions, size):
    """Return the length of each fraction of ``size`` samples."""
    for i, fraction in enumerate(fractions):
        if not 0 <= fraction <= 1:
            raise ValueError(f"Fraction at index {i} is not between 0 and 1")
    lengths = [math.floor(size * fraction) for fraction in fractions]
    for i in range(size - sum(lengths)):
        lengths[i % len(lengths)] += 1
    for i, length in enumerate(lengths):
        if length == 0:
            warn(f"Length of split at index {i} is 0. This might result in an empty dataset.")
    return lengths
