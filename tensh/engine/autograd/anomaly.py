"""Anomaly detection: a nan in a backward pass raises an error that shows where the forward operation was recorded."""

import sys
import traceback

import numpy as np

from tensh.engine.arguments.binding import bind
from tensh.engine.arrays.uninterrupted import entered_whole, without_interrupts
from tensh.engine.codegen.table import public
from tensh.engine.core.clock import listen, mode, unlisten
from tensh.engine.core.nodes import Parts
from tensh.engine.core.tensor import Tensor
from tensh.engine.dtypes.dtype import DIFFERENTIABLE
from tensh.engine.errors.warnings import warn


class Traces(dict):
    """Tick -> traceback of the recorded call; the oldest are dropped when there are too many."""

    LIMIT = 100_000

    def __setitem__(self, time, trace):
        if len(self) >= self.LIMIT:
            del self[next(iter(self))]
        super().__setitem__(time, trace)


traces = Traces()


def trace(node, tensors):
    """Remember the traceback of the call that recorded ``node``."""
    caller = sys._getframe(3)
    traces[node.time] = traceback.StackSummary.extract(traceback.walk_stack(caller), lookup_lines=False)


@without_interrupts
def switch(on, check_nan):
    """Turn anomaly detection on or off."""
    if on != is_anomaly_enabled():
        (listen if on else unlisten)(trace)
    mode.inspect, mode.check_nan = inspect if on else None, check_nan


class set_detect_anomaly:
    """Switch anomaly detection at once; as a context manager, until the block ends.

    While it is on, every recorded node remembers its traceback, and a nan that a node computes in a backward pass
    raises RuntimeError (unless ``check_nan`` is False).
    """

    __module__ = "torch.autograd.anomaly_mode"

    def __init__(self, mode, check_nan=True):
        bind("set_anomaly_enabled", ("(bool enabled, bool check_nan = True)",), (mode, check_nan), {})
        self.before = is_anomaly_enabled(), is_anomaly_check_nan_enabled()
        switch(mode, check_nan)

    def __enter__(self):
        pass

    def __exit__(self, *error):
        switch(*self.before)


@entered_whole
class detect_anomaly(set_detect_anomaly):
    """A context manager that finds the operation whose derivative computes nan.

    >>> import tensh as torch
    >>> x = torch.tensor(-1.0, requires_grad=True)
    >>> with torch.autograd.detect_anomaly():
    ...     torch.sqrt(x).backward()
    Traceback (most recent call last):
    RuntimeError: Function 'SqrtBackward0' returned nan values in its 0th output.
    """

    __module__ = "torch.autograd.anomaly_mode"

    def __init__(self, check_nan=True):
        self.check_nan = check_nan
        warn(
            "Anomaly Detection has been enabled. This mode will increase the runtime and should only be enabled for debugging.",
        )

    def __enter__(self):
        super().__init__(True, self.check_nan)


@public
def is_anomaly_enabled():
    """Return True if anomaly detection is on."""
    return mode.inspect is not None


@public
def is_anomaly_check_nan_enabled():
    """Return True if anomaly detection looks for nan."""
    return mode.check_nan


@public
def set_anomaly_enabled(mode, check_nan=True):
    """Switch anomaly detection on or off permanently; ``torch.autograd.set_detect_anomaly`` is also a context manager.

    >>> import tensh as torch
    >>> torch.set_anomaly_enabled(False)
    """
    set_detect_anomaly(mode, check_nan)


def inspect(node, gs):
    """Raise if a gradient that ``node`` computed contains nan; without gradients it has failed: warn with its traceback."""
    if gs is None:
        show(node)
    if gs is None or not mode.check_nan:
        return
    for number, g in enumerate(gs):
        if g is None or type(g) is Parts:
            continue
        a = g.array if isinstance(g, Tensor) else np.asarray(g)
        if a.dtype.kind in DIFFERENTIABLE and bool((a != a).any()):
            raise RuntimeError(f"Function '{node.name()}' returned nan values in its {number}th output.")


def show(node):
    """Warn with the traceback of the forward call, if it is known."""

    trace = traces.get(node.time)
    if trace is None:
        text = " No forward pass information available. Enable detect anomaly during forward pass for more information."
    else:
        text = " Traceback of forward call that caused the error:\n" + "".join(reversed(trace.format()))
    warn(f"Error detected in {node.name()}.{text}")
