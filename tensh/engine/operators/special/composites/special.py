"""Special functions composed of operators, or with another order of arguments."""

import math

from tensh.engine.arguments.kinds import NO_FIT, take_int
from tensh.engine.codegen.composites import composite
from tensh.engine.codegen.mixing import refuse
from tensh.engine.codegen.registry import METHODS
from tensh.engine.codegen.scaling import combine_with_number
from tensh.engine.codegen.table import OR_THE_SAME
from tensh.engine.core.clock import tick
from tensh.engine.inplace.writes import name_node, write_inplace
from tensh.engine.operators.elementwise.composites.arithmetic import tensor
from tensh.engine.operators.namespaces import special
from tensh.engine.operators.special.error_functions import erf_op
from tensh.engine.operators.special.gamma import polygamma_of


@composite(method=False, out=True, apart=OR_THE_SAME)
def polygamma(n, input):
    """The ``n``-th derivative (an int, at least 0) of digamma.  Differentiable.

    >>> import tensh as torch
    >>> torch.polygamma(1, torch.tensor([1.0, 0.5]))
    tensor([1.6449, 4.9348])
    """
    if (order := take_int(n)) is NO_FIT:
        refuse("polygamma", "n", 1, n, "int")
    return polygamma_of.fn(tensor(input, "polygamma", "input", 2), order)


def polygamma_method(self, n):
    """The ``n``-th derivative of digamma.  Differentiable."""
    return polygamma(n, self)


def polygamma_(self, n):
    """In-place version of polygamma."""
    return write_inplace(self, tick(), name_node(polygamma(n, self), "PolygammaBackward1"), "polygamma_")


METHODS["polygamma"], METHODS["polygamma_"] = polygamma_method, polygamma_


@special
def ndtr(input):
    """The standard normal distribution function: the area under its density up to ``input``.  Differentiable.

    >>> import tensh as torch
    >>> torch.special.ndtr(torch.tensor([-1.0, 0.0, 1.0]))
    tensor([0.1587, 0.5000, 0.8413])
    """
    scaled = combine_with_number("mul", tensor(input, "special_ndtr", "input", 1), math.sqrt(0.5))
    return combine_with_number("mul", combine_with_number("add", erf_op.fn(scaled), 1.0), 0.5)
