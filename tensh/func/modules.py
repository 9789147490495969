"""torch.func.functional_call, stack_module_state and the like: modules as functions of their parameters and buffers."""

from contextlib import contextmanager

from tensh.engine import find_public
from tensh.engine.arrays.uninterrupted import Uninterrupted
from tensh.engine.core.tensor import Tensor
from tensh.func import stepping


def functional_call(module, parameter_and_buffer_dicts, args=None, kwargs=None, *, tie_weights=True, strict=False):
    """Return the result of ``module(*args, **kwargs)`` with other tensors for some of its parameters and buffers.

    The tensors are given in one or several dictionaries by the names of ``module.named_parameters()``.  ``args`` is a
    tuple, or the only argument.  A tensor that the module has under two names is replaced under both, unless
    ``tie_weights`` is False. ``strict`` requires all parameters and buffers, and nothing else.  Afterwards the module
    is unchanged. Raise ValueError for a name in several dictionaries, RuntimeError with ``strict`` for missing or
    unknown names, TypeError for the name of anything but a tensor.

    >>> import tensh as torch
    >>> layer = torch.nn.Linear(2, 1)
    >>> new = {"weight": torch.ones(1, 2), "bias": torch.zeros(1)}
    >>> torch.func.functional_call(layer, new, torch.tensor([3.0, 4.0]))
    tensor([7.])
    """
    values = _join_names(parameter_and_buffer_dicts)
    if args is None:
        args = ()
    elif not isinstance(args, tuple):
        args = (args,)
    if stepping.now.transforms is not None:
        stepping.now.transforms.flatten(values)
    with _replace_tensors(module, values, tie_weights, strict):
        return module(*args, **(kwargs or {}))


def _join_names(dictionaries):
    if isinstance(dictionaries, dict):
        return dictionaries
    if not isinstance(dictionaries, (list, tuple)):
        raise ValueError(
            f"Expected parameter_and_buffer_dicts to be a dict, or a list/tuple of dicts, but got {type(dictionaries)}"
        )
    if not all(isinstance(each, dict) for each in dictionaries):
        raise ValueError("Expected all elements of parameter_and_buffer_dicts to be dictionaries")
    keys = [key for each in dictionaries for key in each]
    repeated = [key for key in dict.fromkeys(keys) if keys.count(key) > 1]
    if repeated:
        raise ValueError(f"{repeated} appeared in multiple dictionaries; behavior of functional call is ambiguous")
    return {key: value for each in dictionaries for key, value in each.items()}


@contextmanager
def _replace_tensors(module, values, tie_weights, strict):
    """A context in which the module has other tensors; what it has at the end, such as a new buffer, goes into ``values``."""
    own = dict(module.named_parameters(remove_duplicate=False)) | dict(module.named_buffers(remove_duplicate=False))
    given, values = values, _tie_names(values, own) if tie_weights else dict(values)
    if strict:
        _require_same(module, values, own)
    kept = []
    try:
        for path, value in values.items():
            kept.append((path, *_place(module, path), _exchange(*_place(module, path), value)))
        yield
    finally:
        with Uninterrupted():
            for path, holder, name, value in reversed(kept):
                last = _exchange(holder, name, value)
                if path in given and last is not MISSING:
                    given[path] = last


def _tie_names(values, own):
    """Return the values, also under the other names of the tensors that they replace."""
    names = {}
    for name, tensor in own.items():
        names.setdefault(id(tensor), []).append(name)
    result = dict(values)
    for name in values:
        same = names[id(own[name])] if name in own else [name]
        given = [values[each] for each in same if each in values]
        if any(each is not given[0] for each in given):
            raise ValueError(
                f"functional_call got multiple values for keys {sorted(same)}, which are tied. Consider using "
                "tie_weights=False"
            )
        result.update(dict.fromkeys(same, values[name]))
    return result


def _require_same(module, values, own):
    unexpected, missing = sorted(values.keys() - own.keys()), sorted(own.keys() - values.keys())
    messages = [f"Unexpected key(s): {', '.join(map(repr, unexpected))}."] if unexpected else []
    messages += [f"Missing key(s): {', '.join(map(repr, missing))}."] if missing else []
    if messages:
        raise RuntimeError(f"Error(s) in reparametrizing for {type(module).__name__}:\n\t" + "\n\t".join(messages))


def _place(module, path):
    """Return (the submodule that contains ``path``, the name there)."""
    *parents, name = path.split(".")
    for parent in parents:
        if not hasattr(module, parent):
            raise AttributeError(f"{type(module).__name__} has no attribute `{parent}`")
        module = getattr(module, parent)
        if not hasattr(module, "_modules"):
            raise TypeError(f"submodule `{parent}`: {module} is not an instance of torch.nn.Module")
    if not name:
        raise KeyError('tensor name can\'t be empty string ""')
    return module, name


MISSING = object()


def _exchange(module, name, value):
    """Replace a tensor of the module, and return the previous one."""
    if value is not MISSING and value is not None and not isinstance(value, Tensor):
        raise TypeError(f"{value} is not an instance of torch.Tensor")
    for holder in (getattr(module, "_parameters", {}), getattr(module, "_buffers", {})):
        if name in holder:
            before, holder[name] = holder[name], value
            return before
    before = getattr(module, name, MISSING)
    if before is not MISSING and before is not None and not isinstance(before, Tensor):
        raise TypeError(f"attribute `{name}`: {before} is not an instance of torch.Tensor")
    if value is MISSING:
        delattr(module, name)
    else:
        setattr(module, name, value)
    return before


def stack_module_state(models):
    """Return (the parameters, the buffers) of several models of one class, stacked by name: new leaves, for ``vmap``.

    Raise RuntimeError for models of several classes or modes, or none.

    >>> import tensh as torch
    >>> parameters, buffers = torch.func.stack_module_state([torch.nn.Linear(2, 1) for _ in range(3)])
    >>> parameters["weight"].shape
    torch.Size([3, 1, 2])
    """
    if not len(models):
        raise RuntimeError("stack_module_state: Expected at least one model, got 0.")
    if len({bool(model.training) for model in models}) > 1:
        raise RuntimeError("stack_module_state: Expected all models to have the same training/eval mode.")
    if any(type(model) is not type(models[0]) for model in models):
        raise RuntimeError("stack_module_state: Expected all models to be of the same class.")
    return tuple(
        _stack([dict(tensors) for tensors in column])
        for column in ([m.named_parameters() for m in models], [m.named_buffers() for m in models])
    )


def _stack(states):
    return {name: _leaf(name, [state[name] for state in states]) for name in states[0]}


def _leaf(name, tensors):
    wanted = {t.requires_grad for t in tensors}
    if len(wanted) > 1:
        raise RuntimeError(f"Expected {name} from each model to have the same .requires_grad")
    stacked = find_public("stack")(tensors)
    return stacked.detach().requires_grad_() if True in wanted else stacked


def replace_all_batch_norm_modules_(root):
    """Take the running statistics out of all batch normalisation in ``root``, which is changed and returned.

    ``vmap`` cannot write the statistics of one sample into tensors shared by all samples; without them each call uses
    its own.

    >>> import tensh as torch
    >>> torch.func.replace_all_batch_norm_modules_(torch.nn.BatchNorm1d(2))
    BatchNorm1d(2, eps=1e-05, momentum=0.1, affine=True, bias=True, track_running_stats=False)
    """
    from tensh.nn.modules.batchnorm import _BatchNorm

    for module in root.modules():
        if isinstance(module, _BatchNorm) and module.track_running_stats:
            module.running_mean = module.running_var = module.num_batches_tracked = None
            module.track_running_stats = False
    return root
