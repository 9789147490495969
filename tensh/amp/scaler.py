"""The scaler of losses, for gradients of float16."""

from collections.abc import Iterable
from enum import Enum

from tensh.engine.autograd.modes import no_grad
from tensh.engine.core.tensor import Tensor
from tensh.engine.dtypes.dtype import float16
from tensh.engine.errors.warnings import warn


class OptState(Enum):
    """The state of an optimizer since the last update of the scale."""

    READY = 0
    UNSCALED = 1
    STEPPED = 2


class GradScaler:
    """A scaler of losses, which keeps small gradients of float16 from becoming zero.

    The loss is multiplied by a scale, gradients are divided by it before the optimizer's step, and a step whose gradients are
    not finite is left out. ``update`` then halves the scale (times ``backoff_factor``); after ``growth_interval`` good
    steps it grows. Where ``enabled`` is False, or the device is not there, everything passes unchanged. Raise
    AssertionError for factors that do not grow or back off, RuntimeError for steps without ``update`` between them.

    >>> import tensh as torch
    >>> scaler = torch.GradScaler("cpu", init_scale=4.0)
    >>> scaler.scale(torch.tensor(2.0))
    tensor(8.)
    """

    def __init__(
        self, device="cuda", init_scale=65536.0, growth_factor=2.0, backoff_factor=0.5, growth_interval=2000, enabled=True
    ):  # fmt: skip
        if enabled and device == "cuda":
            warn("torch.cuda.amp.GradScaler is enabled, but CUDA is not available.  Disabling.")
        self._enabled, self._device = enabled and device != "cuda", device
        if self._enabled:
            if growth_factor <= 1.0:
                raise AssertionError("The growth factor must be > 1.0.")
            if backoff_factor >= 1.0:
                raise AssertionError("The backoff factor must be < 1.0.")
        self._init_scale, self._scale = init_scale, None  # the first call of ``scale`` sets the scale
        self._growth_factor, self._backoff_factor = growth_factor, backoff_factor
        self._growth_interval, self._growth_tracker = growth_interval, 0
        self._states = {}  # id of an optimizer -> what was done for it, and whether a gradient is not finite (None: there is none)

    def scale(self, outputs):
        """Return the tensors, also those in lists and tuples, times the scale.  Raise ValueError for anything else."""
        if not self._enabled:
            return outputs
        self._scale = self.get_scale()
        if isinstance(outputs, Tensor):
            return outputs * self._scale
        if isinstance(outputs, Iterable):
            scaled = map(self.scale, outputs)
            if isinstance(outputs, (list, tuple)):
                return type(outputs)(scaled)
            return scaled
        raise ValueError("outputs must be a Tensor or an iterable of Tensors")

    def unscale_(self, optimizer):
        """Divide the gradients of an optimizer's parameters by the scale.

        Raise RuntimeError for a second call between two updates.
        """
        if not self._enabled:
            return
        self._require_scale("unscale_")
        stage, _ = self._state_of(optimizer)
        if stage is OptState.UNSCALED:
            raise RuntimeError("unscale_() has already been called on this optimizer since the last update().")
        if stage is OptState.STEPPED:
            raise RuntimeError("unscale_() is being called after step().")
        grads = [p.grad for group in optimizer.param_groups for p in group["params"] if p.grad is not None]
        if any(grad.dtype is float16 for grad in grads):
            raise ValueError("Attempting to unscale FP16 gradients.")
        bad = not all(bool(grad.isfinite().all()) for grad in grads) if grads else None
        with no_grad():
            for grad in grads:
                grad.mul_(1.0 / self._scale)
        self._states[id(optimizer)] = OptState.UNSCALED, bad

    def step(self, optimizer, *args, **kwargs):
        """Make the optimizer's step unless a gradient is not finite; return what the step returned.

        Raise RuntimeError for a second step without ``update``, and beside a closure.
        """
        if not self._enabled:
            return optimizer.step(*args, **kwargs)
        if "closure" in kwargs:
            raise RuntimeError("Closure use is not currently supported if GradScaler is enabled.")
        self._require_scale("step")
        stage, bad = self._state_of(optimizer)
        if stage is OptState.STEPPED:
            raise RuntimeError("step() has already been called since the last update().")
        if stage is OptState.READY:
            self.unscale_(optimizer)
            _, bad = self._state_of(optimizer)
        if bad is None:
            raise AssertionError("No inf checks were recorded for this optimizer.")
        result = None if bad else optimizer.step(*args, **kwargs)
        self._states[id(optimizer)] = OptState.STEPPED, bad
        return result

    def update(self, new_scale=None):
        """Adapt the scale to the steps since the last update, or set it."""
        if not self._enabled:
            return
        self._require_scale("update")
        found = [bad for _, bad in self._states.values() if bad is not None]
        if new_scale is not None:
            self._scale = float(new_scale)
        elif not found:
            raise AssertionError("No inf checks were recorded prior to update.")
        elif any(found):
            self._scale, self._growth_tracker = self._scale * self._backoff_factor, 0
        elif self._growth_tracker + 1 == self._growth_interval:
            self._scale, self._growth_tracker = self._scale * self._growth_factor, 0
        else:
            self._growth_tracker += 1
        self._states = {}

    def _state_of(self, optimizer):
        return self._states.get(id(optimizer), (OptState.READY, None))

    def _require_scale(self, action):
        if self._scale is None:
            raise AssertionError(
                f"Attempted {action} but _scale is None.  This may indicate your script did not use scaler.scale(loss or outputs) "
                "earlier in the iteration."
            )

    def get_scale(self):
        """Return the scale; 1.0 where nothing is scaled."""
        if not self._enabled:
            return 1.0
        return self._init_scale if self._scale is None else self._scale

    def _get_growth_tracker(self):
        return self._growth_tracker if self._enabled else 0

    def is_enabled(self):
        """Return True if losses are scaled."""
        return self._enabled

    def state_dict(self):
        """Scale, factors and interval; {} where nothing is scaled."""
        if not self._enabled:
            return {}
        return {"scale": self.get_scale()} | {_key(name): getattr(self, name) for name in STATE}

    def load_state_dict(self, state_dict):
        """Take over what ``state_dict`` returned.  Raise RuntimeError if it is empty."""
        if not self._enabled:
            return
        if not state_dict:
            raise RuntimeError(
                "The source state dict is empty, possibly because it was saved from a disabled instance of GradScaler."
            )
        self._init_scale = state_dict["scale"]
        self._scale = None if self._scale is None else self._init_scale
        for name in STATE:
            setattr(self, name, state_dict[_key(name)])


TRACKER = "_growth_tracker"
STATE = ("_growth_factor", "_backoff_factor", "_growth_interval", TRACKER)


def _key(name):
    """Return the key of an attribute in the state dict."""
    return name if name == TRACKER else name.removeprefix("_")


def accessors(name):
    """The methods that read and set a setting of the scaler."""

    def get(self):
        return getattr(self, f"_{name}")

    def put_factor(self, new_factor):
        setattr(self, f"_{name}", new_factor)

    def put_interval(self, new_interval):
        setattr(self, f"_{name}", new_interval)

    put = put_interval if name.endswith("interval") else put_factor
    get.__doc__, put.__doc__ = f"Return the {name.replace('_', ' ')}.", f"Set the {name.replace('_', ' ')}."
    setattr(GradScaler, f"get_{name}", get), setattr(GradScaler, f"set_{name}", put)


for _name in ("growth_factor", "backoff_factor", "growth_interval"):
    accessors(_name)
