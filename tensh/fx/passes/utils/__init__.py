"""torch.fx.passes.utils: patterns in graphs."""

from tensh.fx.passes.utils import fuser_utils, matcher_utils

__all__ = ["fuser_utils", "matcher_utils"]
