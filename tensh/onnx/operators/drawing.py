"""Operators that draw random numbers from torch's generator; seeds in a file are ignored."""

import tensh as torch
from tensh.onnx.operators.table import dtype_of, operator

FLOAT, INT32 = 1, 6  # ONNX's numbers for dtypes


@operator
def RandomNormal(shape=(), mean=0.0, scale=1.0, dtype=FLOAT, seed=None):
    return torch.randn(*shape, dtype=dtype_of(dtype)) * scale + mean


@operator
def RandomUniform(shape=(), low=0.0, high=1.0, dtype=FLOAT, seed=None):
    return torch.rand(*shape, dtype=dtype_of(dtype)) * (high - low) + low


@operator
def RandomNormalLike(a, mean=0.0, scale=1.0, dtype=None, seed=None):
    return torch.randn_like(a, dtype=dtype and dtype_of(dtype)) * scale + mean


@operator
def RandomUniformLike(a, low=0.0, high=1.0, dtype=None, seed=None):
    return torch.rand_like(a, dtype=dtype and dtype_of(dtype)) * (high - low) + low


@operator
def Bernoulli(a, dtype=None, seed=None):
    return torch.bernoulli(a).to(a.dtype if dtype is None else dtype_of(dtype))


@operator
def Multinomial(a, sample_size=1, dtype=INT32, seed=None):
    return torch.multinomial(a.softmax(-1), sample_size, replacement=True).to(dtype_of(dtype))
