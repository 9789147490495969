"""Making distributed tensors of a size: each process makes its part."""

import tensh as torch
from tensh.distributed.tensor.api import current_mesh, distribute_tensor
from tensh.distributed.tensor.dtensor import complete, distribute
from tensh.distributed.tensor.exchanges import local_sizes


def make_filled(name):
    """Return the function of a name, such as ``zeros``, for distributed tensors."""
    function = getattr(torch, name)
    has_value = name == "full"

    def make(
        *size, requires_grad=False, device_mesh=None, placements=None, dtype=None, layout=torch.strided, fill_value=None
    ):
        if has_value and fill_value is None:
            *size, fill_value = size
        sizes = size[0] if len(size) == 1 and not isinstance(size[0], int) else size
        mesh = device_mesh or current_mesh()
        placements = complete(placements, mesh, len(sizes))
        here = list(local_sizes(sizes, mesh, placements))[-1]
        local = function(here, *([fill_value] if has_value else []), dtype=dtype)
        return distribute(local, mesh, placements, tuple(sizes)).requires_grad_(requires_grad)

    make.__name__ = make.__qualname__ = name
    make.__doc__ = f"Return a distributed tensor as ``torch.{name}`` makes it, of which each process makes its part."
    make.__module__ = "torch.distributed.tensor"
    return make


def make_random(name):
    """Return the function of a name, such as ``randn``: the numbers are those of one process, of which each keeps a part."""
    function = getattr(torch, name)

    def make(*size, requires_grad=False, dtype=None, layout=torch.strided, device_mesh=None, placements=None):
        sizes = size[0] if len(size) == 1 and not isinstance(size[0], int) else size
        whole = function(sizes, dtype=dtype)
        return distribute_tensor(whole, device_mesh, placements).requires_grad_(requires_grad)

    make.__name__ = make.__qualname__ = name
    make.__doc__ = (
        f"Return a distributed tensor as ``torch.{name}`` draws it: all processes draw the whole, and keep a part."
    )
    make.__module__ = "torch.distributed.tensor"
    return make


zeros, ones, empty, full = map(make_filled, ("zeros", "ones", "empty", "full"))
rand, randn = map(make_random, ("rand", "randn"))
