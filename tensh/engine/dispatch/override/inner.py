"""The functions of operators as points that dispatch modes see, inside functions that are made of operators, too.

Note [Inner points]
A function such as ``margin_ranking_loss`` is one public call and several operators.  Below autograd PyTorch shows the
operators.  So the code of every operator's function is replaced, too, as that of public functions is
(Note [Override points]), but only while a dispatch mode is entered: nothing else looks below public functions.
"""

from tensh.engine.arguments.caller import ARMED
from tensh.engine.arrays.uninterrupted import without_interrupts
from tensh.engine.core import ports
from tensh.engine.dispatch.override.dispatch import any_has
from tensh.engine.dispatch.override.points import (
    Point,
    arrivals,
    checks,
    enter_mode,
    inner_names,
    leave_mode,
    lock,
    points,
)
from tensh.engine.dispatch.override.state import state
from tensh.engine.dispatch.override.templates import code_of

CODE = """
def armed(*args, **options):
    dispatch = "DISPATCH"
    return dispatch("POINT", args, options)
"""


class InnerPoint(Point):
    """The function of an operator, which only dispatch modes see."""

    __slots__ = ()
    is_inner = True

    def __init__(self, function, name):
        super().__init__(function, name=name)
        code = code_of(CODE, ARMED, len(self.code.co_freevars), {"DISPATCH": dispatch_inner, "POINT": self})
        self.armed_code = code.replace(co_name=self.code.co_name)


def dispatch_inner(point, args, options):
    """Call the dispatch modes of this thread, or the operator itself."""
    seen = not (state.below or state.dispatch_off) and state.dispatch_modes
    if seen and point.function in checks:  # checks look at all samples of a batch
        args = tuple(each.value if getattr(each, "hides_batches", False) else each for each in args)
    if not seen or any_has("hides_batches", (*args, *options.values())):
        return point.original(*args, **options)
    return ports.dispatch_operator(point, args, options)


def add_inner(function, *_):
    """Arm the function of an operator, unless it is public."""
    if function not in inner_names:
        return
    with lock:
        point = points.get(function)
        if point is None:
            point = points[function] = InnerPoint(function, inner_names[function])
        point.arm()


entered = 0  # number of active dispatch modes, in all threads


@without_interrupts
def enter_dispatch_mode():
    """Count a dispatch mode that starts, and arm public functions and operators."""
    global entered
    with lock:
        entered += 1
        enter_mode()
        if entered == 1:
            arrivals.append(add_inner)
            for function in list(inner_names):
                add_inner(function)


@without_interrupts
def leave_dispatch_mode():
    """Count a dispatch mode that ends."""
    global entered
    with lock:
        entered -= 1
        if not entered:
            arrivals.remove(add_inner)
            for point in points.values():
                if point.is_inner:
                    point.disarm()
        leave_mode()
