"""The functions that a recorder sees, and their code while one is on.

Note [Capture]
A program that captures nothing pays nothing: as with overrides (Note [Override points]) no function looks for a recorder.
When the first one is entered, the code of every function that operators generate, and of every public function, is
exchanged for a few instructions that hand the call to the recorder of the thread; when the last has left, they get their
code back.  A function that comes into being meanwhile is exchanged at once.  Where classes and modes can step in, they are
asked first.
"""

import threading
from types import FunctionType

from tensh.engine.core.tensor import Tensor
from tensh.engine.dispatch.override import points as override
from tensh.engine.dispatch.override.templates import code_of

FILE = "<tensh capture>"
CODE = """
def recorded(*args, **options):
    call = "CALL"
    return call("POINT", args, options)
"""
ACCESSORS = ("T", "mT", "H", "mH", "data", "real", "imag", "grad")
"""Attributes that give tensors."""
SILENT = frozenset(
    """size dim stride storage_offset numel nelement ndimension is_contiguous element_size data_ptr register_hook retain_grad
    requires_grad_ __len__ __repr__ __format__ __hash__ __dir__ backward manual_seed seed compile __new__ __init__
    __init_subclass__ __torch_function__ __torch_dispatch__ _make_subclass _make_wrapper_subclass __deepcopy__ __reduce_ex__""".split()
)
"""Functions that compute nothing, or set something."""


class Point:
    """A function that a recorder sees: the function, its name, its operator (or None), and its twin with its own code."""

    __slots__ = ("function", "name", "operator", "code", "twin", "recorded")

    def __init__(self, function, name, operator, call):
        self.function, self.name, self.operator = function, name, operator
        self.code, behind = override.own_code(function)
        self.twin = override.copy_of(behind)
        code = code_of(CODE, FILE, len(self.code.co_freevars), {"CALL": call, "POINT": self})
        self.recorded = code.replace(co_name=self.code.co_name)

    def arm(self):
        self.function.__dict__.setdefault("__wrapped__", self.twin)  # its signature
        override.replace_code(self.function, self.recorded)

    def disarm(self):
        if self.function.__dict__.get("__wrapped__") is self.twin:
            del self.function.__wrapped__
        if (
            override.own_code(self.function)[0] is self.recorded
        ):  # else somebody has exchanged it meanwhile, as autocast does
            override.replace_code(self.function, self.code)


points: dict = {}  # function -> Point
armed: set = set()  # the points whose code is exchanged now
count = 0  # recorders that are on, in all threads
lock = threading.RLock()


def enter(call):
    """Pass calls to ``call(point, args, options)`` from now on."""
    global count
    with lock:
        count += 1
        if count > 1:
            return
        add_function.call = call
        override.arrivals.append(add_function)
        for name, member in list(vars(Tensor).items()):
            add_member(name, member)
        for function in override.written:
            add_function(function)
        for function in override.operators:
            add_function(function)


def leave():
    """Undo one ``enter``."""
    global count
    with lock:
        count -= 1
        if not count:
            override.arrivals.remove(add_function)
            for point in armed:
                point.disarm()
            armed.clear()


def add_function(function, name=None):
    """Exchange the code of a function, unless it computes nothing; ``name`` is that of an attribute of Tensor."""
    point = points.get(function) if type(function) is FunctionType else None
    if point is None or override.own_code(function)[0] not in (point.code, point.recorded):
        if type(function) is property:
            return add_member(name, function)
        if (point := make_point(function, name)) is None:
            return None
        points[function] = point
    if point not in armed:
        armed.add(point)
        point.arm()
    return None


def make_point(function, name=None):
    """The point of a function, or None."""
    own = getattr(function, "__name__", "")
    name = own if own.startswith("__") else name or own  # some are attributes under several names
    if type(function) is not FunctionType or name in SILENT or name.startswith(override.SILENT):
        return None
    operator = override.operators.get(function)
    if operator is not None:
        name = f"{operator.name}_" if function is operator.__dict__.get("inplace_fn") or writes(name) else operator.name
    return Point(function, name, operator, add_function.call)


def writes(name):
    """True if a name is that of a function that writes into its first argument."""
    return name.endswith("_") and not name.endswith("__") or name in IN_PLACE


IN_PLACE = frozenset(f"__i{name}__" for name in "add sub mul truediv floordiv mod pow and or xor lshift rshift".split())


def add_member(name, member):
    """Exchange the code of an attribute of Tensor."""
    if type(member) is property:
        if name in ACCESSORS and member.fget is not None:
            add_function(member.fget, name)
    else:
        add_function(member, name)
