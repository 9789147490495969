"""Limits of number types are no values to be copied or saved, as in PyTorch."""

import copy
import io
import pickle

import pytest

import tensh as torch

LIMITS = {"finfo": torch.finfo(torch.float32), "iinfo": torch.iinfo(torch.int8)}
COPIES = {
    "pickle": pickle.dumps,
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "save": lambda limits: torch.save({"limits": limits}, io.BytesIO()),
}


@pytest.mark.parametrize("way", COPIES)
@pytest.mark.parametrize("name", LIMITS)
def test_limits_are_not_pickled(name, way):
    with pytest.raises(TypeError, match=rf"^cannot pickle 'torch.{name}' object(\n|$)"):
        COPIES[way](LIMITS[name])
