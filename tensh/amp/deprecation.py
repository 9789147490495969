"""The deprecation warning of torch.cpu.amp and torch.cuda.amp, whose names are in torch.amp."""

from tensh.engine.errors.warnings import warn


def warn_deprecated(device, name, arguments=None):
    """Warn that a name of a device's ``amp`` is deprecated; ``arguments`` are those of the name in torch.amp."""
    arguments = f"'{device}', args..." if arguments is None else arguments
    warn(
        f"`torch.{device}.amp.{name}(args...)` is deprecated. Please use `torch.amp.{name}({arguments})` instead.",
        FutureWarning,
    )
