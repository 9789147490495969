"""The inverse of the short-time Fourier transform."""

import numpy as np

from tensh.engine.arguments.binding import asks_late, bind
from tensh.engine.arguments.lazy_signatures import shows
from tensh.engine.arrays.absent import place_beside
from tensh.engine.codegen.composites import composite
from tensh.engine.core import lift
from tensh.engine.core.tensor import wrap
from tensh.engine.dispatch.override.points import watch_check
from tensh.engine.errors.messages import wrap_dim
from tensh.engine.errors.warnings import warn_once
from tensh.engine.operators.fourier import spectral
from tensh.engine.operators.fourier.composites.stft import (
    FRAMES,
    NO_WINDOW,
    ONESIDED,
    SUPPRESS,
    refuse,
    require_transform,
)
from tensh.engine.operators.layers.padding import constant_pad_nd
from tensh.engine.operators.shapes.layout import view_as_complex, view_as_real
from tensh.engine.operators.shapes.views import slice_dim, unfold_back

ISTFT = (
    f"({FRAMES}, bool center = True, bool normalized = False, bool onesided = None, int length = None, "
    "bool return_complex = False)"
)


@composite
@asks_late
@shows(
    "input, n_fft, hop_length=None, win_length=None, window=None, center=True, normalized=False, onesided=None",
    "length=None, return_complex=False",
)
def istft(*args, **given):
    """The signal whose ``stft`` is the input: frames transformed back, added up, and divided by the squared windows.

    The arguments are those of ``stft``; ``length`` cuts the result or pads it with zeros.  Differentiable.

    Raise RuntimeError if the squared windows add up to zero somewhere, where the signal is lost.  Shape: [*,
    frequency, frame] to [*, time].

    >>> import tensh as torch
    >>> x, window = torch.arange(8.0), torch.hann_window(4)
    >>> torch.istft(torch.stft(x, n_fft=4, window=window, return_complex=True), n_fft=4, window=window)
    tensor([0., 1., 2., 3., 4., 5., 6., 7.])
    """
    return add_frames(**bind("istft", (ISTFT,), args, given))


def add_frames(input, n_fft, hop_length, win_length, window, center, normalized, onesided, length, return_complex):
    hop_length = n_fft // 4 if hop_length is None else hop_length
    win_length = n_fft if win_length is None else win_length
    facts = {
        "n_fft": n_fft, "hop_length": hop_length, "win_length": win_length, "window": window, "center": center,
        "normalized": normalized, "onesided": onesided, "length": length, "return_complex": return_complex,
    }  # fmt: skip
    if window is None:
        warn_once(f"{NO_WINDOW}.Please provide the same window used by stft to make the inversion lossless.{SUPPRESS}")
    if input.array.dtype.kind not in "cW":
        raise RuntimeError(
            "istft requires a complex-valued input tensor matching the output from stft with return_complex=True."
        )
    onesided = check_spectra(input, facts)
    pairs = view_as_real.fn(input)
    if input.array.ndim == 2:
        pairs = pairs.unsqueeze(0)
    frames = frames_of_spectra(view_as_complex.fn(pairs.transpose(1, 2)), facts, onesided)
    if window is None:
        window = wrap(place_beside(np.ones(win_length, input.dtype.to_real().numpy), input.array))
    if win_length != n_fft:
        left = (n_fft - win_length) // 2
        window = constant_pad_nd.fn(window, (left, n_fft - win_length - left), 0)
    batch, number, _ = frames.array.shape
    total = n_fft + hop_length * (number - 1)
    signal = unfold_back.fn(frames * window.view(1, 1, n_fft), (batch, total), 1, n_fft, hop_length)
    envelope = unfold_back.fn(window.pow(2).expand(1, number, n_fft), (1, total), 1, n_fft, hop_length)
    return cut_signal(signal, envelope, input, facts, total)


def check_spectra(input, facts):
    """Raise unless spectra and windows fit together; return True if the spectra are one-sided."""
    n_fft, hop_length, win_length = facts["n_fft"], facts["hop_length"], facts["win_length"]
    ndim, window, onesided = input.array.ndim, facts["window"], facts["onesided"]
    for dim in (-2, -3):
        wrap_dim(dim, ndim + 1)  # with the dimension of pairs of real numbers
    number = input.array.shape[-2]
    if not input.array.size:
        refuse("istft", input, facts, " : input tensor cannot be empty.")
    if ndim > 3:
        refuse("istft", input, facts, f" : expected a tensor with 3 or 4 dimensions, but got {ndim + 1}")
    onesided = number != n_fft if onesided is None else onesided
    if number != (n_fft // 2 + 1 if onesided else n_fft):
        expected = "n_fft / 2 + 1 when onesided=True" if onesided else "n_fft when onesided=False"
        refuse(
            "istft", input, facts,
            f" : expected the frequency dimension (3rd to the last) of the input tensor to match {expected}, "
            f"but got {number}",
        )  # fmt: skip
    if not 0 < hop_length <= win_length:
        refuse("istft", input, facts, " : expected 0 < hop_length <= win_length")
    if not 0 < win_length <= n_fft:
        refuse("istft", input, facts, " : expected 0 < win_length <= n_fft")
    if window is not None and window.array.shape != (win_length,):
        refuse("istft", input, facts, " : Invalid window shape. window has to be 1D and length of `win_length`")
    return onesided


def frames_of_spectra(spectra, facts, onesided):
    """Return the frames of the signal, before division by the window."""
    n_fft, scaling, window = facts["n_fft"], 1 if facts["normalized"] else 2, facts["window"]
    require_transform(spectra)
    if facts["return_complex"]:
        if onesided:
            raise RuntimeError(ONESIDED)
        return spectral.fft_c2c.fn(spectra, (2,), scaling, False)
    if window is not None and window.array.dtype.kind == "c":
        raise RuntimeError("Complex windows are incompatible with return_complex=False")
    if not onesided:
        spectra = slice_dim.fn(spectra, -1, 0, n_fft // 2 + 1, 1)
    return spectral.fft_c2r.fn(spectra, (2,), scaling, n_fft)


@watch_check
def require_overlap(lowest, input, facts):
    """Raise RuntimeError if the least sum of squared windows is zero."""
    if (lift.all_samples(lowest) < 1e-11).any():
        refuse("istft", input, facts, " window overlap add min: 1\n[ CPUBoolType{} ]")


def cut_signal(signal, envelope, input, facts, total):
    """Return the known part of the signal, divided by the sum of the squared windows."""
    half, length = facts["n_fft"] // 2 if facts["center"] else 0, facts["length"]
    end = half + length if length is not None else -half if half else total
    signal, envelope = (slice_dim.fn(t, 1, half, end, 1) for t in (signal, envelope))
    require_overlap(envelope.abs().min(), input, facts)
    signal = signal / envelope
    if input.array.ndim == 2:
        signal = signal.squeeze(0)
    if end > total:
        warn_once(
            "The length of signal is shorter than the length parameter. Result is being padded with zeros in the tail. "
            "Please check your center and hop_length settings."
        )
        signal = constant_pad_nd.fn(signal, (0, end - total), 0)
    return signal
