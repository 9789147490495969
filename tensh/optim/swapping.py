"""torch.optim.swap_in_optimizer_params_and_state: an optimizer with other parameters and state in a context."""

from collections import defaultdict
from contextlib import contextmanager

from tensh.engine.core.tensor import Tensor

WANTS = "swap_in_optimizer_params_and_state requires "
PACKED = WANTS + "optimizer.state_dict()-style "


@contextmanager
def swap_in_optimizer_params_and_state(optimizer, swapin_parameters, swapin_optim_state):
    """A context in which an optimizer has other parameters and another state.

    ``swapin_parameters`` is a dictionary of as many tensors as the optimizer has parameters, in its order;
    ``swapin_optim_state`` is what ``optimizer.state_dict()`` gives, with all options of the groups.  Steps change the tensors
    in both; what they add to the state is forgotten.  Raise RuntimeError unless everything fits and the optimizer has
    made a step.

    >>> import tensh as torch
    >>> w, twin = torch.ones(1, requires_grad=True), torch.ones(1, requires_grad=True)
    >>> optimizer = torch.optim.SGD([w], lr=0.5, momentum=0.9)
    >>> w.grad = twin.grad = torch.ones(1)
    >>> optimizer.step()
    >>> with torch.optim.swap_in_optimizer_params_and_state(optimizer, {"w": twin}, optimizer.state_dict()):
    ...     optimizer.step()
    >>> w, twin
    (tensor([0.5000], requires_grad=True), tensor([0.0500], requires_grad=True))
    """
    states, groups = _require_states(optimizer, swapin_parameters, swapin_optim_state)
    state, kept = optimizer.state, [dict(group) for group in optimizer.param_groups]
    try:
        optimizer.state = defaultdict(dict)
        for group, (others, params) in zip(optimizer.param_groups, groups, strict=True):
            group.update(others | {"params": params})
            for param, number in zip(params, others["params"], strict=True):
                optimizer.state[param] = dict(states.get(number, {}))
        yield
    finally:
        optimizer.state = state
        for group, own in zip(optimizer.param_groups, kept, strict=True):
            group.clear()
            group.update(own)


def _require_states(optimizer, parameters, given):
    """Return the states by number and, for each group, its options and parameters; raise RuntimeError if they do not fit."""
    if not optimizer.state:
        raise RuntimeError(f"{WANTS}initialized optimizer state.")
    if not isinstance(given, dict):
        raise RuntimeError(f"{WANTS}a DCP-style optimizer state_dict.")
    states = _states(given.get("state"))
    groups = given.get("param_groups")
    if not isinstance(groups, list):
        raise RuntimeError(
            f"{WANTS}swapin_optim_state['param_groups'] to be a list of param-group dicts, got {type(groups).__name__}."
        )
    if len(groups) != len(optimizer.param_groups):
        raise RuntimeError("swapin_optim_state has a different number of parameter groups than the live optimizer.")
    rest, known, found = list(parameters.values()), set(), []
    for place, (own, group) in enumerate(zip(optimizer.param_groups, groups, strict=True)):
        numbers = _numbers(place, own, group)
        known.update(numbers)
        if len(numbers) > len(rest):
            raise RuntimeError(f"{WANTS}the explicit parameter state to match optimizer.param_groups ordering.")
        found.append((group, rest[: len(numbers)]))
        rest = rest[len(numbers) :]
    if extra := [number for number in states if number not in known]:
        raise RuntimeError(
            f"{WANTS}swapin_optim_state['state'] to be keyed only by packed parameter ids from "
            f"param_groups[*]['params']; got extra keys {extra!r}."
        )
    return states, found


def _states(states):
    """Return the states of the parameters by number, after PyTorch's checks."""
    if not isinstance(states, dict):
        raise RuntimeError(
            f"{WANTS}swapin_optim_state['state'] to be a dict mapping packed parameter ids to per-param state dicts, got "
            f"{type(states).__name__}."
        )
    if any(isinstance(number, Tensor) for number in states):
        raise RuntimeError(f"{PACKED}state keyed by packed parameter ids.")
    if any(isinstance(number, int) and not isinstance(each, dict) for number, each in states.items()):
        raise RuntimeError(f"{WANTS}per-parameter optimizer state entries to be dictionaries.")
    return states


def _numbers(place, own, group):
    """Return the numbers of the parameters of ``group``, which replaces the optimizer's group ``own``."""
    if not isinstance(group, dict):
        raise RuntimeError(f"{WANTS}each optimizer param group to be a dictionary.")
    numbers = group.get("params")
    if not isinstance(numbers, list) or not all(isinstance(each, int) for each in numbers):
        raise RuntimeError(f"{PACKED}param_groups[*]['params'] entries keyed by packed parameter ids.")
    if len(own["params"]) != len(numbers):
        raise RuntimeError(
            f"swapin_optim_state param group {place} has a different number of params than the live optimizer param group."
        )
    if own.keys() != group.keys():
        raise RuntimeError(
            f"{PACKED}param group keys to exactly match the live optimizer group keys for group {place}. Keys only in "
            f"swap-in: {[key for key in group if key not in own]}. Keys only in live: {[key for key in own if key not in group]}."
        )
    return numbers
