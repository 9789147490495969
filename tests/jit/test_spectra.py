"""Spectra of signals, which PyTorch pads before the operator: in scripts, traces, exported programs and files."""

import io

import pytest

import tensh as torch

SETTINGS = [(True, "reflect", False), (True, "constant", True), (False, "reflect", False), (False, "reflect", True)]
"""Values of ``center``, ``pad_mode`` and ``normalized``."""


class Spectrum(torch.nn.Module):
    def __init__(self, center, pad_mode, normalized):
        super().__init__()
        self.center, self.pad_mode, self.normalized = center, pad_mode, normalized
        self.register_buffer("window", torch.hann_window(16))

    def forward(self, x):
        made = torch.stft(
            x, 16, 4, None, self.window, self.center, self.pad_mode, self.normalized, None, return_complex=True
        )
        return torch.view_as_real(made)


def read_back(program):
    file = io.BytesIO()
    torch.jit.save(program, file)
    return torch.jit.load(io.BytesIO(file.getvalue()))


@pytest.mark.parametrize("settings", SETTINGS)
@pytest.mark.parametrize("shape", [(64,), (2, 48)])
def test_spectra_of_programs(settings, shape):
    model, x, y = Spectrum(*settings), torch.randn(*shape), torch.randn(*shape)
    script, trace = torch.jit.script(model), torch.jit.trace(model, (x,))
    program = torch.export.export(model, (x,))
    for made in (script, trace, read_back(script), read_back(trace), program.module()):
        assert torch.equal(made(y), model(y))
    assert "stft.default" in program.graph_module.code


def test_the_first_overload_does_not_pad():
    x, window = torch.randn(64), torch.ones(16)
    stft = torch.ops.aten.stft
    assert stft(x, 16, 4, None, window, False, None, True).shape == (9, 13)
    assert stft(x, 16, 4, None, window, True, "reflect", False, None, True).shape == (9, 17)
