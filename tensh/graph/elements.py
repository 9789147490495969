"""The elements of a tensor's array, where there are any to look at."""

import numpy as np

from tensh.engine.core.tensor import SPARSE, wrap

MOST = 2**24  # elements of a sparse tensor that are spread out to be looked at


def elements(array):
    """All elements as a NumPy array; None where they are nowhere: on the device meta, in a sparse tensor too large.

    Takes the array of a tensor or of a gradient, or None.
    """
    if array is None or isinstance(array, np.ndarray | np.generic):
        return array
    array = array.sparse if hasattr(type(array), "sparse") else array  # that of a gradient
    return wrap(array).to_dense().array if type(array) in SPARSE and array.size <= MOST else None
