"""Spectra as scripts: their signals are padded before the operator."""

import tensh as torch
from tensh.engine.core.tensor import Tensor
from tensh.jit.scripting.forms.marking import form

aten = torch.ops.aten


@form(space="functional")
def stft(
    input: Tensor, n_fft: int, hop_length: int | None = None, win_length: int | None = None, window: Tensor | None = None,
    center: bool = True, pad_mode: str = "reflect", normalized: bool = False, onesided: bool | None = None,
    return_complex: bool | None = None, align_to_window: bool | None = None,
) -> Tensor:  # fmt: skip
    if center:
        dims = input.dim()
        shape = [1] * (3 - dims) + list(input.size())
        padded = aten.pad(input.view(shape), [n_fft // 2, n_fft // 2], pad_mode)
        input = padded.view(padded.size()[-dims:])
    return aten.stft(
        input, n_fft, hop_length, win_length, window, normalized, onesided, return_complex, align_to_window
    )
