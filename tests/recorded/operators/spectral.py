"""Fourier transforms."""

from tests.recorded.operators import c, call, i, rough, x

COVERS = ("operators/fourier/spectral.py",)

LINE = [call(x(5)), call(c(4)), call(x(2, 6), dim=0), call(c(2, 3), n=5, norm="ortho"), call(x(3, 4), 3, 1, "forward")]
REAL_LINE = [
    call(x(5)),
    call(x(4)),
    call(x(2, 6), dim=0),
    call(x(2, 3), n=5, norm="ortho"),
    call(x(3, 4), 3, 1, "forward"),
]
HALF_LINE = [
    call(c(4)),
    call(x(4)),
    call(c(4), n=5),
    call(c(3, 2), n=4, dim=0, norm="ortho"),
    call(c(3), 8, norm="forward"),
]
PLANE = [
    call(c(3, 4)),
    call(x(3, 4)),
    call(c(2, 3, 2), s=(2, 4), norm="ortho"),
    call(c(2, 3, 2), dim=(1, 0), norm="forward"),
]
REAL_PLANE = [
    call(x(3, 4)),
    call(x(2, 3, 5)),
    call(x(2, 3, 2), s=(2, 4), norm="ortho"),
    call(x(2, 3, 2), dim=(1, 0), norm="forward"),
]
HALF_PLANE = [
    call(c(3, 4)),
    call(x(3, 4)),
    call(c(2, 3, 3), s=(2, 5), norm="ortho"),
    call(c(2, 3, 2), dim=(1, 0), norm="forward"),
]
SPACE = [call(c(2, 3)), call(c(2, 3, 2), s=(-1, 3), dim=(0, 2))]
REAL_SPACE = [call(x(2, 3)), call(x(2, 3, 2), s=(-1, 3), dim=(0, 2))]
SHIFT = [call(x(5)), call(c(2, 3)), call(x(2, 4), dim=1), rough(i(2, 3), dim=(0, 1))]
BACK = {"window": x(4, low=0.5), "n_fft": 4}

SAMPLES = {
    "fft.fft": LINE,
    "fft.ifft": LINE,
    "fft.fft2": PLANE,
    "fft.ifft2": PLANE,
    "fft.fftn": SPACE,
    "fft.ifftn": SPACE,
    "fft.rfft": REAL_LINE,
    "fft.ihfft": REAL_LINE,
    "fft.irfft": HALF_LINE,
    "fft.hfft": HALF_LINE,
    "fft.rfft2": REAL_PLANE,
    "fft.ihfft2": REAL_PLANE,
    "fft.rfftn": REAL_SPACE,
    "fft.ihfftn": REAL_SPACE,
    "fft.irfft2": HALF_PLANE,
    "fft.hfft2": HALF_PLANE,
    "fft.irfftn": SPACE,
    "fft.hfftn": SPACE,
    "fft.fftshift": SHIFT,
    "fft.ifftshift": SHIFT,
    "fft.fftfreq": [rough(5), rough(6, d=0.5), rough(4, 2)],
    "fft.rfftfreq": [rough(5), rough(6, d=0.5), rough(4, 2)],
    "stft": [
        call(x(9), 4, window=x(4), return_complex=True),
        call(x(2, 9), 5, 2, 3, x(3), return_complex=True),
        call(c(9), 4, 1, normalized=True, pad_mode="constant"),
        call(x(9), 4, onesided=False, return_complex=True),
        call(x(9), 4, 2, return_complex=False),
        call(x(9), 4, 1, 2, center=False, align_to_window=True, return_complex=True),
        call(x(9), 4, 2, window=c(4)),
        call(x(9), 4, center=False, return_complex=True, pad_mode="replicate"),
    ],
    "istft": [
        call(c(3, 5), 4, window=x(4, low=0.5)),
        call(c(2, 3, 6), 5, 2, 4, x(4, low=0.5), onesided=True, normalized=True),
        call(c(4, 5), **BACK, return_complex=True),
        call(c(4, 5), **BACK, onesided=False),
        call(c(3, 5), 4, length=12),
        call(c(3, 5), 4, 2, center=False, length=6),
    ],
}
