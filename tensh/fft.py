"""torch.fft: discrete Fourier transforms."""

from tensh.engine.codegen.public_forms import public_object
from tensh.engine.methods.namespaces import declare_namespace
from tensh.engine.operators.namespaces import FFT

__getattr__, __dir__ = declare_namespace(
    "tensh.fft",
    globals(),
    FFT,
    find=lambda name: public_object(FFT[name], name, spoken=f"fft_{name}", home="torch.fft"),
)
