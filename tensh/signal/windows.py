"""torch.signal.windows: window functions."""

from tensh.engine.operators.fourier.composites.signal import WINDOWS
from tensh.namespace import declare_namespace

__getattr__, __dir__ = declare_namespace("tensh.signal.windows", globals(), WINDOWS, find=WINDOWS.get)
