"""Regions of autocast in a graph for a back end: a call where each begins, and one where it ends, as in PyTorch."""

from tensh.amp import casting
from tensh.amp.autocast_mode import _enter_autocast, _exit_autocast
from tensh.engine.dispatch.override.state import state as overriding
from tensh.support.temporary import temporarily


class RegionRecorder:
    """The part of a ``FunctionRecorder`` that records regions of autocast."""

    def start_regions(self):
        self.casting = casting.state.lower
        self.asked, self.regions = {}, []  # id of a region -> (it, its settings as written); the nodes of open ones

    def watching_regions(self):
        """Return a context in which regions that the program makes are recorded."""
        return temporarily(casting.state, recorder=self)

    def note_region(self, region, asked):
        """Note the settings of a new region, as they are written in the program."""
        self.asked[id(region)] = region, asked

    def enter_region(self, region):
        """Add the call that begins a region, unless a function of the library does it."""
        if self not in overriding.modes:
            return
        known = region.device, region.fast_dtype, region._enabled, region._cache_enabled
        _, asked = self.asked.get(id(region), (region, known))
        self.regions.append(self.switch_region(_enter_autocast, asked))

    def exit_region(self):
        """Add the call that ends the innermost region."""
        if self in overriding.modes and self.regions:
            self.switch_region(_exit_autocast, (self.regions.pop(),))

    def switch_region(self, function, args):
        """Add a call that switches autocast; return its node, or None if the graph has ended."""
        if self.reason is not None:
            return None
        self.casting = casting.state.lower
        self.follow_grad()
        return self.graph.call_function(function, args)
