"""torch.fx.passes.utils: patterns in graphs."""

from tensh.fx.passes.utils import common, fuser_utils, matcher_utils, source_matcher_utils
from tensh.fx.passes.utils.common import HolderModule, compare_graphs, lift_subgraph_as_module

__all__ = [
    "HolderModule", "common", "compare_graphs", "fuser_utils", "lift_subgraph_as_module", "matcher_utils", "source_matcher_utils",
]  # fmt: skip
