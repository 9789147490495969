"""Momentum that falls while the rate rises: the optimizer's ``momentum``, or the first of its ``betas``."""


class Momentum:
    """A scheduler's changes of momentum."""

    def _require_momentum(self):
        defaults = self.optimizer.defaults
        if "momentum" not in defaults and "betas" not in defaults:
            raise ValueError("optimizer must support momentum or beta1 with `cycle_momentum` option enabled")
        self.use_beta1 = "betas" in defaults

    def _begin_momentum(self, low, high):
        """Start with the largest; ``low`` and ``high`` hold a limit for each group."""
        for group, smallest, largest in zip(self.optimizer.param_groups, low, high, strict=True):
            self._set_momentum(group, largest)
            group["max_momentum"], group["base_momentum"] = largest, smallest

    def _set_momentum(self, group, value):
        if self.use_beta1:
            group["betas"] = (value, *group["betas"][1:])
        else:
            group["momentum"] = value
