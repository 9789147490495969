"""torch._vmap_internals: the older form of ``torch.func.vmap``, which libraries still import."""

from tensh.func import vmap


def _vmap(func, in_dims=0, out_dims=0, allow_none_pass_through=False):
    return vmap(func, in_dims, out_dims)
