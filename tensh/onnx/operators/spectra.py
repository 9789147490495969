"""Spectra, and the windows and filters of sound."""

import math

import tensh as torch
from tensh.onnx.operators.table import dtype_of, operator


@operator
def DFT(x, length=None, axis_input=None, axis=1, inverse=0, onesided=0):
    axis = (axis if axis_input is None else int(axis_input)) % x.dim()
    values = torch.complex(x[..., 0], x[..., 1] if x.shape[-1] == 2 else torch.zeros_like(x[..., 0]))
    count = values.shape[axis] if length is None else int(length)
    found = (torch.fft.ifft if inverse else torch.fft.fft)(values, count, axis)
    found = found.narrow(axis, 0, count // 2 + 1) if onesided else found
    return torch.view_as_real(found)


@operator
def STFT(signal, frame_step, window=None, frame_length=None, onesided=1):
    size = int(frame_length) if frame_length is not None else window.shape[0]
    if signal.dim() == 2:
        signal = signal.unsqueeze(-1)
    frames = signal.unfold(1, size, int(frame_step)).transpose(2, 3)
    frames = frames if window is None else frames * window.reshape(1, 1, -1, 1)
    return DFT(frames, axis=2, onesided=onesided)


def window(name, function):
    """Register a window of a given size."""

    def run(size, output_datatype=1, periodic=1):
        return function(int(size), periodic=bool(periodic)).to(dtype_of(output_datatype))

    run.__name__ = run.__qualname__ = name
    globals()[name] = operator(run)


window("HannWindow", torch.hann_window)
window("BlackmanWindow", torch.blackman_window)
window("HammingWindow", lambda size, periodic: torch.hamming_window(size, periodic, 25 / 46, 21 / 46))


@operator
def MelWeightMatrix(bins, length, rate, low, high, output_datatype=1):
    count, length = int(bins), int(length)
    low, high = (2595 * math.log10(1 + float(each) / 700) for each in (low, high))
    mels = [low + place * (high - low) / (count + 2) for place in range(count + 2)]
    edges = [int((length + 1) * 700 * (10 ** (mel / 2595) - 1) // int(rate)) for mel in mels]
    made = torch.zeros(length // 2 + 1, count)
    for place, (first, middle, last) in enumerate(zip(edges, edges[1:], edges[2:])):
        if first == middle:
            made[middle, place] = 1
        for each in range(first, middle + 1 if middle > first else first):
            made[each, place] = (each - first) / (middle - first)
        for each in range(middle, last):
            made[each, place] = (last - each) / (last - middle)
    return made.to(dtype_of(output_datatype))
