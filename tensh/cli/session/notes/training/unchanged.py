"""Parameters that keep their values although they have gradients, because the learning rate is too low."""

from math import isfinite

MOST_ELEMENTS = 1_000_000  # elements of all parameters that are compared
REPEATED = 2  # steps in a row that change nothing


class Unchanged:
    """Parameters before an optimizer's last step, its learning rates, and the number of steps without a change."""

    def __init__(self):
        self.values, self.rates, self.count = None, None, 0

    def has_repeated(self, optimizer, params):
        """Return True if enough steps in a row, with gradients and at the same rates, changed nothing; once."""
        if self.count > REPEATED or sum(p.numel() for p in params) > MOST_ELEMENTS:
            return False
        rates = [group.get("lr") for group in optimizer.param_groups]
        values = [p.array.copy() for p in params]  # not by operators, which modes of the user would see
        is_same = self.values is not None and self.rates == rates and all(map(is_equal, values, self.values))
        has_gradients = any(p.grad is not None and p.grad.array.any() for p in params)
        self.count = self.count + 1 if is_same and all(map(is_number, rates)) else 0
        self.values, self.rates = (values, rates) if has_gradients else (None, None)
        return self.count == REPEATED


def is_equal(left, right):
    return left.shape == right.shape and bool((left == right).all())


def is_number(rate):
    return isinstance(rate, int | float) and isfinite(rate)
