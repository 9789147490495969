"""Operators that libraries expect of their compiled parts, which are not loaded: torchvision, torchaudio."""

import pytest

import tensh

BOXES = [[0.0, 0, 10, 10], [1, 1, 11, 11], [20, 20, 30, 30], [0, 0, 10, 9], [5, 5, 5, 5]]


def test_torchvision_finds_the_operators_that_it_registers_functions_for():
    for name in ("nms", "qnms"):
        assert tensh.library.register_fake(f"torchvision::{name}", lambda dets, scores, iou_threshold: None) is not None
    nms, scores = tensh.ops.torchvision.nms, tensh.tensor([0.8, 0.9, 0.5, 0.7, 0.1])
    kept = nms(tensh.tensor(BOXES), scores, 0.5)
    assert kept.tolist() == [1, 2, 4] and kept.dtype == tensh.int64
    assert nms(tensh.tensor(BOXES), scores, 0.7).tolist() == [1, 0, 2, 4]
    assert nms(tensh.empty(0, 4), tensh.empty(0), 0.5).tolist() == []
    with pytest.raises(RuntimeError, match="operator torchvision::unknown does not exist"):
        tensh.library.register_fake("torchvision::unknown", lambda: None)


@pytest.mark.parametrize(("order", "samples"), [(0, 5), (2, 1), (2, 300), (5, 128), (5, 129)])
def test_filters_of_torchaudio_subtract_the_outputs_before(order, samples):
    generator = tensh.Generator().manual_seed(0)
    x = tensh.randn(2, 3, samples, generator=generator)
    a = tensh.cat([tensh.rand(3, order, generator=generator) / 4 - 0.1, tensh.ones(3, 1)], 1)  # the last one first
    found = tensh.zeros(2, 3, samples + order)
    tensh.ops.torchaudio._lfilter_core_loop(x, a, found)
    again = tensh.zeros(2, 3, samples + order)
    for t in range(samples):
        again[..., t + order] = x[..., t] - (again[..., t : t + order] * a[:, :-1]).sum(-1)
    assert found._version == 1
    tensh.testing.assert_close(found, again)


def test_overdriven_waveforms_of_torchaudio_lose_their_mean():
    x = tensh.tensor([[0.5, -0.25, 1.0]])
    last_in, last_out, found = tensh.zeros(1), tensh.zeros(1), tensh.zeros(1, 3)
    tensh.ops.torchaudio._overdrive_core_loop(x, x * 2, last_in, last_out, found)
    first, second = 1.0, -1.5 + 0.995
    third = 2.5 + 0.995 * second
    expected = [0.25 + 0.75 * first, -0.125 + 0.75 * second, 0.5 + 0.75 * third]
    assert found[0].tolist() == pytest.approx(expected) and last_out.item() == pytest.approx(third) and last_in == 2


def test_libraries_whose_operators_are_here_are_loaded():
    tensh.ops.load_library("/somewhere/lib/_torchaudio.abi3.so")
    assert "/somewhere/lib/_torchaudio.abi3.so" in tensh.ops.loaded_libraries
    assert tensh.ops._torchaudio.is_align_available() is False and tensh.ops._torchaudio.cuda_version() is None
    with pytest.raises(OSError, match="Could not load this library: .*_C.so"):
        tensh.ops.load_library("/somewhere/_C.so")
