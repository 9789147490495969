"""``set_flush_denormal``: numbers next to zero are zeros where that is asked for, in helper threads too."""

import pytest

import tensh as torch
from tensh.engine.arrays.denormal import is_supported


@pytest.mark.skipif(not is_supported(), reason="the register is set on x86-64 with Linux")
def test_numbers_next_to_zero_are_flushed_and_come_back():
    small, many = torch.tensor([1e-310], dtype=torch.float64), torch.full((2_000_000,), 1e-40)
    assert torch.set_flush_denormal(True)
    try:
        assert (small * 1).tolist() == [0.0]
        assert not (many + many).any()
    finally:
        assert torch.set_flush_denormal(False)
    assert (small * 1).tolist() == [1e-310]
    assert (many + many).all()
