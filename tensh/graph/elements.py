"""The elements of a tensor's array, if it has any."""

import numpy as np

from tensh.engine.core.tensor import SPARSE, wrap

MOST = 2**24  # maximum number of elements of a sparse tensor to convert to dense


def elements(array):
    """Return all elements as a NumPy array; None for a tensor on the device meta, or a sparse one that is too large.

    Takes the array of a tensor or of a gradient, or None.
    """
    if array is None or isinstance(array, np.ndarray | np.generic):
        return array
    array = array.sparse if hasattr(type(array), "sparse") else array  # a gradient's array may be sparse
    return wrap(array).to_dense().array if type(array) in SPARSE and array.size <= MOST else None
