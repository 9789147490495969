"""Batches of matrices in compressed layouts, which tensh lacks: refused in words, never a wrong tensor."""

import pytest

import tensh as torch


@pytest.mark.parametrize("method", ["to_sparse_csr", "to_sparse_csc"])
@pytest.mark.parametrize("shape", [(3,), (2, 2, 2), (1, 2, 3, 4)])
def test_they_are_refused(method, shape):
    with pytest.raises(NotImplementedError, match="no batches"):
        getattr(torch.ones(shape), method)()
    assert torch.equal(torch.ones(shape).to_sparse().to_dense(), torch.ones(shape))
