"""Conversion of an optimizer's state to a dictionary of numbers and tensors, and back."""

from collections import defaultdict
from collections.abc import Iterable
from copy import deepcopy
from itertools import chain

from numpy import array

from tensh.engine import find_public
from tensh.engine.core.tensor import Tensor, wrap
from tensh.engine.dtypes.dtype import float32, float64, get_default_dtype
from tensh.optim.hooks import prepare_hooks


def counter(start=0.0, fused=False):
    """Return a number as state: a 0-d tensor of float32, or float64 if that is the default."""
    kind = float64 if get_default_dtype() is float64 and not fused else float32
    return wrap(array(start, kind.numpy))


def blank(p, start=0.0):
    """Return state like a parameter, filled with one number; public functions, because subclasses may override them."""
    if start == 0:
        return find_public("zeros_like")(p, requires_grad=False)
    return find_public("full_like")(p, complex(start, start) if p.is_complex() else start, requires_grad=False)


class State:
    """``state_dict``, ``load_state_dict``, and what ``pickle`` and ``copy`` ask."""

    LATER = {}  # options missing in groups of older checkpoints, with their implied values
    COUNTERS = ()  # state that is a Python number in older checkpoints

    def __getstate__(self):
        return {"defaults": self.defaults, "state": self.state, "param_groups": self.param_groups}

    def __setstate__(self, state):
        self.__dict__.update(state)
        prepare_hooks(self)
        self.defaults.setdefault("differentiable", False)
        for group in self.param_groups:
            for name, value in self.LATER.items():
                group.setdefault(name, value)
            for p in group["params"]:
                of_p = self.state.get(p, {})
                for name in self.COUNTERS:
                    if of_p and not isinstance(of_p[name], Tensor):
                        of_p[name] = counter(float(of_p[name]), group.get("fused"))

    def state_dict(self):
        """Return the state by parameter index, and the groups with these indices in place of parameters.

        >>> import tensh as torch
        >>> torch.optim.Muon([torch.ones(2, 2)], lr=0.1).state_dict()["param_groups"][0]["params"]
        [0]
        """
        for hook in self._optimizer_state_dict_pre_hooks.values():
            hook(self)
        numbers, groups = {}, []
        start = 0
        for group in self.param_groups:
            for number, p in enumerate(group["params"], start):
                numbers.setdefault(id(p), number)
            start += len(group["params"])
            packed = {name: value for name, value in group.items() if name != "params"}
            packed["params"] = [numbers[id(p)] for p in group["params"]]
            groups.append(packed)
        state = {numbers[id(key)] if isinstance(key, Tensor) else key: value for key, value in self.state.items()}
        result = {"state": state, "param_groups": groups}
        for hook in self._optimizer_state_dict_post_hooks.values():
            changed = hook(self, result)
            if changed is not None:
                result = changed
        return result

    def load_state_dict(self, state_dict):
        """Continue from the result of ``state_dict``, here or elsewhere; parameters count by their order.

        Raise ValueError if there are other groups, or groups of other lengths; nothing has changed then.
        """
        state_dict = state_dict.copy()
        for hook in self._optimizer_load_state_dict_pre_hooks.values():
            changed = hook(self, state_dict)
            if changed is not None:
                state_dict = changed
        saved = deepcopy(state_dict["param_groups"])
        if len(saved) != len(self.param_groups):
            raise ValueError("loaded state dict has a different number of parameter groups")
        pairs = list(zip(self.param_groups, saved))
        if any(len(group["params"]) != len(new["params"]) for group, new in pairs):
            raise ValueError(
                "loaded state dict contains a parameter group that doesn't match the size of optimizer's group"
            )
        numbers = chain.from_iterable(new["params"] for _, new in pairs)
        params = dict(zip(numbers, chain.from_iterable(group["params"] for group, _ in pairs)))
        fixed = {  # the parameters whose counters are float32, whatever was saved
            number
            for group in state_dict["param_groups"]
            if group.get("capturable") or group.get("fused")
            for number in group["params"]
        }
        state = defaultdict(dict)
        for key, value in state_dict["state"].items():
            if key in params:
                state[params[key]] = cast_state(params[key], value, key in fixed)
            else:
                state[key] = value
        for group, new in pairs:
            new["params"] = group["params"]
            if "param_names" in group:
                new.setdefault("param_names", group["param_names"])
        self.__setstate__({"state": state, "param_groups": saved})
        for hook in self._optimizer_load_state_dict_post_hooks.values():
            hook(self)


def cast_state(param, value, fixed, name=None):
    """Return a saved value of the state, with tensors in the dtype of the parameter; counters keep their dtype."""
    if isinstance(value, Tensor):
        if name == "step":
            return value.to(float32) if fixed else value
        return value.to(param.dtype) if param.is_floating_point() else value
    if isinstance(value, dict):
        return {name: cast_state(param, each, fixed, name) for name, each in value.items()}
    if isinstance(value, Iterable) and not isinstance(value, str):
        return type(value)(cast_state(param, each, fixed) for each in value)
    return value
