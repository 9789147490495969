"""The short-time Fourier transform: a signal cut into overlapping frames, each transformed.

Its inverse is in istft.py.
"""

from tensh.engine.arguments.binding import bind
from tensh.engine.arrays import memory
from tensh.engine.codegen.composites import composite
from tensh.engine.core.tensor import Tensor
from tensh.engine.dtypes.dtype import DIFFERENTIABLE
from tensh.engine.errors.messages import is_long
from tensh.engine.errors.warnings import warn_once
from tensh.engine.operators.fourier import spectral
from tensh.engine.operators.fourier.spectral import REAL
from tensh.engine.operators.layers.composites.padding import pad
from tensh.engine.operators.layers.padding import constant_pad_nd
from tensh.engine.operators.shapes.layout import restride, view_as_real

REST = "bool normalized = False, bool onesided = None, bool return_complex = None, bool align_to_window = None)"
FRAMES = "Tensor input, int n_fft, int hop_length = None, int win_length = None, Tensor window = None"
STFT = (f'({FRAMES}, bool center = True, str pad_mode = "reflect", {REST}', f"({FRAMES}, {REST}")
NONE = type(None)
PLAIN = ({Tensor}, {int}, {int, NONE}, {int, NONE}, {Tensor, NONE}, {bool}, *[{bool, NONE}] * 3)
"""The usual types of the arguments, in the order of the second signature; binding takes 8 µs."""
NO_WINDOW = "A window was not provided. A rectangular window will be applied"
SUPPRESS = (
    "To suppress this warning and use a rectangular window, explicitly set `window=torch.ones(n_fft, device=<device>)`."
)
ONESIDED = "Cannot have onesided output if window or input is complex"


# ── errors ───────────────────────────────────────────────────────────────────
def format_argument(value):
    """Format an argument for an error message."""
    if not isinstance(value, Tensor):
        return str(int(value) if isinstance(value, bool) else value)
    return f"{value.dtype.class_of_tensors}{{{list(value.shape)}}}"


def refuse(name, input, facts, why):
    """Raise PyTorch's error, which lists all arguments first."""
    facts = "".join(f", {key}={format_argument(value)}" for key, value in facts.items())
    tensor = format_argument(input).replace("{", "").replace("}", "")
    raise RuntimeError(f"{name}({tensor}{facts}){why}")


# ── frames and spectra ───────────────────────────────────────────────────────
@composite
def stft(
    input, n_fft, hop_length=None, win_length=None, window=None, center=True, pad_mode="reflect", normalized=False,
    onesided=None, return_complex=None, align_to_window=None,
):  # fmt: skip
    """The Fourier transforms of overlapping frames of a signal (or a batch of them), times a window.

    Frames of ``n_fft`` elements begin every ``hop_length`` (a quarter of them by default); the window of ``win_length``
    elements is put into their middle.  With ``center`` the signal is first padded by half a frame on both sides.  The
    result, (…, frequency, frame), has the frequencies from zero up with ``onesided`` (the default for real numbers),
    and pairs of real numbers as last dimension without ``return_complex``.  Differentiable.

    Raise RuntimeError unless 0 < win_length <= n_fft <= the signal's length.  Shape: [time] or [batch, time] to [*,
    frequency, frame].

    >>> import tensh as torch
    >>> torch.stft(torch.arange(8.0), n_fft=4, window=torch.ones(4), return_complex=True).shape
    torch.Size([3, 9])
    """
    if center:
        if align_to_window is not None:
            raise RuntimeError("stft align_to_window should only be set when center = false")
        dims = input.dim()
        half = int(n_fft // 2)
        input = pad(input.view([1] * (3 - dims) + list(input.shape)), [half, half], pad_mode)
        input = input.view(input.shape[-dims:])
    given = (input, n_fft, hop_length, win_length, window, normalized, onesided, return_complex, align_to_window)
    if all(type(value) in kinds and not is_long(value) for value, kinds in zip(given, PLAIN, strict=True)):
        return transform_frames(*given)
    return transform_frames(**bind("stft", STFT, given, {}))


def transform_frames(
    input, n_fft, hop_length, win_length, window, normalized, onesided, return_complex, align_to_window
):
    if window is None:
        warn_once(
            f"{NO_WINDOW},which is known to cause spectral leakage. Other windows such as torch.hann_window or "
            f"torch.hamming_window are recommended to reduce spectral leakage.{SUPPRESS}"
        )
    hop_length = n_fft // 4 if hop_length is None else hop_length
    win_length = n_fft if win_length is None else win_length
    facts = {
        "n_fft": n_fft, "hop_length": hop_length, "win_length": win_length, "window": window, "normalized": normalized,
        "onesided": onesided, "return_complex": return_complex, "align_to_window": align_to_window,
    }  # fmt: skip
    wants_complex = returns_complex(input, window, return_complex)
    check_frames(input, window, facts)
    signals = input.unsqueeze(0) if input.array.ndim == 1 else input
    if align_to_window:
        left = (n_fft - win_length) // 2
        signals = constant_pad_nd.fn(signals, (left, n_fft - win_length - left), 0)
    frames = split_into_frames(signals, n_fft, hop_length)
    window = pad_window(window, win_length, n_fft, signals)
    if window is not None:
        frames = frames * window
    result = transform_each(frames, 1 if normalized else 0, onesided).transpose_(1, 2)
    if input.array.ndim == 1:
        result = result.squeeze_(0)
    return result if wants_complex else view_as_real.fn(result)


def returns_complex(input, window, return_complex):
    """Return True if the result is complex, which the caller must request unless an input is complex."""
    if return_complex is None:
        return_complex = any(each is not None and each.dtype.is_complex for each in (input, window))
        if not return_complex:
            raise RuntimeError(
                "stft requires the return_complex parameter be given for real inputs, and will further require that "
                "return_complex=True in a future PyTorch release."
            )
    if not return_complex:
        warn_once(
            "stft with return_complex=False is deprecated. In a future pytorch release, stft will return complex "
            "tensors for all inputs, and return_complex=False will raise an error.\n"
            "Note: you can still call torch.view_as_real on the complex output to recover the old return format."
        )
    return return_complex


def check_frames(input, window, facts):
    """Raise unless frames of these sizes can be cut and multiplied by the window."""
    n_fft, hop_length, win_length = facts["n_fft"], facts["hop_length"], facts["win_length"]
    if input.array.dtype.kind not in DIFFERENTIABLE:
        refuse("stft", input, facts, " : expected a tensor of floating point or complex values")
    if input.array.ndim not in (1, 2):
        refuse("stft", input, facts, " : expected a 1D or 2D tensor")
    length = input.array.shape[-1]
    if not 0 < n_fft <= length:
        size = win_length if facts["align_to_window"] else n_fft
        refuse("stft", input, facts, f" : expected 0 < n_fft < {length}, but got n_fft={size}")
    if hop_length <= 0:
        refuse("stft", input, facts, f" : expected hop_length > 0, but got hop_length={hop_length}")
    if not 0 < win_length <= n_fft:
        refuse("stft", input, facts, f" : expected 0 < win_length <= n_fft, but got win_length={win_length}")
    if window is not None and window.array.shape != (win_length,):
        refuse(
            "stft", input, facts,
            f" : expected a 1D window tensor of size equal to win_length={win_length}, "
            f"but got window with size {list(window.shape)}",
        )  # fmt: skip


def split_into_frames(signals, size, step):
    """Return overlapping views of the signals: (batch, frame, element)."""
    batch, length = signals.array.shape
    own = memory.strides(signals.array)
    shape, strides = (batch, 1 + (length - size) // step, size), (own[0], step * own[1], own[1])
    return restride.fn(signals, shape, strides, 0, None if signals.array.flags.c_contiguous else own)


def pad_window(window, win_length, n_fft, signals):
    """Return the window, padded to a frame; None for a window of ones."""
    if win_length == n_fft:
        return window
    padded = (signals if window is None else window).new_zeros(n_fft)
    middle = padded.narrow(0, (n_fft - win_length) // 2, win_length)
    if window is None:
        middle.fill_(1)
    else:
        middle.copy_(window)
    return padded


def require_transform(x):
    """Raise RuntimeError for numbers of 16 bits, as PyTorch's library of Fourier transforms does."""
    if x.array.dtype not in REAL:
        raise RuntimeError(f"MKL FFT doesn't support tensors of type: {x.dtype.to_real().title}")


def transform_each(frames, scaling, onesided):
    """Transform each frame."""
    require_transform(frames)
    if frames.array.dtype.kind != "c":
        return spectral.fft_r2c.fn(frames, (2,), scaling, onesided is not False)
    if onesided:
        raise RuntimeError(ONESIDED)
    return spectral.fft_c2c.fn(frames, (2,), scaling, True)
