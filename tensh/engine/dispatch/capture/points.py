"""The functions that a recorder sees, and their code while one is active.

Note [Capture]
A program without captures has no cost: as with overrides (Note [Override points]) no function looks for a recorder.
When the first recorder is entered, the code of every generated operator function and of every public function is
replaced by a few instructions that pass the call to the recorder of the thread; when the last one exits, the original
code is restored.  A function that is created meanwhile is replaced at once.  Overriding classes and modes are asked
first.
"""

from types import FunctionType

from tensh.engine.arrays.uninterrupted import without_interrupts
from tensh.engine.codegen.public_forms import name_in_space
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
"""Attributes that return tensors."""
SILENT = frozenset(
    """size dim stride storage_offset numel nelement ndimension is_contiguous element_size data_ptr register_hook retain_grad
    requires_grad_ __len__ __repr__ __format__ __hash__ __dir__ backward manual_seed seed compile __new__ __init__
    __init_subclass__ __torch_function__ __torch_dispatch__ _make_subclass _make_wrapper_subclass __deepcopy__ __reduce_ex__""".split()
)
"""Functions that only read or set metadata."""


class Point:
    """A function that a recorder sees: its name, its operator (or None), and a twin with the original code."""

    __slots__ = ("function", "name", "operator", "code", "twin", "recorded")

    def __init__(self, function, name, operator, call):
        self.function, self.name, self.operator = function, name, operator
        self.code, behind = override.own_code(function)
        self.twin = override.copy_of(behind)
        code = code_of(CODE, FILE, len(self.code.co_freevars), {"CALL": call, "POINT": self})
        self.recorded = code.replace(co_name=self.code.co_name)

    def arm(self):
        self.function.__dict__.setdefault("__wrapped__", self.twin)  # for its signature
        override.replace_code(self.function, self.recorded)

    def disarm(self):
        if self.function.__dict__.get("__wrapped__") is self.twin:
            del self.function.__wrapped__
        # otherwise something else, such as autocast, has replaced it meanwhile
        if override.own_code(self.function)[0] is self.recorded:
            override.replace_code(self.function, self.code)


points: dict = {}  # function -> Point
armed: set = set()  # the points whose code is replaced now
count = 0  # number of active recorders, in all threads


@without_interrupts
def enter(call):
    """Pass calls to ``call(point, args, options)`` until ``leave``."""
    global count
    with override.lock:
        count += 1
        if count > 1:
            return
        add_function.call = call
        override.arrivals.append(add_function)
        for name, member in list(vars(Tensor).items()):
            add_member(name, member)
        for function in override.written:
            add_function(function)
        for function in (*override.operators, *override.checks):
            add_function(function)


@without_interrupts
def leave():
    """Undo one ``enter``."""
    global count
    with override.lock:
        count -= 1
        if not count:
            override.arrivals.remove(add_function)
            for point in armed:
                point.disarm()
            armed.clear()


def add_function(function, name=None):
    """Replace the code of a function, unless it is in ``SILENT``; ``name`` is its name as an attribute of Tensor."""
    if type(function) is property:
        return add_member(name, function)
    with override.lock:
        point = points.get(function) if type(function) is FunctionType else None
        if point is None or override.own_code(function)[0] not in (point.code, point.recorded):
            if (point := make_point(function, name)) is None:
                return None
            points[function] = point
        if point not in armed:
            armed.add(point)
            point.arm()
    return None


def make_point(function, name):
    """Return the point of a function, or None."""
    own = name_in_space(function)
    name = own if own.startswith("__") else name or own  # some attributes have several names
    silent = (name in SILENT or name.startswith(override.SILENT)) and function not in override.checks
    if type(function) is not FunctionType or silent:
        return None
    operator = override.operators.get(function)
    if operator is not None:
        name = f"{operator.name}_" if function is operator.__dict__.get("inplace_fn") or writes(name) else operator.name
    return Point(function, name, operator, add_function.call)


def writes(name):
    """Return True for the name of a function that writes into its first argument."""
    return name.endswith("_") and not name.endswith("__") or name in IN_PLACE


IN_PLACE = frozenset(f"__i{name}__" for name in "add sub mul truediv floordiv mod pow and or xor lshift rshift".split())


def add_member(name, member):
    """Replace the code of an attribute of Tensor."""
    if type(member) is property:
        if name in ACCESSORS and member.fget is not None:
            add_function(member.fget, name)
    else:
        add_function(member, name)
