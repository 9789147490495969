"""Spectral normalisation by a hook, the older form."""

from tensh.engine import find_public
from tensh.engine.arrays.uninterrupted import without_interrupts
from tensh.engine.autograd.modes import no_grad
from tensh.nn import functional as F
from tensh.nn.parameter import Parameter, is_lazy
from tensh.nn.utils.norms import as_matrix, output_dim, unit_vectors


class SpectralNorm:
    """The hook that divides a weight by its largest singular value, found by power iteration, before every call."""

    _version = 1

    def __init__(self, name="weight", n_power_iterations=1, dim=0, eps=1e-12):
        if n_power_iterations <= 0:
            raise ValueError(
                f"Expected n_power_iterations to be positive, but got n_power_iterations={n_power_iterations}"
            )
        self.name, self.dim, self.n_power_iterations, self.eps = name, dim, n_power_iterations, eps

    def compute_weight(self, module, do_power_iteration):
        """Return the weight divided by its largest singular value."""
        weight, u, v = (getattr(module, self.name + part) for part in ("_orig", "_u", "_v"))
        matrix = as_matrix(weight, self.dim)
        if do_power_iteration:
            with no_grad():
                for _ in range(self.n_power_iterations):
                    v = F.normalize(matrix.t().mv(u), dim=0, eps=self.eps, out=v)
                    u = F.normalize(matrix.mv(v), dim=0, eps=self.eps, out=u)
                u, v = u.clone(), v.clone()
        return weight / find_public("dot")(u, matrix.mv(v))

    @staticmethod
    @without_interrupts
    def apply(module, name, n_power_iterations, dim, eps):
        """Attach the hook to a module."""
        if any(isinstance(hook, SpectralNorm) and hook.name == name for hook in module._forward_pre_hooks.values()):
            raise RuntimeError(f"Cannot register two spectral_norm hooks on the same parameter {name}")
        hook, weight = SpectralNorm(name, n_power_iterations, dim, eps), module._parameters[name]
        if weight is None:
            raise ValueError(f"`SpectralNorm` cannot be applied as parameter `{name}` is None")
        if is_lazy(weight):
            raise ValueError(
                "The module passed to `SpectralNorm` can't have uninitialized parameters. Make sure to run the dummy forward "
                "before applying spectral normalization"
            )
        with no_grad():
            u, v = unit_vectors(as_matrix(weight, dim), eps)
        delattr(module, name)
        module.register_parameter(name + "_orig", weight)
        setattr(module, name, weight.data)
        module.register_buffer(name + "_u", u)
        module.register_buffer(name + "_v", v)
        module.register_forward_pre_hook(hook)
        module._register_state_dict_hook(hook.write_version)
        return hook

    def write_version(self, module, state_dict, prefix, local_metadata):
        """Write the version of the hook into a state."""
        local_metadata.setdefault("spectral_norm", {})[f"{self.name}.version"] = self._version

    def remove(self, module):
        """Make the normalised weight a parameter."""
        with no_grad():
            weight = self.compute_weight(module, do_power_iteration=False)
        for part in ("", "_u", "_v", "_orig"):
            delattr(module, self.name + part)
        module.register_parameter(self.name, Parameter(weight.detach()))

    def __call__(self, module, inputs):
        setattr(module, self.name, self.compute_weight(module, do_power_iteration=module.training))


def spectral_norm(module, name="weight", n_power_iterations=1, eps=1e-12, dim=None):
    """Divide a weight by its largest singular value before each call (Miyato et al., 2018), and return the module.

    ``dim`` is the dimension of the outputs. ``name`` is that of the weight; each call improves the singular vectors by
    ``n_power_iterations``, and ``eps`` is the smallest divisor. Raise ValueError for fewer than one power iteration.

    >>> import tensh as torch
    >>> list(torch.nn.utils.spectral_norm(torch.nn.Linear(2, 3)).state_dict())
    ['bias', 'weight_orig', 'weight_u', 'weight_v']
    """
    SpectralNorm.apply(module, name, n_power_iterations, output_dim(module) if dim is None else dim, eps)
    return module


@without_interrupts
def remove_spectral_norm(module, name="weight"):
    """Undo ``spectral_norm``, and return the module.

    Raise ValueError unless the module has such a weight.

    >>> import tensh as torch
    >>> layer = torch.nn.utils.spectral_norm(torch.nn.Linear(2, 3))
    >>> list(torch.nn.utils.remove_spectral_norm(layer).state_dict())
    ['bias', 'weight']
    """
    for key, hook in module._forward_pre_hooks.items():
        if isinstance(hook, SpectralNorm) and hook.name == name:
            hook.remove(module)
            del module._forward_pre_hooks[key]
            break
    else:
        raise ValueError(f"spectral_norm of '{name}' not found in {module}")
    for key, written in list(module._state_dict_hooks.items()):
        if getattr(written, "__self__", None) is hook:
            del module._state_dict_hooks[key]
    return module
