"""torch.utils.benchmark: how long statements take, and tables that compare them."""

from tensh.engine.methods.unsupported import unsupported_lookup
from tensh.utils.benchmark.utils.common import (
    Measurement,
    TaskSpec,
    ordered_unique,
    select_unit,
    set_torch_threads,
    trim_sigfig,
    unit_to_english,
)
from tensh.utils.benchmark.utils.compare import Colorize, Compare
from tensh.utils.benchmark.utils.timer import Timer, timer

__all__ = [
    "Colorize", "Compare", "Measurement", "TaskSpec", "Timer", "ordered_unique", "select_unit", "set_torch_threads", "timer",
    "trim_sigfig", "unit_to_english",
]  # fmt: skip

__getattr__ = unsupported_lookup("torch.utils.benchmark")
