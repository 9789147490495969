"""torch.fft, short-time transforms and windows."""

from tensh.engine.functional.fourier import (  # noqa: F401
    frequencies,
    istft,
    shared,
    signal,
    stft,
    transforms,
)
