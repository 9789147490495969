"""torch.fx.passes.utils: patterns in graphs."""

from tensh.fx.passes.utils import matcher_utils

__all__ = ["matcher_utils"]
