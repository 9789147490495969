"""torch.autograd.profiler_util: the events of profiles."""

from tensh.engine.methods.unsupported import unsupported_lookup
from tensh.profiler.events import EventList, FunctionEvent, FunctionEventAvg, Interval

__all__ = ["EventList", "FunctionEvent", "FunctionEventAvg", "Interval"]

__getattr__ = unsupported_lookup("torch.autograd.profiler_util")
