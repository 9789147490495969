"""torch.nn.utils.stateless: calls of a module with other parameters."""

from tensh.engine.errors.warnings import warn
from tensh.engine.methods.unsupported import unsupported_lookup

__all__ = ["functional_call"]


def functional_call(module, parameters_and_buffers, args=None, kwargs=None, *, tie_weights=True, strict=False):
    """Call ``torch.func.functional_call`` under its former name."""
    from tensh import func

    warn(
        "`torch.nn.utils.stateless.functional_call` is deprecated as of PyTorch 2.0 and will be removed in a future version of "
        "PyTorch. Please use `torch.func.functional_call` instead which is a drop-in replacement.",
        FutureWarning,
    )
    return func.functional_call(module, parameters_and_buffers, args, kwargs, tie_weights=tie_weights, strict=strict)


def _reparametrize_module(module, parameters_and_buffers, tie_weights=False, strict=False, stack_weights=False):
    """Replace the parameters of a module within a ``with`` block."""
    from tensh.func.modules import _replace_tensors

    return _replace_tensors(module, parameters_and_buffers, tie_weights, strict)


__getattr__ = unsupported_lookup("torch.nn.utils.stateless")
