"""The surroundings of a function, kept for its second run: random numbers, autocast, the device."""

import contextlib

from tensh.amp.regions import autocast
from tensh.amp.settings import get_autocast_dtype, is_autocast_cache_enabled, is_autocast_enabled
from tensh.engine.core.clock import mode
from tensh.engine.random.generator import default_generator


class Surroundings:
    """The state of the random numbers (if ``random``), autocast and the device as they are now; ``again`` is a context."""

    def __init__(self, random):
        self.random = default_generator.get_state() if random else None
        self.autocast = get_autocast_dtype("cpu"), is_autocast_enabled("cpu"), is_autocast_cache_enabled()
        self.device = mode.devices[-1] if mode.devices else contextlib.nullcontext()

    @contextlib.contextmanager
    def again(self):
        """Within, all is as it was; afterwards, random numbers go on from where they were."""
        before = None if self.random is None else default_generator.get_state()
        try:
            if self.random is not None:
                default_generator.set_state(self.random)
            with autocast("cpu", *self.autocast), self.device:
                yield
        finally:
            if before is not None:
                default_generator.set_state(before)
