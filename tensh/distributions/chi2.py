"""Chi-squared distributions."""

from tensh.distributions import constraints
from tensh.distributions.distribution import expandable
from tensh.distributions.gamma import Gamma
from tensh.distributions.utils import formula

__all__ = ["Chi2"]


@expandable
class Chi2(Gamma):
    """Sums of the squares of ``df`` standard normal variables: Gamma(df / 2, 1 / 2).

    >>> import tensh as torch
    >>> torch.distributions.Chi2(torch.tensor([1.0, 3.0])).variance
    tensor([2., 6.])
    """

    arg_constraints = {"df": constraints.positive}

    def __init__(self, df, validate_args=None):
        super().__init__(0.5 * df, 0.5, validate_args=validate_args)

    df = formula(lambda d: d.concentration * 2, "Degrees of freedom.")
