"""Hundreds of programs run here, one after the other: the parts of tensh are renamed for the first and after the last."""

import pytest

from tensh.alias import torch_is_tensh


@pytest.fixture(autouse=True, scope="module")
def named_torch_throughout():
    with torch_is_tensh():
        yield
