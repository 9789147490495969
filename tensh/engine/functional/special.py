"""Special functions whose arguments come in another order than the operators take them."""

from tensh.engine.clock import tick
from tensh.engine.functional.arithmetic import tensor
from tensh.engine.inplace import put
from tensh.engine.mixing import refuse
from tensh.engine.table import METHODS, OPS, composite


@composite(method=False, out=True)
def polygamma(n, input):
    """Derivative number ``n`` (an int, at least 0) of digamma.  Differentiable.

    >>> import tensh as torch
    >>> torch.polygamma(1, torch.tensor([1.0, 0.5]))
    tensor([1.6449, 4.9348])
    """
    if type(n) is not int:
        refuse("polygamma", "n", 1, n, "int")
    return OPS["polygamma_of"].fn(tensor(input, "polygamma", "input", 2), n)


def polygamma_method(self, n):
    """Derivative number ``n`` of digamma."""
    return polygamma(n, self)


def polygamma_(self, n):
    """In-place version of polygamma."""
    return put(self, tick(), polygamma(n, self), "polygamma_")


METHODS["polygamma"], METHODS["polygamma_"] = polygamma_method, polygamma_
