"""torch.autograd.profiler: the former name of ``torch.profiler``."""

import tensh.profiler
from tensh.profiler import EventList, FunctionEventAvg, kineto_available, record_function  # noqa: F401

__all__ = ["EventList", "emit_itt", "emit_nvtx", "profile", "record_function"]


class profile(tensh.profiler.profile):
    """``torch.profiler.profile`` under its former name; ``enabled=False`` switches it off."""

    def __init__(self, enabled=True, *, use_device=None, use_kineto=False, use_cpu=True, **options):
        super().__init__(**options)
        self.enabled = enabled

    def __enter__(self):
        return super().__enter__() if self.enabled else self

    def __exit__(self, *error):
        if self.enabled:
            super().__exit__(*error)

    @property
    def function_events(self):
        """The events."""
        return self.events()

    @property
    def self_cpu_time_total(self):
        """The time of all events, each counted once."""
        return self.events().self_cpu_time_total

    def total_average(self):
        """The average of all events."""
        return self.events().total_average()

    def table(self, **options):
        """Format the events as a table."""
        return self.events().table(**options)


def _do_nothing(*args, **options):
    import contextlib

    return contextlib.nullcontext()


emit_nvtx = emit_itt = _do_nothing
