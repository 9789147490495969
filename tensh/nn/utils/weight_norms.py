"""Weight normalisation by a hook, the older form."""

from tensh.engine.arrays.uninterrupted import without_interrupts
from tensh.engine.errors.warnings import warn
from tensh.engine.operators.layers.composites.recurrences import norm_except_dim
from tensh.nn.parameter import Parameter, is_lazy
from tensh.nn.utils.norms import scale_direction


class WeightNorm:
    """The hook that computes a weight from its direction and its length before every call."""

    def __init__(self, name, dim):
        self.name, self.dim = name, -1 if dim is None else dim

    def compute_weight(self, module):
        """Compute the weight from ``NAME_g`` and ``NAME_v``."""
        return scale_direction(getattr(module, self.name + "_v"), getattr(module, self.name + "_g"), self.dim)

    @staticmethod
    @without_interrupts
    def apply(module, name, dim):
        """Split a module's weight into norms and direction, and attach the hook."""
        warn(
            "`torch.nn.utils.weight_norm` is deprecated in favor of `torch.nn.utils.parametrizations.weight_norm`.",
            FutureWarning,
        )
        if any(isinstance(hook, WeightNorm) and hook.name == name for hook in module._forward_pre_hooks.values()):
            raise RuntimeError(f"Cannot register two weight_norm hooks on the same parameter {name}")
        hook, weight = WeightNorm(name, dim), getattr(module, name)
        if is_lazy(weight):
            raise ValueError(
                "The module passed to `WeightNorm` can't have uninitialized parameters. Make sure to run the dummy forward "
                "before applying weight normalization"
            )
        norms, direction = Parameter(norm_except_dim(weight, 2, hook.dim).data), Parameter(weight.data)
        product = scale_direction(direction, norms, hook.dim)  # if there is no memory for it, the module is as before
        del module._parameters[name]
        module.register_parameter(name + "_g", norms)
        module.register_parameter(name + "_v", direction)
        setattr(module, name, product)
        module.register_forward_pre_hook(hook)
        return hook

    def remove(self, module):
        """Join norms and direction to one parameter."""
        weight = self.compute_weight(module)
        delattr(module, self.name)
        del module._parameters[self.name + "_g"], module._parameters[self.name + "_v"]
        setattr(module, self.name, Parameter(weight.data))

    def __call__(self, module, inputs):
        setattr(module, self.name, self.compute_weight(module))


def weight_norm(module, name="weight", dim=0):
    """Learn norms of a weight along ``dim`` apart from its direction (Salimans and Kingma, 2016); return the module.

    ``name`` is that of the weight.

    >>> import tensh as torch
    >>> list(torch.nn.utils.weight_norm(torch.nn.Linear(2, 3)).state_dict())
    ['bias', 'weight_g', 'weight_v']
    """
    WeightNorm.apply(module, name, dim)
    return module


@without_interrupts
def remove_weight_norm(module, name="weight"):
    """Undo ``weight_norm``, and return the module.

    Raise ValueError unless the module has such a weight.

    >>> import tensh as torch
    >>> layer = torch.nn.utils.weight_norm(torch.nn.Linear(2, 3))
    >>> list(torch.nn.utils.remove_weight_norm(layer).state_dict())
    ['bias', 'weight']
    """
    for key, hook in module._forward_pre_hooks.items():
        if isinstance(hook, WeightNorm) and hook.name == name:
            hook.remove(module)
            del module._forward_pre_hooks[key]
            return module
    raise ValueError(f"weight_norm of '{name}' not found in {module}")
