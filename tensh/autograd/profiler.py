"""torch.autograd.profiler: the former name of ``torch.profiler``."""

import tensh.profiler
from tensh.engine.errors.warnings import warn
from tensh.profiler import EventList, FunctionEventAvg, kineto_available, record_function  # noqa: F401

__all__ = ["EventList", "emit_itt", "emit_nvtx", "profile", "record_function"]


class profile(tensh.profiler.profile):
    """``torch.profiler.profile`` under its former name; ``enabled=False`` switches it off."""

    def __init__(self, enabled=True, *, use_cuda=False, use_device=None, use_kineto=False, use_cpu=True, **options):
        if enabled and use_cuda:
            warn(
                "The attribute `use_cuda` will be deprecated soon, please use ``use_device = 'cuda'`` instead.",
                FutureWarning,
            )
            use_device = "cuda"
        if enabled and use_device == "cuda":
            warn("CUDA is not available, disabling CUDA profiling")
        elif enabled and use_device is not None:
            warn(f"The {use_device} is not a valid device option.")
        super().__init__(**options)
        self.enabled, self.entered, self.finished = enabled, False, False

    def __enter__(self):
        if not self.enabled:
            return None
        if self.entered:
            raise RuntimeError("Profiler context manager is not reentrant")
        self.entered = True
        return super().__enter__()

    def __exit__(self, *error):
        if self.enabled:
            super().__exit__(*error)
            self.finished = True

    def __repr__(self):
        return repr(self.events()) if self.finished else "<unfinished torch.autograd.profile>"

    def __str__(self):
        return str(self.events()) if self.finished else "<unfinished torch.autograd.profile>"

    @property
    def function_events(self):
        """The events."""
        return self.events()

    @property
    def self_cpu_time_total(self):
        """The time of all events, each counted once."""
        return self.events().self_cpu_time_total

    def total_average(self):
        """Return the average of all events."""
        return self.events().total_average()

    def table(self, **options):
        """Format the events as a table."""
        return self.events().table(**options)


def _do_nothing(*args, **options):
    import contextlib

    return contextlib.nullcontext()


emit_nvtx = emit_itt = _do_nothing
