"""torch.fft: discrete Fourier transforms."""

from tensh.engine.codegen.table import public_object
from tensh.engine.methods.unsupported import unsupported_name
from tensh.engine.operators.namespaces import FFT


def __getattr__(name):
    if name in FFT:
        value = globals()[name] = public_object(FFT[name], name, spoken=f"fft_{name}")
        return value
    raise unsupported_name("torch.fft", name)


def __dir__():
    return sorted(FFT)
