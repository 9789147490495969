"""Optimisers do what PyTorch's do: parameters and state after ten steps, in every setting and dtype."""

import warnings

import numpy as np
import pytest
from optimizer_cases import CASES, plain, trained

import tensh

RTOL = {"float64": 1e-13, "float32": 3e-6, "complex64": 3e-6, "bfloat16": 1e-2, "float16": 2e-3}

LOOSER = {"Muon": 2e-2, "LBFGS": 1e-7}  # the one computes in bfloat16, the other asks for differences of gradients


@pytest.mark.parametrize(("name", "options", "dtype"), CASES)
def test_ten_steps_are_pytorchs(oracle, name, options, dtype):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        (expected, theirs), (params, ours) = (trained(torch, name, options, dtype) for torch in (oracle, tensh))
    rtol = LOOSER.get(name) or RTOL[dtype]
    same(plain(params), plain(expected), rtol)
    same(plain(ours.state_dict()), plain(theirs.state_dict()), rtol)
    assert repr(ours) == repr(theirs)


def same(one, other, rtol, where=""):
    assert type(one) is type(other), where
    if isinstance(one, dict):
        assert list(one) == list(other), where
        for key in one:
            same(one[key], other[key], rtol, f"{where}.{key}")
    elif isinstance(one, tuple) and one and isinstance(one[0], str) and one[0] == "tensor":
        assert one[:3] == other[:3], where
        np.testing.assert_allclose(
            one[3], other[3], rtol=rtol, atol=rtol * max(np.abs(other[3]).max(), 1e-3), err_msg=where
        )
    elif isinstance(one, list | tuple):
        assert len(one) == len(other), where
        for number, (each, its) in enumerate(zip(one, other)):
            same(each, its, rtol, f"{where}[{number}]")
    elif isinstance(one, float):
        assert one == pytest.approx(other, rel=rtol), where
    else:
        assert one == other, where
