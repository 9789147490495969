"""State dicts of a model and its optimizers by the plain names of parameters, whatever wraps the model.

``DistributedDataParallel``, ``torch.compile`` and activation checkpoints add prefixes to names; optimizers number their
parameters. What these functions return has neither, so that it can be loaded however the next run is made up.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import tensh as torch
from tensh.distributed.checkpoint.chunks import is_placed, list_chunks, narrow_to
from tensh.distributed.checkpoint.optimizer_state import (
    begin_state,
    flatten_state,
    name_parameters,
    select_state,
    unflatten_state,
)
from tensh.distributed.checkpoint.parameter_names import list_prefixes, plain_name
from tensh.distributed.groups import get_rank, is_initialized
from tensh.distributed.objects import broadcast_object_list
from tensh.engine.errors.warnings import warn
from tensh.nn.modules.module import Module
from tensh.optim.optimizer import Optimizer
from tensh.switched_off import lookup

__all__ = [
    "StateDictOptions",
    "get_model_state_dict",
    "get_optimizer_state_dict",
    "get_state_dict",
    "set_model_state_dict",
    "set_optimizer_state_dict",
    "set_state_dict",
]

__getattr__ = lookup("torch.distributed.checkpoint.state_dict")


@dataclass
class StateDictOptions:
    """Options of making and loading state dicts.

    Attributes:
        full_state_dict: tensors distributed over ranks are gathered, and such tensors are loaded into the ranks' parts.
        cpu_offload: together with ``full_state_dict``, only the first rank gets a state dict, others an empty one.
        ignore_frozen_params: leave out parameters that need no gradient.
        strict: names that are missing or not expected are an error.
        broadcast_from_rank0: only the first rank has the state dict to be loaded; needs ``full_state_dict``.
        flatten_optimizer_state_dict: the state of optimizers as one flat dict, with names such as
            ``state.layer.weight.exp_avg``.
        keep_submodule_prefixes: keep the name of a submodule in the names of its parameters.

    ``dsd_fqn_modifiers`` is accepted and does nothing.
    """

    full_state_dict: bool = False
    cpu_offload: bool = False
    ignore_frozen_params: bool = False
    keep_submodule_prefixes: bool = True
    strict: bool = True
    broadcast_from_rank0: bool = False
    flatten_optimizer_state_dict: bool = False
    dsd_fqn_modifiers: str = "_fqn_modifiers"

    def check(self):
        """Return these options.  Raise ValueError if they contradict each other."""
        if self.broadcast_from_rank0 and not self.full_state_dict:
            raise ValueError("full_state_dict must be True when broadcast_from_rank0 is True.")
        return self


def get_state_dict(model, optimizers, *, submodules=None, options=None):
    """Return the state dicts of a model and its optimizers: (of the model, of all optimizers together).

    Args:
        model: a module, which may be wrapped.
        optimizers: an optimizer, or several.
        options: ``StateDictOptions``.

    An optimizer without state gets its first one by a step that changes nothing, so that there is something to load into.

    >>> import tensh as torch
    >>> from tensh.distributed.checkpoint.state_dict import get_state_dict
    >>> model = torch.nn.Linear(2, 1)
    >>> weights, state = get_state_dict(model, torch.optim.Adam(model.parameters()))
    >>> list(weights), list(state["state"]), state["param_groups"][0]["params"]
    (['weight', 'bias'], ['weight', 'bias'], ['weight', 'bias'])
    """
    optimizers = _list_optimizers(optimizers)
    options = (options or StateDictOptions()).check()
    found = _read_model(model, options, submodules)
    state = _read_optimizers(model, optimizers, options) if optimizers else {}
    _check_there(found, state, bool(optimizers), options, submodules)
    return found, state


def get_model_state_dict(model, *, submodules=None, options=None):
    """Return the state dict of a model; see ``get_state_dict``.

    ``submodules`` leaves out what does not belong to them, which is deprecated.
    """
    options = (options or StateDictOptions()).check()
    found = _read_model(model, options, submodules)
    _check_there(found, {}, False, options, submodules)
    return found


def get_optimizer_state_dict(model, optimizers, *, submodules=None, options=None):
    """Return the state dict of one or several optimizers of a model; see ``get_state_dict``."""
    optimizers = _list_optimizers(optimizers)
    options = (options or StateDictOptions()).check()
    if not optimizers:
        raise RuntimeError("Optimizers are not passed in but optim_only is set to True.")
    return _read_optimizers(model, optimizers, options)


def set_state_dict(model, optimizers, *, model_state_dict, optim_state_dict, options=None):
    """Load state dicts that ``get_state_dict`` returned; return the names that are missing and not expected.

    The wrappers of the model, and the division of its parameters among optimizers, may be others than before. Raise
    RuntimeError for missing names, unless ``options`` allow them.

    >>> import tensh as torch
    >>> from tensh.distributed.checkpoint.state_dict import get_state_dict, set_state_dict
    >>> model = torch.nn.Linear(2, 1)
    >>> optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    >>> weights, state = get_state_dict(model, optimizer)
    >>> optimizer.param_groups[0]["lr"] = 0.1
    >>> set_state_dict(model, optimizer, model_state_dict=weights, optim_state_dict=state)
    <All keys matched successfully>
    >>> optimizer.param_groups[0]["lr"]
    0.5
    """
    optimizers = _list_optimizers(optimizers)
    options = (options or StateDictOptions()).check()
    model_state_dict = _join_prefixes(model, model_state_dict)
    if not model_state_dict and not optimizers:
        raise RuntimeError("Optimizers are not passed in but optim_only is set to True.")
    if not options.broadcast_from_rank0:
        _check_there(model_state_dict or None, optim_state_dict, bool(optimizers), options)
    if optimizers:
        _load_optimizers(model, optimizers, optim_state_dict, options)
    return _load_model(model, model_state_dict, options)


def set_model_state_dict(model, model_state_dict, *, options=None):
    """Load a state dict that ``get_model_state_dict`` returned; see ``set_state_dict``."""
    options = (options or StateDictOptions()).check()
    model_state_dict = _join_prefixes(model, model_state_dict)
    _check_there(model_state_dict, {}, False, options)
    return _load_model(model, model_state_dict, options)


def set_optimizer_state_dict(model, optimizers, optim_state_dict, *, options=None):
    """Load a state dict that ``get_optimizer_state_dict`` returned; see ``set_state_dict``."""
    optimizers = _list_optimizers(optimizers)
    options = (options or StateDictOptions()).check()
    if not optimizers:
        raise RuntimeError("Optimizers are not passed in but optim_only is set to True.")
    _check_there(None, optim_state_dict, True, options)
    _load_optimizers(model, optimizers, optim_state_dict, options)


def _list_optimizers(optimizers):
    return (optimizers,) if isinstance(optimizers, Optimizer) else tuple(optimizers)


def _check_there(found, state, has_optimizers, options, submodules=None):
    """Raise RuntimeError for an empty state dict where one is needed; None stands for one that is not."""
    if options.broadcast_from_rank0 or options.full_state_dict and options.cpu_offload:
        return
    if found is not None and not found and options.strict and not options.ignore_frozen_params and not submodules:
        raise RuntimeError(
            "The option indicates that model state_dict is required to save or load, but model state_dict is empty."
        )
    if has_optimizers and not state:
        raise RuntimeError(
            f"The option indicates that model state_dict is required to save, or load but optim state_dict is empty. {state}"
        )


# ── models ───────────────────────────────────────────────────────────────────
def _read_model(model, options, submodules):
    """Return the state dict of a model by plain names, without what the options leave out."""
    with torch.no_grad():
        found = model.state_dict()
        for name in list(found):
            if (plain := plain_name(model, name)) != name:
                found[plain] = found.pop(name)
        if submodules:
            warn(
                "Getting submodules only model/optim state_dict is deprecated and will be removed in 2.5. This feature can be "
                "achieved by manually filtering out the state_dict returned from get_state_dict.",
                FutureWarning,
            )
            found = {
                name if options.keep_submodule_prefixes else name[len(prefix) :]: value
                for name, value in found.items()
                for prefix in list_prefixes(model, submodules)
                if name.startswith(prefix)
            }
        if options.ignore_frozen_params:
            for name, parameter in model.named_parameters():
                if not parameter.requires_grad:
                    found.pop(plain_name(model, name), None)
        return _collect(found, options)


def _load_model(model, state_dict, options):
    if not state_dict and not options.broadcast_from_rank0:
        return model.load_state_dict({}, strict=False).__class__({}, {})
    own = dict(model.state_dict())
    state_dict = dict(_spread(state_dict, options))
    for name in own:
        plain = plain_name(model, name)
        if plain != name:
            if plain in state_dict:
                state_dict[name] = state_dict.pop(plain)
            elif options.strict:
                raise RuntimeError(f"Missing key: {plain}.")
    with torch.no_grad():
        return model.load_state_dict(_distribute(state_dict, own), strict=options.strict)


def _join_prefixes(model, state_dict):
    """Return a state dict by names for one of submodules and their state dicts, which is deprecated."""
    if not state_dict or not isinstance(next(iter(state_dict)), Module):
        return state_dict
    warn(
        "Passing model_state_dict as a ``Dict[nn.Module, Dict[str, Any]]``is deprecated and will be removed in 2.5. If you "
        "need this feature, please preprocess the model_state_dict to achieve the same functionality.",
        FutureWarning,
    )
    return {
        prefix + name: value
        for module, part in state_dict.items()
        for prefix in list_prefixes(model, [module])
        for name, value in part.items()
    }


# ── optimizers ───────────────────────────────────────────────────────────────
def _read_optimizers(model, optimizers, options):
    with torch.no_grad():
        whole = {"state": {}, "param_groups": []}
        for optimizer in optimizers:
            begin_state(optimizer)
            state = name_parameters(model, optimizer)
            whole["state"].update(state["state"])
            whole["param_groups"] += state["param_groups"]
        return _collect(flatten_state(whole) if options.flatten_optimizer_state_dict else whole, options)


def _load_optimizers(model, optimizers, state_dict, options):
    state_dict = _spread(state_dict, options)
    with torch.no_grad():
        for optimizer in optimizers:
            begin_state(optimizer)
            if "state" in state_dict:
                state = select_state(model, optimizer, state_dict, options.strict)
            else:
                state = unflatten_state(model, optimizer, state_dict)
            optimizer.load_state_dict(_distribute(state, name_parameters(model, optimizer)))


# ── tensors distributed over ranks ───────────────────────────────────────────
def _collect(state_dict, options):
    """Return a state dict as the options ask for it: with whole tensors, and on the first rank only."""
    if not options.full_state_dict:
        return state_dict
    whole = _gather(state_dict)
    return {} if options.cpu_offload and is_initialized() and get_rank() else whole


def _gather(value):
    """Return a state dict in which distributed tensors are whole."""
    if isinstance(value, Mapping):
        return {key: _gather(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_gather(each) for each in value]
    return value.full_tensor() if is_placed(value) else value


def _spread(state_dict, options):
    """Return the state dict of the first rank where only that one has it."""
    if not options.broadcast_from_rank0 or not is_initialized():
        return state_dict
    found = [_gather_local(state_dict) if get_rank() == 0 else None]
    broadcast_object_list(found)
    return found[0]


def _gather_local(value):
    """Return a state dict whose tensors own just their elements, so that no more is sent."""
    if isinstance(value, Mapping):
        return {key: _gather_local(each) for key, each in value.items()}
    return value.detach().clone() if isinstance(value, torch.Tensor) else value


def _distribute(given, own):
    """Return ``given`` with its whole tensors put into the parts of the distributed tensors at the same places of ``own``."""
    if isinstance(given, Mapping) and isinstance(own, Mapping):
        return {key: _distribute(value, own.get(key)) for key, value in given.items()}
    if is_placed(own) and isinstance(given, torch.Tensor) and not is_placed(given):
        for offsets, sizes, local in list_chunks(own):
            local.detach().copy_(narrow_to(given, offsets, sizes))
        return own
    return given
