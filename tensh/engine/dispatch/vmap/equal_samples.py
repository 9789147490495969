"""Tensors whose samples are equal, which are read as one sample.

Note [Equal samples] Inside ``vmap``, a transform that differentiates makes its arguments vary with the samples, so that
each sample has a gradient.  Where an argument does not vary outside of the transform, what is computed from such arguments
alone is the same for all samples.  There, as in PyTorch, elements may be read and random numbers drawn.
"""

import numpy as np

from tensh.engine.autograd.transforms import VmapCall
from tensh.engine.core.clock import mode
from tensh.engine.core.tensor import wrap


def find_sample(t):
    """Return one sample of a batched tensor, without history, or None if the samples may differ."""
    if not have_equal_samples(t, t.levels):
        return None
    return wrap(t.value.array[(0,) * len(t.levels)])


def take_sample(t, message):
    """Return one sample of a batched tensor, and any other value as it is.  Raise RuntimeError if the samples may differ."""
    if not getattr(t, "hides_batches", False):
        return t
    sample = find_sample(t)
    if sample is None:
        raise RuntimeError(message)
    return sample


def have_equal_samples(t, numbers):
    """Return True if ``t`` varies with these levels by a transform alone; see Note [Equal samples]."""
    array = t.value.array
    if type(array) is not np.ndarray or 0 in array.shape[: len(t.levels)]:
        return False
    expanded = {each.number for each in mode.transforms if type(each) is VmapCall and each.expanded}
    return expanded.issuperset(numbers) and all([are_equal(array, t.levels.index(number)) for number in numbers])


def are_equal(array, dim):
    """Return True if all places of a dimension have the same elements."""
    first = array.take([0], dim)
    return bool(((array == first) | ((array != array) & (first != first))).all())
