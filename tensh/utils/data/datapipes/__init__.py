"""torch.utils.data.datapipes: datasets that are put together from steps, such as ``pipe.shuffle().batch(2)``."""

from tensh.utils.data.datapipes import iter, map  # noqa: F401 (they register their steps as methods)
