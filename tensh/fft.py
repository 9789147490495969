"""torch.fft: discrete Fourier transforms."""

from tensh.engine.functional.namespaces import FFT


def __getattr__(name):
    if name in FFT:
        value = globals()[name] = FFT[name]
        return value
    raise AttributeError(f"module 'torch.fft' has no attribute '{name}'")


def __dir__():
    return sorted(FFT)
