"""Optimizer: parameters in groups, their state, and steps."""

from collections import defaultdict

from tensh.engine.autograd.modes import enable_grad
from tensh.engine.core.tensor import Tensor
from tensh.engine.errors.warnings import warn
from tensh.engine.methods.attributes import typename
from tensh.optim.for_custom_optimizers import (  # noqa: F401 (custom optimizers import them from here)
    Args,
    GlobalOptimizerPostHook,
    GlobalOptimizerPreHook,
    Kwargs,
    ParamsT,
    StateDict,
    _capturable_doc,
    _default_to_fused_or_foreach,
    _device_dtype_check_for_fused,
    _differentiable_doc,
    _disable_dynamo_if_unsupported,
    _foreach_doc,
    _fused_doc,
    _get_capturable_supported_devices,
    _get_scalar_dtype,
    _get_value,
    _maximize_doc,
    _params_doc,
    _stack_if_compiling,
    _to_scalar,
    _use_grad_for_differentiable,
    _view_as_real,
)
from tensh.optim.hooks import AFTER, BEFORE, OptimizerHooks, prepare_hooks, register_everywhere
from tensh.optim.state import State

__all__ = ["Optimizer", "register_optimizer_step_post_hook", "register_optimizer_step_pre_hook"]


class Required:
    """The default of an option that every group must name."""

    def __repr__(self):
        return "<required parameter>"


required = Required()


class Optimizer(OptimizerHooks, State):
    """Base of all optimizers: ``step()`` changes the parameters by their gradients, ``zero_grad()`` resets these.

    ``params`` are tensors, pairs (name, tensor), or dictionaries: each a group of ``params`` with options that stand in
    for ``defaults``. Most optimizers have these: ``lr``, the learning rate; ``maximize``, to climb; ``differentiable``,
    to record the steps; ``foreach``, ``fused`` and ``capturable``, which choose among implementations of PyTorch's, and
    are checked alone. Raise ValueError for an empty list, for tensors that are not leaves, and for a parameter in several
    groups.

    >>> import tensh as torch
    >>> class Descent(torch.optim.Optimizer):
    ...     def step(self):
    ...         for group in self.param_groups:
    ...             for p in group["params"]:
    ...                 p.data -= group["lr"] * p.grad
    >>> w = torch.tensor(3., requires_grad=True)
    >>> optimizer = Descent([w], {"lr": 0.5})
    >>> w.square().backward()
    >>> optimizer.step()
    >>> w
    tensor(0., requires_grad=True)
    """

    def __init__(self, params, defaults):
        self.defaults = defaults
        prepare_hooks(self)
        if isinstance(params, Tensor):
            raise TypeError(
                "params argument given to the optimizer should be an iterable of Tensors or dicts, but got "
                + params.type()
            )
        self.state, self.param_groups = defaultdict(dict), []
        groups = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        for group in groups:
            self.add_param_group(group)

    def __repr__(self):
        text = f"{type(self).__name__} ("
        for number, group in enumerate(self.param_groups):
            lines = [f"    {name}: {group[name]}\n" for name in sorted(group) if name != "params"]
            text += f"\nParameter Group {number}\n" + "".join(lines)
        return text + ")"

    def add_param_group(self, param_group):
        """Add a group of parameters with its options, for example of layers that are unfrozen during training.

        Raise TypeError for anything but a tensor; ValueError for tensors that cannot be optimized, or are optimized already.
        """
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        _separate(param_group)
        for param in param_group["params"]:
            if not isinstance(param, Tensor):
                raise TypeError("optimizer can only optimize Tensors, but one of the params is " + typename(param))
            if not self.defaults.get("differentiable") and not (param.is_leaf or param.retains_grad):
                raise ValueError("can't optimize a non-leaf Tensor")
        for name, default in self.defaults.items():
            if default is required and name not in param_group:
                raise ValueError(f"parameter group didn't specify a value of required optimization parameter {name}")
            param_group.setdefault(name, default)
        params = set(param_group["params"])
        if len(params) != len(param_group["params"]):
            warn(
                "optimizer contains a parameter group with duplicate parameters; in future, this will cause an error; "
                "see github.com/pytorch/pytorch/issues/40967 for more information"
            )
        for group in self.param_groups:
            if ("param_names" in param_group) != ("param_names" in group):
                how = "with names" if "param_names" in param_group else "without names"
                raise ValueError(
                    "all optimizer param groups should be with/without names. "
                    f"cannot add param group {how} to the optimizer"
                )
        if any(not params.isdisjoint(group["params"]) for group in self.param_groups):
            raise ValueError("some parameters appear in more than one parameter group")
        self.param_groups.append(param_group)

    def zero_grad(self, set_to_none=True):
        """Forget the gradients of all parameters, or with ``set_to_none=False`` make them zero."""
        for group in self.param_groups:
            for p in group["params"]:
                grad = p.grad
                if grad is None:
                    continue
                if set_to_none:
                    p.grad = None
                    continue
                if grad.grad_fn is not None:
                    grad.detach_()
                elif grad.requires_grad:
                    grad.requires_grad_(False)
                grad.zero_()

    @staticmethod
    def _group_tensors_by_device_and_dtype(tensorlistlist, with_indices=False):
        """Sort lists of tensors by device and dtype, for steps of custom optimizers that compute whole lists."""
        from tensh.utils import _foreach_utils

        return _foreach_utils._group_tensors_by_device_and_dtype(tensorlistlist, with_indices)

    def step(self, closure=None):
        """Change the parameters; ``closure``, if given, computes the loss and its gradients first; its result is returned."""
        raise NotImplementedError


def evaluate(closure):
    """Return the result of a closure, called with recording on; None without a closure."""
    if closure is None:
        return None
    with enable_grad():
        return closure()


def _separate(group):
    """Set the group's lists of parameters and, if given, of their names."""
    params = group["params"]
    if isinstance(params, set):
        raise TypeError(
            "optimizer parameters need to be organized in ordered collections, but the ordering of tensors in sets will "
            "change between runs. Please use a list instead."
        )
    params = [params] if isinstance(params, Tensor) else list(params)
    named = [param for param in params if isinstance(param, tuple)]
    group["params"] = [param[1] if isinstance(param, tuple) else param for param in params]
    if named:
        if len(named) != len(params):
            raise ValueError("all optimizer params should be with/without names. Some param names are missing")
        group["param_names"] = [name for name, *_ in named]


def register_optimizer_step_pre_hook(hook):
    """Call ``hook(optimizer, args, kwargs)`` before every step of every optimizer."""
    return register_everywhere(BEFORE, hook)


def register_optimizer_step_post_hook(hook):
    """Call ``hook(optimizer, args, kwargs)`` after every step of every optimizer."""
    return register_everywhere(AFTER, hook)
