"""Reductions of tensors without elements, over any of their dimensions, and labels that are no class."""

import itertools

import pytest

import tensh as torch
from tensh.nn import functional as F

SHAPES = (0,), (0, 5, 4, 5), (5, 0, 4, 5), (5, 4, 0), (100_000, 0), (0, 100_000), (2, 0, 3, 0)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16", "complex64"])
def test_a_sum_without_elements_is_zero(shape, dtype):
    for number in range(1, len(shape) + 1):
        for dims in itertools.combinations(range(len(shape)), number):
            for keepdim in (False, True):
                sums = torch.zeros(shape, dtype=getattr(torch, dtype)).sum(dims, keepdim=keepdim)
                left = tuple(1 if i in dims else size for i, size in enumerate(shape) if keepdim or i not in dims)
                assert tuple(sums.shape) == left
                assert not sums.any()


def test_the_gradients_of_a_convolution_of_no_samples_are_zero():
    x, weight, bias = (torch.ones(s, requires_grad=True) for s in ((2, 4, 6, 7), (5, 4, 3, 3), (5,)))
    (F.conv2d(x[:0], weight, bias) ** 2).sum().backward()
    assert [tuple(each.grad.shape) for each in (x, weight, bias)] == [(2, 4, 6, 7), (5, 4, 3, 3), (5,)]
    assert not any(each.grad.any() for each in (x, weight, bias))


@pytest.mark.parametrize("name", ["median", "nanmedian"])
def test_medians_without_elements_keep_one_of_the_dimension(name):
    values, indices = getattr(torch.zeros(0, 5), name)(1, keepdim=True)
    assert tuple(values.shape) == tuple(indices.shape) == (0, 1)
    assert tuple(getattr(torch.zeros(5, 4, 0), name)(1, keepdim=True)[0].shape) == (5, 1, 0)


@pytest.mark.parametrize("label", [5, -1, 2**62, -(2**63)])
def test_ctc_loss_refuses_a_label_that_is_no_class(label):
    scores, lengths = torch.zeros(4, 1, 5), (torch.tensor([4]), torch.tensor([1]))
    with pytest.raises(IndexError, match=f"Target {label} is out of bounds"):
        F.ctc_loss(scores, torch.tensor([[label]]), *lengths)


@pytest.mark.parametrize("padding", [-1, -100, 99])
def test_ctc_loss_does_not_look_at_padding(padding):
    scores = torch.arange(20.0).reshape(4, 1, 5).log_softmax(-1).requires_grad_()
    lengths = torch.tensor([4]), torch.tensor([2])
    short, long = (F.ctc_loss(scores, torch.tensor([labels]), *lengths) for labels in ([1, 2], [1, 2, padding]))
    assert short.item() == long.item()
    a, b = (torch.autograd.grad(loss, scores)[0] for loss in (short, long))
    assert a.equal(b)
