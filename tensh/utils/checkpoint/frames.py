"""A checkpoint without reentry: the function's own graph, whose saved tensors come from a second run.

Note [Frames]
While the function runs, a pair of hooks keeps an empty ``Holder`` in place of each tensor that the graph saves. The first
holder that a backward pass opens has the function run again; the tensors that this run saves fill the holders, in the
order of saving, and the run ends with the last of them. A pass opens a holder once, which empties it: nothing is kept
beyond its use, and another pass runs the function again. Arguments are saved as a node saves tensors, so that those of
a checkpoint within a checkpoint lie in holders of the outer one.
"""

import contextlib
import threading
import weakref

from tensh.autograd.saving import saved_tensors_hooks
from tensh.engine.autograd.custom import save_tensors
from tensh.engine.autograd.modes import enable_grad
from tensh.engine.core.backward import find_running_queue
from tensh.engine.core.clock import mode
from tensh.engine.core.tensor import Tensor

TIP = (
    "\nTip: To see a more detailed error message, either pass `debug=True` to\n`torch.utils.checkpoint.checkpoint(...)` or wrap the "
    "code block\nwith `with torch.utils.checkpoint.set_checkpoint_debug_enabled(True):` to\nenable checkpoint‑debug mode globally.\n"
)
OTHER_COUNT = (
    "torch.utils.checkpoint: A different number of tensors was saved during the original forward and recomputation.\n"
    "Number of tensors saved during forward: {}\nNumber of tensors saved during recomputation: {}.\n"
)
OTHER_KIND = "torch.utils.checkpoint: Recomputed values for the following tensors have different metadata than during the forward pass.\n{}.\n"
TOO_MANY = (
    "torch.utils.checkpoint: trying to save more tensors during recomputation than during the original forward pass.\n"
)
OVERLAP = (
    "Performing two backward calls that overlap (i.e. require the same saved activation in order to compute gradients) is not "
    "allowed while under the torch.utils.checkpoint.GraphExecGroup context. "
)
OPENED = (
    "torch.utils.checkpoint: Unpack is being triggered for a tensor that was already unpacked once. {}If you are calling "
    "ctx.saved_tensors in backward, make sure to do so only once. Otherwise please open an issue with details on your use case."
)


class CheckpointError(RuntimeError):
    """Error of a function that did something else when it was called again.

    >>> import tensh as torch
    >>> issubclass(torch.utils.checkpoint.CheckpointError, RuntimeError)
    True
    """

    __module__ = "torch.utils.checkpoint"


class _StopRecomputationError(Exception):
    """Ends a second run that has saved all that is asked for."""


def facts(tensor):
    """Return the properties of a tensor that must agree in both runs."""
    return {"shape": tensor.shape, "dtype": tensor.dtype, "device": tensor.device}


CHECKS = {"default": facts, "none": lambda tensor: None}


# ── which passes may share what a second run has saved ───────────────────────
class State(threading.local):
    """The group of passes that a thread has opened."""

    group = None


state = State()


class GraphExecGroup:
    """Backward passes within this context share one second run of each checkpoint; no two may need the same saved tensor.

    Raise RuntimeError where contexts are nested.

    >>> import tensh as torch
    >>> x = torch.ones(2, requires_grad=True)
    >>> y, z = torch.utils.checkpoint.checkpoint(lambda x: (x.exp(), x.sin()), x, use_reentrant=False)
    >>> with torch.utils.checkpoint.GraphExecGroup():
    ...     y.sum().backward(retain_graph=True)
    ...     z.sum().backward()
    """

    __module__ = "torch.utils.checkpoint"

    def __enter__(self):
        if state.group is not None:
            raise RuntimeError(f"GraphExecGroup contexts cannot be nested. Already inside group {state.group}")
        state.group = self
        return self

    def __exit__(self, *failure):
        state.group = None


def current_pass():
    """Return an object that stands for the running pass, or for its group; a new one outside of both."""
    if state.group is not None:
        return state.group
    return object() if mode.running is None else find_running_queue()


# ── frames ───────────────────────────────────────────────────────────────────
class Holder:
    """The place of a saved tensor; ``recomputed`` has it for each pass, and None once the pass has taken it."""

    __slots__ = ("recomputed", "__weakref__")

    def __init__(self):
        self.recomputed = {}


class Frame:
    """One call of a function: how it is called again, and the holders of what it has saved, in the order of saving.

    ``again(*args)`` calls the function; ``fact`` is a function of a saved tensor whose value must be the same in both runs;
    ``explain``, where given, makes an error of a CheckpointError.
    """

    def __init__(self, again, args, early_stop, fact, explain=None):
        self.again, self.early_stop, self.fact, self.explain = again, early_stop, fact, explain
        self.tensors = save_tensors([each for each in args if isinstance(each, Tensor)])
        self.args = [Tensor if isinstance(each, Tensor) else each for each in args]
        self.holders, self.facts, self.complete, self.is_other = [], [], False, False
        self.passes = {}  # id of what stands for a pass -> that

    def hooks(self):
        """Return the context of the first run."""
        return saved_tensors_hooks(self.pack, self.open if self.explain is None else self.open_or_explain)

    def pack(self, tensor):
        holder = Holder()
        self.holders.append(weakref.ref(holder))
        self.facts.append(self.fact(tensor))
        return holder

    def open(self, holder):
        """Return the tensor of a holder for the current pass, recomputed if it is the pass's first."""
        current = current_pass()
        number = id(current)
        if number not in self.passes:
            self.recompute(number)
            self.passes[number] = current
            self.compare(number)
        tensor = holder.recomputed.get(number)
        if tensor is None:
            raise CheckpointError(OPENED.format("" if state.group is None else OVERLAP))
        holder.recomputed[number] = None
        return tensor

    def open_or_explain(self, holder):
        try:
            return self.open(holder)
        except CheckpointError as error:
            raise self.explain() from error

    def recompute(self, number):
        """Call the function again, and fill the holders for a pass."""
        count = 0

        def fill(tensor):
            nonlocal count
            tensor, place, count = tensor.detach() if tensor.requires_grad else tensor, count, count + 1
            if place < len(self.holders):
                if (holder := self.holders[place]()) is not None:
                    holder.recomputed[number] = tensor
            elif self.complete:
                raise CheckpointError(TOO_MANY + TIP)
            else:
                self.is_other = True  # a pass within the function, which saves more afterwards
            if self.early_stop and count == len(self.holders):
                raise _StopRecomputationError
            return tensor

        tensors = iter(self.tensors.saved_tensors)
        args = [next(tensors) if each is Tensor else each for each in self.args]
        with (
            contextlib.suppress(_StopRecomputationError),
            saved_tensors_hooks(fill, lambda tensor: tensor),
            enable_grad(),
        ):
            self.again(*args)
        if count != len(self.holders) and not self.is_other:
            raise CheckpointError(OTHER_COUNT.format(len(self.holders), count) + TIP)

    def compare(self, number):
        """Raise unless the recomputed tensors are like those that were saved."""
        found = []
        for place, (reference, before) in enumerate(zip(self.holders, self.facts)):
            if (holder := reference()) is not None and not self.is_other:
                now = self.fact(holder.recomputed[number])
                if now != before:
                    found.append(f"tensor at position {place}:\nsaved metadata: {before}\nrecomputed metadata: {now}\n")
        if found:
            raise CheckpointError(OTHER_KIND.format("".join(found)) + TIP)
