"""Moved dimensions."""

import numpy as np
import pytest

from tensh.engine.arrays.orders import move_axis


@pytest.mark.parametrize("ndim", range(1, 5))
def test_one_dimension_moves_as_in_numpy(ndim):
    array = np.arange(2 * 3 * 4 * 5).reshape(2, 3, 4, 5)[(0,) * (4 - ndim)]
    for source in range(-ndim, ndim):
        for destination in range(-ndim, ndim):
            expected = np.moveaxis(array, source, destination)
            moved = move_axis(array, source, destination)
            assert moved.shape == expected.shape and moved.strides == expected.strides
            assert np.shares_memory(moved, array)
