"""Strides of views of another shape, as PyTorch has them; None where the elements would have to be copied."""

import pytest

import tensh as torch

VIEWS = [  # shape, strides, shape of the view, its strides
    ((2, 3), (10, 1), (6,), None),
    ((2, 3), (3, 1), (6,), (1,)),
    ((3, 1, 2), (2, 77, 1), (6,), (1,)),
    ((3, 1, 2), (2, 77, 1), (3, 2), (2, 1)),
    ((2, 1, 2), (5, 9, 2), (4,), None),
    ((2, 1, 2), (4, 9, 2), (4,), (2,)),
    ((2, 1, 2), (4, 9, 2), (1, 4, 1), (8, 2, 2)),
    ((4, 2), (2, 1), (2, 2, 2), (4, 2, 1)),
    ((4, 2), (3, 1), (2, 2, 2), (6, 3, 1)),
    ((2, 2), (1, 2), (4,), None),
    ((2, 2), (1, 2), (2, 1, 2), (1, 4, 2)),
    ((0, 3), (3, 1), (3, 0), (1, 1)),
    ((0, 3), (7, 1), (0, 3), (7, 1)),
    ((), (), (1, 1), (1, 1)),
    ((6,), (2,), (2, 3), (6, 2)),
    ((1, 6), (50, 2), (3, 1, 2), (4, 4, 2)),
    ((6, 1), (2, 50), (3, 2), (4, 2)),
    ((2, 3, 2), (12, 2, 1), (2, 6), (12, 1)),
    ((2, 3, 2), (12, 4, 1), (2, 6), None),
    ((2, 3), (0, 1), (6,), None),
    ((2, 3), (0, 0), (6,), (0,)),
    ((2, 3), (3, 1), (3, 2), (2, 1)),
    ((2, 3), (4, 1), (3, 2), None),
]


@pytest.mark.parametrize("device", ["cpu", "meta"])
@pytest.mark.parametrize("shape, strides, size, expected", VIEWS)
def test_a_view_has_the_strides_of_pytorch(shape, strides, size, expected, device):
    t = torch.arange(200, device=device).as_strided(shape, strides)
    if expected is None:
        with pytest.raises(RuntimeError, match="view size is not compatible with input tensor's size and stride"):
            t.view(size)
    else:
        view = t.view(size)
        assert (view.shape, view.stride()) == (size, expected)
        assert device == "meta" or view.flatten().tolist() == t.flatten().tolist()
