"""functorch.einops: dimensions rearranged by a pattern."""

from tensh.func.rearrange import rearrange

__all__ = ["rearrange"]
