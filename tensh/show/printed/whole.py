"""The printed form of a value as tokens, and without omissions: `full`."""

import contextlib
import sys

from tensh.show.drawing.page import View
from tensh.show.reading import describe, reprs
from tensh.support.language import _

MOST = 2**22  # elements of an array that is shown whole: each takes 300 B on its way
TROUBLE = frozenset(("nan", "inf", "-inf"))  # elements that stand out


def prints_as(kind, tensor):
    """Return True if a class of tensors inherits the printing of tensors."""
    own, usual = (getattr(each.__torch_function__, "__func__", each.__torch_function__) for each in (kind, tensor))
    says_nothing = own is usual or own.__name__ == "_disabled_torch_function_impl"
    return kind.__repr__ is tensor.__repr__ and says_nothing


def print_parts(value):
    """Return the printed form of a value as (kind, text) pairs; the parts of tensh's tensors are told apart."""
    engine = sys.modules.get("tensh.engine.methods.printing.format")
    tensor = getattr(sys.modules.get("tensh.engine.core.tensor"), "Tensor", None)
    if engine and tensor and issubclass(type(value), tensor) and prints_as(type(value), tensor):
        return [("trouble" if text.strip() in TROUBLE else kind, text) for kind, text in engine.tokens(value)]
    return [("plain", reprs.write_repr(value))]


@contextlib.contextmanager
def printing(**options):
    """A context with other printing options for tensors of tensh and PyTorch and for NumPy arrays."""
    with contextlib.ExitStack() as stack:
        if "tensh.engine" in sys.modules:
            from tensh.engine.methods.printing.options import get_printoptions, printoptions

            stack.enter_context(printoptions(**(get_printoptions() | options)))
        theirs = sys.modules.get("torch._tensor_str")
        if hasattr(theirs, "printoptions"):  # every call resets sci_mode
            stack.enter_context(theirs.printoptions(**({"sci_mode": theirs.PRINT_OPTS.sci_mode} | options)))
        if "numpy" in sys.modules:
            import numpy as np

            limit = {"threshold": sys.maxsize} if options.get("threshold") == float("inf") else {}
            stack.enter_context(np.printoptions(linewidth=options.get("linewidth", 75), **limit))
        yield


class Full(View):
    """A value shown without omissions."""

    is_whole = True

    def __init__(self, value):
        self.value = value

    def draw(self, page):
        width = {"linewidth": page.width} if page.is_window else {}
        with printing(threshold=float("inf"), **width):
            yield from print_parts(self.value)


def full(value):
    """Show a value without omissions. Raise ValueError for an array of more than 4,194,304 elements.

    >>> import tensh
    >>> repr(tensh.arange(1001))
    'tensor([   0,    1,    2,  ...,  998,  999, 1000])'
    >>> len(repr(tensh.show.full(tensh.arange(1001))))
    6678
    """
    if describe.is_array(value) and describe.numel(value) > MOST:
        raise ValueError(
            _("{number:,} elements are too many to show, more than {most:,}; show a part, such as x[:1000]").format(
                number=describe.numel(value), most=MOST
            )
        )
    return Full(value)


def is_summarised(value):
    """Return True if the printed form of an array omits elements."""
    options = sys.modules.get("tensh.engine.methods.printing.options")
    limit = options.options.threshold if options else 1000
    return describe.is_array(value) and describe.numel(value) > limit
