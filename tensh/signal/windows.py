"""torch.signal.windows: window functions."""

from tensh.engine.methods.namespaces import declare_namespace
from tensh.engine.operators.fourier.composites.signal import WINDOWS

__getattr__, __dir__ = declare_namespace("tensh.signal.windows", globals(), WINDOWS, find=WINDOWS.get)
