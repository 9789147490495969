"""The functions that torch and torch.nn.functional share."""

import pytest

import tensh as torch
from tensh.nn import functional as F

SHARED = """
adaptive_avg_pool1d avg_pool1d bilinear celu_ channel_shuffle conv1d conv2d conv3d conv_tbc conv_transpose1d conv_transpose2d
conv_transpose3d cosine_similarity hardshrink native_channel_shuffle pairwise_distance pdist pixel_shuffle pixel_unshuffle prelu
relu_ rrelu_ selu_ threshold_
""".split()  # fmt: skip


@pytest.mark.parametrize("name", SHARED)
def test_a_function_in_c_is_one_object_at_both_places(name):
    assert getattr(F, name) is getattr(torch, name)


@pytest.mark.parametrize("name", ["relu", "softmax", "dropout", "layer_norm", "embedding", "celu"])
def test_a_function_in_python_is_another_one_than_that_in_c(name):
    assert getattr(F, name) is not getattr(torch, name)
