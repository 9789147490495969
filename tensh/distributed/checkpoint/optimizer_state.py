"""The state dict of an optimizer, by the names of parameters instead of their numbers."""

import tensh as torch
from tensh.distributed.checkpoint.parameter_names import list_names, plain_name


def begin_state(optimizer):
    """Let an optimizer make its first state, by a step with gradients of zeros and a learning rate of 0.

    One with state stays as it is, and so does one whose parameters have gradients: it may have no state at all.
    """
    parameters = [parameter for group in optimizer.param_groups for parameter in group["params"]]
    if optimizer.state or any(parameter.grad is not None for parameter in parameters):
        return
    for parameter in parameters:
        if parameter.requires_grad:
            parameter.grad = torch.zeros_like(parameter)
    rates = [group.get("lr") for group in optimizer.param_groups]
    for group, rate in zip(optimizer.param_groups, rates, strict=True):
        if rate is not None:
            group["lr"] = torch.tensor(0.0) if isinstance(rate, torch.Tensor) else 0.0
    optimizer.step(closure=None)
    for group, rate in zip(optimizer.param_groups, rates, strict=True):
        if rate is not None:
            group["lr"] = rate
    optimizer.zero_grad(set_to_none=True)


def name_parameters(model, optimizer):
    """Return the state dict of an optimizer by names.  Raise KeyError for a parameter that the model lacks."""
    state = optimizer.state_dict()
    parameters = [parameter for group in optimizer.param_groups for parameter in group["params"]]
    numbers = {id(parameter): number for number, parameter in enumerate(parameters)}
    names = {
        numbers[id(parameter)]: plain_name(model, name)
        for name, parameter in model.named_parameters()
        if id(parameter) in numbers
    }
    return {
        "state": {names[number]: values for number, values in state["state"].items()},
        "param_groups": [
            group | {"params": [names[number] for number in group["params"]]} for group in state["param_groups"]
        ],
    }


def select_state(model, optimizer, state_dict, strict):
    """Return the part of a state dict by names that belongs to the parameters of an optimizer, in its groups.

    Raise RuntimeError for a parameter without state, if ``strict``; ValueError for groups without parameters that cannot
    be told apart.
    """
    state, groups = state_dict["state"], state_dict["param_groups"]
    if all(isinstance(key, int) for key in state):
        return state_dict
    names, listed = list_names(model), {name for group in groups for name in group["params"]}
    found = {"state": {}, "param_groups": []}
    for group in optimizer.param_groups:
        mine = []
        for parameter in group["params"]:
            known = names[id(parameter)]
            for name in known if len(known) == 1 else [name for name in known if name in listed]:
                mine.append(name)
                if not parameter.requires_grad:
                    continue
                if name in state:
                    found["state"][name] = state[name]
                elif strict:
                    raise RuntimeError(
                        f"Missing optimizer state for parameter '{name}' in checkpoint. The parameter requires gradients but "
                        "has no saved optimizer state. To load anyway, use StateDictOptions(strict=False)."
                    )
        options = {}
        for loaded in groups if mine else [_find_empty(optimizer, groups)]:
            if not mine or set(mine) & set(loaded["params"]):
                options |= {key: value for key, value in loaded.items() if key != "params"}
        found["param_groups"].append({"params": mine} | options)
    return found


def _find_empty(optimizer, groups):
    """Return the group without parameters."""
    empty = [group for group in groups if not group["params"]]
    if len(empty) != 1:
        raise ValueError(
            "There are param groups that have zero parameters. In such a case, DSD only support exactly one param group "
            "with zero parameters.But the loaded state_dict has zero or more than one param groups that have zero parameters."
        )
    if len(groups) != len(optimizer.param_groups):
        raise ValueError(
            "When there is a parameter group that has zero parameters, multiple optimizers are not supported."
        )
    return empty[0]


def flatten_state(state_dict):
    """Return a state dict by names as a flat one.  Raise NotImplementedError for values other than numbers and tensors."""
    flat = {}

    def put(values, prefix):
        for key, value in values.items():
            if isinstance(value, dict):
                put(value, f"{prefix}.{key}")
            elif isinstance(value, torch.Tensor | int | float):
                flat[f"{prefix}.{key}"] = value
            else:
                raise NotImplementedError(
                    f"Flattening optimizer state_dict only supports tensor, int, float, dict states now. Type is {type(value)}."
                )

    put(state_dict["state"], "state")
    for group in state_dict["param_groups"]:
        for name in group["params"]:
            flat |= {f"param_groups.{name}.{key}": value for key, value in group.items() if key != "params"}
    return flat


def unflatten_state(model, optimizer, flat):
    """Return the part of a flat state dict that belongs to the parameters of an optimizer, by names.

    Raise KeyError for missing entries, RuntimeError for parameters of a group that have different options.
    """
    names, found = list_names(model), {"state": {}, "param_groups": []}
    for group in optimizer.param_groups:
        options = [key for key in group if key != "params"]
        mine = []
        for parameter in group["params"]:
            known = names[id(parameter)]
            for name in known:
                if len(known) > 1 and options and f"param_groups.{name}.{options[0]}" not in flat:
                    continue
                mine.append(name)
                if parameter.requires_grad:
                    found["state"][name] = {
                        key: _find_nested(flat, f"state.{name}.{key}") for key in optimizer.state[parameter]
                    }
        loaded = {key: flat[f"param_groups.{mine[0]}.{key}"] for key in options}
        for name in mine:
            for key, value in loaded.items():
                other = flat.get(f"param_groups.{name}.{key}", value)
                if other != value:
                    raise RuntimeError(
                        "All the parameters in the same parameter group should have the same saved param_group value. But "
                        f"{name}.{key} is {other} while other(s) is {value}."
                    )
        found["param_groups"].append({"params": mine} | loaded)
    return found


def _find_nested(flat, key):
    """Return the value of a key, or the nested dict of the keys below it."""
    if key in flat:
        return flat[key]
    nested = {}
    for path, value in flat.items():
        if path.startswith(f"{key}."):
            *outer, last = path[len(key) + 1 :].split(".")
            here = nested
            for part in outer:
                here = here.setdefault(part, {})
            here[last] = value
    return nested
