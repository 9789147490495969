"""functorch: the former package of torch.func, with its functions for modules."""

import copy
import functools

from tensh import func
from tensh.engine.errors.warnings import warn
from tensh.func import functional_call, stack_module_state
from tensh.fx.experimental.proxy_tensor import make_fx  # noqa: F401
from tensh.version import __version__  # noqa: F401


class FunctionalModuleWithBuffers:
    """A module as a function of its parameters, its buffers and its inputs."""

    def __init__(self, model):
        self.stateless_model = copy.deepcopy(model)
        self.param_names = [name for name, _ in model.named_parameters()]
        self.buffer_names = [name for name, _ in model.named_buffers()]

    def __call__(self, params, buffers, *args, **kwargs):
        values = dict(zip(self.param_names, params, strict=True)) | dict(zip(self.buffer_names, buffers, strict=True))
        return functional_call(self.stateless_model, values, args, kwargs)


class FunctionalModule(FunctionalModuleWithBuffers):
    """A module without buffers as a function of its parameters and its inputs."""

    def __call__(self, params, *args, **kwargs):
        return super().__call__(params, (), *args, **kwargs)


def deprecated(instead):
    """Decorate a function with PyTorch's warning that ``instead`` replaces it."""

    def decorate(function):
        @functools.wraps(function)
        def former(*args, **options):
            warn(
                "We've integrated functorch into PyTorch. As the final step of the integration, "
                f"`functorch.{function.__name__}` is deprecated as of PyTorch 2.0 and will be deleted in a future version "
                f"of PyTorch >= 2.3. Please use `{instead}` instead; see the PyTorch 2.0 release notes and/or the "
                "`torch.func` migration guide for more details https://pytorch.org/docs/main/func.migrating.html",
                FutureWarning,
            )
            return function(*args, **options)

        return former

    return decorate


vmap = deprecated("torch.vmap")(func.vmap)
functionalize, grad, grad_and_value, hessian, jacfwd, jacrev, jvp, vjp = (
    deprecated(f"torch.func.{each.__name__}")(each)
    for each in (
        func.functionalize,
        func.grad,
        func.grad_and_value,
        func.hessian,
        func.jacfwd,
        func.jacrev,
        func.jvp,
        func.vjp,
    )
)


@deprecated("torch.func.functional_call")
def make_functional_with_buffers(model, disable_autograd_tracking=False):
    """Return (a function of parameters, buffers and inputs, the parameters, the buffers) for a module.

    The parameters are detached copies with ``disable_autograd_tracking``, leaves otherwise.

    >>> import tensh as torch
    >>> from tensh.functorch import make_functional_with_buffers
    >>> f, params, buffers = make_functional_with_buffers(torch.nn.Linear(2, 1))
    >>> f([torch.ones(1, 2), torch.zeros(1)], buffers, torch.ones(2))
    tensor([2.])
    """
    return FunctionalModuleWithBuffers(model), *copy_state(model, disable_autograd_tracking)


def copy_state(model, disable_autograd_tracking):
    """Return (the parameters, the buffers) of a module as copies."""
    params = tuple(p.detach().clone() for p in model.parameters())
    if not disable_autograd_tracking:
        for copied, own in zip(params, model.parameters(), strict=True):
            copied.requires_grad_(own.requires_grad)
    return params, tuple(each.detach().clone() for each in model.buffers())


@deprecated("torch.func.functional_call")
def make_functional(model, disable_autograd_tracking=False):
    """Return (a function of parameters and inputs, the parameters); raise ValueError for a module with buffers."""
    if any(True for _ in model.buffers()):
        raise ValueError(
            "make_functional(model): `model` has buffers. Please use make_functional_with_buffers(model) instead."
        )
    return FunctionalModule(model), copy_state(model, disable_autograd_tracking)[0]


@deprecated("torch.func.stack_module_state")
def combine_state_for_ensemble(models):
    """Return (a function of parameters, buffers and inputs for ``vmap``, stacked parameters, stacked buffers) for modules.

    Raise RuntimeError without modules, and for modules of different classes or modes.
    """
    models = list(models)
    if not models:
        raise RuntimeError("combine_state_for_ensemble: Expected at least one model, got 0.")
    if len({each.training for each in models}) > 1:
        raise RuntimeError("combine_state_for_ensemble: Expected all models to have the same training/eval mode.")
    if len({type(each) for each in models}) > 1:
        raise RuntimeError("combine_state_for_ensemble: Expected all models to be of the same class.")
    params, buffers = stack_module_state(models)
    return FunctionalModuleWithBuffers(models[0]), tuple(params.values()), tuple(buffers.values())
